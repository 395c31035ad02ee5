#!/usr/bin/env python3
"""Commands that a signal ends half way: nothing half-made stays, and what to do next is said."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import harness


class Interrupted(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.server = harness.Node(self.work / "server")

    def init(self, port):
        return self.server.run("init", "server", "--name", "cover.example", "--listen",
                               f"127.0.0.1:{port}", "--address", f"127.0.0.1:{port}")

    def joining(self, uri, client):
        process = subprocess.Popen(
            client.command("join", "-", "--socks", f"127.0.0.1:{harness.free_port()}"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        process.stdin.write(uri + "\n")
        process.stdin.flush()
        return process

    def test_join_that_is_interrupted_keeps_everything_and_up_joins_later(self):
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(how=how), socket.create_server(("127.0.0.1", 0)) as silent:
                work = self.work / how.name
                self.server = harness.Node(work / "server")
                work.mkdir()
                port = silent.getsockname()[1]
                self.init(port)
                uri = self.server.run("invite", "alice").stdout.strip()
                client = harness.Node(work / "client")
                process = self.joining(uri, client)
                # It has dialled: by now its files are there.
                silent.settimeout(10)
                connection, _ = silent.accept()
                process.send_signal(how)
                _, error = process.communicate(timeout=5)
                connection.close()
                silent.close()
                self.assertEqual(process.returncode, 128 + how)
                self.assertIn("karst: not joined yet: interrupted", error)
                self.assertIn(f"`karst up --dir {client.dir}` joins", error)
                self.assertEqual(list(client.dir.rglob("*.new")), [])
                client.run("config", "check")
                harness.start_and_enrol(self, self.server, client)
                client.stop()
                self.server.stop()

    def test_join_that_waits_for_the_invite_ends_at_once_and_makes_nothing(self):
        client = harness.Node(self.work / "client")
        process = subprocess.Popen(client.command("join", "-"), stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        # It reads: a process in a system call is not yet one in read(), so what it waits on counts.
        harness.wait_until(lambda: "pipe" in pathlib.Path(
            f"/proc/{process.pid}/wchan").read_text(), 5, "read")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(5), -signal.SIGINT)
        process.stdin.close()
        self.assertFalse(client.dir.exists())

    @harness.needs("strace")
    def test_init_that_is_interrupted_at_any_file_leaves_none_and_can_be_repeated(self):
        """strace delivers the signal when the n-th file gets its name."""
        for count in range(1, 7):
            directory = self.work / f"server{count}"
            done = subprocess.run(
                ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=renameat2,rename", "-e",
                 f"inject=renameat2:signal=SIGTERM:when={count}", harness.default_binary(), "init",
                 "server", "--name", "cover.example", "--dir", str(directory)],
                capture_output=True, text=True, timeout=60,
                # The search for leaks is done with ptrace, which strace has taken.
                env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
            if done.returncode == 0:
                # The last file completes a server: a signal from then on changes nothing.
                self.assertGreater(count, 5)
                self.assertTrue((directory / "server.toml").exists())
                return
            self.assertEqual(done.returncode, 128 + signal.SIGTERM, done.stderr)
            self.assertIn("karst: interrupted; nothing was made", done.stderr)
            self.assertEqual([p.name for p in directory.rglob("*") if p.is_file()
                              and p.name not in ("lock",)], [])
            harness.Node(directory).run("init", "server", "--name", "cover.example")
        self.fail("init never came to its end")

    def test_init_that_fails_half_way_leaves_no_files(self):
        self.server.dir.mkdir()
        # What cannot be replaced: the name is a folder.
        (self.server.dir / "server.toml.new" / "x").mkdir(parents=True)
        done = self.server.run("init", "server", "--name", "cover.example", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse((self.server.dir / "identity.key").exists())
        self.assertFalse((self.server.dir / "tls.key").exists())


if __name__ == "__main__":
    harness.run_tests()
