#!/usr/bin/env python3
"""How heed serve stands load: serve_load.py HEED MODEL TEXT [options]

TEXT has a sentence of the model's source language in each line. Measures on this
machine, the clients included:
  idle      what the server adds to the model's own time, one request at a time
  one       sentences one by one over one connection
  together  many clients at once, each of which waits for its answer
  overload  twice the rate of `together`, whatever the answers are
Needs nothing but Python. Prints a line of JSON for each.
"""

import argparse
import asyncio
import collections
import json
import pathlib
import re
import subprocess
import sys
import time


async def read_answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"\r\nContent-Length: (\d+)", head)
    body = await reader.readexactly(int(length[1])) if length else b""
    return int(head.split(b" ", 2)[1]), body


class Client:
    """A connection that is reopened after it was closed."""

    def __init__(self, port):
        self.port = port
        self.streams = None

    async def ask(self, data):
        # The server closes connections that are idle for long.
        if self.streams is not None and self.streams[0].at_eof():
            self.close()
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(data)
        answer = await read_answer(reader)
        return answer

    def close(self):
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None


def get(path):
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


def post(sentence, args):
    body = json.dumps({"q": sentence, "source": args.source, "target": args.target}
                      | ({"beam": args.beam} if args.beam else {})).encode()
    return (b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0


def summary(name, times, seconds, **more):
    result = {"what": name, "requests": len(times),
              "per_second": round(len(times) / seconds, 1),
              "median_ms": round(1e3 * percentile(times, 0.5), 2),
              "p99_ms": round(1e3 * percentile(times, 0.99), 2)} | more
    print(json.dumps(result), flush=True)
    return result


async def metrics(port):
    client = Client(port)
    _, text = await client.ask(get("/metrics"))
    client.close()
    values = {}
    for line in text.decode().splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            values[name] = float(value)
    return values


class Spent:
    """Resources of the server for a number of requests."""

    def __init__(self, before, after):
        change = {name: after[name] - before.get(name, 0) for name in after}
        total = lambda start: sum(v for k, v in change.items() if k.startswith(start))
        self.batch_ms = 1e3 * total("heed_batch_seconds_sum") / total("heed_batch_seconds_count")
        self.batches = total("heed_batch_seconds_count")
        self.batch_texts = total("heed_batch_texts_sum") / total("heed_batch_texts_count")
        self.cpu_ms = 1e3 * change["process_cpu_seconds_total"] / total("heed_batch_texts_sum")

    def values(self):
        return {"batch_ms": round(self.batch_ms, 2), "batch_texts": round(self.batch_texts, 2),
                "cpu_ms_per_text": round(self.cpu_ms, 2)}


async def one_by_one(port, requests, seconds):
    client, times = Client(port), []
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        status, body = await client.ask(requests[len(times) % len(requests)])
        assert status == 200, body
        times.append(time.perf_counter() - begin)
    client.close()
    return times, time.perf_counter() - start


async def together(port, requests, seconds, clients):
    times = []
    start = time.perf_counter()

    async def work(number):
        client, place = Client(port), number * 37
        while time.perf_counter() - start < seconds:
            begin = time.perf_counter()
            status, body = await client.ask(requests[place % len(requests)])
            assert status == 200, body
            times.append(time.perf_counter() - begin)
            place += 1
        client.close()

    await asyncio.gather(*(work(i) for i in range(clients)))
    return times, time.perf_counter() - start


async def overload(port, requests, seconds, rate):
    """Sends each request at its time over a free connection."""
    free, statuses, times = [], collections.Counter(), []
    memory = []

    async def ask(data):
        client = free.pop() if free else Client(port)
        begin = time.perf_counter()
        try:
            status, body = await client.ask(data)
        except (OSError, asyncio.IncompleteReadError) as error:
            statuses["lost"] += 1
            print(f"lost: {error!r}", file=sys.stderr)
            client.close()
            return
        if status != 200:
            assert json.loads(body)["error"], body
        else:
            times.append(time.perf_counter() - begin)
        statuses[status] += 1
        free.append(client)

    async def watch():
        while True:
            memory.append((await metrics(port))["process_resident_memory_bytes"] / 2**20)
            await asyncio.sleep(seconds / 20)

    watching = asyncio.create_task(watch())
    tasks = set()
    start = time.perf_counter()
    sent = 0
    while (now := time.perf_counter() - start) < seconds:
        while sent < now * rate:
            task = asyncio.create_task(ask(requests[sent % len(requests)]))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            sent += 1
        await asyncio.sleep(0.002)
    await asyncio.gather(*tasks)
    taken = time.perf_counter() - start
    watching.cancel()
    for client in free:
        client.close()
    return times, taken, {"sent": sent, "offered_per_second": round(rate, 1),
                          "statuses": {str(k): v for k, v in statuses.items()},
                          "memory_mib": [round(m, 1) for m in memory]}


async def measure(args, port):
    sentences = [line.strip() for line in pathlib.Path(args.text).read_text().splitlines()]
    requests = [post(sentence, args) for sentence in sentences if sentence]
    await one_by_one(port, requests, 1)  # warm

    client, times = Client(port), []
    for _ in range(2000):
        begin = time.perf_counter()
        await client.ask(get("/health"))
        times.append(time.perf_counter() - begin)
    client.close()
    summary("health", times, sum(times))

    before = await metrics(port)
    times, seconds = await one_by_one(port, requests, args.seconds)
    spent = Spent(before, await metrics(port))
    mean = 1e3 * sum(times) / len(times)
    one = summary("one", times, seconds, **spent.values(),
                  added_ms=round(mean - spent.batch_ms * spent.batches / len(times), 3))
    before = await metrics(port)
    times, seconds = await together(port, requests, args.seconds, args.clients)
    spent = Spent(before, await metrics(port))
    many = summary("together", times, seconds, clients=args.clients, **spent.values())
    print(json.dumps({"what": "ratio",
                      "together_to_one": round(many["per_second"] / one["per_second"], 2)}))
    if args.overload > 0:
        times, seconds, more = await overload(port, requests, args.overload,
                                              2 * many["per_second"])
        summary("overload", times, seconds, **more)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heed")
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--source", default="en")
    parser.add_argument("--target", default="de")
    parser.add_argument("--beam", type=int)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--overload", type=float, default=0, help="seconds")
    parser.add_argument("--serve", default="", help="further options of heed serve")
    args = parser.parse_args()
    with subprocess.Popen([args.heed, "serve", args.model, "--port", "0", "--log-level",
                           "warning", *args.serve.split()],
                          stdout=subprocess.PIPE) as server:
        port = int(server.stdout.readline().decode().rsplit(":", 1)[1].rstrip("/\n"))
        try:
            asyncio.run(measure(args, port))
        finally:
            server.terminate()
            print(json.dumps({"what": "end", "status": server.wait()}))


if __name__ == "__main__":
    main()
