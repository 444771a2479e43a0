#!/usr/bin/env python3
"""Times training in several processes beside one: processes.py HEED [MODEL...]

Sentences of 16 made-up words each, in batches of --batch-tokens. In each round
every way to train runs once, in turn; what is printed is the median of the rates
and of the ratios to one process with all threads and one shard.

    one       1 process  x 2 threads
    shards    1 process  x 2 threads, --shards 8
    two       2 processes x 1 thread, --shards 2
    bf16      2 processes x 1 thread, --shards 2 --wire bf16
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "e2e"))
from mpirun import environment  # noqa: E402

WAYS = {
    "one": (1, 2, []),
    "shards": (1, 2, ["--shards", "8"]),
    "two": (2, 1, ["--shards", "2"]),
    "bf16": (2, 1, ["--shards", "2", "--wire", "bf16"]),
}
MODELS = {
    "transformer-base": ["--model", "transformer-base"],
    "transformer-tiny": ["--model", "transformer-tiny"],
    "bahdanau": ["--model", "bahdanau", "--embedding", "512", "--units", "512"],
}


def write_pairs(path, count, words):
    """Writes sentences of 16 words, in which every word occurs at least once."""
    numbers = random.Random(1)
    names = [f"w{i}" for i in range(words)]
    line = 0
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(count):
            source = [names[(line + i) % words] for i in range(16)]
            line += 16
            target = source[:]
            numbers.shuffle(target)
            file.write(" ".join(source) + "\t" + " ".join(target) + "\n")


def rate(heed, folder, options, way, model, steps):
    """Returns target tokens per second after step 20."""
    processes, threads, more = WAYS[way]
    out = folder / "model"
    command = [heed, "train", "--tsv", folder / "pairs.tsv", "--vocabulary", "words",
               *MODELS[model], *options, "--threads", threads, "--steps", steps,
               "--checkpoint-minutes", 0, "--out", out, "--overwrite", "--quiet", *more]
    if processes > 1:
        command = ["mpirun", "-n", processes, *command]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          env=environment(), check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    rates = [line["tokens_per_second"] for line in lines if "tokens_per_second" in line]
    return statistics.median(rates[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed")
    parser.add_argument("models", nargs="*", help=", ".join(MODELS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch-tokens", type=int, default=1024)
    parser.add_argument("--ways", default=",".join(WAYS))
    arguments = parser.parse_args()
    ways = arguments.ways.split(",")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_pairs(folder / "pairs.tsv", 20000, 8000)
        for model in arguments.models or MODELS:
            rates = {way: [] for way in ways}
            for _ in range(arguments.rounds):
                for way in ways:
                    rates[way].append(rate(arguments.heed, folder,
                                           ["--batch-tokens", arguments.batch_tokens], way,
                                           model, arguments.steps))
            for way in ways:
                ratios = [a / b for a, b in zip(rates[way], rates[ways[0]])]
                print(f"{model:18}{way:8}{statistics.median(rates[way]):10.0f} tokens/s"
                      f"{statistics.median(ratios):8.3f}", flush=True)


if __name__ == "__main__":
    main()
