#!/usr/bin/env python3
"""Breaks each rule of the session core in turn and watches its test go red.

usage: run.py [--check | --write] [--fresh] [FILTER...]

Works on a copy of the sources in build/mutants. For each mutation of the lists beside this file
whose rule or file contains one of the FILTERs: changes the copy, builds a program of the one test
file that matters, runs the tests that are named, expects at least one to fail, and puts the file
back.
Fails if a mutant survives, does not compile, hangs, or if the unchanged sources do not pass.

A mutant that was red is not built again while the test program without it is the same to the byte.

--check   only looks whether the lists still fit the sources; takes no compiler and a moment
--write   also writes docs/rules-seen-red.md (all rules, so it takes no FILTER)
--fresh   forgets what was red before
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mutation_list  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRATCH = ROOT / "build" / "mutants"
COPIED = ["CMakeLists.txt", "CMakePresets.json", "cmake", "src", "sim", "fuzz", "tests"]
LAUNCHER = pathlib.Path(__file__).resolve().parent / "compile"
TABLE = ROOT / "docs" / "rules-seen-red.md"
SECONDS_MAX = 60  # of one run of the tests; all of them together take less
RED, SURVIVED, BROKEN, HUNG = "red", "SURVIVED", "DOES NOT COMPILE", "HANGS"


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **options)


def program_of(file):
    """The name of the program that holds the tests of one file alone."""
    return "mutant_" + file.removeprefix("src/").removesuffix(".cpp").replace("/", "_")


class Verdicts:
    """What was red before, kept in a file. A mutant is named by all that decides on its verdict."""

    def __init__(self, path, fresh):
        self.path = path
        self.kept = json.loads(path.read_text()) if path.is_file() and not fresh else {}

    @staticmethod
    def key(scratch, mutation, file):
        text = (scratch.tree / mutation.file).read_text(encoding="utf-8")
        digest = hashlib.sha256((scratch.build / program_of(file)).read_bytes())
        for part in [mutation.file, mutation.filter, mutation.applied_to(text)]:
            digest.update(hashlib.sha256(part.encode()).digest())
        return digest.hexdigest()

    def keep(self, key, test):
        self.kept[key] = test
        self.path.write_text(json.dumps(self.kept))


class Scratch:
    """The copy of the sources and its build: a program for each test file, which names its library
    by the test program that the file is part of."""

    def __init__(self, folder, test_programs):
        self.tree, self.build = folder, folder / "build" / "release"
        self.test_programs = test_programs

    def prepare(self):
        self._copy()
        with open(self.tree / "CMakeLists.txt", "a", encoding="utf-8") as lists:
            for file, program in sorted(self.test_programs.items()):
                lists.write(f"add_executable({program_of(file)} EXCLUDE_FROM_ALL {file})\n"
                            f"target_link_libraries({program_of(file)} PRIVATE"
                            f" karst_{program.removesuffix('_tests')}"
                            " GTest::gmock GTest::gtest GTest::gtest_main)\n")
        # In its usual place, so that a compiler cache knows what is not changed.
        done = run(["cmake", "--preset", "release",
                    f"-DCMAKE_CXX_COMPILER_LAUNCHER=env;CCACHE_BASEDIR={self.tree};"
                    f"CCACHE_NOHASHDIR=1;{LAUNCHER}"], cwd=self.tree)
        if done.returncode != 0:
            sys.exit(done.stdout + "the copy cannot be configured")

    def _copy(self):
        """Makes the copy equal to the sources; what is equal already keeps its time."""
        wanted = set()
        for name in COPIED:
            top = ROOT / name
            paths = [top] if top.is_file() else [p for p in top.rglob("*") if p.is_file()]
            for path in paths:
                if "__pycache__" not in path.parts:
                    wanted.add(path.relative_to(ROOT))
        for path in wanted:
            copy, content = self.tree / path, (ROOT / path).read_bytes()
            if not copy.is_file() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
                shutil.copymode(ROOT / path, copy)
        for copy in [p for name in COPIED for p in (self.tree / name).rglob("*") if p.is_file()]:
            if copy.relative_to(self.tree) not in wanted:
                copy.unlink()

    def compile(self, files, more_flags=""):
        """The compiler's messages if it failed, else nothing."""
        done = run(["ninja", "-C", str(self.build), *map(program_of, files)],
                   env=os.environ | {"KARST_MUTANT_FLAGS": more_flags})
        return done.stdout if done.returncode != 0 else ""

    def test(self, file, tests):
        """Verdict and what failed."""
        program = str(self.build / program_of(file))
        command = [program, f"--gtest_filter={tests}", "--gtest_color=no"]
        try:
            done = run(command, timeout=SECONDS_MAX, cwd=self.tree)
        except subprocess.TimeoutExpired:
            return HUNG, ""
        return judge(done.returncode, done.stdout)


def judge(status, output):
    """The verdict on one run of a test program, and the first test that failed."""
    failed = re.findall(r"^\[  FAILED  \] (\S+?),? ", output, re.MULTILINE)
    if failed and status > 0:
        return RED, failed[0]
    # A CHECK or an assertion of the library ended the process inside a test.
    started = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
    finished = re.findall(r"^\[       OK \] (\S+)", output, re.MULTILINE)
    if status < 0 and started and started[-1] not in finished:
        return RED, started[-1] + " (the process ended in it)"
    return SURVIVED, ""


