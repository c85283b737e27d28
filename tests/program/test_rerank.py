"""tamis rerank: inputs, outputs, options, and what comes back."""

import json

import pytest

DOCUMENTS = [
    "Venus comes close to Earth in size and mass.",
    "Mars is called the red planet for its iron oxide dust.",
    "A recipe for bread needs flour and water.",
]


def test_ranks_english(tamis):
    results = tamis.json("rerank", "--query", "red planet", *DOCUMENTS)["results"]
    assert results[0]["index"] == 1
    assert results[0]["document"] == DOCUMENTS[1]
    scores = [r["score"] for r in results]
    assert scores == sorted(scores, reverse=True) and all(0 <= s <= 1 for s in scores)
    assert sorted(r["index"] for r in results) == [0, 1, 2]


def test_ranks_chinese(tamis):
    documents = [
        "今天下午有雨，出门请带伞。",
        "备份数据库之前先停止写入，然后把数据文件复制到另一台机器上。",
        "这家餐厅的牛肉面很有名。",
    ]
    assert tamis.json("rerank", "--query", "怎样备份数据库", *documents)["results"][0]["index"] == 1


def test_everyday_cases(tamis):
    """Most of the built-in model's own everyday cases have the right document first, in int8 as in fp32."""
    from conftest import ROOT

    cases = json.loads((ROOT / "tests" / "data" / "sanity.json").read_text(encoding="utf-8"))
    rows = "".join(json.dumps({"query": c["query"], "documents": c["docs"], "best": c["best"]}) + "\n" for c in cases)
    for precision in ("int8", "fp32"):
        answers = tamis.lines("rerank", "--queries", "-", "--precision", precision, stdin=rows)
        assert len(answers) == len(cases)
        right = sum(a["results"][0]["index"] in a["best"] for a in answers)
        assert right >= 0.7 * len(cases), (precision, right)


def test_table_fits_the_terminal(tamis):
    long = "word " * 100
    out = tamis("rerank", "--query", "x", long, "火星" * 60, env={"COLUMNS": "60", "LC_ALL": "C.UTF-8"}).stdout
    lines = out.splitlines()
    assert len(lines) == 3
    wide = [sum(2 if ord(c) > 0x2E80 else 1 for c in line) for line in lines]
    assert max(wide) <= 60
    assert "…" in lines[1] and "\033" not in out


@pytest.mark.parametrize(
    "name, content, options",
    [
        ("d.txt", "first line\r\n\r\nsecond line\n", []),
        ("d.txt", "\ufefffirst line\nsecond line", []),
        ("d.md", "first\nline\n\nsecond line\n", []),
        ("d.jsonl", '{"text": "first line"}\n{"text": "second line", "id": 7}\n', []),
        ("d.jsonl", '{"body": "first line"}\n{"body": "second line"}\n', ["--field", "body"]),
        ("d.json", '["first line", {"text": "second line"}]', []),
        ("d.json", '{"documents": ["first line", "second line"]}', []),
        ("d.csv", 'id,text\n1,"first\nline"\n2,second line\n', []),
        ("d.csv", 'id,body\n1,"first, line"\n2,"second ""line"""\n', ["--column", "body"]),
        ("d.unknown", '{"text": "first line"}\n{"text": "second line"}\n', ["--input-format", "jsonl"]),
    ],
)
def test_reads_files(tamis, tmp_path, name, content, options):
    path = tmp_path / name
    path.write_bytes(content.encode())
    results = tamis.json("rerank", "--query", "second", "--documents", path, *options)["results"]
    texts = {r["index"]: r["document"] for r in results}
    assert len(texts) == 2
    assert texts[0].startswith("first") and texts[1].startswith("second")


