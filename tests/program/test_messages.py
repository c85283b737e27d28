"""What the program says when something is wrong, and the code that it ends with."""

import os
import shutil
import subprocess

import pytest
from conftest import BINARY, GOLDENS

TINY = GOLDENS / "models" / "a-tied-f32"


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(TINY, folder)
    return folder


def test_usage_errors_end_with_2(tamis):
    for arguments, part in (
        (["rernk"], "rerank"),
        (["rerank", "--qury", "x", "d"], "--query"),
        (["rerank", "d"], "--query"),
        (["rerank", "--query", "q"], "documents"),
        (["rerank", "--query", "q", "--top-n", "three", "d"], "--top-n"),
        (["rerank", "--query", "q", "--threads", "0", "d"], "--threads"),
        ([], "subcommand"),
    ):
        done = tamis(*arguments, code=2)
        assert done.stdout == "" and part in done.stderr and done.stderr.startswith("tamis: "), arguments


def test_failures_end_with_1_and_name_what_is_wrong(tamis, tmp_path):
    for arguments, part in (
        (["--model", "/nowhere"], "/nowhere: no such model folder"),
        (["--documents", "/nowhere.txt"], "/nowhere.txt: no such file"),
        (["--documents", str(tmp_path)], "is a folder"),
        (["--tokenizer", "/nowhere.json"], "/nowhere.json"),
    ):
        texts = [] if "--documents" in arguments else ["d"]
        done = tamis("rerank", "--query", "q", *arguments, *texts, code=1)
        assert part in done.stderr and done.stdout == ""


@pytest.mark.parametrize(
    "name, content, part",
    [
        ("d.jsonl", '{"text": "a"}\n{"body": "b"}\n', 'd.jsonl:2: there is no field "text"'),
        ("d.jsonl", '{"text": "a"}\n{"text": 5}\n', 'd.jsonl:2: "text" is'),
        ("d.jsonl", '{"text": "a"}\nnope\n', "d.jsonl:2: column"),
        ("d.json", '["a", 5]', "document 1"),
        ("d.json", '{"x": 1}', "a JSON list of documents"),
        ("d.csv", "a,b\n1,2\n", 'there is no column "text"; the columns are "a", "b"'),
        ("d.csv", "text,b\n1\n", "row 2 has 1 cells; the header has 2"),
        ("d.csv", "", "no header"),
    ],
)
def test_bad_documents_are_placed(tamis, tmp_path, name, content, part):
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert part in tamis("rerank", "--query", "q", "--documents", tmp_path / name, code=1).stderr


def test_broken_models_are_refused(tamis, model):
    weights = (model / "model.safetensors").read_bytes()
    config = (model / "config.json").read_text(encoding="utf-8")
    (model / "model.safetensors").write_bytes(weights[:-1000])
    assert "truncated" in tamis("score", "--model", model, stdin="", code=1).stderr
    (model / "model.safetensors").write_bytes(weights)
    (model / "config.json").write_text(config.replace("Qwen3ForCausalLM", "LlamaForCausalLM"), encoding="utf-8")
    assert "LlamaForCausalLM" in tamis("score", "--model", model, stdin="", code=1).stderr
    (model / "config.json").write_text(config, encoding="utf-8")
    (model / "tokenizer.json").unlink()
    assert "tokenizer.json" in tamis("score", "--model", model, stdin="", code=1).stderr


def test_a_weight_that_is_not_finite_is_named(tamis, model):
    weights = bytearray((model / "model.safetensors").read_bytes())
    weights[-4:] = b"\x00\x00\x80\x7f"  # +infinity in fp32
    (model / "model.safetensors").write_bytes(weights)
    message = tamis("score", "--model", model, stdin="", code=1).stderr
    assert "inf" in message and "tensor" in message and "model.safetensors" in message


def test_a_query_that_fills_the_room_names_both_lengths(tamis):
    done = tamis("rerank", "--query", "word " * 400, "--max-length", 200, "d", code=1)
    assert "leaves no room" in done.stderr and "200" in done.stderr
    assert tamis.json("rerank", "--query", "word " * 400, "--max-length", 200, "--truncate-query", "d")["results"]


def test_the_built_in_model_is_announced_unless_quiet(tamis):
    assert "built-in" in tamis("rerank", "--query", "q", "d").stderr
    assert tamis("rerank", "-q", "--query", "q", "d").stderr == ""


def test_invalid_utf8_is_replaced_with_a_warning(tamis, tmp_path):
    path = tmp_path / "d.txt"
    path.write_bytes(b"good\nbad \xff\xfe bytes\n")
    answer = tamis.json("rerank", "--query", "q", "--documents", path)
    assert any("UTF-8" in w for w in answer["warnings"])
    assert any("\ufffd" in r["document"] for r in answer["results"])


def test_a_full_disk_is_an_error(tamis):
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [str(BINARY), "rerank", "-q", "--query", "q", "d"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1 and "standard output" in done.stderr


def test_a_closed_pipe_ends_quietly(tamis):
    done = subprocess.run(
        ["bash", "-c", f"yes '{{\"text\": \"t\"}}' | head -20000 | '{BINARY}' tokenize | head -1"],
        capture_output=True,
        text=True,
    )
    assert done.stderr == "" and done.stdout.startswith("{")


def test_an_unknown_instruction_set_is_refused(tamis):
    assert "TAMIS_FORCE_ISA" in tamis("info", code=1, env={"TAMIS_FORCE_ISA": "mmx"}).stderr


def test_help_has_examples(tamis):
    for command in ("rerank", "score", "tokenize", "info", "bench"):
        assert "tamis " + command in tamis(command, "--help").stdout
    assert tamis("--version").stdout.strip()
