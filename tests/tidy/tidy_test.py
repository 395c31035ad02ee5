"""Plants each fault that tidy.py looks for, and harmless neighbours, and expects the verdict."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cpp_text  # noqa: E402
import tidy  # noqa: E402

CORE = "src/base/x.cpp"
TEST = "src/base/x_test.cpp"
LISTS = """
# karst_library(comment src/comment)
karst_library(base src/base)
karst_library(tls    src/stream/tls  base OpenSSL::SSL)
karst_library(stream src/stream      tls)
karst_library(driver src/driver
              stream)
karst_library(platform src/platform/linux driver)
karst_library(wire   src/wire        base)
karst_program(karst src/app platform)
"""


def body(lines):
    return "void f(int a) {\n" + "  a += 1;\n" * (lines - 2) + "}\n"


# (rule, path, content, line of the only finding; 0 for none)
CASES = [
    ("file-length", CORE, "int a;\n" * 600, 0),
    ("file-length", CORE, "int a;\n" * 601, 601),
    ("file-length", "tests/e2e/x.py", "a = 1\n" * 601, 601),
    ("line-length", CORE, "// " + "x" * 97 + "\n", 0),
    ("line-length", CORE, "\n// " + "x" * 98 + "\n", 2),
    ("line-length", CORE, "// " + "ä" * 97 + "\n", 0),
    ("line-length", "run", "#" * 101 + "\n", 1),
    ("function-length", CORE, "namespace a {\n" + body(70) + "}\n", 0),
    ("function-length", CORE, "namespace a {\n" + body(71) + "}\n", 2),
    ("function-length", CORE, "class A : public B {\n public:\n" + body(71) + "};\n", 3),
    ("function-length", CORE, "A::A(int a) : a_{a}, b_(a) {\n" + "  b_;\n" * 70 + "}\n", 1),
    ("function-length", CORE, "TEST(A, b) {\n" + "  EXPECT_TRUE(c);\n" * 70 + "}\n", 1),
    ("function-length", CORE, "int table[] = {\n" + "  f(1),\n" * 90 + "};\n", 0),
    ("function-length", CORE, "class A {\n" + "  int a = 1;\n" * 90 + "};\n", 0),
    ("function-length", CORE, "#define A(x) { x\n" + body(70), 0),
    ("function-length", "tests/x.py", "def f():\n" + "    a = 1\n" * 70, 1),
    ("clock", CORE, "auto a = std::chrono::steady_clock::now();\n", 1),
    ("clock", CORE, "int a;\nauto b = clock_gettime(CLOCK_MONOTONIC, &c);\n", 2),
    ("clock", CORE, "auto a = time(nullptr);\n", 1),
    ("clock", CORE, "auto a = std::time(&b);\n", 1),
    ("clock", CORE, "auto a = rtt.time(0); // system_clock::now()\n", 0),
    ("clock", CORE, 'auto a = "steady_clock::now()";\n', 0),
    ("clock", "src/platform/linux/clock.cpp", "clock_gettime(a, b);\n", 0),
    ("environment", "src/app/configuration.cpp", 'auto a = std::getenv("A");\n', 1),
    ("environment", "src/app/main.cpp", 'auto a = std::getenv("A");\n', 0),
    ("sleep", TEST, "std::this_thread::sleep_for(a);\n", 1),
    ("sleep", CORE, "usleep(1);\n", 1),
    ("sleep", CORE, "may_sleep(1);\n", 0),
    ("random", CORE, "auto a = rand();\n", 1),
    ("random", CORE, "std::uniform_int_distribution<int> a;\n", 1),
    ("random", CORE, "std::mt19937 a;\n", 1),
    ("random", CORE, "#include <a/rand.h>\nauto a = operand(b);\n", 0),
    ("heap", CORE, "auto* a = new A;\n", 1),
    ("heap", CORE, "auto* a = new (b) A;\n", 1),
    ("heap", CORE, "delete a;\n", 1),
    ("heap", CORE, "delete[] a;\n", 1),
    ("heap", CORE, "std::free(a);\n", 1),
    ("heap", CORE, "A(const A&) = delete;\n  // a new one\n  EVP_free(a); b.free(c);\n", 0),
    ("socket-buffer", "src/platform/linux/tcp_stream.cpp",
     "setsockopt(a, SOL_SOCKET,\n           SO_RCVBUF, &b, c);\n", 1),
    ("socket-buffer", "src/platform/linux/tcp_stream.cpp",
     "getsockopt(a, SOL_SOCKET, SO_RCVBUF, &b, c);\n", 0),
    ("socket-buffer", "src/platform/linux/udp_socket.cpp",
     "setsockopt(a, SOL_SOCKET, SO_SNDBUFFORCE, &b, c);\n", 0),
    ("capture", CORE, "auto a = [=] { return b; };\n", 1),
    ("capture", CORE, "auto a = [=, &c] { return b; };\n", 1),
    ("capture", CORE, "auto a = [b = c] { return b; };\n", 0),
    ("skip", "tests/a_test.cpp", "void f() { GTEST_SKIP(); }\n", 1),
    ("skip", "tests/a_test.cpp", 'void f() { GTEST_SKIP() << "no root"; }\n', 0),
    ("skip", "tests/a_test.cpp", "TEST(A, DISABLED_b) { EXPECT_TRUE(c); }\n", 1),
    ("skip-place", TEST, 'void f() { GTEST_SKIP() << "no root"; }\n', 1),
    ("silent-skip", "tests/a_test.cpp", "void f() {\n  if (geteuid() != 0) return;\n}\n", 2),
    ("silent-skip", "tests/a_test.cpp", "void f() {\n if (getuid() != 0) {\n return;\n }\n}\n", 2),
    ("script-sleep", "tests/e2e/a.py", "import time\ntime.sleep(1)\n", 2),
    ("script-sleep", "tests/e2e/wait.py", "import time\ntime.sleep(1)\n", 0),
    ("script-sleep", "tools/a.sh", "sleep 1\n", 1),
    ("script-skip", "tests/e2e/a.py", "@unittest.skip('no root')\ndef f():\n    pass\n", 1),
    ("fixme", CORE, "int a;  // FIXME later\n", 1),
    ("fixme", CORE, "// TODO: more\n", 1),
    ("fixme", CORE, "// TODO(perf): avoid the copy\n", 0),
    ("fixme", CORE, 'auto a = "FIXME";\n', 0),
    ("task-number", CORE, "// See issue 59.\n", 1),
    ("task-number", CORE, "/* fixes\n   #17 */\n", 2),
    ("task-number", "tests/a.py", "a = 1  # bug 3\n", 1),
    ("task-number", CORE, "// RFC 9113 section 5.1, 3 issues, &#10;\n", 0),
    ("task-number", "tests/a.py", "a = '#17'\n", 0),
    ("openssl-include", CORE, "#include <openssl/evp.h>\n", 1),
    ("openssl-include", "src/stream/tls/x.cpp", "#include <openssl/ssl.h>\n", 0),
    ("header", "src/base/a.h", "// A.\nint a;\n", 1),
    ("header", "src/base/a.h", "#pragma once\nusing namespace std;\n", 2),
    ("header", "src/base/a.h", "#pragma once\nusing namespace std::chrono_literals;\n", 0),
    ("header", "src/base/a.h", "#pragma once\n#include <iostream>\n", 2),
    ("header", "src/base/a.h", "#pragma once\n#include <nlohmann/json.hpp>\n", 2),
    ("layer", CORE, '#include "stream/tls/x.h"\n', 1),
    ("layer", "src/stream/tls/x.cpp", '#include "stream/x.h"\n', 1),
    ("layer", "src/stream/x.cpp", '#include "stream/tls/x.h"\n#include "base/a.h"\n', 0),
    ("layer", "src/driver/x.cpp", '#include "base/a.h"\n', 0),
    ("layer", "src/comment/x.cpp", "int a;\n", 1),
    ("expectation", TEST, "TEST(A, b) {\n  f();\n}\n", 1),
    ("expectation", TEST, "int a;\nTEST_P(A, b) { CHECK(c); }\n", 2),
    ("expectation", TEST, "TEST(A, b) { EXPECT_EQ(c, d); }\n", 0),
    ("expectation", TEST, "void g() { ASSERT_TRUE(a); }\nvoid f() { g(); }\n"
                          "TEST(A, b) { f(); }\n", 0),
    ("expectation", TEST, "void f() { a(); }\nTEST(A, b) { f(); }\n", 2),
    ("expectation", TEST, "TEST(A, b) {\n  // EXPECT_TRUE(c);\n}\n", 1),
    ("fuzz-target", "src/wire/x.cpp", "int a;\n", 1),
    ("fuzz-target", CORE, "Result<A> parse(Bytes b) {\n  return a;\n}\n", 1),
    ("fuzz-target", CORE, "Result<void> A::handle_input(Bytes b) {\n  return a;\n}\n", 1),
    ("fuzz-target", CORE, "Result<void> A::feed(Bytes b) {\n  return a;\n}\n", 1),
    ("fuzz-target", CORE, "int f() {\n  return parse(a);\n}\n", 0),
    ("fuzz-corpus", "src/base/x_fuzz.cpp", "int a;\n", 1),
    ("fuzz-corpus", "fuzz/corpus/gone_fuzz/a", "a", 1),
    ("document-link", "docs/a.md", "\nSee [b](b.md).\n", 2),
    ("document-link", "docs/a.md",
     "[a](../CMakeLists.txt), [b](scheme:b), [c](#the-end)\n# The end\n", 0),
    ("document-link", "docs/a.md", "# The end\n[c](#another-end)\n", 2),
    ("document-path", "docs/a.md", "`docs/b.md` is gone\n", 1),
    ("document-path", "docs/a.md", "`docs/a.md`, `x/y.h`\n", 0),
]


def findings_in(files):
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files.items():
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        return tidy.check(folder)


class Rules(unittest.TestCase):
    def test_each_planted_fault_is_found_and_its_neighbours_are_not(self):
        for name, path, content, line in CASES:
            with self.subTest(rule=name, content=content[:80]):
                found = [f for f in findings_in({"CMakeLists.txt": LISTS, path: content})
                         if f[2] == name]
                expected = [path.rsplit("/", 1)[0] if path.startswith("fuzz/corpus") else path]
                self.assertEqual([(f[0], f[1]) for f in found],
                                 [(expected[0], line)] if line else [])

    def test_every_rule_has_a_planted_fault(self):
        self.assertEqual(set(tidy.RULES), {case[0] for case in CASES if case[3]})

    def test_a_parser_with_its_fuzz_target_and_corpus_is_fine(self):
        files = {"src/wire/x.cpp": "int a;\n", "src/wire/x_fuzz.cpp": "int a;\n",
                 "fuzz/corpus/x_fuzz/seed": "a", "CMakeLists.txt": LISTS}
        self.assertEqual(findings_in(files), [])

    def test_a_target_in_its_folder_is_enough_for_a_core_but_not_for_a_parser(self):
        files = {"src/base/x_fuzz.cpp": "int a;\n", "fuzz/corpus/x_fuzz/seed": "a",
                 "src/base/core.cpp": "void A::feed(Bytes b) {\n}\n", "CMakeLists.txt": LISTS}
        self.assertEqual(findings_in(files), [])
        files["src/base/y.cpp"] = "A parse(Bytes b) {\n}\n"
        files["src/base/z.cpp"] = "A parse(Bytes b) {\n}\n"
        files["src/base/base_z_fuzz.cpp"] = "int a;\n"
        files["fuzz/corpus/base_z_fuzz/seed"] = "a"
        self.assertEqual([f[0] for f in findings_in(files)], ["src/base/y.cpp"])


class Exceptions(unittest.TestCase):
    FAULT = {"CMakeLists.txt": LISTS, CORE: "usleep(1);\n"}

    def test_an_exception_excuses_one_file_from_one_rule(self):
        files = self.FAULT | {tidy.EXCEPTIONS: f"sleep {CORE} measured\n"}
        self.assertEqual(findings_in(files), [])
        files[TEST] = "usleep(1);\n"
        self.assertEqual([f[0] for f in findings_in(files)], [TEST])

    def test_an_exception_no_longer_needed_is_a_finding(self):
        files = {tidy.EXCEPTIONS: f"# why\n\nsleep {CORE} measured\n", CORE: "int a;\n",
                 "CMakeLists.txt": LISTS}
        self.assertEqual([f[:3] for f in findings_in(files)], [(tidy.EXCEPTIONS, 3, "exception")])

    def test_an_exception_without_a_reason_or_rule_is_a_finding(self):
        for line in (f"sleep {CORE}\n", f"sleeping {CORE} why\n"):
            found = findings_in(self.FAULT | {tidy.EXCEPTIONS: line})
            self.assertIn("exception", [f[2] for f in found])

    def test_the_list_has_a_limit(self):
        for count, fine in ((tidy.EXCEPTIONS_MAX, True), (tidy.EXCEPTIONS_MAX + 1, False)):
            paths = [f"src/base/x{i}.cpp" for i in range(count)]
            files = {path: "usleep(1);\n" for path in paths} | {"CMakeLists.txt": LISTS}
            files[tidy.EXCEPTIONS] = "".join(f"sleep {path} measured\n" for path in paths)
            self.assertEqual(findings_in(files) == [], fine)


class CppText(unittest.TestCase):
    def test_code_and_comments_are_told_apart_and_keep_their_places(self):
        text = 'int a = 1\'000; // b "c"\nauto d = R"x(// "e)x"; /* f\n*/ char g = \'"\';\n'
        code, comments = cpp_text.split(text)
        self.assertEqual(len(code), len(text))
        self.assertEqual(len(comments), len(text))
        self.assertIn("int a = 1'000;", code)
        self.assertIn("char g = ' ';", code)
        for word in ("b", "c", "e", "f"):
            self.assertNotIn(f" {word} ", f" {code} ")
        self.assertIn('// b "c"', comments)
        self.assertIn("/* f\n*/", comments)
        self.assertNotIn("e)", comments)

    def test_functions_are_found_with_their_names(self):
        code = """
namespace a {
struct B {
  explicit B(int x) : x_{x}, y_{{1, 2}} {}
  ~B() { clear(); }
  bool operator==(const B&) const = default;
  int get() const { return x_; }
  std::array<int, 2> y_{};
  int x_ = 0;
};
template <typename T>
auto sum(std::span<const T> all = {}) -> T {
  T total{};
  for (T one : all) {
    total += one;
  }
  return std::accumulate(all.begin(), all.end(), T{}, [](T l, T r) { return l + r; });
}
const std::vector<int> kNumbers = {1, 2};
Result<void> Core::handle_input(Bytes bytes, TimePoint now) {
  struct Local { int a(); };
}
}  // namespace a
"""
        names = [f.name for f in cpp_text.functions(code)]
        self.assertEqual(names, ["B", "~B", "get", "sum", "handle_input"])


if __name__ == "__main__":
    unittest.main()
