#!/usr/bin/env python3
"""Tokenising speed of tamis and of Hugging Face `tokenizers`, one thread each, measured in turns in one run.

usage: compare.py TOKENIZER_BENCH TOKENIZER.json [--rounds N] [--json]

Needs the package `tokenizers` (tools/requirements.txt). Both sides get the same documents one at a time as plain text;
their ids are compared first. Each round times both sides on each text, in CPU time of the one thread: the best pass of
each. The ratio printed is the median of the rounds' ratios, with the lowest and highest beside it.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer  # noqa: E402  (reads the variables when it is imported)

import texts  # noqa: E402

ROUND_SECONDS = 0.5


def plain_tokenizer(path):
    data = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    data["added_tokens"] = []
    return Tokenizer.from_str(json.dumps(data))


def bench(program, tokenizer, *arguments):
    run = subprocess.run([program, tokenizer, *arguments], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def measure_peer(peer, documents):
    size = sum(len(d.encode()) for d in documents)
    best, start = 0, time.thread_time()
    while time.thread_time() - start < ROUND_SECONDS:
        begin = time.thread_time()
        for document in documents:
            peer.encode(document, add_special_tokens=False)
        best = max(best, size / (time.thread_time() - begin) / 1e6)
    return best


def check_ids(program, tokenizer, peer, name, documents, path):
    ours = bench(program, tokenizer, "--ids", str(path))[1:]
    for document, ids in zip(documents, ours, strict=True):
        if peer.encode(document, add_special_tokens=False).ids != ids:
            raise SystemExit(f"compare.py: {name}: ids differ on {document!r}")


def spread(values):
    return {"median": statistics.median(values), "lowest": min(values), "highest": max(values)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("tokenizer")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    peer = plain_tokenizer(options.tokenizer)
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, documents in texts.all_texts().items():
            path = pathlib.Path(folder) / name
            documents = [d.replace("\u2028", "\n") for d in documents]
            lines = (d.replace("\n", "\u2028") + "\n" for d in documents)
            path.write_text("".join(lines), encoding="utf-8", newline="\n")
            check_ids(options.program, options.tokenizer, peer, name, documents, path)
            rounds = []
            for _ in range(options.rounds):
                theirs = measure_peer(peer, documents)
                ours = bench(options.program, options.tokenizer, "--seconds", str(ROUND_SECONDS), str(path))[1]
                rounds.append((ours["mb_per_s"], theirs, ours["first_mb_per_s"]))
            results[name] = {
                "tamis_mb_per_s": spread([o for o, _, _ in rounds]),
                "tokenizers_mb_per_s": spread([t for _, t, _ in rounds]),
                "ratio": spread([o / t for o, t, _ in rounds]),
                "tamis_first_pass_mb_per_s": spread([f for _, _, f in rounds]),
            }
    if options.json:
        print(json.dumps(results))
        return
    print(f"{'text':10}{'tamis MB/s':>26}{'tokenizers MB/s':>26}{'ratio':>26}{'tamis first pass MB/s':>26}")
    for name, row in results.items():
        cells = (f"{v['median']:.1f} ({v['lowest']:.1f}-{v['highest']:.1f})" for v in row.values())
        print(f"{name:10}" + "".join(f"{cell:>26}" for cell in cells))


if __name__ == "__main__":
    main()
