"""What run.py and its lists must do, without a compiler."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mutation_list  # noqa: E402
import run  # noqa: E402

BLOCK = """# a comment
the answer is 42
  in src/keys/a.cpp
  red keys_tests A.one
  - int a = 42;
  + int a = 43;
"""
SOURCE = "int a = 42;\nint b = 1;\n"
TEST = "TEST(A, one) {}\nTEST_F(A, two) {}\n"


class Lists(unittest.TestCase):
    def faults(self, text, source=SOURCE, test=TEST):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src/keys").mkdir(parents=True)
            (root / "src/keys/a.cpp").write_text(source)
            (root / "src/keys/a_test.cpp").write_text(test)
            (root / "src/keys/b_test.cpp").write_text("TEST(B, one) {}\n")
            return mutation_list.faults(mutation_list.parse(text, "x.list"), root)

    def test_a_block_that_fits_has_no_fault(self):
        self.assertEqual(self.faults(BLOCK), [])

    def test_each_way_not_to_fit_is_named(self):
        for text, source, part in [
                (BLOCK, "int a = 41;\n", "stands 0 times"),
                (BLOCK, SOURCE + SOURCE, "stands 2 times"),
                (BLOCK.replace("a.cpp", "gone.cpp"), SOURCE, "stands 0 times"),
                (BLOCK.replace("A.one", "A.three"), SOURCE, "no test is called"),
                (BLOCK.replace("A.one", "A.one:A.four"), SOURCE, "no test is called"),
                (BLOCK.replace("A.one", "A.one:B.one"), SOURCE, "several files"),
                (BLOCK + "\n" + BLOCK, SOURCE, "stands twice")]:
            found = self.faults(text, source)
            self.assertEqual(len(found), 1, part)
            self.assertIn(part, found[0])

    def test_a_pattern_may_name_many_tests_of_a_file(self):
        self.assertEqual(self.faults(BLOCK.replace("A.one", "A.*")), [])

    def test_what_is_no_block_is_refused(self):
        for old, new in [("  in src/keys/a.cpp\n", ""), ("  red ", "  green "), (" A.one", ""),
                         ("  + int a = 43;\n", ""), ("43", "42"), ("  - int", "- int")]:
            with self.assertRaises(mutation_list.ListError, msg=old):
                mutation_list.parse(BLOCK.replace(old, new), "x.list")

    def test_a_mutation_may_have_several_changes_of_several_lines(self):
        mutation = mutation_list.parse(BLOCK + "  - 1;\n  +\n  - ;\n  - \n  + x\n", "x.list")[0]
        self.assertEqual(mutation.pairs(),
                         [("int a = 42;", "int a = 43;"), ("1;", ""), (";\n", "x")])
        self.assertEqual(mutation.applied_to(SOURCE), "int a = 43xint b = \n")


class Verdicts(unittest.TestCase):
    def test_only_a_test_that_failed_is_red(self):
        ran = "[ RUN      ] A.one\n"
        for status, output, verdict in [
                (0, ran + "[       OK ] A.one (0 ms)\n", run.SURVIVED),
                (1, ran + "[  FAILED  ] A.one (0 ms)\n", run.RED),
                (1, ran + "[  FAILED  ] A.one, where GetParam() = 1 (0 ms)\n", run.RED),
                (-6, ran + "check failed\n", run.RED),
                (-6, ran + "[       OK ] A.one (0 ms)\n", run.SURVIVED),
                (-11, "", run.SURVIVED),
                (127, "no such program\n", run.SURVIVED)]:
            self.assertEqual(run.judge(status, output)[0], verdict, output)

    def test_the_test_that_failed_is_named(self):
        self.assertEqual(run.judge(1, "[  FAILED  ] A.one (0 ms)\n")[1], "A.one")
        self.assertIn("A.one", run.judge(-6, "[ RUN      ] A.one\n")[1])

    def test_a_cell_of_the_table_has_one_line_and_no_bar(self):
        self.assertEqual(run.cell("  a ||\n  b"), "`a \\|\\| b`")
        self.assertEqual(run.cell(""), "")


if __name__ == "__main__":
    unittest.main()
