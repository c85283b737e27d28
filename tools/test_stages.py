"""The stages of tools/test, in the order in which they run: cheap and telling ones first."""

import argparse
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from test_runner import LOGS, ROOT, Count, run_stages

BIN = ROOT / "build" / "venv" / "bin"
BUILD = ROOT / "build"

# Test programs whose code shares data between threads -> which of their cases; the thread sanitizer slows the others
# for nothing.
THREADED = {"base_test": "*", "text_test": "EncodeBatch*", "backend_cpu_test": "*", "engine_test": "*",
            "independence_test": "*RequestsAtTheSameTime*avx2_int8"}
FUZZ_SECONDS, FUZZ_SECONDS_LONG = 12, 600
SANITIZER_ENV = {
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "second_deadlock_stack=1",
}


def sources(*patterns):
    listing = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, check=True, text=True).stdout.splitlines()
    return [p for p in listing if (ROOT / p).is_file() and any(fnmatch.fnmatch(p, pattern) for pattern in patterns)]


def pytest(stage, *arguments, env=None):
    report = LOGS / f"{stage.name}.xml"
    stage.run_tests(report, BIN / "python", "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
                    f"--junitxml={report}", *arguments, env=env)


def build(stage, preset, *targets):
    stage.run("cmake", "--preset", preset)
    stage.run("cmake", "--build", "--preset", preset, "-j", stage.jobs, *(["--target", *targets] if targets else []))
    stage.count += Count(passed=1)


def ctest(stage, preset, *arguments):
    report = LOGS / f"{stage.name}.xml"
    stage.run_tests(report, "ctest", "--preset", preset, "-j", stage.jobs, "--output-junit", report, *arguments,
                    env={**SANITIZER_ENV, **tokenizer_env(stage)})


def tokenizer_env(stage):
    """Where the real Qwen3 tokenizer.json is, for the tests that compare with it."""
    fetchers = sorted(ROOT.glob("tools/fetch_qwen3_tokenizer*"))
    fetchers = [f for f in fetchers if not f.stem.endswith("_test")]
    if not fetchers or "TAMIS_QWEN3_TOKENIZER" in os.environ:
        return {}
    for _ in range(3):
        with open(LOGS / "fetch_tokenizer.log", "w", encoding="utf-8") as log:
            interpreter = [BIN / "python"] if fetchers[0].suffix == ".py" else []
            result = subprocess.run([*interpreter, fetchers[0]], cwd=ROOT, stdin=subprocess.DEVNULL, text=True,
                                    stdout=subprocess.PIPE, stderr=log)
        if result.returncode == 0 and result.stdout.strip():
            return {"TAMIS_QWEN3_TOKENIZER": result.stdout.strip().splitlines()[-1]}
    stage.note("the real tokenizer could not be fetched; see build/logs/fetch_tokenizer.log")
    stage.count += Count(failed=1)
    return {}


def tidy(stage):
    stage.check(BIN / "python", "-B", "tools/tidy.py")
    pytest(stage, *sources("tools/*_test.py"))


def code_format(stage):
    stage.check(BIN / "clang-format", "--dry-run", "--Werror", *sources("*.h", "*.cc"))


def dev(stage):
    build(stage, "dev")
    ctest(stage, "dev")


def release(stage):
    build(stage, "release")


def program(stage):
    pytest(stage, "tests", env={"TAMIS_BIN": str(BUILD / "release" / "tamis"), **tokenizer_env(stage)})


