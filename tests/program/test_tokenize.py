"""tamis tokenize: ids of texts and of prompts, against the goldens."""

import json
import os

import pytest
from conftest import GOLDENS, rows

TINY = GOLDENS / "models" / "a-tied-f32"
REAL = os.environ.get("TAMIS_QWEN3_TOKENIZER")
needs_real = pytest.mark.skipif(not REAL, reason="TAMIS_QWEN3_TOKENIZER does not name the real tokenizer.json")


def test_texts(tamis):
    expected = rows(GOLDENS / "tokenize_tiny.jsonl")
    for source in (["--model", TINY], ["--tokenizer", TINY / "tokenizer.json"]):
        got = tamis.json_lines("tokenize", *source, "--input", GOLDENS / "tokenize_tiny.jsonl")
        assert got == [{"ids": row["ids"]} for row in expected]


@needs_real
def test_texts_with_the_real_tokenizer(tamis):
    got = tamis.json_lines("tokenize", "--tokenizer", REAL, "--input", GOLDENS / "tokenize.jsonl")
    assert got == [{"ids": row["ids"]} for row in rows(GOLDENS / "tokenize.jsonl")]


@needs_real
def test_prompts_with_the_real_tokenizer(tamis):
    got = tamis.json_lines("tokenize", "--tokenizer", REAL, "--prompt", "--input", GOLDENS / "prompt.jsonl")
    assert got == [{"ids": row["ids"], "truncated": row["truncated"]} for row in rows(GOLDENS / "prompt.jsonl")]


def test_prompts_have_the_lengths_that_scores_have(tamis):
    expected = rows(TINY / "scores.jsonl")
    got = tamis.json_lines("tokenize", "--model", TINY, "--prompt", "--input", TINY / "scores.jsonl")
    assert [(len(g["ids"]), g["truncated"]) for g in got] == [(e["n_tokens"], e["truncated"]) for e in expected]


def test_missing_instruction_is_the_default(tamis):
    default = tamis.json("info", "--format", "json")["default_instruction"]
    pair = {"query": "q", "document": "d"}
    lines = [pair, {**pair, "instruction": default}, {**pair, "instruction": ""}, {**pair, "max_length": 60}]
    a, b, empty, cut = tamis.json_lines("tokenize", "--prompt", stdin="\n".join(map(json.dumps, lines)))
    assert a == b and len(empty["ids"]) < len(a["ids"])
    assert cut["truncated"] and len(cut["ids"]) == 60 and not a["truncated"]


def test_max_length_flag(tamis):
    row = json.dumps({"query": "q", "document": "word " * 300})
    got = tamis.json("tokenize", "--prompt", "--max-length", "120", stdin=row)
    assert len(got["ids"]) == 120 and got["truncated"]


def test_many_rows_in_order(tamis):
    tamis.write_lines("t.jsonl", [{"text": f"row {i} " + "x" * (i % 50)} for i in range(20_000)])
    one = tamis.run("tokenize", "--input", "t.jsonl", "--threads", "1").stdout
    assert len(one.splitlines()) == 20_000
    assert one == tamis.run("tokenize", "--input", "t.jsonl", "--threads", "4").stdout


def test_one_huge_row(tamis):
    hostile = [" " * 1_000_000, "x" * 1_000_000, "a" + "\u0301" * 300_000]
    tamis.write_lines("t.jsonl", [{"text": text} for text in hostile])
    assert len(tamis.json_lines("tokenize", "--input", "t.jsonl")) == 3


def test_bad_utf8(tamis):
    result = tamis.run("tokenize", stdin=b'{"text": "a\xff"}\n{"text": "a\xef\xbf\xbd"}\n')
    first, second = result.stdout.splitlines()
    assert first == second and "standard input:1: " in result.stderr


def test_errors_name_the_line(tamis):
    good = '{"text": "a"}'
    for bad, message in [('{"text": "\\ud83d"}', "t.jsonl:3: column"), ('{"text"}', "t.jsonl:3: column"),
                         ("[]", "t.jsonl:3: a JSON object is expected"),
                         ('{"x": 1}', 't.jsonl:3: there is no field "text"'),
                         ('{"text": null}', 't.jsonl:3: there is no field "text"')]:
        tamis.write("t.jsonl", f"{good}\n{good}\n{bad}\n{good}\n")
        result = tamis.run("tokenize", "--input", "t.jsonl", code=1)
        assert len(result.stdout.splitlines()) == 2
        assert result.stderr.startswith("tamis: " + message), result.stderr


def test_broken_tokenizer_files(tamis):
    tamis.write("cut.json", (TINY / "tokenizer.json").read_bytes()[:5000])
    assert "cut.json" in tamis.error("tokenize", "--tokenizer", "cut.json")
    tamis.write("other.json", '{"model": {"type": "WordLevel"}}')
    assert "other.json" in tamis.error("tokenize", "--tokenizer", "other.json")
    assert "none.json" in tamis.error("tokenize", "--tokenizer", "none.json")
