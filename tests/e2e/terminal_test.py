#!/usr/bin/env python3
"""What `karst up` shows on a terminal, and what it leaves behind there."""
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import tempfile
import unittest

import harness


class Screen:
    """A shell in a terminal of its own, under tmux."""

    def __init__(self, folder, columns=80, rows=24):
        self.base = ["tmux", "-f", "/dev/null", "-S", str(folder / "tmux")]
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows),
                  "env", "PS1=prompt> ", "bash", "--norc", "--noprofile", "-i")
        harness.wait_until(lambda: "prompt>" in self.text(), 5, "prompt")

    def tmux(self, *arguments):
        return subprocess.run([*self.base, *arguments], capture_output=True, text=True, check=True,
                              timeout=10).stdout

    def text(self):
        return self.tmux("capture-pane", "-p").rstrip("\n")

    def lines(self, beginning):
        return [line for line in self.text().split("\n") if line.startswith(beginning)]

    def type(self, text):
        self.tmux("send-keys", "-l", text)
        self.tmux("send-keys", "Enter")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def wait(self, what, seconds=10):
        try:
            harness.wait_until(lambda: what in self.text(), seconds, repr(what))
        except TimeoutError as error:
            raise TimeoutError(f"{error}; the screen:\n{self.text()}") from None
        return self.text()

    def close(self):
        subprocess.run([*self.base, "kill-server"], capture_output=True)


class Case(unittest.TestCase):
    """A server that is up and a client that is enrolled and is not."""

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        context = harness.pair(keep=self.work)
        self.server, self.client, self.socks = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.client.stop()

    def client_line(self):
        return " ".join(self.client.command("up"))


@harness.needs("tmux")
class View(Case):
    def screen(self, *size):
        screen = Screen(self.work, *size)
        self.addCleanup(screen.close)
        return screen

    def wait_screen(self, screen, condition, what):
        try:
            harness.wait_until(lambda: condition(screen), 10, what)
        except TimeoutError as error:
            raise TimeoutError(f"{error}; the screen:\n{screen.text()}") from None

    def test_it_shows_why_there_is_no_tunnel_and_then_the_tunnel(self):
        self.server.stop()
        screen = self.screen()
        screen.type(self.client_line())
        text = screen.wait("to do")
        self.assertIn("karst  ", text)
        self.assertIn("error    no connection to the server could be made", text)
        self.assertIn("to do    is `karst up` running there, on that port?", text)
        self.server.up()
        text = screen.wait("karst  up to 127.0.0.1:")
        for part in ("traffic  ", "limiter  ", "keys     epoch ", "proxy    127.0.0.1:"):
            self.assertIn("\n  " + part, text)
        self.assertNotIn("  error", text)

    def test_a_smaller_terminal_shows_the_block_once_and_whole(self):
        screen = self.screen(100, 30)
        screen.type(self.client_line())
        screen.wait("karst  up to")
        for columns, rows in ((60, 15), (38, 12), (90, 8), (60, 15)):
            screen.resize(columns, rows)
            # A narrow one has the line on two rows.
            self.wait_screen(screen, lambda s: any(
                line.startswith("  proxy") for line in s.text().split("\n")[-2:]), "block below")
            # The second drawing after the change is where a wrong count would show.
            up = screen.lines("karst  up")
            self.wait_screen(screen, lambda s: s.lines("karst  up") not in ([], up), "new second")
            for label in ("karst  up", "  traffic", "  limiter", "  keys", "  proxy"):
                self.assertEqual(len(screen.lines(label)), 1, screen.text())

    def test_what_is_typed_meanwhile_leaves_no_copies_of_the_block(self):
        screen = self.screen()
        screen.type(self.client_line())
        screen.wait("karst  up to")
        for _ in range(5):
            screen.press("Enter")
        screen.type("exit 77")
        up = screen.lines("karst  up")
        self.wait_screen(screen, lambda s: s.lines("karst  up") not in ([], up), "new second")
        self.wait_screen(screen, lambda s: len(s.lines("karst  up")) == 1, "one block")
        self.assertEqual(len(screen.lines("  proxy")), 1, screen.text())
        screen.press("C-c")
        # It went to nobody, the shell neither.
        screen.wait("prompt>")
        screen.type("echo $((6*7))")
        screen.wait("42")

    def test_ctrl_c_takes_the_block_away_and_gives_the_terminal_back_as_it_was(self):
        screen = self.screen()
        screen.type(f"cd {self.work}; stty -g > before; " + self.client_line()
                    + "; echo \"code=$?\"; stty -g > after; cmp before after && echo 'as it' was")
        screen.wait("karst  up to")
        screen.press("C-c")
        text = screen.wait("as it was")
        self.assertIn("code=0", text)
        self.assertIn("stopped: ended", text)
        self.assertEqual(screen.lines("karst  "), [], text)
        self.assertEqual(screen.lines("  proxy"), [], text)

    def test_after_a_pause_in_the_shell_the_block_is_drawn_once_below(self):
        screen = self.screen()
        screen.type(self.client_line())
        screen.wait("karst  up to")
        screen.press("C-z")
        screen.wait("Stopped")
        screen.type("echo kept-line")
        screen.wait("\nkept-line")
        screen.type("fg")
        harness.wait_until(lambda: self.client.status(), 5, "client")
        old = screen.lines("karst  up")[-1:]
        self.wait_screen(screen, lambda s: s.lines("karst  up")[-1:] != old, "new drawing")
        text = screen.text()
        self.assertIn("\nkept-line", text)
        # The one from before the pause is history, and stays.
        self.assertEqual(len(screen.lines("karst  up")), 2, text)
        self.assertTrue(text.split("\n")[-1].startswith("  proxy"), text)

    def test_in_the_background_it_leaves_the_shell_alone(self):
        screen = self.screen()
        screen.type(self.client_line() + " &")
        screen.wait("link-up")
        harness.wait_until(
            lambda: (self.client.status() or {}).get("links", [{}])[0].get("up_seconds", 0) > 2.5,
            10, "seconds in which a block would have been drawn")
        self.assertEqual(screen.lines("karst  "), [], screen.text())
        screen.type("fg")
        screen.wait("karst  up to")
        screen.press("C-c")
        screen.wait("stopped: ended")


