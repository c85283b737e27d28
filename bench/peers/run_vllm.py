"""vLLM on the CPU in bf16, blocks of 32 tokens so that its prefix cache can reuse most of the shared prefix.

`classify` is its way of serving rerankers (the two rows of the head turned into one), `generate` asks for the
probabilities of yes and no as the next token. Before a timed run the cache is emptied, or it would hold whole prompts,
and the shared prefix is put back, as tamis' warm-up leaves it there too.
"""

import ctypes.util
import os
import pathlib
import sys

import peer


def with_preloads():
    """Starts this process again with the libraries that vLLM asks for, as far as they are there."""
    if "LD_PRELOAD" in os.environ:
        return
    found = [pathlib.Path(sys.prefix, "lib/libiomp5.so")]
    allocator = ctypes.util.find_library("tcmalloc_minimal")
    if allocator:
        found.append(allocator)
    else:
        print("libtcmalloc_minimal is not installed: vLLM is better with it", file=sys.stderr)
    os.environ["LD_PRELOAD"] = ":".join(str(f) for f in found)
    os.execv(sys.executable, [sys.executable, *sys.argv])


def without_amx():
    """vLLM asks torch for its own kernels; ONEDNN_MAX_CPU_ISA alone leaves its attention on AMX."""
    import torch

    torch.cpu._is_amx_tile_supported = lambda: False


def main():
    options = peer.arguments(__doc__, api="classify", block=32, dtype="bfloat16", step=4096)
    settings = options.settings
    with_preloads()
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "4")
    os.environ.setdefault("VLLM_CPU_OMP_THREADS_BIND", f"0-{options.threads - 1}")
    os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")

    def load():
        if options.no_amx:
            without_amx()
        from vllm import LLM

        reranker = {
            "runner": "pooling",
            "hf_overrides": {
                "architectures": ["Qwen3ForSequenceClassification"],
                "classifier_from_token": ["no", "yes"],
                "is_original_qwen3_reranker": True,
            },
        }
        return LLM(
            model=str(options.model),
            dtype=settings.dtype,
            max_model_len=4096,
            enable_prefix_caching=True,
            block_size=settings.block,
            max_num_batched_tokens=settings.step,
            max_num_seqs=256,
            disable_log_stats=True,
            **(reranker if settings.api == "classify" else {}),
        )

    def classify(model, ids):
        from vllm import PoolingParams

        raw = PoolingParams(task="classify", use_activation=False)
        prompts = [{"prompt_token_ids": i} for i in ids]
        answers = model.encode(prompts, raw, pooling_task="classify", use_tqdm=False)
        return [a.outputs.data.flatten()[0] for a in answers]

    def generate(model, ids):
        from vllm import SamplingParams

        sampling = SamplingParams(temperature=0, max_tokens=1, logprobs=2, allowed_token_ids=[peer.YES, peer.NO])
        answers = model.generate([{"prompt_token_ids": i} for i in ids], sampling, use_tqdm=False)
        first = [a.outputs[0].logprobs[0] for a in answers]
        return [f[peer.YES].logprob - f[peer.NO].logprob for f in first]

    score = {"classify": classify, "generate": generate}[settings.api]

    def before(model, ids):
        model.reset_prefix_cache()
        score(model, [ids[0][: peer.shared_length(ids) or 1]])

    peer.serve(options, load, score, before)


if __name__ == "__main__":
    main()
