#!/usr/bin/env python3
"""Machines whose clock is wrong by years. The tunnel needs none; people should hear of it."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import harness


def clock(offset):
    """What runs a program with its wall clock off by so much, and its timers as they are. Not the
    program `faketime` itself: it stays between us and the process."""
    shown = subprocess.run(["faketime", "-f", "+0", "sh", "-c", "echo $LD_PRELOAD"],
                           capture_output=True, text=True, check=True).stdout.strip()
    # Without the option a program built with sanitizers refuses a library loaded before theirs.
    return ["env", f"LD_PRELOAD={shown}", f"FAKETIME={offset}", "FAKETIME_DONT_FAKE_MONOTONIC=1",
            "ASAN_OPTIONS=verify_asan_link_order=0"]


# A little more than ten years, so that a second that passes does not make them nine.
YEARS = 3660 * 86_400


@harness.needs("faketime")
class WrongClock(unittest.TestCase):
    def carries(self, socks):
        with harness.TcpServer(harness.echo) as echo:
            s = harness.socks_connect(socks, "127.0.0.1", echo.port)
            s.sendall(b"in time")
            self.assertEqual(harness.read_exactly(s, 7), b"in time")
            s.close()

    def check(self, offset, words, **prefixes):
        with harness.pair(**prefixes) as (_, client, socks):
            self.carries(socks)
            shown = client.status()["links"][0]["clock_offset_seconds"]
            self.assertAlmostEqual(shown, offset, delta=60)
            text = client.run("status").stdout
            self.assertIn(f"this machine is 10 years {words} the server", text)
            client.stop()
            client.up()
            client.wait_up()
            self.carries(socks)

    def test_a_client_ten_years_ahead_joins_connects_and_says_so(self):
        self.check(YEARS, "ahead of", client_prefix=clock("+3660d"))

    def test_a_client_ten_years_behind_joins_connects_and_says_so(self):
        self.check(-YEARS, "behind", client_prefix=clock("-3660d"))

    def test_a_server_ten_years_ahead_lets_clients_in(self):
        self.check(-YEARS, "behind", server_prefix=clock("+3660d"))

    def test_a_server_ten_years_behind_lets_clients_in(self):
        self.check(YEARS, "ahead of", server_prefix=clock("-3660d"))

    def test_a_right_clock_is_not_mentioned(self):
        with harness.pair() as (_, client, __):
            self.assertLess(abs(client.status()["links"][0]["clock_offset_seconds"]), 60)
            self.assertNotIn("clock", client.run("status").stdout)

    def test_only_the_servers_clock_decides_whether_an_invite_has_expired(self):
        work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
        self.addCleanup(shutil.rmtree, work, ignore_errors=True)
        server = harness.Node(work / "server")
        port = harness.free_port()
        server.run("init", "server", "--name", "cover.example", "--listen", f"127.0.0.1:{port}",
                   "--address", f"127.0.0.1:{port}")
        uri = server.run("invite", "late").stdout.strip()
        ahead = harness.Node(work / "server", prefix=clock("+8d"))
        ahead.up()
        self.addCleanup(ahead.stop)
        ahead.wait_up()
        client = harness.Node(work / "client")
        done = client.run("join", "-", "--socks", f"127.0.0.1:{harness.free_port()}",
                          input=uri + "\n", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("reason=invite-expired", ahead.log())


if __name__ == "__main__":
    harness.run_tests()
