"""A running heed serve, and byte-level requests to it."""

import json
import socket
import subprocess
import tempfile

from harness import TIMEOUT, WORLD, strict_json


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers  # by lower-case name
        self.body = body

    def json(self):
        return strict_json(self.body.decode())


def read_answer(stream, head_only=False):
    """Reads the next response of a connection, skipping interim responses."""
    while True:
        line = stream.readline()
        if not line:
            return None
        version, status, _ = line.decode().split(" ", 2)
        assert version in ("HTTP/1.1", "HTTP/1.0"), line
        headers = {}
        while (line := stream.readline()) not in (b"\r\n", b""):
            name, value = line.decode().rstrip("\r\n").split(": ", 1)
            headers[name.lower()] = value
        if not status.startswith("1"):
            break
    if head_only or status in ("204", "304"):
        body = b""
    elif "content-length" in headers:
        body = stream.read(int(headers["content-length"]))
    elif headers.get("transfer-encoding") == "chunked":
        body = b""
        while (size := int(stream.readline(), 16)) > 0:
            body += stream.read(size)
            assert stream.readline() == b"\r\n"
        assert stream.readline() == b"\r\n"
    else:
        body = stream.read()
    return Answer(int(status), headers, body)


class Server:
    """A running server. Leaving the block stops it and checks for a clean exit."""

    def __init__(self, *args, models=None, env=None):
        self.errors = tempfile.TemporaryFile(dir=WORLD.work)
        self.process = subprocess.Popen(
            [WORLD.heed, "serve", *map(str, models or [WORLD.model]), "--port", "0",
             "--threads", "1", *map(str, args)], stdout=subprocess.PIPE, stderr=self.errors,
            env=env)
        self.announced = self.process.stdout.readline().decode().rstrip("\n")
        port = self.announced.rsplit(":", 1)[-1].rstrip("/")
        self.port = int(port) if port.isdigit() else 0
        self.log = b""  # set after the server has stopped

    def __enter__(self):
        assert self.announced, self.read_log()
        return self

    def read_log(self):
        self.errors.seek(0)
        return self.errors.read()

    def __exit__(self, *exception):
        self.process.terminate()
        status = self.process.wait(TIMEOUT)
        self.process.stdout.close()
        self.log = self.read_log()
        self.errors.close()
        if exception[0] is None:
            assert status == 0, (status, self.log)

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def raw(self, data, head_only=False):
        """Sends bytes; returns the response, or None if the server closed the connection."""
        with self.connect() as connection:
            connection.sendall(data)
            return read_answer(connection.makefile("rb"), head_only)

    def ask(self, method, target, body=None, **headers):
        if isinstance(body, dict):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        body = body.encode() if isinstance(body, str) else body
        lines = [f"{method} {target} HTTP/1.1", "Host: x", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        return self.raw("\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b""),
                        method == "HEAD")

    def get(self, target, **headers):
        return self.ask("GET", target, **headers)

    def post(self, target, body, **headers):
        return self.ask("POST", target, body, **headers)

    def translate(self, q, **more):
        return self.post("/translate", {"q": q, "source": "source", "target": "target", **more})

    def metric(self, name):
        for line in self.get("/metrics").body.decode().splitlines():
            if line.startswith(name + " "):
                return float(line.rsplit(" ", 1)[1])
        return None

    def until(self, condition):
        """Polls a condition; the time limit of the test ends an endless wait."""
        for _ in range(100000):
            if condition():
                return
        raise AssertionError("it never came")


def events(body):
    """Returns (name, data) pairs of an event stream."""
    found = []
    for block in body.decode().split("\n\n"):
        if block:
            name, data = block.split("\n")
            found.append((name.removeprefix("event: "),
                          strict_json(data.removeprefix("data: "))))
    return found


POST = ("POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n")


def translation(q):
    body = json.dumps({"q": q, "source": "source", "target": "target"})
    return (POST.format(len(body)) + body).encode()
