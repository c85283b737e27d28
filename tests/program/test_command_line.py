"""Flags, messages and exit codes; what happens when output or patience ends."""

import os
import pty
import select
import shutil
import signal
import subprocess
import time

import pytest
from conftest import BIN, GOLDENS

COMMANDS = ["rerank", "score", "tokenize", "info", "instructions", "bench"]


def test_version_and_help(tamis):
    assert tamis.run("--version").stdout.strip().count(".") == 2
    text = tamis.run("--help").stdout
    assert all(command in text for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command(tamis, command):
    text = tamis.run(command, "--help").stdout
    assert f"tamis {command}" in text and "--" in text
    if command != "instructions":
        assert "Examples:" in text


@pytest.mark.parametrize("arguments, message", [
    ([], "a command is missing"),
    (["rernk"], "did you mean rerank?"),
    (["frobnicate"], 'there is no command "frobnicate"'),
    (["rerank", "--qery", "x", "a"], "there is no flag --qery; did you mean --query?"),
    (["rerank", "a"], "a query is missing"),
    (["rerank", "--query", "x"], "documents are missing"),
    (["rerank", "--query"], "--query"),
    (["rerank", "--query", "x", "a", "--threads", "0"], '--threads: found "0", expected a whole number from 1 to 1024'),
    (["rerank", "--query", "x", "a", "--threads", "two"], "expected a whole number"),
    (["rerank", "--query", "x", "a", "--top-n", "-1"], "--top-n"),
    (["rerank", "--query", "x", "a", "--max-length", "0"], "--max-length"),
    (["rerank", "--query", "x", "a", "--min-score", "nan"], "--min-score"),
    (["rerank", "--query", "x", "a", "--precision", "int4"], "expected one of int8, fp32"),
    (["rerank", "--query", "x", "a", "--format", "xml"], "--format"),
    (["rerank", "--query", "x", "a", "--windows", "on"], "--windows"),
    (["rerank", "--query", "x", "a", "--input-format", "docx"], "--input-format"),
    (["rerank", "--query", "x", "a", "--preset", "medicl"], "did you mean medical?"),
    (["rerank", "--query", "x", "a", "--instruction", "preset:x"], 'there is no preset "x"'),
    (["rerank", "--query", "x", "a", "--preset", "code", "--instruction", "y"], "--instruction"),
    (["score", "extra"], "extra"),
])
def test_usage_errors(tamis, arguments, message):
    assert message in tamis.error(*arguments, code=2)


@pytest.fixture
def model(tamis):
    shutil.copytree(GOLDENS / "models" / "a-tied-f32", tamis.folder / "model")
    return tamis.folder / "model"


def test_models_that_are_not_there(tamis):
    for arguments, part in ((["--model", "none"], "none"), (["--model", "."], "config.json"),
                            (["--tokenizer", "none.json"], "none.json"), (["--max-length", "16000000"], "max_length")):
        assert part in tamis.error("rerank", "--query", "x", "a", *arguments)


def test_broken_models_are_refused(tamis, model):
    weights = model / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-1000])
    assert "truncated" in tamis.error("score", "--model", model)
    weights.write_bytes(whole[:-4] + b"\x00\x00\x80\x7f")  # +infinity in fp32
    message = tamis.error("score", "--model", model)
    assert "inf" in message and "tensor" in message and "model.safetensors" in message
    weights.write_bytes(whole)
    config = (model / "config.json").read_text(encoding="utf-8")
    (model / "config.json").write_text(config.replace("Qwen3ForCausalLM", "LlamaForCausalLM"), encoding="utf-8")
    assert "LlamaForCausalLM" in tamis.error("score", "--model", model)
    (model / "config.json").write_text(config, encoding="utf-8")
    (model / "tokenizer.json").unlink()
    assert "tokenizer.json" in tamis.error("score", "--model", model)


def test_query_without_room(tamis):
    message = tamis.error("rerank", "--query", "word " * 500, "--max-length", "200", "a")
    assert "no room" in message and "200" in message
    tamis.run("rerank", "--query", "word " * 500, "--max-length", "200", "--truncate-query", "a")


def test_full_disk(tamis):
    with open("/dev/full", "wb") as full:
        for arguments in (["rerank", "--query", "x", "a"], ["info"], ["--help"], ["instructions"]):
            result = subprocess.run([BIN, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=60)
            assert result.returncode == 1 and b"No space left" in result.stderr, arguments


def test_closed_pipe_is_quiet(tamis):
    tamis.write_lines("t.jsonl", [{"text": "x" * 1000}] * 20_000)
    process = subprocess.Popen([BIN, "tokenize", "--input", "t.jsonl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               cwd=tamis.folder)
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b"" and process.wait(60) == 0


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted(tamis, number, code):
    process = subprocess.Popen([BIN, "score", "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    row = b'{"query": "q", "document": "d"}\n'
    process.stdin.write(row * 512)
    process.stdin.flush()
    assert b"score" in process.stdout.readline()  # the first chunk is done, and the program waits for more
    process.send_signal(number)
    assert process.wait(60) == code
    process.stdin.close()


def on_a_terminal(arguments, env, seconds):
    """What the program writes to a terminal within some seconds, or until it ends."""
    leader, follower = pty.openpty()
    process = subprocess.Popen([BIN, *arguments], stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
                               env={**os.environ, "COLUMNS": "80", **env})
    os.close(follower)
    out = b""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([leader], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(leader, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    process.kill()
    process.wait()
    os.close(leader)
    return out.decode(errors="replace")


def test_colour_only_where_wanted():
    arguments = ["rerank", "--query", "red planet", "Mars is red"]
    env = {"LC_ALL": "C.UTF-8"}
    assert "\033[36m" in on_a_terminal(arguments, {**env, "NO_COLOR": ""}, 30)
    assert "\033[36m" not in on_a_terminal(arguments, {**env, "NO_COLOR": "1"}, 30)


def test_progress_bar_on_long_work(tamis):
    tamis.write("d.txt", "".join(f"{i} " + "some words of a document " * 120 + "\n" for i in range(4000)))
    arguments = ["rerank", "--query", "red planet", "--documents", str(tamis.folder / "d.txt"), "--precision", "fp32"]
    shown = on_a_terminal(arguments, {}, 8)
    assert "documents, " in shown and "s left" in shown and "[#" in shown or "[." in shown
    assert "s left" not in on_a_terminal([*arguments, "-q"], {}, 4)
