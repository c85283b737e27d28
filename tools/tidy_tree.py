"""Tree: the files that the checks of tools/tidy.py look at, read once; Fault: one finding."""

import dataclasses
import fnmatch
import functools
import pathlib

# Data and generated files, whose content is not ours to shape.
DATA = ("tests/data/*", "models/*", "fuzz/corpus/*", "LICENSE", "*.inc", "*.json", "*.jsonl", "*.safetensors", "*.onnx",
        "*.png", "*.svg")


@dataclasses.dataclass(frozen=True)
class Fault:
    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


class Tree:
    def __init__(self, root, paths):
        self.root = pathlib.Path(root)
        self.paths = paths
        self._known = set(paths) | {p.as_posix() for path in paths for p in pathlib.PurePosixPath(path).parents}

    def exists(self, path):
        """Whether a file or a folder of the tree has this path."""
        return path.rstrip("/") in self._known

    def matches(self, pattern):
        """Whether a glob pattern matches at least one file or folder."""
        return any(fnmatch.fnmatch(path, pattern.rstrip("/")) for path in self._known)

    def files(self, *patterns):
        """Our own text files whose name matches one of the patterns; all of them without a pattern."""
        for path in self.paths:
            if any(fnmatch.fnmatch(path, data) for data in DATA):
                continue
            name = path.rsplit("/", 1)[-1]
            if not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
                yield path

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        """The file's text; undecodable bytes become U+FFFD."""
        return (self.root / path).read_bytes().decode("utf-8", errors="replace")

    def lines(self, path):
        """(number from 1, line without its end) for each line."""
        return list(enumerate(self.text(path).split("\n"), 1))
