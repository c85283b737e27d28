"""tamis score: pairs in, scores out, in order."""

import json

import pytest
from conftest import GOLDENS, rows

MODELS = sorted(p.name for p in (GOLDENS / "models").iterdir())


@pytest.mark.parametrize("model", MODELS)
def test_goldens(tamis, model):
    folder = GOLDENS / "models" / model
    expected = rows(folder / "scores.jsonl")
    got = tamis.json_lines("score", "--model", folder, "--input", folder / "scores.jsonl", "--precision", "fp32")
    assert len(got) == len(expected)
    for g, e in zip(got, expected):
        margin = e["logit"] if "logit" in e else e["logit_yes"] - e["logit_no"]
        assert g["margin"] == pytest.approx(margin, abs=1e-3)
        assert g["score"] == pytest.approx(e["score"], abs=1e-4)
        assert ("truncated_tokens" in g) == e["truncated"]


def test_only_score_and_margin(tamis):
    pairs = [{"query": "red planet", "document": "Mars", "id": 1}, {"query": "red planet", "document": ""}]
    got = tamis.json_lines("score", stdin="\n".join(map(json.dumps, pairs)))
    assert [list(g) for g in got] == [["score", "margin"]] * 2


def test_the_same_as_rerank(tamis):
    documents = ["Mars is red", "Venus", "bread and butter"]
    tamis.write_lines("p.jsonl", [{"query": "red planet", "document": d} for d in documents])
    scores = tamis.json_lines("score", "--input", "p.jsonl")
    for r in tamis.json("rerank", "--query", "red planet", *documents, "-f", "json")["results"]:
        assert r["score"] == scores[r["index"]]["score"]


def test_missing_instruction_is_the_default_and_empty_is_empty(tamis):
    default = tamis.json("info", "--format", "json")["default_instruction"]
    pair = {"query": "red planet", "document": "Mars"}
    tamis.write_lines("p.jsonl", [pair, {**pair, "instruction": None}, {**pair, "instruction": default},
                                  {**pair, "instruction": ""}, {**pair, "instruction": "other"}])
    a, b, c, empty, other = (row["margin"] for row in tamis.json_lines("score", "--input", "p.jsonl"))
    assert a == b == c and len({a, empty, other}) == 3
    flag = [row["margin"] for row in tamis.json_lines("score", "--input", "p.jsonl", "--instruction", "other")]
    assert flag == [other, other, a, empty, other]


def test_keep_fields(tamis):
    line = '{"id": 1.50, "query": "q", "document": "d", "score": 9}\n'
    got = tamis.run("score", "-q", "--keep-fields", stdin=line).stdout
    assert got.endswith(',"id":1.50,"query":"q","document":"d","input_score":9}\n')


def test_more_rows_than_a_chunk(tamis):
    pairs = [{"query": f"query {i % 7}", "document": f"text {i}"} for i in range(1300)]
    tamis.write_lines("p.jsonl", pairs)
    got = tamis.json_lines("score", "--input", "p.jsonl")
    assert len(got) == len(pairs)
    again = tamis.json_lines("score", "--input", "p.jsonl", "--threads", "1", "--no-prefix-sharing")
    assert got == again


def test_max_length_by_row_and_flag(tamis):
    pair = {"query": "q", "document": "word " * 500}
    tamis.write_lines("p.jsonl", [pair, {**pair, "max_length": 200}])
    whole, cut = tamis.json_lines("score", "--input", "p.jsonl")
    assert "truncated_tokens" not in whole and cut["truncated_tokens"] > 0
    assert tamis.json_lines("score", "--input", "p.jsonl", "--max-length", "200") == [cut, cut]


def test_a_bad_row_stops_but_loses_nothing(tamis):
    good = json.dumps({"query": "q", "document": "d"})
    for bad, message in [("{", "p.jsonl:3: column"), ('{"query": "q"}', 'p.jsonl:3: there is no field "document"'),
                         ('{"query": "q", "document": 1}', 'p.jsonl:3: "document" is int64'),
                         ('{"query": "q", "document": "d", "max_length": "x"}', 'p.jsonl:3: "max_length"'),
                         ('{"query": "q", "document": "d", "max_length": 3}', "p.jsonl:3: "),
                         ('{"query": "\\udc00", "document": "d"}', "p.jsonl:3: column")]:
        tamis.write("p.jsonl", "\n".join([good, good, bad, good]))
        result = tamis.run("score", "-q", "--input", "p.jsonl", code=1)
        assert len(result.stdout.splitlines()) == 2, bad
        assert result.stderr.startswith("tamis: " + message), result.stderr


def test_query_without_room(tamis):
    tamis.write_lines("p.jsonl", [{"query": "word " * 500, "document": "d", "max_length": 200}])
    message = tamis.error("score", "--input", "p.jsonl")
    assert message.startswith("p.jsonl:1: ") and "no room" in message
    assert len(tamis.json_lines("score", "--input", "p.jsonl", "--truncate-query")) == 1


def test_takes_the_options_of_rerank(tamis):
    folder = GOLDENS / "models" / "a-tied-f32"
    pair = json.dumps({"query": "q", "document": "word " * 500})
    options = ["--model", folder, "--tokenizer", folder / "tokenizer.json", "--max-length", 200, "--no-prefix-sharing"]
    row = tamis.json("score", *options, "--raw-scores", "--threads", 1, stdin=pair)
    assert row["score"] == row["margin"] and row["truncated_tokens"] > 0
    assert "window" in tamis.json("score", *options, "--windows", "auto", stdin=pair)


def test_no_rows(tamis):
    assert tamis.run("score", "--input", "-", stdin="\n\n").stdout == ""
