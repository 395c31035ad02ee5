#!/usr/bin/env python3
"""The local proxy as applications use it: every kind of greeting and target, and refusals."""
import os
import pathlib
import re
import shutil
import socket
import ssl
import struct
import subprocess
import tempfile
import unittest

import harness


def open_proxy(port):
    return socket.create_connection(("127.0.0.1", port), timeout=15)


def read_head(s):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        more = s.recv(1)
        if not more:
            break
        head += more
    return head


def read_to_end(s):
    out = b""
    try:
        while more := s.recv(4096):
            out += more
    except ConnectionResetError:
        pass
    return out


class Proxy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
        # To the egress rules an address in ::/96 is also the IPv4 address at its end.
        cls.context = harness.pair(allow=("127.0.0.1/32", "::1/128"))
        cls.server, cls.client, cls.socks = cls.context.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)
        shutil.rmtree(cls.work, ignore_errors=True)

    def greet(self, *methods):
        s = open_proxy(self.socks)
        self.addCleanup(s.close)
        s.sendall(bytes([5, len(methods), *methods]))
        return s, harness.read_exactly(s, 2)

    def echoes(self, s):
        s.sendall(b"ping")
        self.assertEqual(harness.read_exactly(s, 4), b"ping")

    def test_a_client_that_also_offers_a_password_is_let_in_without(self):
        s, answer = self.greet(0, 1, 2)
        self.assertEqual(answer, b"\x05\x00")

    def test_a_client_that_insists_on_a_password_gets_in_whatever_it_is_or_hears_no(self):
        s, answer = self.greet(2)
        self.assertIn(answer, (b"\x05\x02", b"\x05\xff"))
        if answer == b"\x05\xff":
            self.assertEqual(s.recv(1), b"")

    def test_socks4_and_4a_are_refused_in_their_own_words(self):
        for request in (b"\x04\x01\x00\x50\x7f\x00\x00\x01me\x00",
                        b"\x04\x01\x00\x50\x00\x00\x00\x01me\x00example.org\x00"):
            s = open_proxy(self.socks)
            s.sendall(request)
            # Version 0, code 91: rejected or failed.
            self.assertEqual(read_to_end(s)[:2], b"\x00\x5b")
            s.close()

    def test_names_and_ipv6_literals_are_reached_over_socks(self):
        with harness.TcpServer(harness.echo) as four, harness.TcpServer(harness.echo,
                                                                        "::1") as six:
            for address, port in ((b"\x03\x09localhost", four.port),
                                  (b"\x03\x03::1", six.port),
                                  (b"\x04" + socket.inet_pton(socket.AF_INET6, "::1"), six.port)):
                s, _ = self.greet(0)
                s.sendall(b"\x05\x01\x00" + address + struct.pack(">H", port))
                head = harness.read_exactly(s, 4)
                self.assertEqual(head[1], 0, address)
                harness.read_exactly(s, {1: 4, 4: 16}[head[3]] + 2)
                self.echoes(s)

    def test_names_and_ipv6_literals_are_reached_over_http_connect(self):
        with harness.TcpServer(harness.echo) as four, harness.TcpServer(harness.echo,
                                                                        "::1") as six:
            for target in (f"localhost:{four.port}", f"[::1]:{six.port}",
                           f"127.0.0.1:{four.port}"):
                s = open_proxy(self.socks)
                self.addCleanup(s.close)
                s.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
                self.assertTrue(read_head(s).startswith(b"HTTP/1.1 200"), target)
                self.echoes(s)

    def test_http_refusals_say_why(self):
        closed = harness.free_port()
        for target, status in ((f"127.0.0.1:{closed}", b"502"), ("10.1.2.3:80", b"403"),
                               ("no-such-name.invalid:80", b"502"), ("nonsense", b"400")):
            s = open_proxy(self.socks)
            s.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            answer = read_to_end(s)
            self.assertEqual(answer[9:12], status, (target, answer))
            self.assertGreater(len(answer.split(b"\r\n\r\n", 1)[1]), 10, answer)
            s.close()

    @harness.needs("openssl", "curl")
    def test_an_https_site_is_loaded_through_the_http_proxy(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
                        "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost"], cwd=self.work, check=True,
                       capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.work / "cert.pem", self.work / "key.pem")

        def site(connection):
            with context.wrap_socket(connection, server_side=True) as tls:
                tls.recv(4096)
                tls.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n"
                            b"secret")

        with harness.TcpServer(site) as server:
            for proxy in (f"http://127.0.0.1:{self.socks}", f"socks5h://127.0.0.1:{self.socks}"):
                done = subprocess.run(
                    ["curl", "-sS", "--max-time", "20", "--proxy", proxy, "--cacert",
                     str(self.work / "cert.pem"), f"https://localhost:{server.port}/"],
                    capture_output=True, text=True)
                self.assertEqual(done.stdout, "secret", done.stderr)