def baseline(scratch, planned):
    """Builds the unchanged sources; every test that is named must pass."""
    files = sorted({file for _, file in planned})
    messages = scratch.compile(files)
    if messages:
        sys.exit(messages + "the unchanged sources do not build")
    for file in files:
        tests = ":".join(sorted({m.filter for m, of in planned if of == file}))
        verdict, detail = scratch.test(file, tests)
        if verdict != SURVIVED:
            sys.exit(f"on the unchanged sources: {verdict} {file} {detail}")


def looks_into_memory(mutation):
    return "Memory." in mutation.filter


def mutant_flags(mutation):
    """What leaves a parameter unused still compiles; and quickly, unless the test looks for what
    the optimizer leaves on the stack."""
    return "-w -g0" if looks_into_memory(mutation) else "-w -g0 -O0"


def break_and_test(scratch, mutation, file):
    """Verdict and detail of one mutation. Puts the file back."""
    path = scratch.tree / mutation.file
    text = path.read_text(encoding="utf-8")
    path.write_text(mutation.applied_to(text), encoding="utf-8")
    try:
        messages = scratch.compile([file], mutant_flags(mutation))
        return (BROKEN, messages) if messages else scratch.test(file, mutation.filter)
    finally:
        path.write_text(text, encoding="utf-8")


def break_all(scratch, planned, kept):
    """Tells each verdict when it is there; returns them in the order of the lists."""
    # Before anything is broken: later a program may be that of a mutant.
    keys = {m.rule: kept.key(scratch, m, file) for m, file in planned}
    verdicts = {rule: (RED, kept.kept[key]) for rule, key in keys.items() if key in kept.kept}
    order = sorted([p for p in planned if p[0].rule not in verdicts],
                   key=lambda p: (not looks_into_memory(p[0]), p[0].file, p[1]))
    if verdicts:
        print(f"{len(verdicts)} were red before and have not changed", flush=True)
    before = (None, None)
    for number, (mutation, file) in enumerate(order, 1):
        start = time.monotonic()
        if before[0] and mutation.file != before[0].file:
            scratch.compile([before[1], file])  # what was put back, as it is released
        before = (mutation, file)
        verdict, detail = verdicts[mutation.rule] = break_and_test(scratch, mutation, file)
        print(f"[{number}/{len(order)}] {time.monotonic() - start:3.0f} s {verdict:8} "
              f"{mutation.rule}\n{'':14}{detail}", flush=True)
        if verdict == RED:
            kept.keep(keys[mutation.rule], detail)
    return [(mutation, *verdicts[mutation.rule]) for mutation, _ in planned]


def cell(text):
    return "`" + re.sub(r"\s+", " ", text).strip().replace("|", "\\|") + "`" if text.strip() else ""


def table(results):
    commit = run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]).stdout.strip()
    summary = f"{len(results)} mutations, all red, on {datetime.date.today()}, at {commit}."
    lines = [
        "# Rules, seen red", "",
        "Each rule of the session core was broken by the change in the second column, and the",
        "test in the third one failed. `./run mutants` does it again; `tests/mutations/` has the",
        "lists; their first lines say what they leave out. `./run mutants --write` wrote this.",
        "",
        summary, "",
        "| rule | change | test that failed |", "|---|---|---|"]
    for mutation, _, test in results:
        changes = "; ".join(f"{cell(old)} becomes {cell(new) or 'nothing'}"
                            for old, new in mutation.pairs())
        where = f"{mutation.file}: {changes}"
        lines.append(f"| {mutation.rule} | {where} | {mutation.target}: {test} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("filters", nargs="*", metavar="FILTER")
    options = parser.parse_args()
    try:
        everything = mutation_list.load()
    except mutation_list.ListError as error:
        sys.exit(str(error))
    faults = mutation_list.faults(everything, ROOT)
    if faults:
        sys.exit("\n".join(faults))
    if options.check:
        print(f"{len(everything)} mutations fit the sources")
        return 0
    if options.write and options.filters:
        sys.exit("--write needs a whole run")
    words = [word.lower() for word in options.filters]
    chosen = [m for m in everything
              if not words or any(w in (m.rule + " " + m.file).lower() for w in words)]
    if not chosen:
        sys.exit("no mutation has that in its rule or file")
    tests = mutation_list.test_files(ROOT)
    planned = [(m, *mutation_list.files_of(m, tests)) for m in chosen]
    scratch = Scratch(SCRATCH, {file: m.target for m, file in planned})
    scratch.prepare()
    baseline(scratch, planned)
    results = break_all(scratch, planned, Verdicts(SCRATCH / "red.json", options.fresh))
    bad = [(m, verdict) for m, verdict, _ in results if verdict != RED]
    for mutation, verdict in bad:
        print(f"{verdict}: {mutation.rule} ({mutation.place})")
    print(f"{len(results) - len(bad)} of {len(results)} mutants red")
    if options.write and not bad:
        TABLE.write_text(table(results), encoding="utf-8")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
