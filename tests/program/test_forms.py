"""The forms that scripts rely on: tokenize, score, info and bench."""

import json

import pytest
from conftest import GOLDENS, read_jsonl

TINY = GOLDENS / "models" / "a-tied-f32"


def test_tokenize_texts(tamis):
    rows = read_jsonl(GOLDENS / "tokenize_tiny.jsonl")
    got = tamis.lines("tokenize", "--tokenizer", TINY / "tokenizer.json", "--input", GOLDENS / "tokenize_tiny.jsonl")
    assert [g["ids"] for g in got] == [r["ids"] for r in rows]
    assert all(list(g) == ["ids"] for g in got)


def test_tokenize_with_the_published_tokenizer(tamis, real_tokenizer):
    rows = read_jsonl(GOLDENS / "tokenize.jsonl")
    got = tamis.lines("tokenize", "--tokenizer", real_tokenizer, "--input", GOLDENS / "tokenize.jsonl")
    assert [g["ids"] for g in got] == [r["ids"] for r in rows]


def test_tokenize_prompts_with_the_published_tokenizer(tamis, real_tokenizer):
    rows = read_jsonl(GOLDENS / "prompt.jsonl")
    got = tamis.lines("tokenize", "--tokenizer", real_tokenizer, "--prompt", "--input", GOLDENS / "prompt.jsonl")
    for g, r in zip(got, rows, strict=True):
        assert g["ids"] == r["ids"]
        assert g["truncated"] == r["truncated"]


def test_a_missing_instruction_means_the_default_and_an_empty_one_is_empty(tamis):
    rows = [
        {"query": "q", "document": "d"},
        {"instruction": None, "query": "q", "document": "d"},
        {
            "instruction": "Given a web search query, retrieve relevant passages that answer the query",
            "query": "q",
            "document": "d",
        },
        {"instruction": "", "query": "q", "document": "d"},
    ]
    text = "".join(json.dumps(r) + "\n" for r in rows)
    ids = [g["ids"] for g in tamis.lines("tokenize", "--model", TINY, "--prompt", stdin=text)]
    assert ids[0] == ids[1] == ids[2]
    assert len(ids[3]) < len(ids[0])
    scores = tamis.lines("score", "--model", TINY, stdin=text)
    assert scores[0] == scores[1] == scores[2] != scores[3]


@pytest.mark.parametrize("model", sorted(p.name for p in (GOLDENS / "models").iterdir()))
def test_score_equals_the_reference(tamis, model):
    folder = GOLDENS / "models" / model
    rows = read_jsonl(folder / "scores.jsonl")
    got = tamis.lines("score", "--model", folder, "--input", folder / "scores.jsonl", "--precision", "fp32")
    for g, r in zip(got, rows, strict=True):
        assert g["score"] == pytest.approx(r["score"], abs=1e-4)
        assert g["margin"] == pytest.approx(r["logit"] if "logit" in r else r["logit_yes"] - r["logit_no"], abs=1e-3)


def test_score_keeps_order_over_chunks(tamis):
    rows = [{"query": f"query {i % 7}", "document": f"document {i}", "id": i} for i in range(1300)]
    text = "".join(json.dumps(r) + "\n" for r in rows)
    got = tamis.lines("score", "--keep-fields", "--threads", 1, stdin=text)
    assert [g["id"] for g in got] == list(range(1300))
    alone = tamis.lines("score", "--threads", 2, stdin=json.dumps(rows[1234]) + "\n")[0]
    assert {k: got[1234][k] for k in ("score", "margin")} == alone


def test_score_takes_rerank_options(tamis):
    row = json.dumps({"query": "q", "document": "word " * 500}) + "\n"
    got = tamis.lines(
        "score",
        "--max-length",
        200,
        "--raw-scores",
        "--no-prefix-sharing",
        "--tokenizer",
        TINY / "tokenizer.json",
        "--model",
        TINY,
        stdin=row,
    )[0]
    assert got["truncated_tokens"] > 0 and got["score"] == got["margin"]


@pytest.mark.parametrize("command", ["score", "tokenize"])
@pytest.mark.parametrize(
    "line, part",
    [
        ('{"query": "q", "document": "d", "text": "t"', "not JSON"),
        ("[1]", "a JSON object is expected"),
        ('{"query": 5, "document": "d", "text": 5}', "a string is expected"),
        ("{}", "there is no field"),
        ('{"text": "\\ud800", "query": "\\ud800", "document": "d"}', "not JSON"),
    ],
)
def test_a_bad_row_is_named_and_what_came_before_is_kept(tamis, command, line, part):
    good = '{"text": "t", "query": "q", "document": "d"}\n'
    done = tamis(command, stdin=good + good + line + "\n" + good, code=1)
    assert len(done.stdout.splitlines()) == 2
    assert "standard input:3" in done.stderr and part in done.stderr


def test_info(tamis):
    info = json.loads(tamis("info", "--format", "json").stdout)
    assert info["built_in"] and info["model"] == "tamis-mini" and info["precision"] == "int8"
    assert info["weight_bytes"] > 0 and info["rss_peak_bytes"] > 0 and info["threads"] >= 1
    assert "Debian" in tamis("info", "--licenses").stdout
    assert "tamis-mini" in tamis("info").stdout


def test_bench_json(tamis):
    for workload in ("w1", "5x40", "w0"):
        figures = tamis.json("bench", "--workload", workload, "--repeat", 1)
        for field in ("docs_per_s", "tokens_per_s", "computed_tokens_per_s", "peak_share", "rss_peak_bytes", "load_s"):
            assert figures[field] > 0, (workload, field)
        assert figures["tokens_per_s"] >= figures["computed_tokens_per_s"]
    w1 = tamis.json("bench", "--workload", "w1", "--repeat", 1, "--warmup", 0)
    assert w1["documents"] == 50 and w1["prompt_tokens"] == pytest.approx(8731, abs=400)


def test_bench_of_a_file(tamis, tmp_path):
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"query": "q", "documents": ["a", "b c"]}), encoding="utf-8")
    figures = tamis.json("bench", "--workload", path, "--scores", "--repeat", 1)
    assert figures["documents"] == 2 and len(figures["margins"]) == 2
    assert "expected w0" in tamis("bench", "--workload", "nonsense", code=1).stderr