class ClosedTerminal(Case):
    """The client is the leader of the session on a terminal, as under ssh -t."""

    def start(self):
        pid, terminal = pty.fork()
        if pid == 0:
            command = self.client.command("up")
            os.execv(command[0], command)
        self.addCleanup(self.end, pid)
        harness.wait_until(lambda: (self.client.status() or {}).get("ready"), 10, "tunnel")
        return pid, terminal

    def end(self, pid):
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass

    def exit_status(self, pid, seconds):
        def ended():
            done, status = os.waitpid(pid, os.WNOHANG)
            return done and (status,)
        return harness.wait_until(ended, seconds, "end of karst")[0]

    def test_it_lets_open_streams_finish_and_ends(self):
        pid, terminal = self.start()
        with harness.TcpServer(harness.echo) as echo:
            s = harness.socks_connect(self.socks, "127.0.0.1", echo.port)
            s.sendall(b"x")
            self.assertEqual(s.recv(1), b"x")
            os.close(terminal)
            harness.wait_until(lambda: not self.client.status()["ready"], 5, "drain")
            s.sendall(b"still here")
            self.assertEqual(harness.read_exactly(s, 10), b"still here")
            s.close()
            self.assertEqual(self.exit_status(pid, 8), 0)

    def test_sigterm_drains_and_ends_with_code_0(self):
        pid, terminal = self.start()
        self.addCleanup(os.close, terminal)
        os.kill(pid, signal.SIGTERM)
        self.assertEqual(self.exit_status(pid, 5), 0)

    def test_sighup_on_a_terminal_that_is_still_there_is_a_reload(self):
        pid, terminal = self.start()
        self.addCleanup(os.close, terminal)
        os.kill(pid, signal.SIGHUP)
        with harness.TcpServer(harness.echo) as echo:
            s = harness.socks_connect(self.socks, "127.0.0.1", echo.port)
            s.sendall(b"x")
            self.assertEqual(s.recv(1), b"x")
            s.close()
        self.assertTrue(self.client.status()["ready"])

    def test_a_terminal_that_takes_nothing_does_not_stop_the_tunnel(self):
        pid, terminal = self.start()
        self.addCleanup(os.close, terminal)
        os.write(terminal, b"\x13")  # Ctrl-S
        with harness.TcpServer(harness.echo) as echo:
            up = lambda: self.client.status()["links"][0]["up_seconds"]
            start = up()
            harness.wait_until(lambda: up() > start + 3, 10, "three seconds with a stopped screen")
            s = harness.socks_connect(self.socks, "127.0.0.1", echo.port)
            s.sendall(b"x" * 100_000)
            self.assertEqual(len(harness.read_exactly(s, 100_000)), 100_000)
            s.close()
        os.kill(pid, signal.SIGTERM)
        self.assertEqual(self.exit_status(pid, 5), 0)


class ClosedLog(Case):
    def test_a_reader_of_the_log_that_leaves_does_not_end_the_tunnel(self):
        read_end, write_end = os.pipe()
        process = subprocess.Popen(self.client.command("up"), stdin=subprocess.DEVNULL,
                                   stdout=write_end, stderr=write_end)
        self.client.process = process
        self.addCleanup(self.client.stop)
        os.close(write_end)
        self.client.wait_up()
        os.close(read_end)
        self.server.stop()
        harness.wait_until(lambda: not self.client.status()["ready"], 5, "end of the tunnel")
        self.server.up()
        self.client.wait_up()
        self.assertIsNone(process.poll())


if __name__ == "__main__":
    harness.run_tests()
