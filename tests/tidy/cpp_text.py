"""C++ as far as style rules need it: code without comments, comments alone, functions."""

import bisect
import dataclasses
import re

_TOKEN = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def split(text):
    """Returns (code, comments): the same text twice, in the one comments and the inside of literals
    are spaces, in the other everything but comments. Offsets and lines stay."""
    code, comments, end = [], [], 0
    for match in _TOKEN.finditer(text):
        between, token = text[end:match.start()], match.group()
        end = match.end()
        code.append(between)
        comments.append(_blank(between))
        if token.startswith("/"):
            code.append(_blank(token))
            comments.append(token)
        else:
            code.append(token[0] + _blank(token[1:-1]) + token[-1])
            comments.append(_blank(token))
    code.append(text[end:])
    comments.append(_blank(text[end:]))
    return "".join(code), "".join(comments)


@dataclasses.dataclass
class Function:
    head: str   # from the end of what precedes it to its opening brace
    name: str   # unqualified; for TEST(A, b) it is "TEST"
    body: str
    first: int  # lines, counted from 1
    last: int


_TYPE_HEAD = re.compile(
    r"^\s*(?:template\s*<.*>\s*)?(?:typedef\s+|static\s+|inline\s+|constexpr\s+)*"
    r'(?:class|struct|union|enum|namespace|extern\s*"[^"]*"\s*$)', re.DOTALL)
_CALLABLE = re.compile(r"(~?\w+|operator\s*[^\s\w(]+|operator\s*\(\s*\))\s*\(")


class Lines:
    def __init__(self, text):
        self._starts = [0] + [m.end() for m in re.finditer("\n", text)]

    def at(self, offset):
        return bisect.bisect_right(self._starts, offset)


def functions(code):
    """The functions with a body, outermost only: a lambda or a local type belongs to its function.
    Relies on the layout that clang-format gives: a body's brace follows a space, an initializer's
    does not unless '=', ',' or '(' stands before it."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: _blank(m.group()), code, flags=re.M)
    lines, found = Lines(code), []
    # Each open brace as (is it a function, start of its head, its offset).
    stack, head_start = [], 0
    in_function = initializers = 0
    for match in re.finditer(r"[{};]", code):
        at, char = match.start(), match.group()
        if char == ";":
            if not in_function and not initializers:
                head_start = at + 1
        elif char == "{":
            head = code[head_start:at]
            before = head.rstrip()[-1:]
            if in_function:
                stack.append(("inner", head_start, at))
            elif initializers or (head and not head[-1].isspace()) or before in ("=", ",", "("):
                stack.append(("initializer", head_start, at))
                initializers += 1
            elif "(" in head and not _TYPE_HEAD.match(head):
                stack.append(("function", head_start, at))
                in_function += 1
            else:
                stack.append(("scope", head_start, at))
                head_start = at + 1
        elif stack:
            kind, start, opened = stack.pop()
            if kind == "initializer":
                initializers -= 1
            elif kind == "function":
                in_function -= 1
                found.append(_function(code, lines, start, opened, at))
            if kind in ("function", "scope"):
                head_start = at + 1
    return found


def _function(code, lines, start, opened, closed):
    head = code[start:opened]
    head = re.sub(r"^\s*(?:public|private|protected)\s*:(?!:)", lambda m: _blank(m.group()), head)
    first = start + len(head) - len(head.lstrip())
    name = _CALLABLE.search(re.sub(r"\b(?:alignas|decltype|requires|__attribute__|explicit)\s*\(",
                                   lambda m: _blank(m.group()), head))
    return Function(head.strip(), name.group(1) if name else "", code[opened:closed + 1],
                    lines.at(first), lines.at(closed))
