#!/usr/bin/env python3
"""What applications on the client's machine are told, and what others on it cannot do."""
import contextlib
import signal
import socket
import struct
import threading
import unittest

import harness


def udp_socket(case):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 0))
    s.settimeout(10)
    case.addCleanup(s.close)
    return s


def associate(case, socks, port=0):
    """Asks for a UDP association, naming this source port; its control connection and address."""
    control = socket.create_connection(("127.0.0.1", socks), timeout=20)
    case.addCleanup(control.close)
    control.sendall(b"\x05\x01\x00" + b"\x05\x03\x00\x01\0\0\0\0" + struct.pack(">H", port))
    harness.read_exactly(control, 2)
    reply = harness.read_exactly(control, 10)
    return reply[1], (socket.inet_ntoa(reply[4:8]), struct.unpack(">H", reply[8:])[0]), control


class UdpSource(unittest.TestCase):
    def exchange(self, stated):
        """Two programs send to one association: who gets through, and who gets the answers."""
        with harness.pair() as (server, client, socks):
            far, near, other = udp_socket(self), udp_socket(self), udp_socket(self)
            code, relay, control = associate(self, socks, near.getsockname()[1] if stated else 0)
            self.assertEqual(code, 0)
            header = b"\0\0\0\x01" + socket.inet_aton("127.0.0.1") + struct.pack(
                ">H", far.getsockname()[1])
            if stated:
                other.sendto(header + b"before", relay)
            near.sendto(header + b"first", relay)
            other.sendto(header + b"stolen", relay)
            near.sendto(header + b"second", relay)
            self.assertEqual(far.recvfrom(100)[0], b"first")
            data, source = far.recvfrom(100)
            self.assertEqual(data, b"second")
            far.sendto(b"answer", source)
            self.assertEqual(near.recv(100), header + b"answer")
            control.close()

    def test_without_a_stated_port_the_first_sender_keeps_the_association(self):
        self.exchange(stated=False)

    def test_a_stated_port_is_the_only_one_that_counts(self):
        self.exchange(stated=True)


@contextlib.contextmanager
def port_that_does_not_answer():
    """A port whose queue of connections is full: another attempt gets no answer at all."""
    with socket.socket() as listener, contextlib.ExitStack() as stack:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            s = stack.enter_context(socket.socket())
            s.setblocking(False)
            s.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


class LostLink(unittest.TestCase):
    def ask(self, request, answer_size):
        """What an application is told whose request is not answered when the server dies."""
        with harness.pair() as (server, client, socks), port_that_does_not_answer() as port:
            s = socket.create_connection(("127.0.0.1", socks), timeout=20)
            self.addCleanup(s.close)
            s.sendall(request(port))
            harness.wait_until(lambda: client.status()["links"][0]["streams"] == 1, 5, "stream")
            server.stop(signal.SIGKILL)
            return harness.read_exactly(s, answer_size)

    def test_socks_says_that_the_network_is_unreachable(self):
        answer = self.ask(lambda port: b"\x05\x01\x00\x05\x01\x00\x01\x7f\0\0\x01"
                          + struct.pack(">H", port), 12)
        self.assertEqual(answer[2:4], b"\x05\x03")

    def test_http_says_bad_gateway(self):
        answer = self.ask(lambda port: b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\n" % port,
                          12)
        self.assertEqual(answer, b"HTTP/1.1 502")

    def test_an_association_waits_for_a_link_as_a_connection_does(self):
        with harness.pair() as (server, client, socks):
            server.stop()
            harness.wait_until(lambda: not client.status()["ready"], 5, "end of the tunnel")
            codes = []
            thread = threading.Thread(target=lambda: codes.append(associate(self, socks)[0]))
            thread.start()
            server.up()
            thread.join(15)
            self.assertEqual(codes, [0])


if __name__ == "__main__":
    harness.run_tests()
