#!/usr/bin/env python3
"""Style as a failing test.

usage: tidy.py [ROOT]

Each rule below is a generator that yields (path, line, message). Its name, with '-' for '_', is the
name to use in exceptions.txt, where a line "RULE PATH reason" excuses one file from one rule.
An exception that is no longer needed is an error, so the list can only shrink.
"""

import ast
import functools
import io
import os
import pathlib
import re
import sys
import tokenize

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cpp_text  # noqa: E402

FILE_LINES = 600
FUNCTION_LINES = 70
COLUMNS = 100
EXCEPTIONS = "tests/tidy/exceptions.txt"
EXCEPTIONS_MAX = 12
NOT_OURS = (".git", ".cache", "build")

RULES = {}


def rule(function):
    RULES[function.__name__.replace("_", "-")] = function
    return function


class Source:
    def __init__(self, root, path):
        self.path = path
        self.folder = os.path.dirname(path)
        self.stem, self.suffix = os.path.splitext(os.path.basename(path))
        self._absolute = os.path.join(root, path)

    @functools.cached_property
    def text(self):
        with open(self._absolute, encoding="utf-8", errors="replace") as file:
            return file.read()

    @functools.cached_property
    def lines(self):
        return self.text.splitlines()

    @functools.cached_property
    def _split(self):
        return cpp_text.split(self.text)

    @property
    def code(self):
        return self._split[0]

    @property
    def comments(self):
        if self.is_cpp:
            return self._split[1]
        if self.suffix != ".py":
            return "\n".join(line[line.find("#"):] if "#" in line else "" for line in self.lines)
        found = [""] * (len(self.lines) + 1)
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0] - 1] = token.string
        return "\n".join(found)

    @functools.cached_property
    def functions(self):
        return cpp_text.functions(self.code)

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    @property
    def is_cpp(self):
        return self.suffix in (".h", ".cpp")

    @property
    def is_test(self):
        return self.stem.endswith(("_test", "_fuzz", "_bench")) or self.path.startswith("tests/")

    def under(self, *places):
        return any(self.path == place or self.path.startswith(place + "/") for place in places)


class Tree:
    def __init__(self, root):
        self.root = str(root)
        self.paths = sorted(self._list())
        self.sources = [Source(self.root, path) for path in self.paths]
        self.cpp = [s for s in self.sources if s.is_cpp]
        self.python = [s for s in self.sources if s.suffix == ".py"]
        self.shell = [s for s in self.sources if s.suffix == ".sh" or s.path in ("run", ".ci/run")]
        self.markdown = [s for s in self.sources if s.suffix == ".md"]

    def _list(self):
        for folder, folders, names in os.walk(self.root):
            here = os.path.relpath(folder, self.root)
            folders[:] = [f for f in folders if f != "__pycache__" and
                          os.path.normpath(os.path.join(here, f)) not in NOT_OURS]
            for name in names:
                yield os.path.normpath(os.path.join(here, name))

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))

    def source(self, path):
        return next((s for s in self.sources if s.path == path), None)


# ------------------------------------------------------------------------------------------ size


@rule
def file_length(tree):
    for source in tree.cpp + tree.python + tree.shell:
        if len(source.lines) > FILE_LINES:
            yield source.path, FILE_LINES + 1, f"{len(source.lines)} lines, at most {FILE_LINES}"


@rule
def line_length(tree):
    for source in tree.cpp + tree.python + tree.shell:
        for number, line in enumerate(source.lines, 1):
            if len(line) > COLUMNS:
                yield source.path, number, f"{len(line)} columns, at most {COLUMNS}"


@rule
def function_length(tree):
    for source in tree.cpp:
        for function in source.functions:
            length = function.last - function.first + 1
            if length > FUNCTION_LINES:
                yield (source.path, function.first,
                       f"{function.name} has {length} lines, at most {FUNCTION_LINES}")
    for source in tree.python:
        for node in ast.walk(ast.parse(source.text)):
            if isinstance(node, ast.FunctionDef) and (
                    node.end_lineno - node.lineno + 1 > FUNCTION_LINES):
                yield (source.path, node.lineno,
                       f"{node.name} has more than {FUNCTION_LINES} lines")


# ---------------------------------------------------------------------------------- banned calls


def banned(name, pattern, advice, allowed=()):
    """A rule that finds `pattern` in C++ code outside the `allowed` places."""
    compiled = re.compile(pattern)

    def check(tree):
        for source in tree.cpp:
            if source.under(*allowed):
                continue
            for match in compiled.finditer(source.code):
                what = re.sub(r"\s+", " ", match.group().strip())
                yield source.path, source.line_of(match.start()), f"'{what}': {advice}"

    RULES[name] = check


