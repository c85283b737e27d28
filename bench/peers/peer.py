"""What all peers share: the same token ids, and the loop that answers "run" lines with one JSON object each."""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import time

YES, NO = 9693, 2152  # of the published vocabulary


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--tamis", default="build/release/tamis", help="encodes the prompts, for every peer")
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--workload", type=pathlib.Path, required=True, help='JSON {"query", "documents"}')
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder for converted models")
    return parser.parse_args()


def prompts(options):
    """The official recipe's ids of each document's prompt."""
    work = json.loads(options.workload.read_text(encoding="utf-8"))
    rows = "".join(json.dumps({"query": work["query"], "document": d}) + "\n" for d in work["documents"])
    done = subprocess.run(
        [options.tamis, "tokenize", "--model", str(options.model), "--prompt"],
        input=rows,
        text=True,
        capture_output=True,
        check=True,
    )
    return [json.loads(line)["ids"] for line in done.stdout.splitlines()]


def batches(ids, size):
    """Indexes in batches of prompts of like length, longest first."""
    order = sorted(range(len(ids)), key=lambda i: -len(ids[i]))
    return [order[i : i + size] for i in range(0, len(order), size)]


def serve(load, score):
    """load() -> state; score(state) -> margins in the order of the documents."""
    begin = time.perf_counter()
    state = load()
    print(json.dumps({"load_s": time.perf_counter() - begin}), flush=True)
    for line in sys.stdin:
        if line.strip() != "run":
            break
        begin = time.perf_counter()
        margins = score(state)
        seconds = time.perf_counter() - begin
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(
            json.dumps({"seconds": seconds, "rss_peak_bytes": peak, "margins": [float(m) for m in margins]}), flush=True
        )
