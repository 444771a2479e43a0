#!/usr/bin/env python3
"""How long hostile requests hold heed serve up: serve_hostile.py HEED MODEL [options]

Sends requests that cost their sender nothing and are as large as the server lets them be (many
names, deep nesting, many parts, many short texts, ...; tests/e2e/hostile.py has them), asks
/health all the while, and prints a line of JSON for each kind: how long its answer took, and
the median and the longest of /health's times meanwhile. The last line has the most processor
time that one event took of the thread of all sockets. Needs nothing but Python.
"""

import argparse
import json
import multiprocessing
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "e2e"))
import hostile  # noqa: E402


def get(connection, path):
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    length = int(re.search(rb"Content-Length: (\d+)", head)[1])
    while len(body) < length:
        body += connection.recv(65536)
    return body.decode()


def ask_health(port, pause, pipe):
    """Requests /health over one connection until a message comes down the pipe, then sends the
    times."""
    times = []
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pipe.send("ready")
        while not times or not pipe.poll():
            start = time.perf_counter()
            get(connection, "/health")
            times.append(time.perf_counter() - start)
            time.sleep(pause)
    pipe.send(times)


class Health:
    """Requests /health in a separate process, so that Python's lock does not delay it."""

    def __init__(self, port, pause):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=ask_health, args=(port, pause, other))
        self.process.start()
        self.pipe.recv()

    def stop(self):
        self.pipe.send("stop")
        times = self.pipe.recv()
        self.process.join()
        return times


def send(port, data):
    """Returns the status of the answer and its time."""
    start = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(data)
        answer = connection.recv(64)
        while connection.recv(1 << 16):
            pass
    return int(answer.split(b" ", 2)[1]) if answer else 0, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("heed")
    parser.add_argument("model")
    parser.add_argument("--bytes", type=int, default=1 << 20, help="size of a request's body")
    parser.add_argument("--clients", type=int, default=1, help="who send each at the same time")
    parser.add_argument("--pause", type=float, default=0.001, help="seconds between /health")
    parser.add_argument("--option", action="append", default=[], help="of heed serve, as --threads=1")
    args = parser.parse_args()
    server = subprocess.Popen(
        [args.heed, "serve", args.model, "--port", "0", "--log-level", "off",
         "--request-timeout", "5", *args.option], stdout=subprocess.PIPE)
    port = int(server.stdout.readline().decode().rsplit(":", 1)[1].rstrip("/\n"))
    requests = [(name, hostile.request(path, kind, body))
                for name, path, kind, body in hostile.bodies(args.bytes)]
    requests += list(hostile.heads(16000))
    requests.append(("a chunk for each byte", hostile.chunked(
        "/translate", hostile.JSON, b" " * (args.bytes // 16))))
    try:
        for name, data in [("nothing", None), *requests]:
            health = Health(port, args.pause)
            status, seconds = None, 0.5
            if data is None:
                time.sleep(seconds)
            else:
                others = [threading.Thread(target=send, args=(port, data))
                          for _ in range(args.clients - 1)]
                for other in others:
                    other.start()
                status, seconds = send(port, data)
                for other in others:
                    other.join()
            times = health.stop()
            print(json.dumps({"what": name, "status": status, "ms": round(1e3 * seconds, 1),
                              "health_median_ms": round(1e3 * statistics.median(times), 2),
                              "health_longest_ms": round(1e3 * max(times), 2)}), flush=True)
        with socket.create_connection(("127.0.0.1", port)) as connection:
            for line in get(connection, "/metrics").splitlines():
                if line.startswith("heed_longest_event_seconds "):
                    print(json.dumps({"longest_event_ms": round(1e3 * float(line.split()[1]), 2)}))
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
