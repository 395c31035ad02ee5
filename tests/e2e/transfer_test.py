#!/usr/bin/env python3
"""Bytes through a real tunnel: both directions, many streams, both proxy protocols, UDP."""
import os
import socket
import struct
import tempfile
import threading
import unittest
import urllib.request

import harness


class Transfer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.context = harness.pair()
        cls.server, cls.client, cls.socks = cls.context.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)

    def test_bytes_arrive_unchanged_in_both_directions_and_epochs_are_crossed(self):
        size = 64 << 20
        descriptor, digest = harness.pattern_file(size)
        self.addCleanup(os.close, descriptor)
        results = {}

        def down(connection):
            harness.send_file(connection, descriptor, size)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1)

        def up(connection):
            results["up"] = harness.receive_digest(connection)
            connection.sendall(b"k")

        with harness.TcpServer(down) as source, harness.TcpServer(up) as sink:
            s = harness.socks_connect(self.socks, "127.0.0.1", source.port)
            self.assertEqual(harness.receive_digest(s), (size, digest))
            s.close()
            s = harness.socks_connect(self.socks, "127.0.0.1", sink.port)
            harness.send_file(s, descriptor, size)
            s.shutdown(socket.SHUT_WR)
            self.assertEqual(s.recv(1), b"k")
            s.close()
        self.assertEqual(results["up"], (size, digest))
        for node in (self.server, self.client):
            link = node.status()["links"][0]
            send = link["send"]
            self.assertGreaterEqual(send["epoch"], size // 262144)
            waits = link["rekey_waits"]
            self.assertLessEqual(waits["p50_ms"], waits["max_ms"])
            self.assertEqual(waits["count"] > 0, waits["max_ms"] > 0)
            for buffer in ("send_buffer", "receive_buffer"):
                self.assertGreater(link["tcp"][buffer], 0)
            self.assertEqual(send["deadline_expiries"], 0)

    def test_each_end_says_what_limits_the_other(self):
        def both_ways(connection):
            while connection.recv(65536):
                connection.sendall(b"x" * 65536)

        def shares(node):
            peer = node.status()["links"][0].get("peer")
            return peer and peer["congestion_control"] and sum(peer["limiter"]["recent"].values())

        with harness.TcpServer(both_ways) as server:
            s = harness.socks_connect(self.socks, "127.0.0.1", server.port)
            self.addCleanup(s.close)

            def talk():
                s.sendall(b"y" * 1000)
                harness.read_exactly(s, 65536)
                return all(0.9 < (shares(node) or 0) <= 1 for node in (self.server, self.client))
            harness.wait_until(talk, 10, "REPORT of both ends")

    def test_a_stream_that_nobody_reads_is_said_to_wait_for_its_credit(self):
        def pour(connection):
            try:
                while True:
                    connection.sendall(b"x" * 65536)
            except OSError:
                pass

        with harness.TcpServer(pour) as server:
            s = harness.socks_connect(self.socks, "127.0.0.1", server.port)
            self.addCleanup(s.close)

            def waits():
                streams = self.server.status()["links"][0]["busiest_streams"]
                waits = streams[0]["waits_for"] if streams else {"now": ""}
                if waits["now"] != "stream credit" or waits["total"]["stream credit"] < 0.5:
                    return None
                return waits["total"]
            total = harness.wait_until(waits, 15, "stream that waits for credit")
            self.assertAlmostEqual(sum(total.values()), 1, delta=0.01)

    def test_64_streams_at_once_are_kept_apart(self):
        size = 1 << 20
        failures = []

        def one(index, port):
            try:
                data = index.to_bytes(2, "big") * (size // 2)
                s = harness.socks_connect(self.socks, "127.0.0.1", port)
                sender = threading.Thread(
                    target=lambda: (s.sendall(data), s.shutdown(socket.SHUT_WR)))
                sender.start()
                got = bytearray()
                while piece := s.recv(1 << 16):
                    got += piece
                sender.join()
                s.close()
                if got != data:
                    failures.append(f"stream {index}: {len(got)} bytes, not as sent")
            except OSError as error:
                failures.append(f"stream {index}: {error}")

        with harness.TcpServer(harness.echo) as server:
            threads = [threading.Thread(target=one, args=(i, server.port)) for i in range(64)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        self.assertEqual(failures, [])
        harness.wait_until(lambda: self.client.status()["links"][0]["streams"] == 0, 5,
                           "end of all streams")

    def test_half_close_reaches_the_far_side_and_the_answer_still_comes_back(self):
        def count(connection):
            total = 0
            while data := connection.recv(65536):
                total += len(data)
            connection.sendall(str(total).encode())

        with harness.TcpServer(count) as server:
            s = harness.socks_connect(self.socks, "127.0.0.1", server.port)
            s.sendall(b"x" * 100_000)
            s.shutdown(socket.SHUT_WR)
            self.assertEqual(s.recv(100), b"100000")
            self.assertEqual(s.recv(100), b"")
            s.close()

    def test_an_abrupt_end_stays_abrupt(self):
        def abrupt(connection):
            connection.recv(1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        with harness.TcpServer(abrupt) as server:
            s = harness.socks_connect(self.socks, "127.0.0.1", server.port)
            s.sendall(b"x")
            with self.assertRaises(ConnectionResetError):
                while s.recv(100):
                    pass
            s.close()

    def test_refusals_have_the_codes_of_rfc_1928(self):
        closed = harness.free_port()
        for host, port, code in (("127.0.0.1", closed, 5), ("10.1.2.3", 80, 2),
                                 ("169.254.169.254", 80, 2), ("no-such-name.invalid", 80, 4)):
            with self.assertRaises(OSError) as caught:
                harness.socks_connect(self.socks, host, port)
            self.assertEqual(caught.exception.errno, code, host)

    def test_http_connect_and_absolute_form_share_the_port_with_socks(self):
        def web(connection):
            request = b""
            while b"\r\n\r\n" not in request:
                request += connection.recv(4096)
            line = request.split(b"\r\n")[0]
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(line), line))

        with harness.TcpServer(web) as server, harness.TcpServer(harness.echo) as echo:
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{self.socks}"}))
            with opener.open(f"http://127.0.0.1:{server.port}/page?q=1", timeout=10) as answer:
                self.assertEqual(answer.read(), b"GET /page?q=1 HTTP/1.1")
            s = socket.create_connection(("127.0.0.1", self.socks), timeout=10)
            s.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\nearly" % echo.port)
            head = b""
            while b"\r\n\r\n" not in head:
                head += s.recv(1)
            self.assertTrue(head.startswith(b"HTTP/1.1 200"), head)
            self.assertEqual(harness.read_exactly(s, 5), b"early")
            s.close()

    def test_datagrams_come_back_through_udp_associate(self):
        far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        far.bind(("127.0.0.1", 0))
        far.settimeout(10)
        self.addCleanup(far.close)
        control = socket.create_connection(("127.0.0.1", self.socks), timeout=10)
        self.addCleanup(control.close)
        control.sendall(b"\x05\x01\x00" + b"\x05\x03\x00\x01\0\0\0\0\0\0")
        self.assertEqual(harness.read_exactly(control, 2), b"\x05\x00")
        reply = harness.read_exactly(control, 10)
        self.assertEqual(reply[:4], b"\x05\x00\x00\x01")
        relay = (socket.inet_ntoa(reply[4:8]), struct.unpack(">H", reply[8:])[0])
        near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        near.settimeout(10)
        self.addCleanup(near.close)
        header = (b"\0\0\0\x01" + socket.inet_aton("127.0.0.1")
                  + struct.pack(">H", far.getsockname()[1]))
        for size in (0, 1, 512, 1400, 9000):
            payload = bytes([size % 251]) * size
            near.sendto(header + payload, relay)
            data, source = far.recvfrom(65536)
            self.assertEqual(data, payload)
            far.sendto(data[::-1], source)
            back, _ = near.recvfrom(65536)
            self.assertEqual(back, header + payload[::-1])

    def test_a_fragmented_datagram_is_dropped(self):
        control = socket.create_connection(("127.0.0.1", self.socks), timeout=10)
        self.addCleanup(control.close)
        control.sendall(b"\x05\x01\x00" + b"\x05\x03\x00\x01\0\0\0\0\0\0")
        harness.read_exactly(control, 2)
        reply = harness.read_exactly(control, 10)
        relay = (socket.inet_ntoa(reply[4:8]), struct.unpack(">H", reply[8:])[0])
        far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        far.bind(("127.0.0.1", 0))
        far.settimeout(10)
        self.addCleanup(far.close)
        near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(near.close)
        address = socket.inet_aton("127.0.0.1") + struct.pack(">H", far.getsockname()[1])
        near.sendto(b"\0\0\x01\x01" + address + b"fragment", relay)
        near.sendto(b"\0\0\0\x01" + address + b"whole", relay)
        self.assertEqual(far.recvfrom(100)[0], b"whole")


class Names(unittest.TestCase):
    @harness.needs_private_mounts
    @harness.needs("mount")
    @harness.needs_file("/etc/hosts")
    def test_names_are_resolved_at_the_server(self):
        # The server alone has a hosts file with this name: a mount that only it sees.
        name = "known-to-the-server.example"
        with tempfile.NamedTemporaryFile("w") as hosts, harness.TcpServer(harness.echo) as far:
            hosts.write(f"127.0.0.1 localhost {name}\n")
            hosts.flush()
            os.chmod(hosts.name, 0o644)
            inside = ["unshare", "--mount", "sh", "-c",
                      f'mount --bind {hosts.name} /etc/hosts && exec "$@"', "sh"]
            with harness.pair(server_prefix=inside) as (server, client, socks):
                s = harness.socks_connect(socks, name, far.port)
                s.sendall(b"ping")
                self.assertEqual(harness.read_exactly(s, 4), b"ping")
                s.close()


if __name__ == "__main__":
    harness.run_tests()