banned("clock",
       r"\b(?:clock_gettime|gettimeofday|timespec_get|\w+_clock::now|std::time)\s*\("
       r"|(?<![\w.>:])time\s*\(\s*(?:nullptr|NULL|0|&)",
       "`now` is an argument; only src/platform reads a clock",
       ("src/platform", "fuzz/driver.cpp"))
banned("environment", r"\b(?:secure_getenv|getenv|setenv|putenv)\s*\(",
       "the environment is read in src/app/main.cpp, everything else gets a configuration",
       ("src/app/main.cpp",))
banned("sleep", r"\b(?:sleep|usleep|nanosleep|clock_nanosleep|sleep_for|sleep_until)\s*\(",
       "wait for a deadline or a condition")
banned("random", r"\b(?:srand|rand|rand_r|drand48)\s*\(|\b(?:random_device|mt19937(?:_64)?)\b"
       r"|\b\w+_distribution\b|(?<![\w.>:])random\s*\(\s*\)",
       "use Prng or an Entropy&, which repeat from a seed")
banned("heap", r"(?<!operator )\bnew\b(?!\s*\()\s*\w|\bnew\s*\("
       r"|(?<!= )(?<!operator )\bdelete\b(?:\s*\[\s*\])?\s*[\w(*]"
       r"|(?<![\w.>])(?:malloc|calloc|realloc|free)\s*\(",
       "own memory through a container or make_unique")
banned("socket-buffer", r"\bsetsockopt\s*\([^;]*?\bSO_(?:RCV|SND)BUF(?:FORCE)?\b",
       "setting it on TCP switches the kernel's own tuning off; only UDP sockets may",
       ("src/platform/linux/udp_socket.cpp", "src/platform/linux/udp_socket.h",
        "src/platform/linux/probe_socket.cpp"))
banned("capture", r"\[\s*=\s*[,\]]", "name what the lambda takes")
banned("skip", r"\bGTEST_SKIP\s*\(\s*\)(?!\s*<<)|\bDISABLED_\w+",
       "a skip says why, and a disabled test is no test")
banned("silent-skip", r"\bif\s*\([^;{]*\bgete?uid\s*\(\s*\)[^;{]*\{?\s*return\s*;",
       "without the rights a test needs it is skipped with GTEST_SKIP() << reason, not passed")


@rule
def script_sleep(tree):
    """Scripts wait in one place: wait.py or wait.sh, which take a condition and a deadline."""
    for source in tree.python + tree.shell:
        if source.stem == "wait":
            continue
        if source.suffix == ".py":
            calls = (n for n in ast.walk(ast.parse(source.text)) if isinstance(n, ast.Call))
            found = [c.lineno for c in calls if ast.unparse(c.func).split(".")[-1] == "sleep"]
        else:
            found = [n for n, line in enumerate(source.lines, 1) if re.match(r"\s*sleep\s", line)]
        for number in found:
            yield source.path, number, "a fixed sleep; wait for a condition with a deadline"


@rule
def script_skip(tree):
    for source in tree.python:
        for number, line in enumerate(source.lines, 1):
            if re.search(r"^\s*@?(?:unittest\.skip|self\.skipTest)", line):
                yield source.path, number, "ctest does not see this skip; exit with status 77"


@rule
def skip_place(tree):
    """A skip is for what the machine lacks, so it belongs to tests that touch the machine."""
    for source in tree.cpp:
        if source.under("src/platform", "tests"):
            continue
        for match in re.finditer(r"\bGTEST_SKIP\b", source.code):
            yield source.path, source.line_of(match.start()), "this test has no reason to skip"


# -------------------------------------------------------------------------------------- comments


@rule
def fixme(tree):
    for source in tree.cpp + tree.python + tree.shell:
        for number, line in enumerate(source.comments.splitlines(), 1):
            if re.search(r"\b(?:FIXME|XXX)\b", line):
                yield source.path, number, "fix it, or write what holds"
            elif re.search(r"\bTODO\b(?!\((?:security|perf|test)\): \S)", line):
                yield source.path, number, "TODO(security|perf|test): what is to be done"


@rule
def task_number(tree):
    pattern = re.compile(r"(?<![\w&])#\d+\b"
                         r"|\b(?:issue|task|ticket|milestone|pull request|bug|PR)s? #?\d+\b"
                         r"|\bGH-\d+\b", re.IGNORECASE)
    for source in tree.cpp + tree.python + tree.shell:
        for number, line in enumerate(source.comments.splitlines(), 1):
            match = pattern.search(line)
            if match:
                yield source.path, number, f"'{match.group()}': history is in the log"


