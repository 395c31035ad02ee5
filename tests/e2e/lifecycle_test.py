#!/usr/bin/env python3
"""What happens around a tunnel: restarts, signals, revocation, wrong input."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import harness


class Restart(unittest.TestCase):
    def test_a_server_that_dies_ends_streams_and_the_client_is_back_in_two_seconds(self):
        with harness.pair() as (server, client, socks):
            def endless(connection):
                while True:
                    connection.sendall(b"x" * 65536)

            with harness.TcpServer(endless) as source:
                s = harness.socks_connect(socks, "127.0.0.1", source.port)
                s.recv(1 << 20)
                server.stop(signal.SIGKILL)
                with self.assertRaises(ConnectionResetError):
                    while s.recv(1 << 20):
                        pass
                s.close()
                self.assertFalse(client.status()["ready"])
                server.up()
                server.wait_up()
                started = time.monotonic()
                harness.wait_until(lambda: client.status()["ready"], 5, "tunnel after the restart")
                self.assertLess(time.monotonic() - started, 2)
                s = harness.socks_connect(socks, "127.0.0.1", source.port)
                self.assertTrue(s.recv(100))
                s.close()

    def test_a_killed_client_resets_its_applications_and_a_killed_server_its_targets(self):
        """A part must not be taken for the whole, by whom it was meant for."""
        with harness.pair() as (server, client, socks):
            part = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\npart"
            may_end = threading.Event()
            self.addCleanup(may_end.set)

            def begin(connection):
                connection.sendall(part)
                may_end.wait(30)

            with harness.TcpServer(begin) as source:
                s = harness.socks_connect(socks, "127.0.0.1", source.port)
                harness.read_exactly(s, len(part))
                web = socket.create_connection(("127.0.0.1", socks), timeout=30)
                web.sendall(f"GET http://127.0.0.1:{source.port}/ HTTP/1.1\r\n"
                            f"Host: 127.0.0.1\r\n\r\n".encode())
                answer = b""
                while b"part" not in answer:
                    more = web.recv(1000)
                    self.assertTrue(more, answer)
                    answer += more
                client.stop(signal.SIGKILL)
                for application in (s, web):
                    with self.assertRaises(ConnectionResetError):
                        while application.recv(65536):
                            pass
                    application.close()
            ends = []

            def sink(connection):
                try:
                    while connection.recv(65536):
                        pass
                    ends.append("clean")
                except ConnectionResetError:
                    ends.append("reset")

            client.up()
            client.wait_up()
            with harness.TcpServer(sink) as target:
                s = harness.socks_connect(socks, "127.0.0.1", target.port)
                s.sendall(b"x" * 100_000)
                harness.wait_until(
                    lambda: server.status()["links"][0]["receive"]["bytes"] >= 100_000, 5,
                    "the upload")
                server.stop(signal.SIGKILL)
                harness.wait_until(lambda: ends, 5, "end at the target")
                self.assertEqual(ends, ["reset"])
                s.close()

    def test_a_daemon_that_must_end_at_once_resets_what_is_not_complete(self):
        with harness.pair() as (server, client, socks):
            def part(connection):
                connection.sendall(b"part")
                connection.recv(1)

            with harness.TcpServer(part) as source:
                s = harness.socks_connect(socks, "127.0.0.1", source.port)
                harness.read_exactly(s, 4)
                process = client.process
                process.send_signal(signal.SIGTERM)
                harness.wait_until(lambda: "draining" in client.log(), 5, "start of the drain")
                process.send_signal(signal.SIGTERM)
                with self.assertRaises(ConnectionResetError):
                    s.recv(1)
                s.close()
                self.assertEqual(process.wait(5), 0)

    def test_what_was_complete_is_delivered_by_the_kernel_after_the_daemon_has_gone(self):
        """SO_LINGER of 0 throws away what is not sent yet: it must not be set any more."""
        size = 60_000  # more than the receiver's buffer, less than any sender's
        descriptor, digest = harness.pattern_file(size)
        self.addCleanup(os.close, descriptor)
        for how in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(how=how), harness.pair() as (server, client, socks):
                def source(connection):
                    harness.send_file(connection, descriptor, size)

                with harness.TcpServer(source) as far:
                    s = harness.socks_connect(socks, "127.0.0.1", far.port, receive_buffer=4096)
                    s.shutdown(socket.SHUT_WR)
                    # It has handed everything to the kernel, which cannot send it yet.
                    harness.wait_until(lambda: client.status()["proxy_connections"] == 0, 20,
                                       "end of the connection")
                    client.stop(how)
                    self.assertEqual(harness.receive_digest(s), (size, digest))
                    s.close()

    def test_what_was_complete_is_delivered_after_the_tunnel_has_gone(self):
        """To an application that reads slowly and has not ended its own output either."""
        size = 60_000
        descriptor, digest = harness.pattern_file(size)
        self.addCleanup(os.close, descriptor)
        for http in (False, True):
            with self.subTest(http=http), harness.pair() as (server, client, socks):
                def source(connection):
                    if http:
                        connection.recv(65536)
                        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    harness.send_file(connection, descriptor, size)

                with harness.TcpServer(source) as far:
                    if http:
                        s = harness.connect(socks, receive_buffer=4096)
                        s.sendall(f"GET http://127.0.0.1:{far.port}/ HTTP/1.1\r\n"
                                  f"Host: 127.0.0.1:{far.port}\r\n\r\n".encode())
                    else:
                        s = harness.socks_connect(socks, "127.0.0.1", far.port,
                                                  receive_buffer=4096)
                    harness.wait_until(lambda: harness.has_ended_output(s), 20,
                                       "end of the stream at the kernel")
                    server.stop(signal.SIGKILL)
                    harness.wait_until(lambda: client.status()["proxy_connections"] == 0, 20,
                                       "end of the connection")
                    while http and not harness.read_line(s).isspace():
                        pass
                    self.assertEqual(harness.receive_digest(s), (size, digest))
                    s.close()

    def test_a_request_while_the_tunnel_is_down_waits_for_it(self):
        with harness.pair() as (server, client, socks), harness.TcpServer(harness.echo) as echo:
            server.stop()
            harness.wait_until(lambda: not client.status()["ready"], 5, "end of the tunnel")
            result = []

            def ask():
                s = harness.socks_connect(socks, "127.0.0.1", echo.port)
                s.sendall(b"late")
                result.append(harness.read_exactly(s, 4))
                s.close()

            thread = threading.Thread(target=ask)
            thread.start()
            server.up()
            thread.join(15)
            self.assertEqual(result, [b"late"])

    def test_sigterm_lets_open_streams_finish_and_then_ends(self):
        with harness.pair() as (server, client, socks):
            may_end = threading.Event()

            def slow(connection):
                connection.sendall(b"begin")
                may_end.wait(10)
                connection.sendall(b"end")

            with harness.TcpServer(slow) as source:
                s = harness.socks_connect(socks, "127.0.0.1", source.port)
                self.assertEqual(harness.read_exactly(s, 5), b"begin")
                process = client.process
                process.send_signal(signal.SIGTERM)
                harness.wait_until(lambda: not client.status()["ready"], 5, "start of the drain")
                self.assertIsNone(process.poll())
                may_end.set()
                self.assertEqual(harness.read_exactly(s, 3), b"end")
                self.assertEqual(s.recv(1), b"")
                s.close()
                self.assertEqual(process.wait(8), 0)

    def test_a_second_signal_ends_at_once(self):
        with harness.pair() as (server, client, socks), harness.TcpServer(harness.echo) as echo:
            s = harness.socks_connect(socks, "127.0.0.1", echo.port)
            s.sendall(b"x")
            s.recv(1)
            process = client.process
            process.send_signal(signal.SIGTERM)
            harness.wait_until(lambda: not client.status()["ready"], 5, "start of the drain")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(3), 0)
            s.close()


class Clients(unittest.TestCase):
    def test_a_revoked_client_is_out_at_once_and_stays_out(self):
        with harness.pair() as (server, client, socks):
            server.run("revoke", "alice")
            harness.wait_until(lambda: not client.status()["ready"], 5, "end of the tunnel")
            # It waits long before it dials again, unless a person wants it at once.
            client.process.send_signal(signal.SIGHUP)
            harness.wait_until(lambda: "does not accept" in client.status().get("error", ""), 10,
                               "refusal")
            self.assertIn("reason=client-revoked", server.log())
            self.assertIn("tunnel-ended: a tunnel ended [client=alice reason=revoked]",
                          server.log())
            told = [l for l in client.log().splitlines() if "link-down" in l]
            self.assertIn("revoked this client", told[0])
            for line in told:
                self.assertIn("new invite", line)
                self.assertGreaterEqual(int(line.split("retry_ms=")[1].rstrip("]")), 15_000)
            self.assertIn("new invite", client.status()["advice"])

    def test_both_logs_say_that_a_server_is_stopped_and_why_it_cannot_be_reached(self):
        with harness.pair() as (server, client, socks):
            server.stop()
            harness.wait_until(lambda: "connection refused" in client.log(), 5, "refusal")
            self.assertIn("reason=shutdown", server.log())
            # The one of `karst join`, which left by itself.
            self.assertEqual(server.log().count("reason=client-closed"), 1)
            told = [l for l in client.log().splitlines() if "link-down" in l]
            self.assertIn("the server is being stopped", told[0])
            self.assertIn("is `karst up` running there", told[-1])
            self.assertNotIn("detail=", client.log())

    def test_what_a_server_said_is_why_also_when_it_then_breaks_off(self):
        with harness.pair() as (server, client, socks), harness.TcpServer(harness.echo) as echo:
            s = harness.socks_connect(socks, "127.0.0.1", echo.port)
            server.process.send_signal(signal.SIGTERM)
            harness.wait_until(lambda: "draining" in server.log(), 5, "start of the drain")
            # Comes behind the word that the server is being stopped.
            s.sendall(b"x")
            self.assertEqual(harness.read_exactly(s, 1), b"x")
            server.stop(signal.SIGKILL)
            harness.wait_until(lambda: "link-down" in client.log(), 5, "end of the tunnel")
            told = [l for l in client.log().splitlines() if "link-down" in l]
            self.assertIn("the server is being stopped", told[0])
            s.close()

    def test_an_invite_is_good_once(self):
        with harness.pair() as (server, client, socks):
            uri = server.run("invite", "bob").stdout.strip()
            base = server.dir.parent
            bob, eve = (harness.Node(base / name) for name in ("bob", "eve"))
            bob.run("join", uri, "--socks", f"127.0.0.1:{harness.free_port()}")
            second = eve.run("join", uri, "--socks", f"127.0.0.1:{harness.free_port()}",
                             check=False)
            self.assertNotEqual(second.returncode, 0)
            self.assertIn("does not accept this client", second.stderr)
            self.assertIn("reason=invite-spent", server.log())
            listed = json.loads(server.run("clients", "--json").stdout)["clients"]
            self.assertEqual(sorted(client["name"] for client in listed), ["alice", "bob"])

    def test_a_spent_invite_is_hopeless_once_all_its_addresses_have_said_so(self):
        port = harness.free_port()
        addresses = [f"127.0.0.{last}:{port}" for last in (1, 2, 3)]
        with harness.pair(server_settings={"server": {"listen": addresses,
                                                      "addresses": addresses}}) as (server, _, _2):
            uri = server.run("invite", "bob").stdout.strip()
            base = server.dir.parent
            bob, eve = (harness.Node(base / name) for name in ("bob", "eve"))
            bob.run("join", uri, "--socks", f"127.0.0.1:{harness.free_port()}")
            started = time.monotonic()
            second = eve.run("join", uri, "--socks", f"127.0.0.1:{harness.free_port()}",
                             check=False)
            self.assertIn("Trying again will not help", second.stderr)
            self.assertLess(time.monotonic() - started, 10)
            self.assertEqual(server.log().count("reason=invite-spent"), 3)

    def test_an_expired_invite_is_refused_by_name_in_the_log(self):
        with harness.pair() as (server, client, socks):
            uri = server.run("invite", "late", "--expires", "1s").stdout.strip()
            time_left = lambda: next(i["expires_in_seconds"] for i in json.loads(
                server.run("clients", "--json").stdout)["invites"])
            harness.wait_until(lambda: time_left() < 0, 5, "expiry")
            late = harness.Node(server.dir.parent / "late")
            done = late.run("join", uri, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("reason=invite-expired", server.log())

    def test_a_registry_that_is_gone_is_refused_and_nobody_is_forgotten(self):
        with harness.pair() as (server, client, socks):
            registry = server.dir / "state" / "clients"

            def refused():
                # The server may still have to write that the client has used its key.
                if registry.exists():
                    registry.unlink()
                    server.process.send_signal(signal.SIGHUP)
                return "not-reloaded" in server.log()
            harness.wait_until(refused, 10, "refusal")
            self.assertIn(f"{registry}: the file does not exist", server.log())
            self.assertTrue(client.status()["ready"])
            # What is written next has everyone in it.
            server.run("invite", "bob")
            self.assertIn("alice", registry.read_text())
            self.assertIn("bob", registry.read_text())

    def test_sighup_takes_a_new_certificate_and_drops_nobody(self):
        with harness.pair() as (server, client, socks), harness.TcpServer(harness.echo) as echo:
            s = harness.socks_connect(socks, "127.0.0.1", echo.port)
            s.sendall(b"a")
            s.recv(1)
            other = harness.Node(server.dir.parent / "other")
            other.run("init", "server", "--name", "renewed.example")
            for name in ("tls.crt", "tls.key"):
                shutil.copy(other.dir / name, server.dir / name)
            server.process.send_signal(signal.SIGHUP)
            harness.wait_until(lambda: "were read again" in server.log(), 5, "reload")
            port = server.status()["listen"][0].rsplit(":", 1)[1]
            shown = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}"],
                                   input="", capture_output=True, text=True)
            self.assertIn("renewed.example", shown.stdout)
            s.sendall(b"b")
            self.assertEqual(s.recv(1), b"b")
            s.close()


    def test_a_reload_good_or_bad_leaves_a_transfer_alone_and_bad_settings_change_nothing(self):
        size = 256 << 20
        with harness.pair() as (server, client, socks):
            descriptor, digest = harness.pattern_file(size)
            self.addCleanup(os.close, descriptor)
            reloads = threading.Event()

            def source(connection):
                harness.send_file(connection, descriptor, size // 2)
                reloads.wait(60)
                os.lseek(descriptor, 0, os.SEEK_SET)
                offset = size // 2
                while offset < size:
                    offset += os.sendfile(connection.fileno(), descriptor, offset, size - offset)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(1)

            with harness.TcpServer(source) as far:
                s = harness.socks_connect(socks, "127.0.0.1", far.port)
                result = []
                reader = threading.Thread(target=lambda: result.append(harness.receive_digest(s)))
                reader.start()
                harness.wait_until(
                    lambda: client.status()["links"][0]["receive"]["bytes"] > 1 << 20, 10,
                    "bytes under way")
                settings = server.dir / "server.toml"
                good = settings.read_text()
                settings.write_text(good.replace("\n[limits]\n", "\n[limits]\nmemroy = 1\n"))
                line = settings.read_text().split("\n").index("memroy = 1") + 1
                server.process.send_signal(signal.SIGHUP)
                harness.wait_until(lambda: "not-reloaded" in server.log(), 5, "refusal")
                self.assertIn(f"{settings}:{line}:1:", server.log())
                (server.dir / "tls.crt").rename(server.dir / "kept")
                settings.write_text(good.replace('allow = ["127.0.0.1/32"]', "allow = []"))
                server.process.send_signal(signal.SIGHUP)
                harness.wait_until(lambda: server.log().count("not-reloaded") == 2, 5, "refusal")
                self.assertIn("tls.crt: the file does not exist", server.log())
                # Neither of the two changed the rules.
                with harness.TcpServer(harness.echo) as echo:
                    harness.socks_connect(socks, "127.0.0.1", echo.port).close()
                    (server.dir / "kept").rename(server.dir / "tls.crt")
                    server.process.send_signal(signal.SIGHUP)
                    harness.wait_until(lambda: "were read again" in server.log(), 5, "reload")
                    with self.assertRaises(OSError) as caught:
                        harness.socks_connect(socks, "127.0.0.1", echo.port)
                    self.assertEqual(caught.exception.errno, 2)
                client.process.send_signal(signal.SIGHUP)
                reloads.set()
                reader.join(60)
                self.assertEqual(result, [(size, digest)])
                s.close()


class RekeyWindow(unittest.TestCase):
    def test_the_command_line_takes_the_place_of_the_setting(self):
        with harness.pair(client_settings={"client": {"rekey_window": 7}}) as (server, client, _):
            window = lambda: client.status()["links"][0]["rekey_window"]
            self.assertEqual(window(), 7)
            for option, expected in (("3", 3), ("auto", 512)):
                client.stop()
                client.up("--rekey-window", option)
                client.wait_up()
                self.assertEqual(window(), expected)

    def test_what_is_no_window_is_refused_before_anything_runs(self):
        with harness.pair() as (server, client, _):
            client.stop()
            for wrong in ("0", "513", "-1", "3x", "x", " "):
                done = client.run("up", f"--rekey-window={wrong}", check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"karst: --rekey-window {wrong} is neither", done.stderr)


class WrongInput(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.server = harness.Node(self.work / "server")

    def init(self, port=None):
        port = port or harness.free_port()
        self.server.run("init", "server", "--name", "cover.example", "--listen",
                        f"127.0.0.1:{port}", "--address", f"127.0.0.1:{port}")
        return port

    def refused(self, node, *command, code=2, **options):
        done = node.run(*command, check=False, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertTrue(done.stderr.startswith("karst: "), done.stderr)
        return done.stderr

    def test_a_secret_that_others_can_read_is_refused_with_the_command_that_mends_it(self):
        self.init()
        for name in ("identity.key", "front.secret", "tls.key"):
            path = self.server.dir / name
            path.chmod(0o644)
            self.assertIn(f"chmod 600 {path}", self.refused(self.server, "up"))
            path.chmod(0o600)

    def test_settings_errors_have_file_line_column_and_the_nearest_name(self):
        self.init()
        path = self.server.dir / "server.toml"
        text = path.read_text()
        path.write_text(text.replace("policy_floor =", "policy_flor ="))
        line = next(i for i, l in enumerate(path.read_text().splitlines(), 1) if "policy_flor" in l)
        error = self.refused(self.server, "up")
        self.assertIn(f"{path}:{line}:1:", error)
        self.assertIn('did you mean "policy_floor"?', error)
        path.write_text(text.replace('policy = "extreme"', "policy = 7"))
        self.assertIn("policy: must be a text in quotes",
                      self.refused(self.server, "config", "check"))
        path.write_text(text.replace("listen =", "lisen ="))
        self.assertIn('did you mean "listen"?', self.refused(self.server, "config", "check"))
        path.write_text(text + "\n[proxi]\n")
        self.assertIn("no section [proxi]", self.refused(self.server, "config", "check"))

    def test_a_server_without_its_registry_does_not_begin_with_an_empty_one(self):
        self.init()
        registry = self.server.dir / "state" / "clients"
        registry.unlink()
        for command in (("up",), ("invite", "alice"), ("clients",), ("config", "check")):
            error = self.refused(self.server, *command)
            self.assertIn(f"{registry}: the file does not exist", error)
            self.assertFalse(registry.exists())
        # A new server neither takes over nor loses what is left of an old one.
        registry.write_text("karst-clients 1\n")
        registry.chmod(0o600)
        (self.server.dir / "server.toml").unlink()
        for name in ("identity.key", "front.secret", "tls.key", "tls.crt"):
            (self.server.dir / name).unlink()
        error = self.refused(self.server, "init", "server", "--name", "cover.example", code=1)
        self.assertIn(f"{registry} exists already", error)
        self.assertTrue(registry.exists())

    def test_a_port_in_use_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = self.init(taken.getsockname()[1])
            error = self.refused(self.server, "up", code=1)
            self.assertIn(f"127.0.0.1:{port}: another program already uses this address", error)

    def test_bad_invites_are_told_apart_and_leave_nothing_behind(self):
        client = harness.Node(self.work / "client")
        self.assertIn("karst://", self.refused(client, "join", "https://example.org"))
        self.init()
        uri = self.server.run("invite", "alice").stdout.strip()
        self.assertIn("mistyped", self.refused(client, "join", uri[:-3] + "AAA"))
        self.assertFalse(client.dir.exists())

    def test_an_invite_may_come_with_the_blanks_and_line_breaks_of_a_paste(self):
        self.init()
        self.server.up()
        self.addCleanup(self.server.stop)
        self.server.wait_up()
        for name in ("argument", "input"):
            uri = self.server.run("invite", name).stdout.strip()
            pasted = f" \r\n\t{uri} \r\n\n "
            client = harness.Node(self.work / name)
            client.run("join", *((pasted,) if name == "argument" else ("-",)), "--socks",
                       f"127.0.0.1:{harness.free_port()}", input=pasted)
            self.assertTrue((client.dir / "state" / "client.psk").exists())
        blank = harness.Node(self.work / "blank")
        self.assertIn("no invite came",
                      self.refused(blank, "join", "-", input="\n \n"))

    def test_an_unreachable_server_leaves_a_client_that_can_join_later(self):
        port = self.init()
        uri = self.server.run("invite", "alice").stdout.strip()
        client = harness.Node(self.work / "client")
        done = client.run("join", "-", "--socks", f"127.0.0.1:{harness.free_port()}",
                          input=uri + "\n", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not joined yet", done.stderr)
        harness.start_and_enrol(self, self.server, client)
        self.assertTrue((client.dir / "state" / "client.psk").exists())
        self.assertFalse((client.dir / "state" / "invite.secret").exists())

    def test_init_never_overwrites(self):
        self.init()
        before = {p.name: p.read_bytes() for p in self.server.dir.iterdir() if p.is_file()}
        self.refused(self.server, "init", "server", "--name", "cover.example", code=1)
        after = {p.name: p.read_bytes() for p in self.server.dir.iterdir() if p.is_file()}
        self.assertEqual(before, after)

    def test_two_daemons_cannot_share_a_directory(self):
        self.init()
        self.server.up()
        self.addCleanup(self.server.stop)
        self.server.wait_up()
        self.assertIn("another karst process", self.refused(self.server, "up"))

    def test_status_without_a_daemon_says_so_with_code_3(self):
        self.init()
        self.assertIn("karst up", self.refused(self.server, "status", code=3))


if __name__ == "__main__":
    unittest.main()
