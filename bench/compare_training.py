#!/usr/bin/python3
"""heed bench train and PyTorch in alternation; prints a Markdown table.

Machines are shared and noisy, so the two run in turn and ratios of medians
count. PyTorch gets what is fair to it: Debian's OpenMP build of OpenBLAS
(libopenblas0-openmp, python3-torch), passive waiting, and the better of one and
two threads.

    bench/compare_training.py [--rounds 5] [--heed build/release/heed]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPENBLAS = "/usr/lib/x86_64-linux-gnu/openblas-openmp"


def run(command, environment=None):
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True,
                            env=dict(os.environ, **(environment or {})))
    return json.loads(result.stdout.splitlines()[-1])


def heed(path, model, precision):
    return run([path, "bench", "train", "--model", model, "--precision", precision,
                "--batch", "64", "--src-len", "16", "--tgt-len", "16",
                "--vocab", "8000", "--json"])


def pytorch(model):
    environment = {"LD_LIBRARY_PATH": OPENBLAS, "OMP_WAIT_POLICY": "passive"}
    script = str(ROOT / "bench" / "pytorch_models.py")
    runs = [run(["/usr/bin/python3", script, model, "--threads", str(n)], environment)
            for n in (1, 2)]
    return max(runs, key=lambda r: r["tokens_per_second"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--heed", default=str(ROOT / "build" / "release" / "heed"))
    options = parser.parse_args()
    print("| model | PyTorch tok/s | Heed f32 tok/s | ratio | of the floor | "
          "Heed bf16 tok/s | bf16 / f32 |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for model in ("bahdanau", "luong"):
        rows = []
        for round_number in range(options.rounds):
            print(f"{model}: round {round_number + 1}", file=sys.stderr)
            rows.append((pytorch(model), heed(options.heed, model, "f32"),
                         heed(options.heed, model, "bf16")))

        def median(index, key="tokens_per_second"):
            return statistics.median(row[index][key] for row in rows)

        peer, f32, bf16 = median(0), median(1), median(2)
        floor = statistics.median(r[1]["floor_ms"] / r[1]["ms_per_step"] for r in rows)
        print(f"| {model} | {peer:.0f} | {f32:.0f} | {f32 / peer:.2f} | {floor:.0%} | "
              f"{bf16:.0f} | {bf16 / f32:.2f} |", flush=True)


if __name__ == "__main__":
    main()