# ------------------------------------------------------------------------------------ structure


@rule
def openssl_include(tree):
    for source in tree.cpp:
        if source.under("src/crypto", "src/stream/tls"):
            continue
        for number, line in enumerate(source.lines, 1):
            if re.match(r"\s*#\s*include\s*<openssl/", line):
                yield source.path, number, "primitives are in crypto/, TLS is in stream/tls/"


@rule
def header(tree):
    heavy = (r"format|iostream|print|regex|sstream|fstream|filesystem|spdlog/.*|nlohmann/.*"
             r"|toml\+\+/.*|CLI/.*|ftxui/.*")
    for source in tree.cpp:
        if source.suffix != ".h":
            continue
        if "#pragma once" not in source.lines:
            yield source.path, 1, "no #pragma once"
        for number, line in enumerate(source.code.splitlines(), 1):
            if re.match(r"using namespace (?!std::chrono_literals)", line):
                yield source.path, number, "a header opens no namespace for its readers"
        for number, line in enumerate(source.lines, 1):
            match = re.match(rf"\s*#\s*include\s*[<\"]({heavy})[>\"]", line)
            if match and not source.under("src/app"):
                yield source.path, number, f"<{match.group(1)}> is too heavy for a header"


@functools.cache
def _layers(text):
    """Folder -> names it may use, and folder -> its own name, from the list in CMakeLists.txt."""
    text = re.sub(r"#[^\n]*", "", text)
    names, uses = {}, {}
    line = re.compile(r"karst_(?:library|program|tests)\(\s*(\w+)\s+([^\s)]+)([^)]*)\)")
    for match in line.finditer(text):
        name, folder, rest = match.groups()
        names[folder] = name
        words = set(rest.split())
        below = {other for other in words if other in uses}
        uses[name] = {name} | below.union(*(uses[other] for other in below))
    return names, uses


@rule
def layer(tree):
    lists = tree.source("CMakeLists.txt")
    if not lists:
        return
    names, uses = _layers(lists.text)
    # The longest folder first, so that src/stream/tls is not taken for src/stream.
    folders = sorted(names, key=len, reverse=True)

    def owner(path):
        return next((names[f] for f in folders if os.path.dirname(path) == f), None)

    for source in tree.cpp:
        if not source.under("src", "sim"):
            continue
        here = owner(source.path)
        if here is None:
            yield source.path, 1, f"nothing builds {source.folder}: CMakeLists.txt does not list it"
            continue
        for number, line in enumerate(source.lines, 1):
            match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not match:
                continue
            target = match.group(1)
            there = owner("src/" + target) or owner(target)
            if there and there not in uses[here]:
                yield source.path, number, f"'{here}' may not use '{there}' (see CMakeLists.txt)"


# ----------------------------------------------------------------------------------------- tests


_EXPECTATION = re.compile(r"\b(?:EXPECT|ASSERT)_\w+|\bADD_FAILURE\b|\bFAIL\s*\(|\bRC_ASSERT\b")
_TEST_HEAD = re.compile(r"^\s*(?:TYPED_)?TEST(?:_[FP])?\s*\(\s*(\w+)\s*,\s*(\w+)")


@rule
def expectation(tree):
    """Every test expects something, itself or through helpers that do."""
    candidates = [f for s in tree.cpp if s.is_test or "EXPECT_" in s.code or "ASSERT_" in s.code
                  for f in s.functions]
    helpers, size = set(), -1
    while len(helpers) != size:
        size = len(helpers)
        calls = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(helpers))) + r")\s*[(<]")
        for function in candidates:
            if _EXPECTATION.search(function.body) or (helpers and calls.search(function.body)):
                if re.fullmatch(r"\w+", function.name) and not function.name.startswith("TEST"):
                    helpers.add(function.name)
    calls = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(helpers))) + r")\s*[(<]")
    for source in tree.cpp:
        for function in source.functions:
            test = _TEST_HEAD.match(function.head)
            if test and not _EXPECTATION.search(function.body) and not (
                    helpers and calls.search(function.body)):
                yield source.path, function.first, f"{test.group(2)} expects nothing"


_PARSER = re.compile(r"(?:\w+_)?(?:parse|decode|deframe)(?:_\w+)?")
_CORE_INPUT = re.compile(r"feed|handle_input|handle_datagram")


