"""tamis info, instructions and bench."""

import json

import pytest
from conftest import GOLDENS


def test_info(tamis):
    info = tamis.json("info", "--format", "json")
    assert info["built_in"] and info["precision"] == "int8" and info["max_length"] <= info["max_positions"]
    assert info["isa"] in info["isas"] and info["rss_bytes"] > 0
    text = tamis.run("info").stdout
    for word in ("tamis-mini", "kernels", "memory", "processor", info["isa"]):
        assert word in text


def test_info_of_a_folder(tamis):
    info = tamis.json("info", "--model", GOLDENS / "models" / "e-seqcls-f32", "--format", "json", "--threads", "1")
    assert info["profile"] == "qwen3-seq-cls" and not info["built_in"] and info["threads"] == 1


def test_licenses(tamis):
    text = tamis.run("info", "--licenses").stdout
    assert "WordNet" in text and "Apache" in text


def test_forced_instruction_set(tamis):
    assert tamis.json("info", "--format", "json", env={"TAMIS_FORCE_ISA": "reference"})["isa"] == "reference"
    assert "TAMIS_FORCE_ISA" in tamis.error("info", env={"TAMIS_FORCE_ISA": "sse9"})


def test_instructions(tamis):
    presets = tamis.json_lines("instructions", "--format", "json")
    assert len({p["name"] for p in presets}) == len(presets) >= 7
    assert all(set(p) == {"name", "language", "text", "measured"} for p in presets)
    text = tamis.run("instructions").stdout
    assert all(p["name"] in text and p["text"] in text for p in presets)


@pytest.mark.parametrize("precision", ["int8", "fp32"])
def test_bench(tamis, precision):
    report = tamis.json("bench", "--workload", "20x40", "--precision", precision, "--format", "json", "--threads", "2")
    for name in ("docs_per_s", "tokens_per_s", "computed_tokens_per_s", "peak_share", "rss_peak_bytes", "load_s",
                 "p50_s", "p95_s"):
        assert report[name] > 0, name
    assert report["documents"] == 20 and report["tokens_per_s"] > report["computed_tokens_per_s"]
    if report["isa"] == "amx" and precision == "int8":
        assert report["peak_isa"] == "avx512vnni" and report["amx_peak_share"] < report["peak_share"]


def test_bench_counts(tamis):
    counts = {"w1": (8731, 5007), "w2": (4637, 3953), "w3": (99330, 23406)}
    for name, (prompt, computed) in counts.items():
        report = tamis.json("bench", "--workload", name, "--repeat", "1", "--warmup", "0", "--format", "json")
        assert (report["prompt_tokens"], report["computed_tokens"]) == (prompt, computed)
    whole = tamis.json("bench", "--workload", "w1", "--repeat", "1", "--no-prefix-sharing", "--format", "json")
    assert whole["computed_tokens"] == whole["prompt_tokens"] == 8731


def test_bench_single_and_pairs(tamis):
    single = tamis.json("bench", "--workload", "w0", "--repeat", "3", "--format", "json")
    assert 0 < single["p50_s"] and 0 < single["cold_prefix_p50_s"]
    pairs = tamis.json("bench", "--workload", "w4", "--repeat", "1", "--warmup", "0", "--format", "json")
    assert pairs["documents"] == 500 and pairs["computed_tokens"] < pairs["prompt_tokens"]


def test_bench_file_and_scores(tamis):
    tamis.write("w.json", json.dumps({"query": "red planet", "documents": ["Mars", "Venus"]}))
    report = tamis.json("bench", "--workload", "w.json", "--scores", "--format", "json")
    pairs = [{"query": "red planet", "document": document} for document in ("Mars", "Venus")]
    scores = tamis.json_lines("score", stdin="\n".join(map(json.dumps, pairs)))
    assert report["margins"] == [s["margin"] for s in scores]
    assert "documents/s" in tamis.run("bench", "--workload", "w.json").stdout


def test_bench_usage(tamis):
    assert "expected w0, w1" in tamis.error("bench", "--workload", "w9")
    assert "--shape" in tamis.error("bench", "--shape", "qwen3-reranker-1b", code=2)
    assert "--repeat" in tamis.error("bench", "--repeat", "0", code=2)
    assert "--shape" in tamis.error("bench", "--shape", "qwen3-reranker-0.6b", "--model", "x", code=2)
