"""What all peers share: the command line, the same token ids, and the loop that answers "run" lines with JSON.

A peer's process loads its model once, prints {"load_s"}, then scores the workload once for each "run" line on standard
input and prints {"seconds", "docs_per_s", "tokens", "rss_peak_bytes", "scores"}: a score is the margin, logit(yes) −
logit(no), in the order of the documents. Conversions run in a process of their own, so that they don't count as load.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

YES, NO = 9693, 2152  # of the published vocabulary


def arguments(description, **settings):
    """The options; `settings` are the engine's own knobs and their defaults, changed by --set NAME=VALUE."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--tamis", default="build/release/tamis", help="encodes the prompts, for every peer")
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--workload", type=pathlib.Path, required=True, help='JSON {"query", "documents"}')
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder for converted models")
    parser.add_argument("--no-amx", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=f"one of {settings}")
    parser.add_argument("--convert-only", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for item in options.set:
        name, value = item.split("=", 1)
        if name not in settings:
            parser.error(f"--set {item}: this peer has {', '.join(settings) or 'no settings'}")
        settings[name] = type(settings[name])(value)
    options.settings = argparse.Namespace(**settings)
    options.cache.mkdir(parents=True, exist_ok=True)
    return options


def converted(options, path, convert):
    """`path`, made by convert(path) if need be, in a process of its own: its memory is not the engine's."""
    if path.exists():
        return path
    if options.convert_only:
        convert(path)
        sys.exit(0)
    subprocess.run([sys.executable, *sys.argv, "--convert-only"], check=True, stdout=sys.stderr)
    return path


def prompts(options):
    """The official recipe's ids of each document's prompt."""
    work = json.loads(options.workload.read_text(encoding="utf-8"))
    rows = "".join(json.dumps({"query": work["query"], "document": d}) + "\n" for d in work["documents"])
    command = [options.tamis, "tokenize", "--model", str(options.model), "--prompt", "--input", "-"]
    done = subprocess.run(command, input=rows, text=True, stdout=subprocess.PIPE, check=True)
    return [json.loads(line)["ids"] for line in done.stdout.splitlines()]


def shared_length(ids):
    """How many tokens all prompts begin with."""
    return len(os.path.commonprefix(ids))


def batches(ids, size):
    """Indexes in batches of prompts of like length, longest first."""
    order = sorted(range(len(ids)), key=lambda i: -len(ids[i]))
    return [order[i : i + size] for i in range(0, len(order), size)]


def peak_bytes():
    status = pathlib.Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def serve(options, load, score, before=None):
    """load() -> state; before(state, ids), not timed; score(state, ids) -> margins in the order of the documents."""
    ids = prompts(options)
    begin = time.perf_counter()
    state = load()
    print(json.dumps({"load_s": time.perf_counter() - begin}), flush=True)
    for line in sys.stdin:
        if line.strip() != "run":
            break
        if before:
            before(state, ids)
        begin = time.perf_counter()
        margins = score(state, ids)
        seconds = time.perf_counter() - begin
        answer = {
            "seconds": seconds,
            "docs_per_s": len(ids) / seconds,
            "tokens": sum(map(len, ids)),
            "rss_peak_bytes": peak_bytes(),
            "scores": [float(m) for m in margins],
        }
        print(json.dumps(answer), flush=True)
