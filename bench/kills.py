#!/usr/bin/env python3
"""Kills a random rank of a training at random moments: kills.py HEED [KILLS [PROCESSES]]

One training continues through all kills, each time from the last checkpoint with two to
PROCESSES processes. The final weights are compared with those of an uninterrupted run. Prints
the longest time from a kill to the end of all processes."""

import hashlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "e2e"))
from mpirun import environment, ranks  # noqa: E402

STEPS = 100000


def digest(folder):
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def main():
    heed = sys.argv[1]
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines = [" ".join(draw.choices("0123456789", k=draw.randint(3, 8))) for _ in range(2000)]
        (folder / "pairs.tsv").write_text(
            "".join(f"{line}\t{line[::-1]}\n" for line in lines))
        train = [heed, "train", "--tsv", folder / "pairs.tsv", "--vocabulary", "words", "--units",
                 "32", "--embedding", "32", "--batch-tokens", "500", "--shards", "4", "--threads",
                 "1", "--epochs", "100000", "--steps", str(STEPS), "--validate-every", "100000",
                 "--checkpoint-every", "100", "--quiet"]
        whole, out = folder / "whole", folder / "killed"
        reference = subprocess.Popen([*train, "--out", whole], stderr=subprocess.DEVNULL)
        done, longest, by_rank = 0, 0.0, {}
        while done < kills:
            command = [heed, "train", "--resume", out, "--quiet"] if (
                out / "training.safetensors").exists() else [*train, "--out", out, "--overwrite"]
            count = draw.randint(2, most)
            run = subprocess.Popen(["mpirun", "--oversubscribe", "-n", str(count), *command],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=environment())
            time.sleep(draw.uniform(0.3, 3))
            found = ranks(run)
            if run.poll() is not None or not found:
                if run.poll() == 0:
                    sys.exit("it ended before all kills were done; take more STEPS")
                run.wait()
                continue
            rank = draw.choice(sorted(found))
            begin = time.monotonic()
            try:
                os.kill(found[rank], signal.SIGKILL)
            except ProcessLookupError:
                continue
            run.wait()
            longest = max(longest, time.monotonic() - begin)
            by_rank[rank] = by_rank.get(rank, 0) + 1
            done += 1
        subprocess.run([heed, "train", "--resume", out, "--quiet"], check=True,
                       stderr=subprocess.DEVNULL)
        assert reference.wait() == 0
        equal = digest(out) == digest(whole)
        print(f"{done} kills (by rank: {dict(sorted(by_rank.items()))}), the longest end after "
              f"{longest:.1f} s, weights {'equal' if equal else 'DIFFER'}")
        sys.exit(0 if equal else 1)


if __name__ == "__main__":
    main()
