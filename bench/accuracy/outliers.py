"""What 8-bit schemes cost on a model with outlier channels: tamis' own kernels beside simulated schemes.

    outliers.py --tokenizer tokenizer.json --folder SCRATCH [--tamis build/release/tamis] [--layers 28] [--plain]

Needs torch and transformers. Makes a random model of the 0.6B shape and puts outliers in: norm weights times 20 to 100
on 8 channels of each layer with the inverse in the weights that follow, 4 residual channels times 60, and a few rows of
up_proj times 40 with the inverse in down_proj (`--plain`: none). Then prints, for each scheme, the mean error of
logit(yes) - logit(no) against fp32, in units of its own spread over 16 documents. Simulated schemes quantise the inputs
and the weights of each linear layer symmetrically to 8 bits and compute in fp32; "tamis int8" is `tamis score`.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
import make_model  # noqa: E402
from peer import NO, YES  # noqa: E402

DOCUMENTS, WORDS = 16, 70


def put_outliers_in(weights, layers):
    generator = random.Random(3)

    def scale(name, index, factor, column=False):
        tensor = weights[name]
        if column:
            tensor[:, index] *= factor
        else:
            tensor[index] *= factor

    residual = generator.sample(range(make_model.HIDDEN), 4)
    for channel in residual:
        scale("model.embed_tokens.weight", channel, 60, column=True)
    for i in range(layers):
        layer = f"model.layers.{i}."
        readers = {
            "input_layernorm": ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
            "post_attention_layernorm": ["mlp.gate_proj", "mlp.up_proj"],
        }
        for norm, projections in readers.items():
            for channel in generator.sample(range(make_model.HIDDEN), 8):
                factor = generator.uniform(20, 100)
                scale(f"{layer}{norm}.weight", channel, factor)
                for projection in projections:
                    scale(f"{layer}{projection}.weight", channel, 1 / factor, column=True)
        for channel in residual:
            for writer in ("self_attn.o_proj", "mlp.down_proj"):
                scale(f"{layer}{writer}.weight", channel, 60)
        for row in generator.sample(range(make_model.INNER), 4):
            scale(f"{layer}mlp.up_proj.weight", row, 40)
            scale(f"{layer}mlp.down_proj.weight", row, 1 / 40, column=True)


def write_model(folder, tokenizer, layers, plain):
    weights = {name: tensor.float() for name, tensor in make_model.weights(layers).items()}
    if not plain:
        put_outliers_in(weights, layers)
    folder.mkdir(parents=True, exist_ok=True)
    save_file({n: t.contiguous() for n, t in weights.items()}, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(make_model.config(layers)), encoding="utf-8")
    (folder / "tokenizer.json").write_bytes(pathlib.Path(tokenizer).read_bytes())


def rows():
    generator = random.Random(1)
    words = "time work system data file user page name list part line place way day year world life hand house".split()
    return [
        json.dumps({"query": "how are files kept", "document": " ".join(generator.choices(words, k=WORDS))})
        for _ in range(DOCUMENTS)
    ]


def quantised(values, group):
    """Symmetric 8-bit values of each row, or of each `group` columns of it."""
    width = values.shape[-1]
    size = width if group is None else group
    blocks = values.reshape(*values.shape[:-1], width // size, size)
    step = blocks.abs().amax(-1, keepdim=True).clamp(min=1e-30) / 127
    return (torch.round(blocks / step) * step).reshape(values.shape)


def simulate(model, group):
    """Quantises the weights of each linear layer in place, and its inputs as they come."""
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Linear) and "lm_head" not in name:
            module.weight.data = quantised(module.weight.data, group)
            module.register_forward_pre_hook(lambda _, inputs: (quantised(inputs[0], group),))


def fold(model):
    """Moves each norm's weights into the layers that follow: the same function."""
    for layer in model.model.layers:
        readers = {
            layer.input_layernorm: [layer.self_attn.q_proj, layer.self_attn.k_proj, layer.self_attn.v_proj],
            layer.post_attention_layernorm: [layer.mlp.gate_proj, layer.mlp.up_proj],
        }
        for norm, projections in readers.items():
            for projection in projections:
                projection.weight.data *= norm.weight.data
            norm.weight.data = torch.ones_like(norm.weight.data)


@torch.inference_mode()
def margins(model, ids):
    out = []
    for prompt in ids:
        logits = model(input_ids=torch.tensor([prompt]), logits_to_keep=1).logits[0, -1]
        out.append((logits[YES] - logits[NO]).item())
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--tamis", default="build/release/tamis")
    parser.add_argument("--layers", type=int, default=28)
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    write_model(options.folder, options.tokenizer, options.layers, options.plain)
    text = "\n".join(rows()) + "\n"

    def tamis(*arguments):
        command = [options.tamis, *arguments, "--model", options.folder]
        done = subprocess.run(command, input=text, text=True, capture_output=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    ids = [row["ids"] for row in tamis("tokenize", "--prompt")]

    def load():
        return AutoModelForCausalLM.from_pretrained(options.folder, dtype=torch.float32)

    reference = margins(load(), ids)
    spread = statistics.pstdev(reference)

    def report(name, values):
        error = statistics.fmean(abs(a - b) for a, b in zip(values, reference)) / spread
        print(f"{name:34} {error:8.3f}", flush=True)

    kind = "no" if options.plain else "with"
    print(f"{options.layers} layers, {kind} outliers; spread of the reference {spread:.4f}")
    schemes = [("one scale a row", None, False), ("groups of 128", 128, False), ("groups of 32", 32, False)]
    for name, group, folded in [*schemes, ("folded, one scale a row", None, True)]:
        model = load()
        if folded:
            fold(model)
        simulate(model, group)
        report(name, margins(model, ids))
    report("tamis fp32", [row["margin"] for row in tamis("score", "--precision", "fp32")])
    report("tamis int8 (folded, rotated)", [row["margin"] for row in tamis("score")])


if __name__ == "__main__":
    main()
