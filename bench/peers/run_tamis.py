"""tamis itself, as `tamis bench` on the same model and texts: one process a run, a warm-up before the timed run."""

import json
import subprocess
import sys

import peer


def main():
    options = peer.arguments(__doc__)
    print(json.dumps({"load_s": 0}), flush=True)
    for line in sys.stdin:
        if line.strip() != "run":
            break
        command = [
            options.tamis,
            "bench",
            "--model",
            str(options.model),
            "--workload",
            str(options.workload),
            "--threads",
            str(options.threads),
            "--repeat",
            "1",
            "--warmup",
            "1",
            "--scores",
            "--format",
            "json",
        ]
        figures = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        print(
            json.dumps(
                {
                    "seconds": figures["p50_s"],
                    "rss_peak_bytes": figures["rss_peak_bytes"],
                    "load_s": figures["load_s"],
                    "margins": figures["margins"],
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
