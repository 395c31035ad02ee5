"""Reads the lists of mutations beside this file, and says whether they still fit the sources.

A mutation is a block of lines, ended by an empty one:

    rule 7: the target never exceeds the window       what is broken, in words; unique
      in src/keys/depth_controller.cpp                the file
      red keys_tests DepthController.never_wants_x    the test program and a GoogleTest filter
      - return std::min(2 * demand_ + 2, window_);    the text that stands there exactly once
      + return 2 * demand_ + 2;                       what takes its place

Text starts behind the sign and one space, and may be several lines. A second - after a + begins a
second change of the same mutation. Lines that start with # in the first column are comments.
"""

import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent


class ListError(Exception):
    pass


@dataclasses.dataclass
class Change:
    old: list  # lines
    new: list


@dataclasses.dataclass
class Mutation:
    rule: str
    place: str  # file and line of the list, for messages
    file: str = ""
    target: str = ""
    filter: str = ""
    changes: list = dataclasses.field(default_factory=list)

    def pairs(self):
        """Old and new text of each change."""
        return [("\n".join(change.old), "\n".join(change.new)) for change in self.changes]

    def applied_to(self, text):
        for old, new in self.pairs():
            text = text.replace(old, new, 1)
        return text

    def test_patterns(self):
        return self.filter.split(":")


def _read_line(mutation, line):
    sign, _, rest = line[2:].partition(" ")
    if not line.startswith("  "):
        raise ListError(f"{mutation.place}: a line of a block starts with two spaces: {line}")
    if sign == "in":
        mutation.file = rest
    elif sign == "red":
        mutation.target, _, mutation.filter = rest.partition(" ")
    elif sign == "-":
        if not mutation.changes or mutation.changes[-1].new:
            mutation.changes.append(Change([], []))
        mutation.changes[-1].old.append(rest)
    elif sign == "+" and mutation.changes:
        mutation.changes[-1].new.append(rest)
    else:
        raise ListError(f"{mutation.place}: neither in, red, - nor +: {line}")


def parse(text, name):
    """The mutations of one list."""
    found, current = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            current = None
        elif current is None:
            current = Mutation(line, f"{name}:{number}")
            found.append(current)
        else:
            _read_line(current, line)
    for mutation in found:
        if not (mutation.file and mutation.target and mutation.filter):
            raise ListError(f"{mutation.place}: lacks its file, test program or filter")
        if not mutation.changes or any(not c.new or c.old == c.new for c in mutation.changes):
            raise ListError(f"{mutation.place}: changes nothing")
    return found


def load(folder=FOLDER):
    """All mutations, list after list by name."""
    found = []
    for path in sorted(folder.glob("*.list")):
        found += parse(path.read_text(encoding="utf-8"), path.name)
    return found


def test_files(root):
    """Where each test stands: "Suite.name" to a path relative to `root`."""
    found = {}
    for path in sorted(root.glob("src/**/*_test.cpp")):
        text = path.read_text(encoding="utf-8")
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", text, re.MULTILINE):
            found[f"{suite}.{name}"] = str(path.relative_to(root))
    return found


def files_of(mutation, tests):
    """The test files in which the patterns of a filter name tests; None for one that names none."""
    found = set()
    for pattern in mutation.test_patterns():
        expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
        found |= {file for name, file in tests.items() if re.fullmatch(expression, name)} or {None}
    return found


def faults(mutations, root):
    """One message for each way in which the lists no longer fit the sources."""
    found, rules, texts = [], set(), {}
    tests = test_files(root)
    for mutation in mutations:
        place = mutation.place
        if mutation.rule in rules:
            found.append(f"{place}: stands twice: {mutation.rule}")
        rules.add(mutation.rule)
        if mutation.file not in texts:
            path = root / mutation.file
            texts[mutation.file] = path.read_text(encoding="utf-8") if path.is_file() else ""
        for old, _ in mutation.pairs():
            count = texts[mutation.file].count(old)
            if count != 1:
                found.append(f"{place}: stands {count} times in {mutation.file}: {old}")
        files = files_of(mutation, tests)
        if None in files:
            found.append(f"{place}: no test is called {mutation.filter}")
        elif len(files) != 1:
            found.append(f"{place}: the tests stand in several files")
    return found
