#!/usr/bin/env python3
"""A disk that fills up under the server's registry. Only root can mount one small enough."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import harness


class FullDisk(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.server = harness.Node(self.work / "server")
        self.client = harness.Node(self.work / "client")

    def fill(self, file):
        filler = os.open(file, os.O_WRONLY | os.O_CREAT)
        with contextlib.suppress(OSError):
            while True:
                os.write(filler, b"x" * 4096)
        os.close(filler)

    def test_it_refuses_the_enrolment_and_keeps_the_registry(self):
        port, socks = harness.free_port(), harness.free_port()
        self.server.run("init", "server", "--name", "cover.example", "--listen",
                        f"127.0.0.1:{port}", "--address", f"127.0.0.1:{port}")
        uri = self.server.run("invite", "alice").stdout.strip()
        state = self.server.dir / "state"
        registry = state / "clients"
        kept = registry.read_bytes()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "none", str(state)],
                       check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(state)])
        registry.write_bytes(kept)
        registry.chmod(0o600)
        self.server.up()
        self.addCleanup(self.server.stop)
        self.server.wait_up()
        self.fill(state / "filler")
        done = self.client.run("join", "-", "--socks", f"127.0.0.1:{socks}", input=uri + "\n",
                               check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(registry.read_bytes(), kept)
        self.assertIn("could not be written", self.server.log())
        os.unlink(state / "filler")
        self.client.up()
        self.addCleanup(self.client.stop)
        self.client.wait_up(20)
        self.assertIn(b"alice", registry.read_bytes())


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: only root may mount a small file system")
        sys.exit(77)
    unittest.main()
