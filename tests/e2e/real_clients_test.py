#!/usr/bin/env python3
"""Programs that people use, through a real tunnel: curl, ssh, Chromium, dig; and what tshark sees.

A program that is not installed is reported as skipped (./run setup --full installs them all)."""
import functools
import http.server
import os
import pathlib
import pwd
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import harness

HERE = pathlib.Path(__file__).resolve().parent


class UdpThroughSocks:
    """A local UDP port whose datagrams go to `target` through UDP ASSOCIATE, for programs that do
    not speak SOCKS."""

    def __init__(self, socks_port, target):
        self.control = socket.create_connection(("127.0.0.1", socks_port), timeout=10)
        self.control.sendall(b"\x05\x01\x00" + b"\x05\x03\x00\x01\0\0\0\0\0\0")
        harness.read_exactly(self.control, 2)
        reply = harness.read_exactly(self.control, 10)
        self.relay = (socket.inet_ntoa(reply[4:8]), struct.unpack(">H", reply[8:])[0])
        self.header = b"\0\0\0\x01" + socket.inet_aton(target[0]) + struct.pack(">H", target[1])
        self.near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.near.bind(("127.0.0.1", 0))
        self.far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.port = self.near.getsockname()[1]
        self.client = None
        for move in (self._outward, self._inward):
            threading.Thread(target=move, daemon=True).start()

    def _outward(self):
        while True:
            data, self.client = self.near.recvfrom(65536)
            self.far.sendto(self.header + data, self.relay)

    def _inward(self):
        while True:
            data, _ = self.far.recvfrom(65536)
            self.near.sendto(data[len(self.header):], self.client)


