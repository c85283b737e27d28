"""Writes a Hugging Face folder of the Qwen3-Reranker-0.6B shape with seeded random bf16 weights, for measuring speed.

make_model.py FOLDER --tokenizer tokenizer.json [--layers 28]
"""

import argparse
import json
import math
import pathlib
import shutil

import torch
from safetensors.torch import save_file

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, INNER, VOCABULARY = 1024, 16, 8, 128, 3072, 151669


def weights(layers):
    generator = torch.Generator().manual_seed(1)

    def matrix(rows, columns, gain=1.0):
        values = torch.randn(rows, columns, generator=generator) * (gain / math.sqrt(columns))
        return values.to(torch.bfloat16)

    def vector(size):
        return (1 + 0.05 * torch.randn(size, generator=generator)).to(torch.bfloat16)

    # The residual stream is kept near 1/32, so that logits are near 1: bf16 engines would round larger ones away.
    gain = 1 / math.sqrt(2 * layers * HIDDEN)
    out = {
        "model.embed_tokens.weight": matrix(VOCABULARY, HIDDEN),
        "model.norm.weight": vector(HIDDEN),
    }
    for i in range(layers):
        layer = f"model.layers.{i}."
        out |= {
            layer + "input_layernorm.weight": vector(HIDDEN),
            layer + "post_attention_layernorm.weight": vector(HIDDEN),
            layer + "self_attn.q_norm.weight": vector(HEAD_DIM),
            layer + "self_attn.k_norm.weight": vector(HEAD_DIM),
            layer + "self_attn.q_proj.weight": matrix(HEADS * HEAD_DIM, HIDDEN),
            layer + "self_attn.k_proj.weight": matrix(KV_HEADS * HEAD_DIM, HIDDEN),
            layer + "self_attn.v_proj.weight": matrix(KV_HEADS * HEAD_DIM, HIDDEN),
            layer + "self_attn.o_proj.weight": matrix(HIDDEN, HEADS * HEAD_DIM, gain),
            layer + "mlp.gate_proj.weight": matrix(INNER, HIDDEN),
            layer + "mlp.up_proj.weight": matrix(INNER, HIDDEN),
            layer + "mlp.down_proj.weight": matrix(HIDDEN, INNER, 2 * gain),
        }
    return out


def config(layers):
    return {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "attention_bias": False,
        "attention_dropout": 0.0,
        "head_dim": HEAD_DIM,
        "hidden_act": "silu",
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "max_position_embeddings": 40960,
        "max_window_layers": layers,
        "num_attention_heads": HEADS,
        "num_hidden_layers": layers,
        "num_key_value_heads": KV_HEADS,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1000000,
        "sliding_window": None,
        "use_sliding_window": False,
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
        "use_cache": True,
        "vocab_size": VOCABULARY,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--layers", type=int, default=28)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    save_file(weights(arguments.layers), arguments.folder / "model.safetensors", metadata={"format": "pt"})
    (arguments.folder / "config.json").write_text(
        json.dumps(config(arguments.layers), indent=1) + "\n", encoding="utf-8"
    )
    shutil.copy(arguments.tokenizer, arguments.folder / "tokenizer.json")
    tokenizer = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    (arguments.folder / "tokenizer_config.json").write_text(json.dumps(tokenizer) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
