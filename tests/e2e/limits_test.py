#!/usr/bin/env python3
"""What a server allows to many at once, and what it answers to those who leave early."""
import os
import shutil
import signal
import socket
import ssl
import subprocess
import unittest

import harness


def server_port(server):
    return int(server.status()["listen"][0].rsplit(":", 1)[1])


def tls(port, alpn):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols([alpn])
    raw = socket.create_connection(("127.0.0.1", port), timeout=10)
    return context.wrap_socket(raw, server_hostname="cover.example")


class Limits(unittest.TestCase):
    def test_an_address_may_have_so_many_connections_and_clients_do_not_count(self):
        settings = {"limits": {"connections_per_address": 3}}
        with harness.pair(server_settings=settings) as (server, client, socks):
            port = server_port(server)
            held = [tls(port, "http/1.1") for _ in range(3)]
            with self.assertRaises((ConnectionError, ssl.SSLError, OSError)):
                tls(port, "http/1.1")
            self.assertTrue(client.status()["ready"])
            held.pop().close()
            harness.wait_until(lambda: self.connects(port), 5, "room for another connection")
            for s in held:
                s.close()

    def test_one_link_more_than_a_client_may_have_ends_its_oldest(self):
        settings = {"limits": {"links_per_client": 1}}
        with harness.pair(server_settings=settings) as (server, client, socks):
            twin = harness.Node(client.dir.parent / "twin")
            shutil.copytree(client.dir, twin.dir, ignore=shutil.ignore_patterns("*.sock", "run"))
            twin.set("proxy", listen=[f"127.0.0.1:{harness.free_port()}"])
            try:
                twin.up()
                twin.wait_up()
                harness.wait_until(lambda: "too-many-links" in server.log(), 5, "word of it")
                self.assertIn("link-down", client.log())
            finally:
                twin.stop()

    def test_a_control_socket_full_of_silent_connections_still_answers(self):
        with harness.pair() as (server, client, socks):
            for node in (server, client):
                path = str(node.dir / "run" / "control.sock")
                held = []
                for _ in range(40):
                    s = socket.socket(socket.AF_UNIX)
                    s.connect(path)
                    s.settimeout(10)
                    held.append(s)
                self.assertTrue(node.run("status").stdout)
                # Nobody stays for long without asking.
                for s in held:
                    self.assertEqual(s.recv(1), b"")
                    s.close()

    @harness.needs("prlimit")
    def test_a_client_that_uses_up_the_descriptors_can_be_seen_and_shut_out(self):
        with harness.pair(server_prefix=["prlimit", "--nofile=64:64"]) as (server, client, socks), \
                harness.TcpServer(harness.echo) as far:
            held = []
            with self.assertRaises(OSError):
                for _ in range(100):
                    held.append(harness.socks_connect(socks, "127.0.0.1", far.port))
            strangers = [socket.create_connection(("127.0.0.1", server_port(server)))]
            harness.wait_until(lambda: "too-many-files" in server.log(), 5, "word of it")
            self.assertTrue(server.status()["ready"])
            server.run("revoke", "alice")
            for s in held:
                self.assertRaises(OSError, lambda: harness.read_exactly(s, 1))
            harness.wait_until(lambda: self.connects(server_port(server)), 10, "room again")
            self.assertEqual(server.log().count("too-many-files"), 1)
            for s in held + strangers:
                s.close()

    @staticmethod
    def connects(port):
        try:
            tls(port, "http/1.1").close()
            return True
        except OSError:
            return False


class Http1(unittest.TestCase):
    def test_requests_that_came_before_the_end_of_the_input_are_all_answered(self):
        with harness.pair() as (server, client, socks):
            s = tls(server_port(server), "http/1.1")
            s.sendall(b"GET / HTTP/1.1\r\nHost: cover.example\r\n\r\n" * 1000)
            # The end of TCP without the end of TLS, behind the requests.
            os_level = socket.socket(fileno=os.dup(s.fileno()))
            os_level.shutdown(socket.SHUT_WR)
            os_level.close()
            answers = b""
            try:
                while part := s.recv(65536):
                    answers += part
            except ssl.SSLError:
                pass
            s.close()
            self.assertEqual(answers.count(b"HTTP/1.1 200 OK"), 1000)


class ClosedPipe(unittest.TestCase):
    def test_a_server_whose_log_nobody_reads_any_more_goes_on(self):
        with harness.pair() as (server, client, socks):
            server.stop()
            read_end, write_end = os.pipe()
            server.process = subprocess.Popen(server.command("up"), stdin=subprocess.DEVNULL,
                                              stdout=write_end, stderr=write_end)
            os.close(write_end)
            server.wait_up()
            os.close(read_end)
            for _ in range(3):  # each writes a line
                server.process.send_signal(signal.SIGHUP)
                server.status()
            harness.wait_until(lambda: client.status()["ready"], 10, "tunnel")
            self.assertIsNone(server.process.poll())


if __name__ == "__main__":
    harness.run_tests()
