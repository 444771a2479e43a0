#!/usr/bin/env python3
"""What calls from Python cost: python_calls.py HEED LIBRARY

Prints the time of small calls, the speed of a Python thread beside a translation, and the
rate of eight Python threads on one model beside that of eight clients of `heed serve`.
The model is a Transformer with random weights. Needs numpy.
"""

import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CLIENTS = 8


def microseconds(call, count=2000, rounds=7):
    """Least mean time of a call."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, time.perf_counter() - start)
    return best / count * 1e6


def small_calls(heed, numpy):
    q = numpy.zeros((1, 1, 8), numpy.float32)
    array = heed.Array(q)
    print(f"attend, numpy {microseconds(lambda: heed.attend(q, q, q)):.1f} us, "
          f"heed.Array {microseconds(lambda: heed.attend(array, array, array)):.1f} us, "
          f"ops.add {microseconds(lambda: heed.ops.add(array, array)):.1f} us")


def counted(seconds, ends=None):
    """Steps per second of a thread that computes in Python."""
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds if ends is None else not ends.is_set():
        for _ in range(1000):
            steps += 1
    return steps / (time.perf_counter() - start)


def beside_a_translation(model, texts):
    alone = counted(2)
    ends = threading.Event()

    def translate():
        model.translate(texts * 4, beam=4)
        ends.set()

    worker = threading.Thread(target=translate)
    worker.start()
    beside = counted(0, ends)
    worker.join()
    print(f"a Python thread beside a translation: {beside / alone:.2f} of its rate alone")


def rate(ask, texts):
    """Texts per second of eight threads."""
    start = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(ask, texts))
    return len(texts) / (time.perf_counter() - start), answers


def of_server(program, folder, texts):
    server = subprocess.Popen([program, "serve", folder, "--port", "0", "--threads", "1"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True)
    try:
        port = next(int(found[1]) for line in server.stdout
                    if (found := re.search(r"http://[^ ]*:(\d+)", line)))
        threading.Thread(target=server.stdout.read, daemon=True).start()
        mine = threading.local()

        def ask(text):
            if not hasattr(mine, "connection"):
                mine.connection = http.client.HTTPConnection("127.0.0.1", port)
            mine.connection.request("POST", "/predict", json.dumps({"text": text}),
                                    {"Content-Type": "application/json"})
            return json.load(mine.connection.getresponse())["answer"]

        rate(ask, texts[:16])
        return rate(ask, texts)
    finally:
        server.terminate()
        server.wait()


def main():
    program, library = sys.argv[1:]
    os.environ["HEED_LIBRARY"] = os.path.abspath(library)
    sys.path.insert(0, str(ROOT / "python"))
    import numpy

    import heed
    heed.threads(1)
    small_calls(heed, numpy)
    words = [f"w{i}" for i in range(500)]
    texts = [" ".join(words[(7 * i + 3 * j) % 500] for j in range(12)) for i in range(200)]
    with tempfile.TemporaryDirectory() as folder:
        model = heed.train("translate", texts, texts, model="transformer", vocabulary="words",
                           width=256, layers=3, steps=1, progress=False, out=folder + "/m")
        beside_a_translation(model, texts)
        served, expected = of_server(program, folder + "/m", texts)
        called, answers = rate(lambda text: model.predict(text).text, texts)
        assert answers == expected
        print(f"eight threads: {called:.0f} texts/s from Python, {served:.0f} by the server "
              f"({called / served:.2f})")


if __name__ == "__main__":
    main()