def name_server():
    """Answers every A question with 192.0.2.77; returns its port."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 0))

    def serve():
        while True:
            query, source = s.recvfrom(4096)
            end = query.index(b"\0", 12) + 5
            answer = (query[:2] + b"\x84\x00\x00\x01\x00\x01\x00\x00\x00\x00" + query[12:end]
                      + b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\xc0\x00\x02\x4d")
            s.sendto(answer, source)

    threading.Thread(target=serve, daemon=True).start()
    return s.getsockname()[1]


class RealClients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
        cls.context = harness.pair()
        cls.server, cls.client, cls.socks = cls.context.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)
        shutil.rmtree(cls.work, ignore_errors=True)

    def web(self, files):
        folder = self.work / "web"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text)

        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_address[1]

    @harness.needs("curl")
    def test_curl_over_socks5_and_over_http(self):
        port = self.web({"page.txt": "through the tunnel\n"})
        for proxy in (f"socks5h://127.0.0.1:{self.socks}", f"http://127.0.0.1:{self.socks}"):
            for extra in ([], ["--proxytunnel"]):
                done = subprocess.run(
                    ["curl", "-sS", "--max-time", "20", "--proxy", proxy, *extra,
                     f"http://127.0.0.1:{port}/page.txt"], capture_output=True, text=True)
                self.assertEqual(done.stdout, "through the tunnel\n", done.stderr)

    @harness.needs("ssh", "sshd", "ssh-keygen")
    def test_ssh_runs_a_command_and_moves_a_megabyte(self):
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                            str(self.work / key)], check=True)
        port = harness.free_port()
        (self.work / "sshd_config").write_text(
            f"ListenAddress 127.0.0.1:{port}\nHostKey {self.work}/host\nStrictModes no\n"
            f"AuthorizedKeysFile {self.work}/user.pub\nUsePAM no\nPidFile none\n")
        if os.geteuid() == 0:
            pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        daemon = subprocess.Popen([harness.find_program("sshd"), "-D", "-f",
                                   str(self.work / "sshd_config")],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (daemon.terminate(), daemon.wait()))
        harness.wait_until(lambda: harness.accepts(port), 5, "sshd")
        user = pwd.getpwuid(os.geteuid()).pw_name
        done = subprocess.run(
            ["ssh", "-F", "none", "-i", str(self.work / "user"), "-p", str(port),
             "-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={self.work}/known",
             "-o", f"ProxyCommand={sys.executable} {HERE}/socks_pipe.py {self.socks} %h %p",
             f"{user}@127.0.0.1", "cat; echo end"],
            input=b"x" * 1_000_000, capture_output=True, timeout=60)
        self.assertEqual(done.stdout, b"x" * 1_000_000 + b"end\n", done.stderr)

    @harness.needs("chromium")
    def test_chromium_loads_a_page_with_its_script(self):
        port = self.web({
            "index.html": "<title>t</title><p id=p>no</p><script src=script.js></script>",
            "script.js": "fetch('data.txt').then(r => r.text())"
                         ".then(t => document.getElementById('p').textContent = t)",
            "data.txt": "loaded through karst"})
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", f"--user-data-dir={self.work}/profile",
             f"--proxy-server=socks5://127.0.0.1:{self.socks}",
             "--proxy-bypass-list=<-loopback>", "--virtual-time-budget=5000", "--dump-dom",
             f"http://127.0.0.1:{port}/index.html"], capture_output=True, text=True, timeout=90)
        self.assertIn("loaded through karst", done.stdout, done.stderr[-2000:])

    @harness.needs("dig")
    def test_dig_gets_its_answer_through_udp_associate(self):
        relay = UdpThroughSocks(self.socks, ("127.0.0.1", name_server()))
        done = subprocess.run(["dig", "@127.0.0.1", "-p", str(relay.port), "+short", "+time=5",
                               "www.example.org", "A"], capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), "192.0.2.77", done.stderr)

    @harness.needs("tshark")
    @harness.needs_root
    def test_a_capture_of_a_client_shows_tls_1_3_with_h2_and_nothing_else(self):
        port = self.server.status()["listen"][0].rsplit(":", 1)[1]
        capture = self.work / "capture.pcapng"
        tshark = subprocess.Popen(["tshark", "-q", "-i", "lo", "-f", f"tcp port {port}", "-w",
                                   str(capture)], stderr=subprocess.PIPE, text=True)
        while "Capture started" not in tshark.stderr.readline():
            self.assertIsNone(tshark.poll())
        self.client.stop()
        self.client.up()
        self.client.wait_up()
        with harness.TcpServer(harness.echo) as echo:
            s = harness.socks_connect(self.socks, "127.0.0.1", echo.port)
            for _ in range(50):
                s.sendall(b"y" * 40_000)
                harness.read_exactly(s, 40_000)
            s.close()
        harness.wait_until(lambda: capture.exists() and capture.stat().st_size > 2_000_000, 10,
                           "capture")
        tshark.terminate()
        tshark.communicate()

        def fields(display_filter, *names):
            arguments = ["tshark", "-r", str(capture), "-d", f"tcp.port=={port},tls", "-Y",
                         display_filter, "-T", "fields"]
            for name in names:
                arguments += ["-e", name]
            return set(subprocess.run(arguments, capture_output=True, text=True,
                                      check=True).stdout.split("\n")) - {""}

        protocols = {p for line in fields("tcp.len > 0", "frame.protocols")
                     for p in line.split(":")}
        self.assertLessEqual(protocols, {"eth", "ethertype", "ip", "tcp", "tls", "x509sat"})
        # The version that the server chose, and what the client offered to speak inside.
        self.assertEqual(fields("tls.handshake.type == 2",
                                "tls.handshake.extensions.supported_version"), {"0x0304"})
        self.assertEqual(fields("tls.handshake.type == 1",
                                "tls.handshake.extensions_alpn_str"), {"h2,http/1.1"})
        # No record that TLS 1.3 does not have; alerts and certificates are encrypted.
        self.assertLessEqual({t for line in fields("tls", "tls.record.content_type")
                              for t in line.split(",")}, {"20", "22", "23"})


if __name__ == "__main__":
    harness.run_tests()
