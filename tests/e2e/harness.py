"""Starts real karst processes and real peers for the end-to-end tests, the demo and the benchmarks.

Everything waits for a condition with a deadline; nothing sleeps for a fixed time. Every process
that is started here is ended here, by its pid.
"""
import contextlib
import ctypes
import hashlib
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def needs(*programs):
    """Skips a test where a program is not installed; run_tests() tells ctest."""
    missing = [p for p in programs if find_program(p) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


needs_root = unittest.skipIf(os.geteuid() != 0, "needs root")


def needs_file(path):
    return unittest.skipUnless(os.path.exists(path), f"there is no {path}")


def needs_private_mounts(test):
    """Skips where no mount can be made private: without root, or where "/" is no mount of its own,
    as in a plain chroot."""
    can = os.geteuid() == 0 and find_program("unshare") is not None and subprocess.run(
        ["unshare", "--mount", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    return unittest.skipUnless(can, "no private mounts can be made here")(test)


def run_tests():
    """unittest.main() that ends with 77, which ctest reports as skipped, if a test was skipped and
    none failed."""
    result = unittest.main(exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)


def default_binary():
    return os.environ.get("KARST", str(ROOT / "build" / "release" / "karst"))


def wait_until(condition, seconds, what):
    """Returns condition()'s first true value; fails loudly after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"no {what} within {seconds} s")
        select.select([], [], [], 0.01)


def free_port(host="127.0.0.1", kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind((host, 0))
        return s.getsockname()[1]


def accepts(port, host="127.0.0.1"):
    """Whether something listens there."""
    with socket.socket() as s:
        return s.connect_ex((host, port)) == 0


class Node:
    """One karst directory and, while it is up, its daemon."""

    def __init__(self, directory, binary=None, prefix=()):
        self.dir = pathlib.Path(directory)
        self.binary = binary or default_binary()
        self.prefix = list(prefix)  # e.g. ["ip", "netns", "exec", "NAME"]
        self.process = None
        self.log_path = self.dir.with_suffix(".log")

    def command(self, *args):
        return [*self.prefix, self.binary, *args, "--dir", str(self.dir)]

    def run(self, *args, check=True, input=None, timeout=60):
        done = subprocess.run(self.command(*args), capture_output=True, text=True, input=input,
                              timeout=timeout)
        if check and done.returncode != 0:
            raise RuntimeError(
                f"{' '.join(args)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def set(self, section, **values):
        """Sets keys of one section of the configuration file, keeping the rest."""
        path = next(p for p in (self.dir / "server.toml", self.dir / "client.toml") if p.exists())
        lines = path.read_text().splitlines()
        for key, value in values.items():
            text = f"{key} = {json.dumps(value)}"
            start = next((i for i, l in enumerate(lines) if l.strip() == f"[{section}]"), None)
            if start is None:
                lines += ["", f"[{section}]"]
                start = len(lines) - 1
            end = next((i for i in range(start + 1, len(lines)) if lines[i].startswith("[")),
                       len(lines))
            at = next((i for i in range(start + 1, end)
                       if lines[i].split("=")[0].strip() == key), None)
            if at is None:
                lines.insert(start + 1, text)
            else:
                lines[at] = text
        path.write_text("\n".join(lines) + "\n")

    def up(self, *options):
        log = open(self.log_path, "ab")
        self.process = subprocess.Popen(self.command("up", *options), stdin=subprocess.DEVNULL,
                                        stdout=log, stderr=log)
        log.close()

    def status(self):
        done = self.run("status", "--json", check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def wait_up(self, seconds=10):
        def ready():
            if self.process.poll() is not None:
                raise RuntimeError(f"karst up ended with {self.process.returncode}:\n{self.log()}")
            status = self.status()
            return status and status.get("ready") and status
        return wait_until(ready, seconds, f"ready daemon in {self.dir}")

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def pid(self):
        """The daemon's own pid (not that of a wrapper such as `ip netns exec`)."""
        return self.status()["pid"]

    def stop(self, how=signal.SIGTERM, seconds=15):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process = None


def start_and_enrol(test, server, client):
    """Starts both and waits until the client, which has only its invite, is enrolled; the end of
    the test ends them."""
    for node in (server, client):
        node.up()
        test.addCleanup(node.stop)
        node.wait_up()
    wait_until(lambda: client.status()["enrolled"], 5, "enrolment")


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def pair(policy="extreme", allow=("127.0.0.1/32",), binary=None, server_settings=None,
         client_settings=None, keep=None, server_prefix=(), client_prefix=()):
    """A server and an enrolled client on loopback, both up; yields (server, client, socks port)."""
    work = pathlib.Path(keep or tempfile.mkdtemp(prefix="karst-"))
    server = Node(work / "server", binary, server_prefix)
    client = Node(work / "client", binary, client_prefix)
    port, socks = free_port(), free_port()
    try:
        server.run("init", "server", "--name", "cover.example", "--listen", f"127.0.0.1:{port}",
                   "--address", f"127.0.0.1:{port}")
        server.set("server", policy=policy)
        server.set("egress", allow=list(allow))
        for section, values in (server_settings or {}).items():
            server.set(section, **values)
        uri = server.run("invite", "alice").stdout.strip()
        server.up()
        server.wait_up()
        client.run("join", "-", "--socks", f"127.0.0.1:{socks}", input=uri + "\n")
        client.set("client", policy=policy)
        for section, values in (client_settings or {}).items():
            client.set(section, **values)
        client.up()
        client.wait_up()
        yield server, client, socks
    finally:
        client.stop()
        server.stop()
        if keep is None:
            shutil.rmtree(work, ignore_errors=True)


def connect(port, timeout=30, receive_buffer=None):
    s = socket.socket()
    s.settimeout(timeout)
    if receive_buffer:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    s.connect(("127.0.0.1", port))
    return s


def has_ended_output(s):
    """Whether the other side of this connection on 127.0.0.1, in this network namespace, has ended
    its output, although the end may wait behind bytes that nobody has read."""
    local, remote = (f"0100007F:{name[1]:04X}" for name in (s.getpeername(), s.getsockname()))
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[1:3] == [local, remote]:
            return fields[3] in ("04", "05")  # FIN_WAIT1, FIN_WAIT2
    return False


def socks_connect(socks_port, host, port, timeout=30, receive_buffer=None):
    """A TCP connection through a SOCKS5 proxy on loopback; raises OSError with the reply code."""
    s = connect(socks_port, timeout, receive_buffer)
    name = host.encode()
    s.sendall(b"\x05\x01\x00")
    if read_exactly(s, 2) != b"\x05\x00":
        raise OSError("SOCKS greeting refused")
    s.sendall(b"\x05\x01\x00\x03" + bytes([len(name)]) + name + struct.pack(">H", port))
    head = read_exactly(s, 4)
    read_exactly(s, {1: 4, 4: 16}[head[3]] + 2)
    if head[1] != 0:
        s.close()
        raise OSError(head[1], f"SOCKS reply {head[1]}")
    return s


def read_exactly(s, count):
    out = bytearray()
    while len(out) < count:
        more = s.recv(count - len(out))
        if not more:
            raise ConnectionError(f"end of stream after {len(out)} of {count} bytes")
        out += more
    return bytes(out)


def read_line(s):
    out = b""
    while not out.endswith(b"\n"):
        out += read_exactly(s, 1)
    return out


class TcpServer:
    """Accepts on loopback and runs handler(socket) in a thread for each connection."""

    def __init__(self, handler, host="127.0.0.1"):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.create_server((host, 0), family=family, backlog=256)
        self.port = self.socket.getsockname()[1]
        self.handler = handler
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, contextlib.suppress(OSError):
            self.handler(connection)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def echo(connection):
    while data := connection.recv(65536):
        connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)


def pattern_file(size, seed=1):
    """An anonymous file of `size` pseudo-random bytes and its SHA-256."""
    descriptor = os.memfd_create("pattern")
    block = hashlib.shake_256(str(seed).encode()).digest(1 << 20)
    digest = hashlib.sha256()
    left, index = size, 0
    while left > 0:
        piece = (index.to_bytes(8, "big") + block)[:min(left, len(block))]
        os.write(descriptor, piece)
        digest.update(piece)
        left -= len(piece)
        index += 1
    return descriptor, digest.hexdigest()


def send_file(s, descriptor, size):
    s.settimeout(None)
    offset = 0
    while offset < size:
        offset += os.sendfile(s.fileno(), descriptor, offset, min(1 << 20, size - offset))


def receive_digest(s, buffer_size=1 << 20):
    """Reads to the end of the stream; (bytes, SHA-256)."""
    digest, total = hashlib.sha256(), 0
    buffer = bytearray(buffer_size)
    view = memoryview(buffer)
    while count := s.recv_into(buffer):
        digest.update(view[:count])
        total += count
    return total, digest.hexdigest()


_LIBC = ctypes.CDLL(None, use_errno=True)


def discard(s, amount=1 << 20):
    """Reads a blocking socket to its end without copying the bytes out of the kernel: with
    MSG_TRUNC a TCP socket drops what it would have copied (tcp(7)). Returns the byte count."""
    s.settimeout(None)
    total = 0
    while True:
        count = _LIBC.recv(s.fileno(), None, ctypes.c_size_t(amount), socket.MSG_TRUNC)
        if count < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        if count == 0:
            return total
        total += count
