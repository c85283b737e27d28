"""Runs stages one after another, each with a log of its own, and adds up what passed and failed. The stages themselves
are in tools/test_stages.py."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "logs"
TAIL_LINES = 120


class StepFailed(Exception):
    """A command of a stage failed; its output is in the stage's log."""


@dataclasses.dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __iadd__(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        return self

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


class Stage:
    """What a stage's function is given: its counter, its log, and ways to run commands."""

    def __init__(self, name, long_run):
        self.name = name
        self.long_run = long_run
        self.count = Count()
        self.log_path = LOGS / f"{name}.log"
        self._log = open(self.log_path, "w", encoding="utf-8")
        self.jobs = len(os.sched_getaffinity(0))

    def note(self, text):
        self._log.write(text + "\n")
        self._log.flush()

    def start(self, *command, env=None):
        """Starts a command whose output goes to the log."""
        self.note("$ " + " ".join(str(c) for c in command))
        return subprocess.Popen([str(c) for c in command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=self._log,
                                stderr=subprocess.STDOUT, env={**os.environ, **(env or {})})

    def try_run(self, *command, env=None, limit_s=1800):
        """Runs a command; returns whether it succeeded within limit_s."""
        process = self.start(*command, env=env)
        try:
            return process.wait(timeout=limit_s) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.note(f"stopped after {limit_s} s")
            return False

    def run(self, *command, env=None, limit_s=1800):
        """Runs a command that the rest of the stage depends on."""
        if not self.try_run(*command, env=env, limit_s=limit_s):
            raise StepFailed(" ".join(str(c) for c in command))

    def check(self, *command, env=None, limit_s=1800):
        """Runs a command that is one test by itself."""
        succeeded = self.try_run(*command, env=env, limit_s=limit_s)
        self.count += Count(passed=int(succeeded), failed=int(not succeeded))
        return succeeded

    def run_tests(self, report, *command, env=None, limit_s=1800):
        """Runs a test program that writes the JUnit file `report`, and counts its cases."""
        report.unlink(missing_ok=True)
        succeeded = self.try_run(*command, env=env, limit_s=limit_s)
        counted = count_junit(report)
        if not succeeded and counted.failed == 0:
            counted.failed = 1  # crashed, or failed outside of any case
        if counted.passed + counted.failed == 0:
            self.note("no test was run")
            counted.failed = 1
        self.count += counted

    def finish(self):
        self._log.close()
        if self.count.failed:
            lines = self.log_path.read_text(encoding="utf-8", errors="replace").splitlines()
            print("\n".join(f"    {line}" for line in lines[-TAIL_LINES:]))


def count_junit(path):
    count = Count()
    try:
        cases = xml.etree.ElementTree.parse(path).getroot().iter("testcase")
    except (OSError, xml.etree.ElementTree.ParseError):
        return count
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            count.failed += 1
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            count.skipped += 1
        else:
            count.passed += 1
    return count


def run_stages(stages, long_run, setup_s):
    """Runs (name, function) pairs; a stage that fails does not stop those after it. Returns the exit status."""
    LOGS.mkdir(parents=True, exist_ok=True)
    rows = [("setup", setup_s, Count(passed=1))]
    for name, function in stages:
        print(f"-- {name}", flush=True)
        stage = Stage(name, long_run)
        begin = time.monotonic()
        try:
            function(stage)
        except StepFailed as error:
            stage.note(f"failed: {error}")
            stage.count += Count(failed=1)
        except Exception as error:  # a fault of the runner is a failure of the stage, never of those after it
            stage.note(f"{type(error).__name__}: {error}")
            stage.count += Count(failed=1)
        stage.finish()
        rows.append((name, time.monotonic() - begin, stage.count))
        print(f"   {stage.count} in {rows[-1][1]:.0f} s" + (f"; log: {stage.log_path.relative_to(ROOT)}"
                                                            if stage.count.failed else ""), flush=True)
    return summarise(rows)


def summarise(rows):
    total = Count()
    print(f"\n{'stage':<12} {'seconds':>8} {'passed':>7} {'failed':>7} {'skipped':>8}")
    for name, seconds, count in rows:
        total += count
        print(f"{name:<12} {seconds:>8.0f} {count.passed:>7} {count.failed:>7} {count.skipped:>8}")
    print(f"{'total':<12} {sum(row[1] for row in rows):>8.0f} {total.passed:>7} {total.failed:>7} {total.skipped:>8}\n")
    print(total, flush=True)
    return 1 if total.failed else 0
