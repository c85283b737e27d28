"""Int8 ranks as fp32 does, on a set made here and now from the descriptions of Debian's packages."""

import json
import random
import re
import subprocess


def descriptions():
    """{package: (one line, paragraph)} from apt's lists, or from what is installed where there are none."""
    text = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, errors="replace").stdout
    if text.count("\nDescription") < 500:
        text = subprocess.run(
            ["dpkg-query", "-W", "-f", "Package: ${Package}\nDescription: ${Description}\n\n"],
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
        ).stdout
    out = {}
    for block in text.split("\n\n"):
        name = re.search(r"^Package: (.*)$", block, re.M)
        words = re.search(r"^Description(?:-en)?: (.*)\n((?: .*\n?)*)", block, re.M)
        if name and words:
            out[name[1]] = (words[1].strip(), " ".join(line.strip(" .") for line in words[2].splitlines())[:400])
    return out


def test_int8_agrees_with_fp32(tamis):
    texts = descriptions()
    names = sorted(texts)
    generator = random.Random(5)
    generator.shuffle(names)
    asked = names[:40]
    rows, right = [], []
    for name in asked:
        candidates = [name, *generator.sample(names, 19)]
        generator.shuffle(candidates)
        right.append(candidates.index(name))
        rows += [{"query": texts[name][0], "document": f"{c}: {texts[c][1] or texts[c][0]}"} for c in candidates]
    text = "".join(json.dumps(r) + "\n" for r in rows)
    margins = {
        p: [g["margin"] for g in tamis.json_lines("score", "-q", "--precision", p, stdin=text)]
        for p in ("fp32", "int8")
    }

    def ndcg(values):
        from math import log2

        total = 0
        for q, positive in enumerate(right):
            own = values[20 * q : 20 * q + 20]
            rank = 1 + sum(v > own[positive] for v in own)
            total += 1 / log2(rank + 1) if rank <= 10 else 0
        return total / len(right)

    def ranks(values):
        out = [0] * len(values)
        for rank, i in enumerate(sorted(range(len(values)), key=values.__getitem__)):
            out[i] = rank
        return out

    a, b = ranks(margins["fp32"]), ranks(margins["int8"])
    mean = (len(a) - 1) / 2
    spearman = sum((x - mean) * (y - mean) for x, y in zip(a, b)) / sum((x - mean) ** 2 for x in a)
    print(
        f"nDCG@10 fp32 {ndcg(margins['fp32']):.4f} int8 {ndcg(margins['int8']):.4f}, "
        f"Spearman {spearman:.5f}, {len(rows)} pairs"
    )
    assert spearman >= 0.995
    # 0.5 points is the bound on thousands of queries; one place of one query's document moves forty queries by more.
    assert abs(ndcg(margins["fp32"]) - ndcg(margins["int8"])) <= 0.02
