#!/usr/bin/env python3
"""Times training over a network of a given rate: network.py HEED [MODEL...]  (as root)

Two processes of one thread in two network namespaces that a pair of veth joins; `tc`
with a token bucket limits both directions. In each round every network runs once, in
turn. Efficiency is relative to the same two processes without a limit. The formula beside it
is max(T/N, T/N (1 - f) + 2 (N - 1)/N G/W) for a step of T seconds in one process, G bytes of
gradients, bandwidth W and the share f of weight gradients at the end of the backward pass.
Needs ip and tc (iproute2) and Open MPI.
"""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from processes import MODELS, environment, write_pairs

SPACES = {"heed-bench-0": "10.77.0.1", "heed-bench-1": "10.77.0.2"}
AT_END = 1 / 3  # share of a step: products of weight gradients
CARRIED = 0.94  # payload share of TCP over Ethernet


def run(*command):
    subprocess.run([str(part) for part in command], check=True)


@contextlib.contextmanager
def network():
    """Two network namespaces joined by a veth pair."""
    try:
        for name in SPACES:
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        first, second = SPACES
        run("ip", "-n", first, "link", "add", "wire", "type", "veth", "peer", "name", "wire",
            "netns", second)
        for name, address in SPACES.items():
            run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "wire")
            run("ip", "-n", name, "link", "set", "wire", "up")
        yield
    finally:
        for name in SPACES:
            subprocess.run(["ip", "netns", "del", name], check=False)


def limit(megabits):
    """Limits the rate of both ends; None removes the limit."""
    for name in SPACES:
        subprocess.run(["tc", "-n", name, "qdisc", "del", "dev", "wire", "root"],
                       stderr=subprocess.DEVNULL, check=False)
        if megabits:
            run("tc", "-n", name, "qdisc", "add", "dev", "wire", "root", "tbf", "rate",
                f"{megabits}mbit", "burst", "256kb", "latency", "50ms")


def update_seconds(heed, folder, model, more, updates):
    """Returns the time of an update after the first, including writing the model."""
    agent = folder / "agent"
    spaces = "".join(f"{address}) space={name};; " for name, address in SPACES.items())
    agent.write_text(f'#!/bin/sh\ncase "$1" in {spaces}esac\nshift\n'
                     'exec ip netns exec "$space" sh -c "$*"\n')
    agent.chmod(0o755)
    out = folder / "model"
    first, second = SPACES
    mpirun = ["ip", "netns", "exec", first, "mpirun", "-n", 2, "--host",
              f"{SPACES[first]}:1,{SPACES[second]}:1", "--bind-to", "none",
              "--mca", "plm_rsh_agent", agent, "--mca", "btl", "tcp,self",
              "--mca", "btl_tcp_if_include", "wire", "--mca", "oob_tcp_if_include", "wire"]
    command = [*mpirun, heed, "train", "--tsv", folder / "pairs.tsv", "--vocabulary", "words",
               *MODELS[model], "--threads", 1, "--shards", 2, "--steps", updates + 1,
               "--checkpoint-minutes", 0, "--out", out, "--overwrite", "--quiet", *more]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          env=environment(), check=False)
    end = time.time()
    if done.returncode != 0:
        sys.exit(done.stderr)
    begin = json.loads((out / "metrics.jsonl").read_text().splitlines()[0])["time"]
    return (end - begin) / updates


def parameters(heed, model):
    described = subprocess.run([heed, "info", model, "--json"], capture_output=True, text=True,
                               check=True)
    return json.loads(described.stdout)["parameters"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed", type=os.path.abspath)
    parser.add_argument("models", nargs="*", help=", ".join(MODELS))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--updates", type=int, default=4)
    parser.add_argument("--batch-tokens", type=int, default=25000)
    parser.add_argument("--megabits", type=int, nargs="+", default=[1000, 100])
    arguments = parser.parse_args()
    ways = [(None, "f32")] + [(rate, wire) for rate in arguments.megabits
                              for wire in ("f32", "bf16")]
    with tempfile.TemporaryDirectory() as name, network():
        folder = pathlib.Path(name)
        write_pairs(folder / "pairs.tsv", 40000, 8000)
        for model in arguments.models or ["transformer-base"]:
            times = {way: [] for way in ways}
            for _ in range(arguments.rounds):
                for rate, wire in ways:
                    limit(rate)
                    times[rate, wire].append(update_seconds(
                        arguments.heed, folder, model,
                        ["--batch-tokens", arguments.batch_tokens, "--wire", wire],
                        arguments.updates))
            count = parameters(arguments.heed, folder / "model")
            alone = statistics.median(times[ways[0]])
            print(f"{model}: {count / 1e6:.1f} M parameters, {alone:.2f} s an update "
                  "without a limit")
            for rate, wire in ways[1:]:
                seconds = (4 if wire == "f32" else 2) * count / (rate * 1e6 / 8 * CARRIED)
                formula = alone / max(alone, alone * (1 - AT_END) + seconds)
                measured = alone / statistics.median(times[rate, wire])
                print(f"  {rate:5} Mbit/s, {wire:4}  efficiency {measured:.2f}, "
                      f"by the formula {formula:.2f}", flush=True)


if __name__ == "__main__":
    main()
