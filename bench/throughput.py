#!/usr/bin/env python3
"""Throughput of one tunnel on loopback, both ends on this machine, through real sockets.

For each direction and policy: one SOCKS5 stream (or --streams) carries --mib of data from a sender
that hands file pages to the kernel (sendfile) to a receiver that drops them in the kernel
(MSG_TRUNC), so that nearly all CPU time is the tunnel's. Prints rate, CPU seconds per GB of either
end, epochs crossed and what limited the sender. Bytes are counted here and compared in the
end-to-end tests.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "e2e"))
import harness  # noqa: E402


def transfer(socks, direction, size, streams, descriptor):
    """Seconds that `streams` connections take to move `size` bytes each."""
    done = []

    def far(connection):
        if direction == "down":
            harness.send_file(connection, descriptor, size)
            connection.shutdown(harness.socket.SHUT_WR)
            harness.discard(connection)
        else:
            done.append(harness.discard(connection))
            connection.sendall(b"k")

    def near(index):
        s = sockets[index]
        if direction == "down":
            s.shutdown(harness.socket.SHUT_WR)
            done.append(harness.discard(s))
        else:
            harness.send_file(s, descriptor, size)
            s.shutdown(harness.socket.SHUT_WR)
            harness.read_exactly(s, 1)
        s.close()

    with harness.TcpServer(far) as server:
        sockets = [harness.socks_connect(socks, "127.0.0.1", server.port) for _ in range(streams)]
        for s in sockets:
            s.settimeout(300)
        start = time.monotonic()
        threads = [threading.Thread(target=near, args=(i,)) for i in range(streams)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        seconds = time.monotonic() - start
    if sum(done) != size * streams:
        raise RuntimeError(f"{sum(done)} bytes arrived of {size * streams}")
    return seconds


def measure(server, client, socks, direction, size, streams, descriptor):
    pids = server.pid(), client.pid()
    cpu_before = [harness.cpu_seconds(p) for p in pids]
    before = client.status(), server.status()
    seconds = transfer(socks, direction, size, streams, descriptor)
    cpu = [harness.cpu_seconds(p) - b for p, b in zip(pids, cpu_before)]
    after = client.status(), server.status()
    total = size * streams
    sender = 0 if direction == "up" else 1
    return {
        "direction": direction, "streams": streams, "bytes": total, "seconds": seconds,
        "gbit_per_s": total * 8 / seconds / 1e9,
        "client_cpu_s_per_gb": cpu[0] / total * 1e9, "server_cpu_s_per_gb": cpu[1] / total * 1e9,
        "epochs": epochs(after[sender]) - epochs(before[sender]),
        "limiter": limits(after[sender]),
    }


def epochs(status):
    return sum(link["send"]["epoch"] for link in status["links"])


def limits(status):
    link = status["links"][0]
    return {k: v for k, v in link["limiter"]["recent"].items() if v >= 0.005}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--streams", type=int, default=1)
    parser.add_argument("--policies", default="extreme,normal")
    parser.add_argument("--directions", default="down,up")
    parser.add_argument("--json", action="store_true", help="one JSON object per run")
    options = parser.parse_args()
    size = options.mib << 20
    descriptor, _ = harness.pattern_file(size)
    for policy in options.policies.split(","):
        with harness.pair(policy=policy) as (server, client, socks):
            for direction in options.directions.split(","):
                runs = [measure(server, client, socks, direction, size, options.streams, descriptor)
                        for _ in range(options.runs)]
                for run in runs:
                    run["policy"] = policy
                    if options.json:
                        print(json.dumps(run), flush=True)
                rates = [r["gbit_per_s"] for r in runs]
                middle = sorted(runs, key=lambda r: r["gbit_per_s"])[len(runs) // 2]
                if not options.json:
                    print(f"{policy:8} {direction:4} {options.streams} stream(s): median "
                          f"{statistics.median(rates):.2f} Gbit/s (min {min(rates):.2f}, max "
                          f"{max(rates):.2f}); CPU s/GB client {middle['client_cpu_s_per_gb']:.2f} "
                          f"server {middle['server_cpu_s_per_gb']:.2f}; {middle['epochs']} epochs; "
                          f"limited by {middle['limiter']}", flush=True)
    os.close(descriptor)


if __name__ == "__main__":
    main()
