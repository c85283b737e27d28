"""Rules on the documents: a path they name exists. See tools/tidy.py."""

import pathlib
import re

from tidy_tree import Fault

TOP = (".ci", "apps", "bench", "cmake", "deploy", "docs", "examples", "fuzz", "include", "models", "python", "src",
       "tests", "tools", "web")
LINK = re.compile(r"\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`([^`\s]+)`")


def expand(pattern):
    """a{b,c}d -> abd, acd."""
    found = re.search(r"\{([^{}]*)\}", pattern)
    if not found:
        return [pattern]
    return [p for part in found.group(1).split(",")
            for p in expand(pattern[: found.start()] + part + pattern[found.end():])]


def check_paths(tree):
    for path in tree.files("*.md"):
        for number, line in tree.lines(path):
            for link in LINK.findall(line):
                if "://" in link or link.startswith(("#", "mailto:")):
                    continue
                target = (pathlib.PurePosixPath(path).parent / link.split("#")[0]).as_posix()
                if not tree.exists(normalise(target)):
                    yield Fault(path, number, f"the link to {link} leads nowhere")
            for name in QUOTED.findall(line):
                yield from check_quoted(tree, path, number, name)


def check_quoted(tree, path, number, name):
    """`src/base/check.h`, `src/kernels/gemm_*`, `src/base/check.{h,cc}`; a placeholder (NNNN, <name>) is left alone."""
    if name.split("/")[0] not in TOP or "/" not in name or re.search(r"[<>$()=]|NNNN|NAME|foo", name):
        return
    for pattern in expand(name.split(":")[0].rstrip(".,;")):
        if not tree.exists(pattern) and not tree.matches(pattern):
            yield Fault(path, number, f"names {pattern}, which does not exist")


def normalise(path):
    parts = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ""):
            parts.append(part)
    return "/".join(parts) or "."


def check_messages(tree):
    """Each entry of docs/TROUBLESHOOTING.md is headed by a message that the program prints; "…" is what varies."""
    document = "docs/TROUBLESHOOTING.md"
    if not tree.exists(document):
        return
    code = "".join(tree.text(path) for path in tree.files("*.cc", "*.h") if path.startswith(("src/", "apps/")))
    literals = re.sub(r'"\s*\n\s*"', "", code).replace('\\"', '"')
    for number, line in tree.lines(document):
        heading = re.fullmatch(r"## `(.*)`", line)
        for part in heading.group(1).split("…") if heading else []:
            if part.strip() and part.strip() not in literals:
                yield Fault(document, number, f"no source prints '{part.strip()}'")


CHECKS = (check_paths, check_messages)
