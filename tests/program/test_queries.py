"""tamis rerank --queries: many queries from a file."""

import json
import subprocess

from conftest import BIN

ROWS = [{"id": f"q{i}", "query": f"word {i}", "documents": [f"word {j}" for j in range(i % 5 + 1)]} for i in range(40)]


def test_one_object_a_line_in_order(tamis):
    tamis.write_lines("q.jsonl", ROWS)
    answers = tamis.json_lines("rerank", "--queries", "q.jsonl")
    assert [a["id"] for a in answers] == [r["id"] for r in ROWS]
    assert list(answers[0]) == ["id", "query", "results"]
    for answer, row in zip(answers, ROWS):
        assert sorted(r["index"] for r in answer["results"]) == list(range(len(row["documents"])))
        assert [r["score"] for r in answer["results"]] == sorted((r["score"] for r in answer["results"]), reverse=True)


def test_the_same_as_one_by_one(tamis):
    tamis.write_lines("q.jsonl", ROWS[:4])
    for row, answer in zip(ROWS, tamis.json_lines("rerank", "--queries", "q.jsonl")):
        alone = tamis.json("rerank", "--query", row["query"], *row["documents"], "-f", "json")
        assert alone["results"] == answer["results"]


def test_instruction_and_objects(tamis):
    tamis.write_lines("q.jsonl", [
        {"query": "x", "instruction": "", "documents": [{"text": "a", "url": 1}, "b"]},
        {"query": "x", "instruction": None, "documents": ["a", "b"]},
        {"query": "x", "instruction": "preset:code", "documents": ["a", "b"]},
        {"query": "x", "documents": []},
    ])
    answers = tamis.json_lines("rerank", "--queries", "q.jsonl", "--instruction", "from the flag")
    by_index = [{r["index"]: r for r in a["results"]} for a in answers]
    assert by_index[0][0]["url"] == 1
    assert len({rows[0]["score"] for rows in by_index[:3]}) == 3
    assert by_index[1][0]["score"] == tamis.json(
        "rerank", "--query", "x", "a", "-i", "from the flag", "-f", "json")["results"][0]["score"]
    assert answers[3]["results"] == []


def test_standard_input_and_top_n(tamis):
    answers = tamis.json_lines("rerank", "--queries", "-", "--top-n", "1", stdin=json.dumps(ROWS[3]) + "\n")
    assert len(answers) == 1 and len(answers[0]["results"]) == 1


def test_a_bad_line_stops_but_loses_nothing(tamis):
    tamis.write("q.jsonl", json.dumps(ROWS[0]) + "\n" + json.dumps(ROWS[1]) + "\n{bad\n" + json.dumps(ROWS[2]) + "\n")
    result = tamis.run("rerank", "-q", "--queries", "q.jsonl", code=1)
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == ["q0", "q1"]
    assert result.stderr.startswith("tamis: q.jsonl:3: ") and len(result.stderr.splitlines()) == 1


def test_bad_lines_skipped(tamis):
    bad = ['{"query": "x"}', '{"documents": []}', '{"query": 1, "documents": []}', '{"query": "x", "documents": [3]}',
           '{"query": "x", "documents": [], "instruction": "preset:none"}']
    tamis.write("q.jsonl", "\n".join([json.dumps(ROWS[0]), *bad, json.dumps(ROWS[1])]))
    result = tamis.run("rerank", "-q", "--queries", "q.jsonl", "--skip-bad-lines")
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == ["q0", "q1"]
    lines = result.stderr.splitlines()
    for number, line in zip(range(2, 7), lines):
        assert line.startswith(f"tamis: q.jsonl:{number}: ") and line.endswith("(skipped)")
    assert lines[5] == "tamis: q.jsonl: 5 of 7 lines were skipped"


def test_results_come_while_the_input_is_open():
    process = subprocess.Popen([BIN, "rerank", "-q", "--queries", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    line = (json.dumps(ROWS[4]) + "\n").encode()
    for _ in range(40):  # more than are under way at a time
        process.stdin.write(line)
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == "q4"
    process.stdin.close()
    assert len(process.stdout.readlines()) == 39 and process.wait() == 0


def test_does_not_go_with_documents(tamis):
    tamis.write_lines("q.jsonl", ROWS)
    assert "--queries brings its own" in tamis.error("rerank", "--queries", "q.jsonl", "--query", "x", code=2)
    assert "--format csv" in tamis.error("rerank", "--queries", "q.jsonl", "--format", "csv", code=2)
