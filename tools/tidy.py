#!/usr/bin/env python3
"""Checks that no compiler makes: which folder may include which, the shape of files, what must not appear, and that the
paths named in the documents exist. Prose alone does not hold a layering; this does. Run by tools/test; prints one line
for each fault and exits with 1 if there is any.

    tools/tidy.py [ROOT]

The tables at the top are the project's rules; an exception is a line in one of them, with its reason.
"""

import fnmatch
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import tidy_docs
import tidy_files
from tidy_tree import Fault, Tree

# folder -> the folders whose headers it may include (besides its own). The longest matching folder decides; a value may
# name one header instead of a folder. docs/ARCHITECTURE.md says what each folder is for.
STATUS = "include/tamis/status.h"
OPTIONS = "include/tamis/options.h"
BACKEND = ["src/backend/backend.h", "src/text/token_id.h"]
ENGINE = ["include/tamis", "src/base", "src/builtin", "src/model", "src/text", *BACKEND]
INCLUDES = {
    "include/tamis": [],
    "src/base": [STATUS],
    "src/model": [STATUS, "src/base"],
    "src/text": [STATUS, OPTIONS, "src/base"],
    "src/builtin": [STATUS, "src/base"],
    "src/kernels": [STATUS, "src/base"],
    "src/backend": [STATUS, "src/base", "src/text/token_id.h"],
    "src/backend/cpu": [STATUS, OPTIONS, "src/base", "src/model", "src/kernels", *BACKEND],
    "src/backend/onnx": [STATUS, OPTIONS, "src/base", "src/model", *BACKEND],
    "src/engine": ENGINE,
    "src/hub": [STATUS, "src/base", "src/model"],
    "src/eval": [*ENGINE, "src/engine"],
    "src/server": [*ENGINE, "src/engine"],
    "apps": ["include/tamis", "src"],
    "bench": ["include/tamis", "src", "apps"],
    "fuzz": ["include/tamis", "src", "apps"],
    "tests": ["include/tamis", "src", "apps"],
    "examples": ["include/tamis"],
}

# file pattern -> further headers or folders it may include, and why.
INCLUDE_EXCEPTIONS = {
    "src/*_test.cc": (["src", "include/tamis"], "a test may build its input with any module"),
    "src/engine/loaded_model.cc": (["src/backend/cpu/cpu_backend.h"], "the one factory that names concrete backends"),
}


def allowed(path, target):
    """Whether the file `path` may include `target`, both relative to the root."""
    folders = [f for f in INCLUDES if path == f or path.startswith(f + "/")]
    if not folders:
        return False
    folder = max(folders, key=len)
    own = [f for f in INCLUDES if target.startswith(f + "/")]
    if own and max(own, key=len) == folder:
        return True
    permitted = list(INCLUDES[folder])
    for pattern, (targets, _) in INCLUDE_EXCEPTIONS.items():
        if fnmatch.fnmatch(path, pattern):
            permitted += targets
    return any(target == p or target.startswith(p + "/") for p in permitted)


def resolve(tree, path, name):
    """The file that `#include "name"` in `path` means, or None."""
    beside = (pathlib.PurePosixPath(path).parent / name).as_posix()
    for candidate in (f"include/{name}", f"src/{name}", name, f"apps/tamis/{name}", beside):
        if tree.exists(candidate):
            return candidate
    return None


def check_includes(tree):
    for path in tree.files("*.h", "*.cc"):
        for number, line in tree.lines(path):
            if not line.startswith('#include "'):
                continue
            name = line.split('"')[1]
            target = resolve(tree, path, name)
            if target is None:
                yield Fault(path, number, f'"{name}" is no file of this tree; system headers go in <>')
            elif not allowed(path, target):
                yield Fault(path, number, f"may not include {target}: see INCLUDES in tools/tidy.py")


def run(tree):
    faults = []
    for check in (check_includes, *tidy_files.CHECKS, *tidy_docs.CHECKS):
        faults += check(tree)
    return faults


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, check=True, text=True).stdout
    tree = Tree(root, sorted(p for p in listing.split("\0") if p and (root / p).is_file()))
    faults = run(tree)
    for fault in faults:
        print(fault)
    print(f"tidy: {len(tree.paths)} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
