#!/usr/bin/env python3
"""How soon heed serve's models are free again: cancellation.py HEED MODEL... [options]

Of each model (a folder, of any task), requests of every kind that take long:
  left      the client goes away in the middle: time until the model is free
  expired   the time limit comes: time from the 503 until the model is free
  beside    times of small requests while the long one is computed
Needs nothing but Python. Prints a line of JSON for each.
"""

import argparse
import http.client
import json
import pathlib
import socket
import subprocess
import sys
import time

SENTENCE = "a man in a blue shirt stands on a ladder and cleans a window of a house . "
METHODS = ["saliency", "gradient_x_input", "integrated_gradients", "smooth_grad", "occlusion"]
OPTIONS = ({}, {"beam": 32, "max_length_factor": 10}, {"sample": True, "max_length_factor": 10},
           {"mode": "complete", "beam": 32, "max_tokens": 1000},
           {"mode": "sample", "samples": 10, "length": 1000}, {"mode": "score"})


class Server:
    def __init__(self, heed, model, *options):
        self.process = subprocess.Popen(
            [heed, "serve", model, "--port", "0", "--log-level", "off", *map(str, options)],
            stdout=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        self.port = int(line.rsplit(":", 1)[1].strip("/\n"))
        self.watch = http.client.HTTPConnection("127.0.0.1", self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watch.close()
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def model(self):
        self.watch.request("GET", "/models")
        return json.load(self.watch.getresponse())["models"][0]

    def begin(self, path, body):
        """Sends a request and does not wait for its answer."""
        data = json.dumps(body).encode()
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                           f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
        return connection

    def ask(self, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    def until_free(self):
        """Returns the seconds until the queue is empty."""
        start = time.monotonic()
        while self.model()["queue"] > 0:
            time.sleep(0.001)
        return time.monotonic() - start

    def until_busy(self, seconds):
        """True if the model starts to work within this time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.model()["queue"] > 0:
                return True
        return False


def long_text(model, characters):
    """Returns the model's example with each part repeated up to this length."""
    examples = [example["text"] for example in model.get("examples", [])] or [SENTENCE]
    parts = examples[0].split("\t")
    room = characters // len(parts) - 1
    return "\t".join(((part.strip() + " ") * room)[:room].rsplit(" ", 1)[0] for part in parts)


def requests_of(server, series):
    """Yields (name, path, body) of slow requests, and a small request. Requests to /predict use
    all options that the model supports."""
    model = server.model()
    of_text = model["input"]["kind"] == "text"
    small_text = "a dog" if of_text else series.read_text()
    texts = [long_text(model, 999)] * 200 if of_text else [small_text] * 20
    small = ("/predict", {"text": small_text})
    long = []
    for options in OPTIONS:
        status, _ = server.ask("/predict", {"text": small_text, **options})
        if status == 200:
            name = ", ".join(["predict", *(f"{key} {value}" for key, value in options.items())])
            long.append((name, "/predict", {"text": texts, **options}))
    if model.get("translates"):
        pair = {"source": model["source"], "target": model["target"]}
        for name, more in (("greedy", {"beam": 1}), ("beam 16", {"beam": 16}),
                           ("beam 16, stream", {"beam": 16, "stream": True})):
            long.append((name, "/translate", {"q": texts, **pair, **more}))
        long.append(("detect", "/detect", {"q": [SENTENCE * 10] * 3}))
        small = ("/translate", {"q": small_text, **pair})
    what = long_text(model, 990) if of_text else small_text
    for method in METHODS:
        long.append((method, "/explain",
                     {"text": what, "methods": [method], "steps": 256, "samples": 256}))
    return long, small


def report(**row):
    print(json.dumps({key: round(value, 4) if isinstance(value, float) else value
                      for key, value in row.items()}), flush=True)


def measure_left(server, args, long):
    for name, path, body in long:
        times = []
        for delay in args.delays:
            connection = server.begin(path, body)
            if not server.until_busy(2):
                break
            time.sleep(delay)
            busy = server.model()["queue"] > 0
            connection.close()
            free = server.until_free()
            if busy:
                times.append(free)
        report(what="left", task=server.model()["task"], request=name, times=len(times),
               worst_seconds=max(times) if times else None,
               note="" if times else "done or refused before its client left")


def measure_expired(server, long):
    for name, path, body in long:
        start = time.monotonic()
        status, answer = server.ask(path, body)
        seconds = time.monotonic() - start
        error = b"event: error" in answer or status == 503
        report(what="expired", task=server.model()["task"], request=name, status=status,
               answered_after=seconds, free_after=server.until_free() if error else None)


def measure_beside(server, long, small):
    for name, path, body in long:
        connection = server.begin(path, body)
        times = []
        if server.until_busy(2):
            for _ in range(10):
                start = time.monotonic()
                status, answer = server.ask(*small)
                if status != 200:
                    sys.exit(f"{status}: {answer}")
                times.append(time.monotonic() - start)
        still = server.model()["queue"] > 0
        connection.close()
        server.until_free()
        report(what="beside", task=server.model()["task"], request=name, still_computed=still,
               worst_seconds=max(times) if times else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--series", type=pathlib.Path, help="CSV file for models of tables")
    parser.add_argument("--delays", type=float, nargs="+", default=[0, 0.3, 1.1],
                        help="seconds of work before a client leaves")
    args = parser.parse_args()
    free = ("--char-limit", 0, "--explain-limit", 0, "--max-body-bytes", 1 << 26,
            "--idle-timeout", 3600)
    for model in args.models:
        with Server(args.heed, model, "--request-timeout", 3600, *free) as server:
            long, small = requests_of(server, args.series)
            measure_left(server, args, long)
            measure_beside(server, long, small)
        with Server(args.heed, model, "--request-timeout", 2, *free) as server:
            measure_expired(server, long)


if __name__ == "__main__":
    main()
