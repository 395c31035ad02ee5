#!/usr/bin/env python3
"""Standard input and output through a SOCKS5 proxy: socks_pipe.py PROXY-PORT HOST PORT.

For ssh -o ProxyCommand."""
import os
import socket
import sys
import threading

import harness


def main():
    s = harness.socks_connect(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    s.settimeout(None)

    def outward():
        while data := os.read(0, 65536):
            s.sendall(data)
        s.shutdown(socket.SHUT_WR)

    threading.Thread(target=outward, daemon=True).start()
    while data := s.recv(65536):
        os.write(1, data)


if __name__ == "__main__":
    main()
