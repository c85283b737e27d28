"""vLLM on the CPU in bf16, blocks of 32 tokens so that its prefix cache can reuse most of the shared prefix."""

import os

import peer


def main():
    options = peer.arguments(__doc__)
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "4")
    os.environ.setdefault("VLLM_CPU_OMP_THREADS_BIND", f"0-{options.threads - 1}")
    os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")

    def load():
        from vllm import LLM

        model = LLM(
            model=str(options.model),
            dtype="bfloat16",
            max_model_len=4096,
            enable_prefix_caching=True,
            block_size=32,
            max_num_batched_tokens=4096,
            disable_log_stats=True,
        )
        return model, peer.prompts(options)

    def score(state):
        from vllm import SamplingParams

        model, ids = state
        sampling = SamplingParams(temperature=0, max_tokens=1, logprobs=2, allowed_token_ids=[peer.YES, peer.NO])
        answers = model.generate([{"prompt_token_ids": i} for i in ids], sampling, use_tqdm=False)
        margins = []
        for answer in answers:
            first = answer.outputs[0].logprobs[0]
            margins.append(first[peer.YES].logprob - first[peer.NO].logprob)
        return margins

    peer.serve(load, score)


if __name__ == "__main__":
    main()