def install(stage):
    """What is installed serves a project outside of this tree: through CMake's package and through pkg-config."""
    prefix = BUILD / "install"
    outside = BUILD / "examples-installed"
    stage.run("cmake", "--install", "build/release", "--prefix", prefix)
    stage.run("cmake", "-S", "examples", "-B", outside, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    stage.run("cmake", "--build", outside)
    library = next(prefix.rglob("libtamis*")).parent
    env = {"PKG_CONFIG_PATH": str(library / "pkgconfig"), "LD_LIBRARY_PATH": str(library)}
    for source in sources("examples/*.cc"):
        name = pathlib.Path(source).stem
        stage.check(outside / name)
        by_pkg_config = outside / f"{name}_by_pkg_config"
        command = f'c++ -std=c++20 {source} $(pkg-config --cflags --libs tamis) -o "{by_pkg_config}"'
        if stage.check("bash", "-c", command, env=env):
            stage.check(by_pkg_config, env=env)


def asan(stage):
    build(stage, "asan")
    ctest(stage, "asan", *(["--repeat", "until-fail:3"] if stage.long_run else []))


def tsan(stage):
    stage.run("cmake", "--preset", "tsan")
    known = subprocess.run(["ninja", "-C", BUILD / "tsan", "-t", "targets", "all"], capture_output=True, check=True,
                           text=True).stdout
    targets = [line.split(":")[0] for line in known.splitlines() if line.endswith(": phony")]
    targets = [t for t in targets if "/" not in t and t.endswith("_test") and (stage.long_run or t in THREADED)]
    build(stage, "tsan", *targets)
    programs = [p for p in sorted((BUILD / "tsan").rglob("*_test")) if p.name in targets and p.is_file()]
    for binary in programs:
        report = LOGS / f"tsan-{binary.name}.xml"
        repeated = ["--gtest_repeat=3", "--gtest_shuffle"]
        which = repeated if stage.long_run else [f"--gtest_filter={THREADED[binary.name]}"]
        stage.run_tests(report, binary, f"--gtest_output=xml:{report}", "--gtest_brief=1", *which, env=SANITIZER_ENV)


def fuzz(stage):
    """Each target starts from the inputs in fuzz/corpus/<target>, if there are any, and grows a corpus under build/."""
    build(stage, "fuzz")
    seconds = FUZZ_SECONDS_LONG if stage.long_run else FUZZ_SECONDS
    targets = [p for p in sorted((BUILD / "fuzz" / "fuzz").glob("*")) if p.is_file() and os.access(p, os.X_OK)]

    def run(target):
        grown = BUILD / "fuzz" / "corpus" / target.name
        grown.mkdir(parents=True, exist_ok=True)
        seeds = ROOT / "fuzz" / "corpus" / target.name
        command = [target, f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1",
                   f"-artifact_prefix={LOGS}/{target.name}-", grown, *([seeds] if seeds.is_dir() else [])]
        with open(LOGS / f"fuzz-{target.name}.log", "w", encoding="utf-8") as log:
            result = subprocess.run([str(c) for c in command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
                                    stderr=subprocess.STDOUT, env={**os.environ, **SANITIZER_ENV})
        return target, result.returncode

    with ThreadPoolExecutor(stage.jobs) as pool:
        for target, code in pool.map(run, targets):
            stage.count += Count(passed=int(code == 0), failed=int(code != 0))
            log = (LOGS / f"fuzz-{target.name}.log").read_text(encoding="utf-8", errors="replace").splitlines()
            stage.note(f"{target.name}: exit {code}\n" + "\n".join(log[-60 if code else -3:]))


def clang_tidy(stage):
    """Static analysis of our own sources, by the checks in .clang-tidy; tests are left to the compiler's warnings."""
    stage.run("cmake", "--preset", "dev")
    commands = json.loads((BUILD / "dev" / "compile_commands.json").read_text(encoding="utf-8"))
    files = {pathlib.Path(c["file"]).relative_to(ROOT).as_posix() for c in commands
             if pathlib.Path(c["file"]).is_relative_to(ROOT)}
    files = sorted(f for f in files if f.startswith(("src/", "apps/")) and not f.endswith("_test.cc"))

    def run(path):
        return path, subprocess.run([BIN / "clang-tidy", "-p", BUILD / "dev", "--quiet", path], cwd=ROOT, text=True,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    with ThreadPoolExecutor(stage.jobs) as pool:
        for path, result in pool.map(run, files):
            stage.count += Count(passed=int(result.returncode == 0), failed=int(result.returncode != 0))
            if result.returncode:
                stage.note(f"{path}:\n{result.stdout}")


STAGES = {"tidy": tidy, "format": code_format, "dev": dev, "release": release, "program": program, "install": install,
          "asan": asan, "tsan": tsan, "fuzz": fuzz, "clang-tidy": clang_tidy}


def main():
    parser = argparse.ArgumentParser(description="Runs the project's checks and tests.")
    parser.add_argument("stages", nargs="*", choices=[[], *STAGES], help="the stages to run (default: all)")
    parser.add_argument("--long", action="store_true", help="long fuzzing, repeated sanitizer runs")
    parser.add_argument("--list", action="store_true", help="name the stages")
    parser.add_argument("--setup-seconds", type=int, default=0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(STAGES))
        return 0
    chosen = [(name, STAGES[name]) for name in STAGES if not arguments.stages or name in arguments.stages]
    return run_stages(chosen, arguments.long, arguments.setup_seconds)


if __name__ == "__main__":
    sys.exit(main())
