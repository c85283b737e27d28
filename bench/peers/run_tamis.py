"""tamis itself, as `tamis bench` on the same model and texts: one process a run, a warm-up before the timed run."""

import json
import subprocess
import sys

import peer


def main():
    options = peer.arguments(__doc__, precision="int8", warmup=1)
    tokens = sum(map(len, peer.prompts(options)))
    command = [options.tamis, "bench", "--model", options.model, "--workload", options.workload]
    command += ["--threads", options.threads, "--precision", options.settings.precision]
    command += ["--repeat", 1, "--warmup", options.settings.warmup, "--scores", "--format", "json"]
    print(json.dumps({"load_s": 0}), flush=True)  # told with each run
    for line in sys.stdin:
        if line.strip() != "run":
            break
        done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, check=True)
        figures = json.loads(done.stdout)
        answer = {
            "seconds": figures["p50_s"],
            "docs_per_s": figures["docs_per_s"],
            "tokens": tokens,
            "rss_peak_bytes": figures["rss_peak_bytes"],
            "load_s": figures["load_s"],
            "scores": figures["margins"],
            "isa": figures["isa"],
            "peak_share": figures["peak_share"],
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
