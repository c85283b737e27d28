"""Rules on single files: their shape, their size, and what must not appear in them. See tools/tidy.py."""

import fnmatch
import re

from tidy_tree import Fault

COLUMNS_MAX = 120
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 80

CODE = ("*.h", "*.cc", "*.c", "*.py", "*.cmake", "CMakeLists.txt", "*.sh", "*.ts", "*.js")

# path pattern -> why it may be longer than FILE_LINES_MAX, or hold a function longer than FUNCTION_LINES_MAX.
LONG_FILES = {}
LONG_FUNCTIONS = {}

# source without a test of the same name beside it -> the test that covers it, or why none can.
TESTED_ELSEWHERE = {
    "src/base/check.cc": "aborts the process; the death tests of the code that uses it cover it",
    "src/base/*_library.cc": "compiles a library; nothing of ours in it",
    "src/base/status.cc": "the names of the codes: every test of a failure prints them",
    "src/backend/cpu/forward.cc": "src/backend/cpu/cpu_backend_test.cc",
    "src/backend/cpu/head.cc": "src/backend/cpu/cpu_backend_test.cc",
    "src/backend/cpu/prepare.cc": "src/backend/cpu/cpu_backend_test.cc",
    "src/engine/active_job.cc": "src/engine/scheduler_test.cc",
    "src/engine/loaded_model.cc": "src/engine/reranker_test.cc",
    "src/engine/prompt_units.cc": "src/engine/reranker_test.cc",
    "src/engine/score_collector.cc": "src/engine/reranker_test.cc",
    "src/engine/step_builder.cc": "src/engine/scheduler_test.cc",
    "src/engine/step_runner.cc": "src/engine/scheduler_test.cc",
    "src/kernels/kernels.cc": "src/kernels/ops_test.cc",
    "src/kernels/head_row_*.cc": "src/kernels/attention_test.cc",
    "src/kernels/attention_*.cc": "src/kernels/attention_test.cc",
    "src/kernels/reference_attention.cc": "src/kernels/attention_test.cc",
    "src/kernels/pages.cc": "src/kernels/attention_test.cc",
    "src/kernels/gemm_*.cc": "src/kernels/gemm_test.cc",
    "src/kernels/reference.cc": "src/kernels/gemm_test.cc",
    "src/kernels/ops_*.cc": "src/kernels/ops_test.cc",
    "src/kernels/reference_ops.cc": "src/kernels/ops_test.cc",
}

# pattern -> (files it applies to, what to do instead). Spelled so that this file does not match itself.
BANNED = [
    (r"\busing namespace std *;", ("*.h", "*.cc"), "name what is used"),
    (r"\bstd::w?regex\b|<regex>", ("*.h", "*.cc"), "std::regex recurses on its input: write the matcher"),
    (r"(?<![\w.>])s?rand\(", ("*.h", "*.cc"), "use a seeded generator of <random>"),
    (r"\bTO" r"DO\b(?!:? *\(?\w)", ("*",), "say what is to be done"),
    (r"\bDIS" r"ABLED_", ("*.h", "*.cc"), "a disabled test is not allowed"),
    (r"\bGTEST_SKIP\(\) *;", ("*.cc",), "a skip says why"),
    (r"pytest\.(skip|xfail)\( *\)|mark\.(skip|xfail)(?!if)(?!\(.*reason)", ("*.py",), "a skip says why"),
    (r"^(<{7}|>{7}) ", ("*",), "a merge marker"),
    (r"(?<![\w.$}~])/(work|root|home)/\w|/tm[p]/b_", ("*",), "a path of one machine"),
    (r"pypi\.or[g]|pythonhosted\.or[g]|npmjs\.(or[g]|co[m])|deb\.debian\.or[g]", ("*",),
     "name the package, not the registry's host"),
]

# In the library only: it never prints, what it has to say is in a Status.
BANNED_IN_LIBRARY = [
    (r"\bstd::(cout|cerr|clog)\b|<iostream>", "the library does not print"),
    (r"(?<![\w:])(printf|puts|putchar)\(|\bfprintf\( *stdout\b|\bfmt::print\((?! *stderr)",
     "the library does not print"),
]

# file pattern -> why a rule of BANNED does not apply to it.
BANNED_EXCEPTIONS = {
    "tools/tidy_test.py": "holds an example of each fault",
}


