#!/usr/bin/env python3
"""What a stranger gets from a server whose site is another web server on the machine."""
import contextlib
import http.client
import pathlib
import shutil
import socket
import ssl
import tempfile
import threading
import time
import unittest

import harness

SIZE = 8 << 20
# A gap that does not come from a busy machine, in seconds; chores come once a second.
LONG = 0.4
upload_gaps = []
pause = threading.Event()  # Never set: who waits for it is slow.


@contextlib.contextmanager
def site(upstream=None, **limits):
    """A server that is up and has no client, with this upstream port; yields it and its port."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="karst-"))
    server, port = harness.Node(work / "server"), harness.free_port()
    try:
        server.run("init", "server", "--name", "cover.example", "--listen", f"127.0.0.1:{port}",
                   "--address", f"127.0.0.1:{port}")
        if upstream is not None:
            server.set("cover", upstream=f"http://127.0.0.1:{upstream}")
        if limits:
            server.set("limits", **limits)
        server.up()
        server.wait_up()
        yield server, port
    finally:
        server.stop()
        shutil.rmtree(work, ignore_errors=True)


def read_head(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError("no request")
        head += piece
    head, _, rest = head.partition(b"\r\n\r\n")
    return head.lower(), rest


def serve(connection):
    """One request: GET is answered with SIZE bytes, POST with how many bytes came, read slowly."""
    head, rest = read_head(connection)
    if head.startswith(b"get"):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % SIZE)
        connection.sendall(b"x" * SIZE)
        return
    wanted = next(int(line.split(b":")[1]) for line in head.split(b"\r\n")
                  if line.startswith(b"content-length"))
    count, last = len(rest), time.monotonic()
    while count < wanted:
        count += len(connection.recv(32768))
        if time.monotonic() - last > LONG:
            upload_gaps.append(time.monotonic() - last)
        pause.wait(0.001)
        last = time.monotonic()
    text = b"%d" % count
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))


def blind_context():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@contextlib.contextmanager
def tls(port):
    context = blind_context()
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=60)
    with contextlib.closing(connection):
        yield connection


class Upstream(unittest.TestCase):
    """A transfer must not wait for the once-a-second chores each time a buffer was full."""

    def test_a_download_does_not_stall_when_the_client_is_slower_than_the_upstream(self):
        with harness.TcpServer(serve) as upstream, site(upstream.port) as (_, port), \
                tls(port) as connection:
            connection.request("GET", "/")
            response = connection.getresponse()
            started, last, gaps, total = time.monotonic(), time.monotonic(), [], 0
            while piece := response.read(64 * 1024):
                total += len(piece)
                pause.wait(0.008)  # A client that takes 8 MB/s.
                gaps.append(time.monotonic() - last)
                last = time.monotonic()
            self.assertEqual(total, SIZE)
            long = [gap for gap in gaps if gap > LONG]
            self.assertLess(len(long), 3, f"{time.monotonic() - started:.1f} s, gaps {long}")

    def test_an_upload_does_not_stall_when_the_upstream_is_slower_than_the_client(self):
        with harness.TcpServer(serve) as upstream, site(upstream.port) as (_, port):
            # So that the kernel does not hold the whole body.
            upstream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
            for _ in range(5):
                with tls(port) as connection:
                    connection.request("POST", "/", body=b"y" * (SIZE - 1))
                    self.assertEqual(connection.getresponse().read(), b"%d" % (SIZE - 1))
            self.assertLess(len(upload_gaps), 3, upload_gaps)


class Memory(unittest.TestCase):
    def test_what_visitors_hold_is_bounded_and_others_still_get_pages(self):
        # Visitors may hold 4 MiB; 200 of them want to hold 30 KiB of a request and the buffers.
        with site(memory="16 MiB") as (server, port), contextlib.ExitStack() as stack:
            context = blind_context()
            for _ in range(200):
                s = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                with contextlib.suppress(OSError):
                    s = stack.enter_context(context.wrap_socket(s))
                    s.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 30_000)
            harness.wait_until(lambda: "too-much-memory" in
                               server.log(), 10, "end of a connection")

            # The one that holds most ends. While the others' last bytes arrive, that may be the one
            # whose page is under way.
            def page():
                lost = contextlib.suppress(http.client.HTTPException, OSError)
                with tls(port) as connection, lost:
                    connection.request("GET", "/")
                    return connection.getresponse().status
            self.assertEqual(harness.wait_until(page, 5, "page"), 200)


if __name__ == "__main__":
    harness.run_tests()
