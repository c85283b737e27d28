"""What compare.py says of each engine: pure functions of its runs."""

import statistics


def ranks(values):
    """Ranks from 0; equal values share their mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for i in order[begin:end]:
            out[i] = (begin + end - 1) / 2
        begin = end
    return out


def spearman(a, b):
    x, y = ranks(a), ranks(b)
    return statistics.correlation(x, y) if len(set(x)) > 1 and len(set(y)) > 1 else float("nan")


def row_of(engine, idle_share, reference):
    seconds = [r["seconds"] for r in engine.runs]
    last = engine.runs[-1]
    scores = last["scores"][: len(reference)]
    deltas = [abs(s - r) for s, r in zip(scores, reference)]
    return {
        "peer": engine.spec,
        "docs_per_s": len(last["scores"]) / statistics.median(seconds),
        "tokens_per_s": last["tokens"] / statistics.median(seconds),
        "seconds": seconds,
        "rss_peak_bytes": max(r["rss_peak_bytes"] for r in engine.runs),
        "load_s": last.get("load_s", engine.load_s),
        "idle_core_share": idle_share,
        "delta_max": max(deltas),
        "delta_mean": statistics.mean(deltas),
        "reference_sd": statistics.pstdev(reference),
        "spearman": spearman(scores, reference),
        **{k: last[k] for k in ("isa", "peak_share") if k in last},
    }


def table(rows, reference, documents):
    width = max(len(r["peer"]) for r in rows)
    best = max((r["docs_per_s"] for r in rows if not r["peer"].startswith("tamis")), default=None)
    lines = [
        f"{'peer':{width}} {'docs/s':>8} {'tok/s':>7} {'median s':>9} {'min - max s':>17} {'of best peer':>12} "
        f"{'RSS GiB':>8} {'load s':>7} {'delta max/mean':>15} {'rho':>6} {'idle':>5}"
    ]
    for r in rows:
        seconds = sorted(r["seconds"])
        ratio = f"{r['docs_per_s'] / best:.2f}x" if best else "-"
        lines.append(
            f"{r['peer']:{width}} {r['docs_per_s']:8.2f} {r['tokens_per_s']:7.0f} {statistics.median(seconds):9.3f} "
            f"{seconds[0]:8.3f} - {seconds[-1]:6.3f} {ratio:>12} {r['rss_peak_bytes'] / 2**30:8.2f} "
            f"{r['load_s']:7.1f} {r['delta_max']:7.3f}/{r['delta_mean']:7.4f} {r['spearman']:6.3f} "
            f"{r['idle_core_share']:5.0%}"
        )
    lines.append(f"delta, rho: margins of {documents} documents beside {reference} (sd {rows[0]['reference_sd']:.3f})")
    spinning = [r["peer"] for r in rows if r["idle_core_share"] > 0.05]
    if spinning:
        lines.append(f"computing while idle, so the others' figures are not to be trusted: {', '.join(spinning)}")
    return "\n".join(lines)