def check_text(tree):
    """Tabs, blanks at the end of a line, long lines, a missing newline at the end."""
    for path in tree.files():
        text = tree.text(path)
        if not text:
            continue
        if not text.endswith("\n"):
            yield Fault(path, text.count("\n") + 1, "no newline at the end")
        for number, line in tree.lines(path):
            if "\t" in line and not path.endswith((".tsv", "Makefile")):
                yield Fault(path, number, "a tab: indent with blanks, write \\t")
            if line != line.rstrip():
                yield Fault(path, number, "blanks at the end of the line")
            prose = path.endswith(".md") and (line.lstrip().startswith("|") or "](" in line or "://" in line)
            if len(line) > COLUMNS_MAX and not prose:
                yield Fault(path, number, f"{len(line)} columns; the limit is {COLUMNS_MAX}")


def check_heads(tree):
    """Each C++ file says at its top what it is for, in the header where it has one; headers guard themselves."""
    for path in tree.files("*.h", "*.cc"):
        headers = (path[:-2] + "h", "include/tamis/" + path.rsplit("/", 1)[-1][:-2] + "h")
        told_in_header = path.endswith("_test.cc") or (path.endswith(".cc") and any(map(tree.exists, headers)))
        if not told_in_header and not tree.text(path).lstrip().startswith("//"):
            yield Fault(path, 1, "no comment at the head that says the file's role")
        if path.endswith(".h") and not re.search(r"^#pragma once$", tree.text(path), re.MULTILINE):
            yield Fault(path, 1, "no #pragma once")


def check_names(tree):
    for path in tree.paths:
        for part in path.split("/"):
            if re.search(r"(^|[_-])(util|utils|utilities|helper|helpers|misc)([_.-]|$)", part):
                yield Fault(path, 1, f"'{part}' says nothing: name what it does")


def excused(path, table):
    return any(fnmatch.fnmatch(path, pattern) for pattern in table)


def check_sizes(tree):
    for path in tree.files("*.h", "*.cc", "*.py"):
        count = tree.text(path).count("\n")
        if count > FILE_LINES_MAX and not excused(path, LONG_FILES):
            yield Fault(path, count, f"{count} lines; the limit is {FILE_LINES_MAX}: split it by what its parts do")
        if not path.endswith(".py") and not excused(path, LONG_FUNCTIONS):
            yield from long_functions(tree, path)


def long_functions(tree, path):
    """With the pinned format, a function at namespace level starts in column 0 and ends with a '}' there."""
    start = None
    for number, line in tree.lines(path):
        if line.startswith("}"):
            if start and number - start > FUNCTION_LINES_MAX:
                yield Fault(path, start, f"a function of {number - start} lines; the limit is {FUNCTION_LINES_MAX}")
            start = None
        elif re.match(r"(namespace|class|struct|enum|union|extern|constexpr|inline constexpr|const)\b", line):
            start = None
        elif re.match(r"[A-Za-z_~].*[({]", line) and start is None:
            start = number


def check_tests(tree):
    for path in tree.files("*.cc"):
        if not path.startswith("src/") or path.endswith(("_test.cc", "_testing.cc")):
            continue
        if not tree.exists(path[: -len(".cc")] + "_test.cc") and not excused(path, TESTED_ELSEWHERE):
            yield Fault(path, 1, "no test beside it: add one, or say in TESTED_ELSEWHERE of tools/tidy_files.py where")
    for pattern, where in TESTED_ELSEWHERE.items():
        for named in (pattern, where if where.startswith(("src/", "tests/")) else pattern):
            if not tree.matches(named):
                yield Fault("tools/tidy_files.py", 1, f"TESTED_ELSEWHERE names {named}, which does not exist")


def check_banned(tree):
    for path in tree.files():
        if excused(path, BANNED_EXCEPTIONS):
            continue
        name = path.rsplit("/", 1)[-1]
        rules = [(p, why) for p, patterns, why in BANNED if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
        if path.startswith("src/") and not path.endswith("_test.cc"):
            rules += BANNED_IN_LIBRARY
        for number, line in tree.lines(path):
            for pattern, why in rules:
                found = re.search(pattern, line)
                if found:
                    yield Fault(path, number, f"'{found.group(0).strip()}': {why}")


CHECKS = (check_text, check_heads, check_names, check_sizes, check_tests, check_banned)
