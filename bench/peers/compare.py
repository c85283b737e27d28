"""tamis and other engines on the same model, texts and token ids, interleaved: A B C, A B C, A B C.

    compare.py --model DIR --workload FILE --peer openvino=PYTHON --peer onnxruntime=PYTHON --peer vllm=PYTHON
               [--rounds 3] [--no-amx] [--threads 2] [--json FILE]

PYTHON is the interpreter of the virtual environment that holds the engine (README.md beside this file). Each engine is
loaded once and idle while the others run. `--no-amx` keeps every engine on AVX-512 VNNI.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
NO_AMX = {
    "ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16",
    "DNNL_MAX_CPU_ISA": "AVX512_CORE_BF16",
    "TAMIS_FORCE_ISA": "avx512vnni",
}


class Peer:
    def __init__(self, name, python, options):
        command = [
            python,
            HERE / f"run_{name}.py",
            "--tamis",
            options.tamis,
            "--model",
            options.model,
            "--workload",
            options.workload,
            "--threads",
            options.threads,
            "--cache",
            options.cache,
        ]
        threads = {"OMP_NUM_THREADS": str(options.threads), "MKL_NUM_THREADS": str(options.threads)}
        self.name = name
        self.log = open(options.cache / f"{name}.log", "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [str(c) for c in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env={**os.environ, **threads, **(NO_AMX if options.no_amx else {})},
        )
        self.load_s = self.answer()["load_s"]
        self.runs = []

    def answer(self):
        for line in self.process.stdout:  # engines print lines of their own
            if line.startswith("{"):
                return json.loads(line)
        raise SystemExit(f"{self.name} ended without an answer; see {self.log.name}")

    def run(self):
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        return self.answer()


def spearman(a, b):
    def ranks(values):
        out = [0] * len(values)
        for rank, i in enumerate(sorted(range(len(values)), key=values.__getitem__)):
            out[i] = rank
        return out

    x, y, mean = ranks(a), ranks(b), (len(a) - 1) / 2
    return sum((i - mean) * (j - mean) for i, j in zip(x, y)) / sum((i - mean) ** 2 for i in x)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tamis", default="build/release/tamis")
    parser.add_argument("--model", required=True)
    parser.add_argument("--workload", required=True)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-amx", action="store_true")
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path("build/peers"))
    parser.add_argument("--json")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    named = [p.split("=", 1) for p in options.peer]
    peers = [Peer("tamis", sys.executable, options), *(Peer(name, python, options) for name, python in named)]
    for peer in peers:  # first runs allocate, compile and fill caches
        peer.run()
    for _ in range(options.rounds):
        for peer in peers:
            peer.runs.append(peer.run())
    documents = len(peers[0].runs[0]["margins"])
    rows = []
    for peer in peers:
        seconds = [r["seconds"] for r in peer.runs]
        median = statistics.median(seconds)
        rows.append(
            {
                "peer": peer.name,
                "docs_per_s": documents / median,
                "seconds": median,
                "spread_s": [min(seconds), max(seconds)],
                "rss_peak_bytes": max(r["rss_peak_bytes"] for r in peer.runs),
                "load_s": peer.runs[-1].get("load_s", peer.load_s),
                "spearman_with_tamis": spearman(peer.runs[-1]["margins"], peers[0].runs[-1]["margins"]),
            }
        )
    print(
        f"{'peer':14} {'docs/s':>8} {'median s':>9} {'min - max s':>17} "
        f"{'tamis is':>9} {'RSS GiB':>8} {'load s':>7} {'rho':>6}"
    )
    for row in rows:
        ratio = rows[0]["docs_per_s"] / row["docs_per_s"]
        print(
            f"{row['peer']:14} {row['docs_per_s']:8.2f} {row['seconds']:9.3f} "
            f"{row['spread_s'][0]:8.3f} - {row['spread_s'][1]:6.3f} "
            f"{ratio:8.2f}x {row['rss_peak_bytes'] / 2**30:8.2f} {row['load_s']:7.1f} {row['spearman_with_tamis']:6.3f}"
        )
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
