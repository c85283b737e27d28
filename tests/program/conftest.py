"""The program under test, as a script would call it. TAMIS_BIN names it (default: the release preset's)."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "tests" / "data" / "goldens"
BIN = pathlib.Path(os.environ.get("TAMIS_BIN", ROOT / "build" / "release" / "tamis")).resolve()


class Program:
    """Runs the program in a folder of its own; text in, text out."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, *arguments, stdin="", code=0, env=None):
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        result = subprocess.run([BIN, *map(str, arguments)], input=data, capture_output=True, cwd=self.folder,
                                env={**os.environ, **(env or {})}, timeout=300)
        result.stdout = result.stdout.decode()
        result.stderr = result.stderr.decode()
        said = f"exit {result.returncode}, not {code}: {result.stderr}\n{result.stdout[:2000]}"
        assert result.returncode == code, said
        return result

    def json(self, *arguments, **options):
        return json.loads(self.run(*arguments, **options).stdout)

    def json_lines(self, *arguments, **options):
        return [json.loads(line) for line in self.run(*arguments, **options).stdout.splitlines()]

    def error(self, *arguments, code=1, **options):
        """The one line on standard error of a run that fails."""
        result = self.run(*arguments, code=code, **options)
        lines = [line for line in result.stderr.splitlines() if "built-in demonstration model" not in line]
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("tamis: ")
        return lines[0].removeprefix("tamis: ")

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def write_lines(self, name, rows):
        return self.write(name, "".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def tamis(tmp_path):
    if not BIN.exists():
        pytest.fail(f"{BIN} is not there: cmake --preset release && cmake --build --preset release")
    return Program(tmp_path)


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
