#!/usr/bin/env python3
"""What short translations keep beside long explanations: serve_shares.py HEED MODEL TEXT [options]

TEXT has a sentence of the model's source language in each line. Some clients translate
sentences one by one, first alone and then beside clients that ask for explanations of many
sentences by a costly method, all over connections of their own and without a pause. Prints a
line of JSON for each, and one with the ratios: the rate that the translations keep, how much
longer their 99th percentile is, and how many explanations were answered meanwhile.
Needs nothing but Python.
"""

import argparse
import asyncio
import json
import pathlib
import subprocess
import time

from serve_load import Client, post, summary, together


def explanation(sentences, args):
    body = json.dumps({"text": "\n".join(sentences), "methods": args.method.split(","),
                       "steps": args.steps}).encode()
    return (b"POST /explain HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


async def explain_forever(port, request, answered):
    client = Client(port)
    while True:
        status, body = await client.ask(request)
        assert status == 200, body
        answered.append(status)


async def measure(args, port):
    sentences = [line.strip() for line in pathlib.Path(args.text).read_text().splitlines()]
    sentences = [sentence for sentence in sentences if sentence]
    requests = [post(sentence, args) for sentence in sentences]
    costly = explanation(sentences[:args.sentences], args)
    await together(port, requests, 1, args.clients)  # warm
    times, seconds = await together(port, requests, args.seconds, args.clients)
    alone = summary("alone", times, seconds)
    answered = []
    explaining = [asyncio.create_task(explain_forever(port, costly, answered))
                  for _ in range(args.explaining)]
    await asyncio.sleep(1)
    before = len(answered)
    times, seconds = await together(port, requests, args.seconds, args.clients)
    beside = summary("beside", times, seconds, explanations=len(answered) - before)
    for task in explaining:
        task.cancel()
    await asyncio.gather(*explaining, return_exceptions=True)
    ratio = lambda key: round(beside[key] / alone[key], 2)
    print(json.dumps({"what": "ratio", "rate_kept": ratio("per_second"),
                      "median": ratio("median_ms"), "p99": ratio("p99_ms")}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heed")
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--source", default="en")
    parser.add_argument("--target", default="de")
    parser.add_argument("--beam", type=int)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--clients", type=int, default=4, help="that translate")
    parser.add_argument("--explaining", type=int, default=2, help="clients that explain")
    parser.add_argument("--sentences", type=int, default=20, help="of an explanation")
    parser.add_argument("--method", default="occlusion,integrated_gradients")
    parser.add_argument("--steps", type=int, default=64, help="of integrated gradients")
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
            server.wait()


if __name__ == "__main__":
    main()
