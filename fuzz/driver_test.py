"""What fuzz/driver.cpp promises, tried on the target with planted bugs.

usage: driver_test.py PROGRAM [SANITIZERS]
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SANITIZED = "address" in " ".join(sys.argv[2:])


class Driver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "corpus").mkdir()
        (self.folder / "crashes").mkdir()

    def seed(self, name, content):
        (self.folder / "corpus" / name).write_bytes(content)

    def run_driver(self, *options):
        return subprocess.run(
            [PROGRAM, "corpus", "--crashes", "crashes", *options],
            cwd=self.folder, capture_output=True, text=True, timeout=60)

    def crashes(self):
        return sorted((self.folder / "crashes").iterdir())

    def test_a_clean_corpus_is_replayed_and_counted(self):
        self.seed("a", b"x")
        self.seed("b", b"y")
        result = self.run_driver()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("2 corpus inputs, 0 mutated inputs, seed 1, no crash", result.stdout)

    def test_a_missing_corpus_is_an_error(self):
        result = subprocess.run([PROGRAM, self.folder / "nowhere"], capture_output=True)
        self.assertEqual(result.returncode, 2)

    def test_a_failed_check_in_the_corpus_leaves_its_input(self):
        self.seed("a", b"BUG at home")
        result = self.run_driver()
        self.assertNotEqual(result.returncode, 0)
        self.assertNotIn("no crash", result.stdout)
        self.assertEqual([f.read_bytes() for f in self.crashes()], [b"BUG at home"])
        self.assertIn(self.crashes()[0].name, result.stderr)

    def test_mutation_finds_a_bug_two_bytes_away_and_saves_what_reproduces_it(self):
        self.seed("a", b"BxG")
        self.seed("b", b"xU")
        self.assertNotEqual(self.run_driver("--seconds", "30").returncode, 0)
        found = self.crashes()[0]
        self.assertEqual(found.read_bytes()[:3], b"BUG")
        again = subprocess.run([PROGRAM, found], cwd=self.folder, capture_output=True)
        self.assertNotEqual(again.returncode, 0)

    def test_a_seed_gives_the_same_inputs_and_another_seed_others(self):
        self.seed("a", b"#0123456789")

        def first_inputs(seed):
            lines = self.run_driver("--seconds", "1", "--seed", seed).stderr.splitlines()
            self.assertGreater(len(lines), 200)
            return lines[:200]

        self.assertEqual(first_inputs("7"), first_inputs("7"))
        self.assertNotEqual(first_inputs("7"), first_inputs("8"))

    def test_inputs_stay_within_the_length_limit(self):
        self.seed("a", b"#" + bytes(60))
        lines = self.run_driver("--seconds", "1", "--max-length", "64").stderr.splitlines()
        lengths = [len(line) // 2 for line in lines]
        self.assertEqual(max(lengths), 64)
        self.assertLess(min(lengths), 61)

    def test_an_input_without_end_is_stopped_and_saved(self):
        self.seed("a", b"LOOP")
        result = self.run_driver("--input-seconds", "1")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("does not come to an end", result.stderr)
        self.assertEqual([f.read_bytes() for f in self.crashes()], [b"LOOP"])

    if SANITIZED:
        def test_one_byte_too_far_is_seen_and_saved(self):
            self.seed("a", b"READ")
            result = self.run_driver()
            self.assertIn("heap-buffer-overflow", result.stderr)
            self.assertEqual([f.read_bytes() for f in self.crashes()], [b"READ"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
