"""Int8 against fp32 on judged candidates: nDCG@10 of each, and how far their margins agree.

    quality.py --tamis build/release/tamis --eval FILE [--model DIR] [--limit N]

FILE holds JSON objects, one a line: documents {"doc": id, "text"} and queries {"query", "positive": id, "candidates":
[ids]} with one relevant document each. Prints a table and, with --json, a line of figures.
"""

import argparse
import json
import math
import subprocess
import sys


def read(path, limit):
    documents, queries = {}, []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if "doc" in row:
                documents[row["doc"]] = row["text"]
            else:
                queries.append(row)
    step = max(1, len(queries) // limit) if limit else 1
    return documents, queries[::step][: limit or None]


def margins(tamis, model, precision, documents, queries):
    """Margins by (query, candidate), in order."""
    rows = [json.dumps({"query": q["query"], "document": documents[c]}) for q in queries for c in q["candidates"]]
    command = [tamis, "score", "--precision", precision, "-q", *(["--model", model] if model else [])]
    done = subprocess.run(command, input="\n".join(rows) + "\n", capture_output=True, text=True, check=True)
    return [json.loads(line)["margin"] for line in done.stdout.splitlines()]


def ndcg10(queries, scores):
    total, at = 0.0, 0
    for query in queries:
        own = scores[at : at + len(query["candidates"])]
        at += len(own)
        positive = own[query["candidates"].index(query["positive"])]
        rank = 1 + sum(s > positive for s in own)
        total += 1 / math.log2(rank + 1) if rank <= 10 else 0
    return total / len(queries)


def spearman(a, b):
    def ranks(values):
        order = sorted(range(len(values)), key=values.__getitem__)
        out = [0.0] * len(values)
        for rank, i in enumerate(order):
            out[i] = rank
        return out

    x, y = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    return sum((i - mean) * (j - mean) for i, j in zip(x, y)) / sum((i - mean) ** 2 for i in x)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tamis", default="build/release/tamis")
    parser.add_argument("--eval", required=True)
    parser.add_argument("--model")
    parser.add_argument("--limit", type=int, default=0, help="queries to use, evenly spread")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    documents, queries = read(arguments.eval, arguments.limit)
    fp32 = margins(arguments.tamis, arguments.model, "fp32", documents, queries)
    int8 = margins(arguments.tamis, arguments.model, "int8", documents, queries)
    figures = {
        "queries": len(queries),
        "pairs": len(fp32),
        "ndcg10_fp32": ndcg10(queries, fp32),
        "ndcg10_int8": ndcg10(queries, int8),
        "spearman": spearman(fp32, int8),
        "max_margin_difference": max(abs(a - b) for a, b in zip(fp32, int8)),
        "mean_margin_difference": sum(abs(a - b) for a, b in zip(fp32, int8)) / len(fp32),
    }
    if arguments.json:
        print(json.dumps(figures))
        return 0
    for name, value in figures.items():
        print(f"{name:24} {value:.5f}" if isinstance(value, float) else f"{name:24} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
