"""tamis and other engines on the same model, texts and token ids, interleaved: A B C D, A B C D, A B C D.

    compare.py --model DIR --workload FILE --venvs DIR [--peers tamis,vllm,openvino,onnxruntime] [--rounds 3]
               [--no-amx] [--threads 2] [--reference N] [--json FILE]

A peer is a name, or a name and settings: `openvino:batch=16:precision=f32` (each run_*.py names its own). Each engine
is loaded once, scores the workload once to warm up, and waits while the others run; the time that a waiting engine
computes is measured too, since an engine that spins would slow the next one. README.md beside this file says more.
"""

import argparse
import json
import os
import pathlib
import sys
import time

from engine import Engine, reference_scores
from report import row_of, table


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tamis", default="build/release/tamis")
    parser.add_argument("--model", required=True)
    parser.add_argument("--workload", required=True)
    parser.add_argument("--venvs", type=pathlib.Path, required=True, help="the folder that setup.sh filled")
    parser.add_argument("--peers", default="tamis,vllm,openvino,onnxruntime")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warmups", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-amx", action="store_true", help="keep every engine on AVX-512")
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path("build/peers"))
    parser.add_argument("--reference", type=int, default=50, metavar="N", help="documents to score in fp32 (0: none)")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


def cpu_seconds(engine):
    fields = pathlib.Path(f"/proc/{engine.process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def idle_shares(engines, seconds=2.0):
    """The share of one core that each engine takes while none is asked anything."""
    time.sleep(1)
    before = [cpu_seconds(e) for e in engines]
    time.sleep(seconds)
    return [(cpu_seconds(e) - b) / seconds for e, b in zip(engines, before)]


def main():
    options = parse()
    options.cache.mkdir(parents=True, exist_ok=True)
    reference = reference_scores(options) if options.reference else []
    engines = []
    for spec in options.peers.split(","):
        engines.append(Engine(spec, options))
        print(f"{spec} loaded in {engines[-1].load_s:.1f} s", file=sys.stderr)
    for _ in range(options.warmups):
        for engine in engines:
            print(f"{engine.spec} warm-up: {engine.run()['seconds']:.2f} s", file=sys.stderr)
    idle = idle_shares(engines)
    for round_number in range(options.rounds):
        for engine in engines:
            engine.runs.append(engine.run())
            print(f"{engine.spec} run {round_number + 1}: {engine.runs[-1]['seconds']:.2f} s", file=sys.stderr)
    for engine in engines:
        engine.close()
    scores = reference or engines[0].runs[0]["scores"]
    rows = [row_of(engine, share, scores) for engine, share in zip(engines, idle)]
    print(table(rows, "transformers in fp32" if reference else engines[0].spec, len(scores)))
    if options.json:
        out = {
            "workload": pathlib.Path(options.workload).name,
            "threads": options.threads,
            "amx": not options.no_amx,
            "reference_documents": len(reference),
            "rows": rows,
        }
        options.json.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
