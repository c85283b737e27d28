"""The forms in which tamis rerank reads documents."""

import csv
import io
import json


def ranked(tamis, *arguments, **options):
    results = tamis.json("rerank", "-q", "--query", "red planet", "--format", "json", *arguments, **options)["results"]
    return sorted(results, key=lambda r: r["index"])


def texts(*arguments, **options):
    return [r["document"] for r in ranked(*arguments, **options)]


def test_lines(tamis):
    tamis.write("d.txt", b"\xef\xbb\xbfMars\r\n\r\nVenus\n   \nEarth")
    assert texts(tamis, "--documents", "d.txt") == ["Mars", "Venus", "Earth"]
    assert texts(tamis, "--input", "d.txt") == ["Mars", "Venus", "Earth"]


def test_paragraphs(tamis):
    tamis.write("d.txt", "Mars\nis red\n\n\nVenus\n")
    assert texts(tamis, "--documents", "d.txt", "--paragraphs") == ["Mars\nis red", "Venus"]
    assert texts(tamis, "--documents", "d.txt", "--input-format", "paragraphs") == ["Mars\nis red", "Venus"]


def test_standard_input(tamis):
    assert texts(tamis, "-", stdin="Mars\nVenus\n") == ["Mars", "Venus"]
    assert texts(tamis, "--documents", "-", stdin="Mars\nVenus\n") == ["Mars", "Venus"]
    assert texts(tamis, "-", "--input-format", "jsonl", stdin='{"text": "Mars"}\n"Venus"') == ["Mars", "Venus"]
    assert texts(tamis, "-", "--field", "body", stdin='{"body": "Mars"}\n') == ["Mars"]
    assert texts(tamis, "-", "--column", "b", stdin="a,b\n1,Mars\n") == ["Mars"]


def test_a_file_and_arguments(tamis):
    tamis.write("d.txt", "Mars\n")
    assert texts(tamis, "--documents", "d.txt", "Venus") == ["Mars", "Venus"]


def test_json_lines_bring_their_fields_back(tamis):
    row = '{"id": 1.10, "content": "Mars is \\u00e9", "score": 3, "tags": ["a", {"b": 1e400}], "n": 987654321098765432}'
    tamis.write("d.jsonl", row + "\n")
    line = tamis.run("rerank", "-q", "--query", "red planet", "--documents", "d.jsonl", "--field", "content",
                     "--format", "jsonl").stdout
    assert line.endswith(',"rank":1,"document":"Mars is é","id":1.10,"content":"Mars is \\u00e9","input_score":3,'
                         '"tags":["a",{"b":1e400}],"n":987654321098765432}\n')


def test_json_list(tamis):
    tamis.write("d.json", json.dumps(["Mars", {"text": "Venus", "url": "x"}], indent=1))
    results = ranked(tamis, "--documents", "d.json")
    assert [r["document"] for r in results] == ["Mars", "Venus"] and results[1]["url"] == "x"


def test_csv(tamis):
    tamis.write("d.csv", 'id,body,note\r\n7,"Mars, the ""red"" one\nis far",\r\n8,Venus, x \r\n')
    results = ranked(tamis, "--documents", "d.csv", "--column", "body")
    assert [r["document"] for r in results] == ['Mars, the "red" one\nis far', "Venus"]
    assert [(r["id"], r["note"]) for r in results] == [("7", ""), ("8", " x ")]
    arguments = ["--documents", "d.csv", "--column", "body", "--format", "csv"]
    out = tamis.run("rerank", "-q", "--query", "red planet", *arguments).stdout
    assert {(r["id"], r["note"]) for r in csv.DictReader(io.StringIO(out))} == {("7", ""), ("8", " x ")}


def test_tsv(tamis):
    tamis.write("d.tsv", "id\ttext\n7\tMars, red\n")
    assert texts(tamis, "--documents", "d.tsv") == ["Mars, red"]


def test_bad_utf8_is_one_warning(tamis):
    tamis.write("d.txt", b"Mars \xff\xfe\nVenus \xc3\n")
    result = tamis.run("rerank", "-Q", "red planet", "-d", "d.txt", "-f", "json")
    assert [r["document"] for r in sorted(json.loads(result.stdout)["results"], key=lambda r: r["index"])] == [
        "Mars \ufffd\ufffd", "Venus \ufffd"]
    warnings = [line for line in result.stderr.splitlines() if "U+FFFD" in line]
    assert len(warnings) == 1 and "d.txt:1" in warnings[0]


def test_nul_and_control_tokens_are_text(tamis):
    tamis.write("d.txt", b"a\0b\n<|im_end|>\n<think>\n")
    assert texts(tamis, "--documents", "d.txt") == ["a\0b", "<|im_end|>", "<think>"]


def test_huge_line(tamis):
    tamis.write("d.txt", "word " * 400_000 + "\nMars\n")
    results = ranked(tamis, "--documents", "d.txt", "--max-length", "512")
    assert len(results) == 2 and results[0]["truncated_tokens"] > 300_000 and "truncated_tokens" not in results[1]


def test_many_documents(tamis):
    tamis.write("d.txt", "".join(f"document number {i}\n" for i in range(3000)))
    assert [r["index"] for r in ranked(tamis, "--documents", "d.txt")] == list(range(3000))


def test_no_documents_in_a_file(tamis):
    tamis.write("empty.jsonl", "\n")
    result = tamis.run("rerank", "--query", "x", "--documents", "empty.jsonl", "--format", "json")
    assert json.loads(result.stdout) == {"results": []}
    assert "empty.jsonl: there are no documents in it" in result.stderr


def test_errors_name_file_and_line(tamis):
    tamis.write("bad.jsonl", '{"text": "a"}\n\n{"text": \n')
    assert tamis.error("rerank", "--query", "x", "--documents", "bad.jsonl").startswith("bad.jsonl:3: column ")
    tamis.write("kind.jsonl", '{"text": "a"}\n{"text": 7}\n')
    assert tamis.error("rerank", "--query", "x", "--documents", "kind.jsonl") == \
        'kind.jsonl:2: "text" is int64; a string is expected'
    tamis.write("name.jsonl", '{"content": "a"}\n')
    assert tamis.error("rerank", "--query", "x", "--documents", "name.jsonl") == \
        'name.jsonl:1: there is no field "text"'
    tamis.write("lone.jsonl", '{"text": "\\ud800"}\n')
    assert tamis.error("rerank", "--query", "x", "--documents", "lone.jsonl").startswith("lone.jsonl:1: ")
    tamis.write("d.csv", "id,body\n1,a\n2\n")
    assert '"id", "body"' in tamis.error("rerank", "--query", "x", "--documents", "d.csv")
    assert tamis.error("rerank", "--query", "x", "--documents", "d.csv", "--column", "body") == \
        "d.csv:3: 1 cells; the header has 2"
    assert tamis.error("rerank", "--query", "x", "--documents", "none.txt") == "none.txt: no such file"
    assert "is a folder" in tamis.error("rerank", "--query", "x", "--documents", ".")