@rule
def fuzz_target(tree):
    """Who takes bytes from outside is fuzzed. A parser, and every file of src/wire, has a target of
    its own beside it; a core that is fed has one in its folder."""
    folders = {s.folder for s in tree.cpp if s.stem.endswith("_fuzz")}
    for source in tree.cpp:
        if not source.under("src") or source.suffix != ".cpp" or source.is_test:
            continue
        names = [f.name for f in source.functions]
        parser = next((n for n in names if _PARSER.fullmatch(n)), None)
        if source.under("src/wire"):
            parser = parser or source.stem
        core = next((n for n in names if _CORE_INPUT.fullmatch(n)), None)
        # The folder's name in front keeps two targets of the same stem apart.
        stems = (source.stem, f"{os.path.basename(source.folder)}_{source.stem}")
        has_own = any(tree.exists(f"{source.folder}/{stem}_fuzz.cpp") for stem in stems)
        if parser and not has_own:
            yield source.path, 1, f"{parser} takes bytes from outside; no {source.stem}_fuzz.cpp"
        elif core and source.folder not in folders:
            yield source.path, 1, f"{core} takes bytes from outside; no target in {source.folder}"


@rule
def fuzz_corpus(tree):
    targets = {s.stem for s in tree.cpp if s.stem.endswith("_fuzz")}
    corpora = {path.split("/")[2] for path in tree.paths if path.startswith("fuzz/corpus/")}
    for source in tree.cpp:
        if source.stem.endswith("_fuzz") and source.stem not in corpora:
            yield source.path, 1, f"no seed in fuzz/corpus/{source.stem}"
    for name in sorted(corpora - targets):
        yield f"fuzz/corpus/{name}", 1, "the corpus of no fuzz target"


# ------------------------------------------------------------------------------------- documents


def _anchor(heading):
    text = re.sub(r"[`*_]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@rule
def document_link(tree):
    for source in tree.markdown:
        fence = False
        for number, line in enumerate(source.lines, 1):
            fence ^= line.lstrip().startswith("```")
            if fence:
                continue
            for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)[^)]*\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                full = os.path.normpath(os.path.join(source.folder, path)) if path else source.path
                if not tree.exists(full):
                    yield source.path, number, f"no file {full}"
                elif anchor and full.endswith(".md"):
                    text = tree.source(full).text if tree.source(full) else ""
                    headings = re.findall(r"^#+ +(.*?) *#*$", text, re.M)
                    if anchor not in map(_anchor, headings):
                        yield source.path, number, f"no heading #{anchor} in {full}"


@rule
def document_path(tree):
    """A path in backticks that starts in one of our folders names a file that is there."""
    tops = {path.split("/")[0] for path in tree.paths if "/" in path}
    for source in tree.markdown:
        if source.path == "CHANGELOG.md":
            continue
        for number, line in enumerate(source.lines, 1):
            for path in re.findall(r"`([\w.-]+(?:/[\w.-]+)+\.(?:h|cpp|py|md|txt|cmake))`", line):
                if path.split("/")[0] in tops and not tree.exists(path):
                    yield source.path, number, f"no file {path}"


# -------------------------------------------------------------------------------------- the script


def read_exceptions(tree):
    """Returns {(rule, path): line}, and what is wrong with the list itself."""
    source, listed, errors = tree.source(EXCEPTIONS), {}, []
    for number, line in enumerate(source.lines if source else [], 1):
        words = line.split("#")[0].split(None, 2)
        if not words:
            continue
        if len(words) < 3 or words[0] not in RULES:
            errors.append((EXCEPTIONS, number, "exception", "a line is: RULE PATH reason"))
        else:
            listed[words[0], words[1]] = number
    if len(listed) > EXCEPTIONS_MAX:
        errors.append((EXCEPTIONS, 1, "exception", f"more than {EXCEPTIONS_MAX} exceptions"))
    return listed, errors


def check(root):
    """All findings in the tree at `root` as (path, line, rule, message)."""
    tree = Tree(root)
    exceptions, findings = read_exceptions(tree)
    used = set()
    for name, function in RULES.items():
        for path, line, message in function(tree):
            if (name, path) in exceptions:
                used.add((name, path))
            else:
                findings.append((path, line, name, message))
    for (name, path), line in exceptions.items():
        if (name, path) not in used:
            findings.append((EXCEPTIONS, line, "exception", f"{path} needs no '{name}' any more"))
    return sorted(findings)


def main():
    here = pathlib.Path(__file__).resolve().parents[2]
    findings = check(sys.argv[1] if len(sys.argv) > 1 else here)
    for path, line, name, message in findings:
        print(f"{path}:{line}: {name}: {message}")
    print(f"tidy: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
