"""The program as a person runs it. TAMIS_BIN names it; build/release/tamis otherwise."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "tests" / "data" / "goldens"
BINARY = pathlib.Path(os.environ.get("TAMIS_BIN", ROOT / "build" / "release" / "tamis"))


class Tamis:
    def __call__(self, *arguments, stdin=None, code=0, env=None, cwd=None):
        done = subprocess.run(
            [str(BINARY), *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=not isinstance(stdin, bytes),
            env={**os.environ, **(env or {})},
            cwd=cwd,
            timeout=300,
        )
        assert done.returncode == code, (done.returncode, done.stderr)
        return done

    def json(self, *arguments, **keywords):
        return json.loads(self(*arguments, "--format", "json", **keywords).stdout)

    def lines(self, *arguments, **keywords):
        return [json.loads(line) for line in self(*arguments, **keywords).stdout.splitlines()]


@pytest.fixture(scope="session")
def tamis():
    assert BINARY.exists(), f"{BINARY} is not built"
    return Tamis()


def read_jsonl(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


@pytest.fixture(scope="session")
def real_tokenizer():
    path = os.environ.get("TAMIS_QWEN3_TOKENIZER")
    if not path:
        pytest.skip(
            "TAMIS_QWEN3_TOKENIZER is not set; tools/fetch_qwen3_tokenizer.sh prints the published tokenizer's path"
        )
    return path
