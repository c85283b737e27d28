"""Each rule of tools/tidy.py finds the fault it is there for, and leaves sound files alone. Run with pytest."""

import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import tidy
import tidy_files
from tidy_tree import Tree

HEADER = "// Role of this file.\n#pragma once\n"
SOUND = {
    "include/tamis/status.h": HEADER,
    "src/base/check.h": HEADER,
    "src/base/check.cc": '#include "base/check.h"\n',
    "src/base/status.cc": '#include "tamis/status.h"\n',
    "src/model/config.h": HEADER + '\n#include "base/check.h"\n#include "tamis/status.h"\n',
    "src/text/token_id.h": HEADER,
    "src/backend/backend.h": HEADER + '#include "text/token_id.h"\n',
    "src/kernels/kernels.h": HEADER,
    "src/engine/planner.cc": '// Plans.\n#include "backend/backend.h"\n',
    "src/engine/planner_test.cc": '#include "kernels/kernels.h"\n',
    "apps/tamis/main.cc": '// Starts.\n#include "backend/backend.h"\n',
    "docs/A.md": "[the check](../src/base/check.h), `src/base/check.{h,cc}`, `src/*/check.h`, `src/new/NNNN.h`\n",
}


@pytest.fixture
def faults(tmp_path, monkeypatch):
    monkeypatch.setattr(tidy_files, "TESTED_ELSEWHERE", {"src/base/*.cc": "by others"})

    def run(**changed):
        files = dict(SOUND, **changed.get("files", {}))
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return [str(f) for f in tidy.run(Tree(tmp_path, sorted(files)))]

    return run


def test_sound_tree_has_no_fault(faults):
    assert faults() == []


@pytest.mark.parametrize("path,text", [
    ("src/base/new.h", '#include "model/config.h"'),  # upwards
    ("src/model/new.h", '#include "text/token_id.h"'),  # sideways
    ("src/kernels/new.h", '#include "model/config.h"'),
    ("src/backend/new.h", '#include "kernels/kernels.h"'),  # the interface does not know an implementation
    ("src/engine/new.h", '#include "kernels/kernels.h"'),  # past the interface
    ("src/engine/new.h", '#include "server/http.h"'),
    ("examples/new.h", '#include "base/check.h"'),  # an example has the public headers only
    ("elsewhere/new.h", '#include "base/check.h"'),
])
def test_forbidden_include(faults, path, text):
    found = faults(files={path: HEADER + text + "\n", "src/server/http.h": HEADER})
    assert len(found) == 1 and found[0].startswith(f"{path}:3: may not include"), found


def test_engine_may_not_name_a_concrete_backend(faults):
    found = faults(files={"src/backend/cpu/cpu_backend.h": HEADER,
                          "src/engine/new.h": HEADER + '#include "backend/cpu/cpu_backend.h"\n'})
    assert len(found) == 1 and "may not include src/backend/cpu/cpu_backend.h" in found[0]


def test_unknown_include(faults):
    assert "no file of this tree" in faults(files={"src/base/new.h": HEADER + '#include "vector"\n'})[0]


@pytest.mark.parametrize("path,text,expected", [
    ("src/base/new.h", HEADER + "\tint x;\n", "a tab"),
    ("src/base/new.h", HEADER + "int x; \n", "blanks at the end"),
    ("src/base/new.h", HEADER + "int x;", "no newline"),
    ("src/base/new.h", HEADER + "//" + "x" * 119 + "\n", "121 columns"),
    ("src/base/new.h", "#pragma once\n", "no comment at the head"),
    ("src/base/new.h", "// Role.\nint x;\n", "no #pragma once"),
    ("src/base/new.h", HEADER + "// x\n" * 400, "402 lines"),
    ("src/base/string_utils.h", HEADER, "says nothing"),
    ("src/base/new.h", HEADER + "void F() {\n" + "  G();\n" * 81 + "}\n", "a function of 82 lines"),
    ("src/model/new.cc", "// Role.\n", "no test beside it"),
    ("docs/B.md", "`src/base/gone.h`\n", "names src/base/gone.h"),
    ("docs/B.md", "[x](../src/gone.h)\n", "leads nowhere"),
])
def test_shape(faults, path, text, expected):
    found = faults(files={path: text})
    assert len(found) == 1 and expected in found[0], found


@pytest.mark.parametrize("line", [
    "using namespace std;",
    "std::regex r;",
    "int x = rand();",
    "// TODO",
    'std::cout << "x";',
    'printf("x");',
    'fprintf(stdout, "x");',
    'fmt::print("x");',
    "TEST(A, DISABLED_B) {}",
    "<<<<<<< ours",
    "// see /home/someone/file",
    "// from pypi.org",
])
def test_banned_line(faults, line):
    found = faults(files={"src/base/new.h": HEADER + line + "\n"})
    assert len(found) == 1 and found[0].startswith("src/base/new.h:3:"), found


@pytest.mark.parametrize("line", [
    "// TODO: take the size from the file",
    'fprintf(stderr, "x");',
    'fmt::print(stderr, "x");',
    'std::snprintf(buffer, 3, "x");',
    "int operand(int);",
    "// see ~/.cache/tamis, $HOME/file or /usr/share",
])
def test_permitted_line(faults, line):
    assert faults(files={"src/base/new.h": HEADER + line + "\n"}) == []


def test_troubleshooting_names_messages_that_exist(faults):
    code = {"src/base/new.cc": '// Role.\nError(fmt::format("{}: no such "\n      "file \\"{}\\"", a, b));\n'}
    assert faults(files={**code, "docs/TROUBLESHOOTING.md": '## `…: no such file "…"`\n'}) == []
    assert "no source prints" in faults(files={**code, "docs/TROUBLESHOOTING.md": "## `no such folder`\n"})[0]


@pytest.mark.parametrize("line", ["pytest.skip()", "@pytest.mark.skip", "@pytest.mark.skip()"])
def test_skip_without_reason(faults, line):
    assert "says why" in faults(files={"tests/new.py": line + "\n"})[0]


def test_program_finds_no_fault_in_an_empty_repository(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    program = pathlib.Path(tidy.__file__)
    result = subprocess.run([sys.executable, str(program), str(tmp_path)], capture_output=True, text=True)
    assert "tidy: 0 files" in result.stdout