class Password(unittest.TestCase):
    def test_the_proxy_asks_for_its_password_and_takes_no_other(self):
        work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
        self.addCleanup(shutil.rmtree, work, ignore_errors=True)
        secret = work / "proxy.password"
        secret.write_text("sesame\n")
        secret.chmod(0o600)
        settings = {"proxy": {"user": "me", "password_file": str(secret)}}
        with harness.pair(client_settings=settings) as (_, __, socks), \
                harness.TcpServer(harness.echo) as echo:

            def log_in(password):
                s = open_proxy(socks)
                s.sendall(b"\x05\x02\x00\x02")
                self.assertEqual(harness.read_exactly(s, 2), b"\x05\x02")
                s.sendall(b"\x01\x02me" + bytes([len(password)]) + password)
                return s, harness.read_exactly(s, 2)

            s, answer = log_in(b"sesame")
            self.assertEqual(answer, b"\x01\x00")
            s.sendall(b"\x05\x01\x00\x01" + socket.inet_aton("127.0.0.1")
                      + struct.pack(">H", echo.port))
            self.assertEqual(harness.read_exactly(s, 10)[1], 0)
            s.sendall(b"ping")
            self.assertEqual(harness.read_exactly(s, 4), b"ping")
            s.close()
            s, answer = log_in(b"wrong")
            self.assertNotEqual(answer[1], 0)
            s.close()
            # Over HTTP: 407 without it, and the tunnel with it.
            for header, status in ((b"", b"407"),
                                   (b"Proxy-Authorization: Basic bWU6d3Jvbmc=\r\n", b"407"),
                                   (b"Proxy-Authorization: Basic bWU6c2VzYW1l\r\n", b"200")):
                s = open_proxy(socks)
                s.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n%s\r\n"
                          % (echo.port, header))
                self.assertEqual(read_head(s)[9:12], status)
                s.close()


class Descriptors(unittest.TestCase):
    def count(self, node):
        return len(os.listdir(f"/proc/{node.process.pid}/fd"))

    def test_700_short_connections_leave_no_descriptor_open_at_either_end(self):
        with harness.pair() as (server, client, socks), harness.TcpServer(harness.echo) as echo:
            def one(index):
                s = harness.socks_connect(socks, "127.0.0.1", echo.port)
                s.sendall(b"%d" % index)
                s.recv(10)
                if index % 3 == 0:  # some leave politely, some abruptly
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                s.close()

            def settled():
                status = client.status()
                return (status["proxy_connections"] == 0 and status["links"][0]["streams"] == 0
                        and server.status()["links"][0]["streams"] == 0)

            before = None
            for connections in (200, 500):
                for index in range(connections):
                    one(index)
                harness.wait_until(settled, 15, "end of all streams")
                before = before or (self.count(server), self.count(client))
            # The question that was just answered over the control socket may hold one more.
            harness.wait_until(
                lambda: self.count(server) <= before[0] and self.count(client) <= before[1], 5,
                f"return to {before} descriptors")


class Strangers(unittest.TestCase):
    """The web site that everyone else sees."""

    @harness.needs("curl")
    def test_a_request_too_large_is_answered_431_over_http2_as_over_http1(self):
        with harness.pair() as (server, _, __):
            at = server.status()["listen"][0]
            for version in ("--http2", "--http1.1"):
                done = subprocess.run(
                    ["curl", "-sk", "--max-time", "10", version, "-o", "/dev/null", "-w",
                     "%{http_version} %{http_code}", "-H", "X-Long: " + "x" * 60_000,
                     f"https://{at}/"], capture_output=True, text=True)
                self.assertRegex(done.stdout, r"^(2|1\.1) 431$", done.stderr)

    @harness.needs("curl")
    def test_the_sites_socket_is_where_cover_websocket_says_on_both_sides(self):
        settings = {"server_settings": {"cover": {"websocket": "/feed/news"}}}
        work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
        self.addCleanup(shutil.rmtree, work, ignore_errors=True)
        server, client = harness.Node(work / "server"), harness.Node(work / "client")
        port = harness.free_port()
        server.run("init", "server", "--name", "cover.example", "--listen", f"127.0.0.1:{port}",
                   "--address", f"127.0.0.1:{port}")
        server.set("cover", **settings["server_settings"]["cover"])
        uri = server.run("invite", "alice").stdout.strip()
        server.up()
        self.addCleanup(server.stop)
        server.wait_up()
        done = client.run("join", uri, "--socks", f"127.0.0.1:{harness.free_port()}", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("websocket", done.stderr)
        client.set("client", websocket="/feed/news")
        client.up()
        self.addCleanup(client.stop)
        client.wait_up()
        upgrade = ["-H", "Connection: Upgrade", "-H", "Upgrade: websocket", "-H",
                   "Sec-WebSocket-Version: 13", "-H", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
        for path, code in (("/feed/news", "101"), ("/live", "404")):
            done = subprocess.run(
                ["curl", "-sk", "--http1.1", "--max-time", "2", "-o", "/dev/null", "-w",
                 "%{http_code}", *upgrade, f"https://127.0.0.1:{port}{path}"],
                capture_output=True, text=True)
            self.assertEqual(done.stdout, code)


if __name__ == "__main__":
    harness.run_tests()