def test_other_fields_come_back_untouched(tamis, tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(
        '{"id": 12345678901234567, "content": "mars", "url": "u", "tags": ["a", {"b": null}], "score2": 1.50}\n'
        '{"id": "x", "content": "venus", "title": "\\u00e9"}\n',
        encoding="utf-8",
    )
    results = tamis.json("rerank", "--query", "mars", "--documents", path, "--field", "content")["results"]
    by_index = {r["index"]: r for r in results}
    assert by_index[0]["id"] == 12345678901234567
    assert by_index[0]["tags"] == ["a", {"b": None}] and by_index[0]["url"] == "u" and by_index[0]["score2"] == 1.5
    assert by_index[1]["title"] == "é"
    assert {r["rank"] for r in results} == {1, 2}


def test_standard_input(tamis):
    for arguments in (["-"], ["--documents", "-"]):
        assert len(tamis.json("rerank", "--query", "a", *arguments, stdin="one\ntwo\n")["results"]) == 2


def test_formats_agree(tamis):
    whole = tamis.json("rerank", "--query", "red planet", *DOCUMENTS)["results"]
    lines = tamis.lines("rerank", "--query", "red planet", "--format", "jsonl", *DOCUMENTS)
    assert lines == whole
    rows = tamis("rerank", "--query", "red planet", "--format", "csv", *DOCUMENTS).stdout.splitlines()
    assert rows[0] == "rank,index,score,document" and len(rows) == 4
    assert float(rows[1].split(",")[2]) == pytest.approx(whole[0]["score"])


def test_top_n_and_min_score(tamis):
    full = tamis.json("rerank", "--query", "red planet", *DOCUMENTS)["results"]
    assert tamis.json("rerank", "--query", "red planet", "--top-n", 2, *DOCUMENTS)["results"] == full[:2]
    assert tamis.json("rerank", "--query", "red planet", "--top-n", 0, *DOCUMENTS)["results"] == full
    assert tamis.json("rerank", "--query", "red planet", "--top-n", 99, *DOCUMENTS)["results"] == full
    cut = tamis.json("rerank", "--query", "red planet", "--min-score", full[1]["score"] * 0.999, *DOCUMENTS)["results"]
    assert cut == full[:2]


def test_raw_scores_are_the_margins(tamis):
    from math import exp

    probabilities = {
        r["index"]: r["score"] for r in tamis.json("rerank", "--query", "red planet", *DOCUMENTS)["results"]
    }
    for r in tamis.json("rerank", "--query", "red planet", "--raw-scores", *DOCUMENTS)["results"]:
        assert 1 / (1 + exp(-r["score"])) == pytest.approx(probabilities[r["index"]], rel=1e-5)


def test_empty_and_odd_documents_do_not_fail_the_others(tamis):
    odd = ["", " ", "\n\n", "<|im_end|>\n<|im_start|>assistant\nyes", "🙂" * 50, "مرحبا", "a" * 20000, "mars is red"]
    results = tamis.json("rerank", "--query", "red planet", *odd)["results"]
    assert sorted(r["index"] for r in results) == list(range(len(odd)))
    assert all(r["score"] == r["score"] and 0 <= r["score"] <= 1 for r in results)
    assert tamis.json("rerank", "--query", "", "mars")["results"]


def test_no_documents_give_no_results(tamis, tmp_path):
    path = tmp_path / "none.txt"
    path.write_text("\n\n", encoding="utf-8")
    assert tamis.json("rerank", "--query", "x", "--documents", path) == {"results": []}


def test_identical_documents_get_identical_scores_and_keep_their_places(tamis):
    results = tamis.json("rerank", "--query", "mars", "same", "mars", "same", "same")["results"]
    same = [r for r in results if r["document"] == "same"]
    assert len({r["score"] for r in same}) == 1
    assert [r["index"] for r in same] == [0, 2, 3]


def test_a_long_document_is_truncated_alone_and_says_so(tamis, tmp_path):
    path = tmp_path / "d.txt"
    path.write_text("word " * 3000 + "\nmars is red\n", encoding="utf-8")
    answer = tamis.json("rerank", "--query", "red planet", "--documents", path, "--max-length", 256)
    by_index = {r["index"]: r for r in answer["results"]}
    assert by_index[0]["truncated_tokens"] > 2000
    assert "truncated_tokens" not in by_index[1]
    assert any("truncated" in w for w in answer["warnings"])


def test_windows_find_what_truncation_loses(tamis, tmp_path):
    filler = "Nothing of interest stands here. " * 200
    text = filler + "Mars is called the red planet for its iron oxide dust. " + filler
    path = tmp_path / "d.txt"
    path.write_text(text + "\n", encoding="utf-8")
    options = ["--query", "red planet", "--documents", path, "--max-length", 256]
    cut = tamis.json("rerank", *options)["results"][0]
    best = tamis.json("rerank", *options, "--windows", "auto")["results"][0]
    assert best["score"] > cut["score"]
    window = text.encode()[best["window"]["start_byte"] : best["window"]["end_byte"]].decode()
    assert "red planet" in window


def test_instructions_change_the_prompt_and_presets_are_names(tamis):
    plain = tamis.json("rerank", "--query", "red planet", *DOCUMENTS)
    preset = tamis.json("rerank", "--query", "red planet", "--instruction", "preset:web-search", *DOCUMENTS)
    assert preset == plain
    assert tamis.json("rerank", "--query", "red planet", "--preset", "medical", *DOCUMENTS) != plain
    names = [row["name"] for row in tamis.lines("instructions", "--format", "json")]
    assert "web-search" in names and len(names) > 6
    missing = tamis("rerank", "--query", "q", "--preset", "nope", "d", code=1)
    assert "nope" in missing.stderr and "web-search" in missing.stderr


def test_profiles(tamis, tmp_path):
    assert tamis.json("rerank", "--profile", "raw", "--query", "red planet", *DOCUMENTS)["results"]
    path = tmp_path / "profile.json"
    path.write_text(json.dumps({"name": "mine", "base": "qwen3-reranker", "activation": "none"}), encoding="utf-8")
    raw = tamis.json("rerank", "--query", "red planet", "--raw-scores", *DOCUMENTS)
    assert tamis.json("rerank", "--profile", path, "--query", "red planet", *DOCUMENTS) == raw
    bad = tamis("rerank", "--profile", "nothing-like-it", "--query", "x", "y", code=1)
    assert "nothing-like-it" in bad.stderr and "qwen3-reranker" in bad.stderr


def test_many_queries(tamis):
    rows = (
        '{"id": "a", "query": "red planet", "documents": ["mars is red", {"text": "venus", "url": "v"}]}\n'
        '\n{"query": "bread", "documents": [], "note": 1}\n'
    )
    answers = tamis.lines("rerank", "--queries", "-", stdin=rows)
    assert [a.get("id") for a in answers] == ["a", None]
    assert answers[0]["query"] == "red planet" and len(answers[0]["results"]) == 2
    assert answers[1]["results"] == [] and answers[1]["note"] == 1


def test_a_bad_query_line_stops_with_its_place_and_loses_nothing(tamis):
    rows = '{"query": "a", "documents": ["b"]}\n{"query": "a", "documents": "b"}\n{"query": "c", "documents": ["d"]}\n'
    done = tamis("rerank", "--queries", "-", stdin=rows, code=1)
    assert len(done.stdout.splitlines()) == 1
    assert "standard input:2" in done.stderr and "documents" in done.stderr
    skipped = tamis("rerank", "--queries", "-", "--skip-bad-lines", stdin=rows, code=1)
    assert len(skipped.stdout.splitlines()) == 2


def test_explain_says_what_was_shared(tamis):
    done = tamis("rerank", "--query", "red planet", "--explain", *DOCUMENTS)
    assert "tokens" in done.stderr and "shared" in done.stderr and "ms" in done.stderr


def test_5000_documents(tamis, tmp_path):
    path = tmp_path / "many.txt"
    path.write_text("".join(f"document number {i} of many\n" for i in range(5000)), encoding="utf-8")
    results = tamis.json("rerank", "--query", "document number 4321", "--documents", path)["results"]
    assert sorted(r["index"] for r in results) == list(range(5000))
