#!/usr/bin/env python3
"""Training on text that is larger than memory, in several processes.

    python3 bench/large_text.py [--pairs 20000000] [--processes 4] [--folder DIR] [--keep]

Generates pairs of sentences, trains with --token-files from nothing and once more, and
prints: the rate at which tokens are made beside what spm_encode does with the same
vocabulary and as many processes (its package is sentencepiece), the seconds from the
start to the first update once the files are there, and the largest resident memory of
each process beside that of the same model on a thousandth of the text.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from mpirun import environment, ranks  # noqa: E402

HEED = ROOT / "build/release/heed"
BLOCK = 20000  # random sentences; others combine halves of them


def write_pairs(folder, pairs):
    """Writes sentences of 8 to 24 words with Zipf-distributed frequencies."""
    draw = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    weights = [1 / (rank + 10) for rank in range(30000)]
    sides = []
    for side in range(2):
        words = ["".join(draw.choices(letters[:20 + side], k=draw.randint(2, 9)))
                 for _ in weights]
        sides.append([" ".join(draw.choices(words, weights, k=draw.randint(4, 12)))
                      for _ in range(BLOCK)])
    paths = [folder / f"text.{side}" for side in ("source", "target")]
    for path, halves in zip(paths, sides):
        with path.open("w") as file:
            firsts = [half + " " for half in halves]
            lasts = [half + "\n" for half in halves]
            order = random.Random(2)
            for begin in range(0, pairs, BLOCK):
                places = list(range(BLOCK))
                order.shuffle(places)
                some = list(map(lasts.__getitem__, places))
                lines = list(map(str.__add__, firsts, some))
                file.write("".join(lines[:pairs - begin]))
    return paths


class Memory(threading.Thread):
    """Peak resident memory of each rank, including mapped files."""

    def __init__(self, launcher):
        super().__init__(daemon=True)
        self.launcher, self.largest = launcher, {}

    def run(self):
        while self.launcher.poll() is None:
            for process in ranks(self.launcher).values():
                try:
                    status = pathlib.Path(f"/proc/{process}/status").read_text()
                except OSError:
                    continue
                resident = re.search(r"VmRSS:\s+(\d+)", status)
                if resident:
                    size = int(resident[1]) // 1024
                    self.largest[process] = max(size, self.largest.get(process, 0))
            time.sleep(0.2)


def train(processes, out, paths, valid, *more):
    """Returns seconds to the first update and to the end, and the memory of each process in MB."""
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(processes), str(HEED),
               "train", "--source", str(paths[0]), "--target", str(paths[1]), "--model",
               "transformer-tiny", "--valid-source", str(valid[0]),
               "--valid-target", str(valid[1]), "--shards", "4", "--threads", "1",
               "--batch-tokens", "4096", "--steps", "40", "--checkpoint-every", "1",
               "--metric", "loss", "--overwrite", "--out", str(out), *map(str, more)]
    begin = time.monotonic()
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True) as run:
        memory = Memory(run)
        memory.start()
        tokens, first = {}, None
        for line in run.stderr:
            sys.stderr.write(line)
            now = time.monotonic() - begin
            if "reading the text" in line:
                tokens["read"] = now
            if "making tokens" in line:
                tokens.setdefault("begin", now)
                tokens["end"] = now
            if "epoch 1/" in line and first is None:
                first = now
    if run.returncode:
        sys.exit("training failed")
    memory.join()
    return first, time.monotonic() - begin, tokens, sorted(memory.largest.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=20_000_000)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    paths = [folder / "text.source", folder / "text.target"]
    if not all(path.exists() for path in paths):
        write_pairs(folder, options.pairs)
    small = []
    for path in paths:
        for name, lines in (("small", max(2000, options.pairs // 1000)), ("valid", 200)):
            with path.open() as text, (folder / f"{name}{path.suffix}").open("w") as file:
                file.writelines(line for line, _ in zip(text, range(lines)))
        small.append(folder / f"small{path.suffix}")
    valid = [folder / "valid.source", folder / "valid.target"]
    store = folder / "tokens"
    _, _, _, base = train(options.processes, folder / "small-model", small, valid)
    first, _, made, peak = train(options.processes, folder / "model", paths, valid,
                                 "--token-files", store)
    again, _, _, later = train(options.processes, folder / "model", paths, valid,
                               "--token-files", store)
    size = sum(path.stat().st_size for path in paths)
    print(f"text: {options.pairs:,} pairs, {size / 1e9:.2f} GB")
    print(f"first update after {first:.0f} s from nothing, {again:.0f} s with the files")
    seconds = made["end"] - made["begin"]
    print(f"tokens made in {seconds:.0f} s: {2 * options.pairs / seconds:,.0f} sentences/s, "
          f"{size / seconds / 1e6:.1f} MB/s")
    print(f"resident MB: {base} of a thousandth of the text, {peak} while tokens are made, "
          f"{later} with the files")
    model = next(store.glob("vocabularies-*")) / "source.vocabulary.model"
    if shutil.which("spm_encode"):
        sample = folder / "sample"
        with paths[0].open() as text, sample.open("w") as file:
            file.writelines(line for line, _ in zip(text, range(400_000)))
        begin = time.monotonic()
        runs = [subprocess.Popen(["spm_encode", f"--model={model}", "--output_format=id",
                                  f"--input={sample}", "--output=/dev/null"])
                for _ in range(min(options.processes, os.cpu_count()))]
        for run in runs:
            run.wait()
        rate = 400_000 * len(runs) / (time.monotonic() - begin)
        print(f"spm_encode in {len(runs)} processes: {rate:,.0f} sentences/s")
    if not options.keep and options.folder is None:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
