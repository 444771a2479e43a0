#!/usr/bin/python3
"""heed bench attention, PyTorch and ONNX Runtime in alternation.

Machines are shared and noisy, so in each round all run every case in turn, and
medians over the rounds count. Each peer gets the better of one and two threads.
PyTorch runs twice: as Debian installs it, with what is fair to it (the OpenMP
build of OpenBLAS, passive waiting), and tuned by the environment: glibc keeps
freed pages, and OpenBLAS and ATen use AVX-512, which they don't on their own on
every machine that has it. Packages: python3-torch libopenblas0-openmp nodejs npm,
and `npm install` in bench/onnxruntime. What is missing is left out, and said.

    bench/compare_attention.py [--rounds 5] [--seconds 1] [--only REGEX]
                               [--heed build/release/heed] [--json FILE] [--write]

--json adds every run to FILE, a line each; --write puts the tables into
docs/performance.md, between the comments `attention figures: begin` and `...: end`.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

from compare_training import OPENBLAS, ROOT, run

BENCH = ROOT / "bench"
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- attention figures: begin -->", "<!-- attention figures: end -->"


def dot(batch, heads, length, **more):
    return {"score": "scaled_dot", "batch": batch, "heads": heads, "length": length,
            "keys": length, "dim": 64, "dtype": "f32", **more}


ADDITIVE = {"score": "additive", "batch": 64, "heads": 1, "length": 16, "keys": 30,
            "dim": 512, "dtype": "f32"}

CASES = {
    "8×8 heads × 512": dot(8, 8, 512),
    "8 heads × 2048": dot(1, 8, 2048),
    "2 heads × 8192": dot(1, 2, 8192),
    "8×8 heads × 512, with backward": dot(8, 8, 512, backward=True),
    "8 heads × 2048, with backward": dot(1, 8, 2048, backward=True),
    "2 heads × 8192, with backward": dot(1, 2, 8192, backward=True),
    "8×8 heads × 512, bf16": dot(8, 8, 512, dtype="bf16"),
    "8 heads × 2048, bf16": dot(1, 8, 2048, dtype="bf16"),
    "2 heads × 8192, bf16": dot(1, 2, 8192, dtype="bf16"),
    "8 heads × 2048, causal": dot(1, 8, 2048, mask="causal"),
    "2 heads × 8192, window(256)": dot(1, 2, 8192, mask="window(256)"),
    "additive, 64 × 16 × 30 × 512": ADDITIVE,
    "additive, 64 × 16 × 30 × 512, with backward": dict(ADDITIVE, backward=True),
    "one query, 8 heads × 16384 keys": dot(1, 8, 1, keys=16384),
    "graph of 2708 nodes, 5 neighbours, 8×8, with backward": {
        "score": "graph", "batch": 1, "heads": 8, "length": 2708, "keys": 2708, "dim": 8,
        "mask": "adjacency(5)", "dtype": "f32", "backward": True},
    "1 head × 65536, with backward": dot(1, 1, 65536, backward=True),
}

# What Heed's second case gains over its first.
GAINS = {
    "bf16, 8×8 heads × 512": ("8×8 heads × 512", "8×8 heads × 512, bf16"),
    "bf16, 8 heads × 2048": ("8 heads × 2048", "8 heads × 2048, bf16"),
    "bf16, 2 heads × 8192": ("2 heads × 8192", "2 heads × 8192, bf16"),
    "causal, 8 heads × 2048": ("8 heads × 2048", "8 heads × 2048, causal"),
    "window(256), 2 heads × 8192": ("2 heads × 8192", "2 heads × 8192, window(256)"),
}


@dataclasses.dataclass
class Contender:
    """A program that takes a case as options; variants are further options, of
    which the fastest counts."""
    name: str
    command: list
    variants: list
    environment: dict


def contenders(options):
    threads = [["--threads", str(n), "--seconds", str(options.seconds)] for n in (1, 2)]
    installed = {"LD_LIBRARY_PATH": OPENBLAS, "OMP_WAIT_POLICY": "passive"}
    tuned = dict(installed, MALLOC_MMAP_MAX_="0", MALLOC_TRIM_THRESHOLD_=str(2**40))
    if "avx512bw" in pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii"):
        tuned.update(OPENBLAS_CORETYPE="SkylakeX", ATEN_CPU_CAPABILITY="avx512")
    torch = ["/usr/bin/python3", str(BENCH / "pytorch_attention.py")]
    ort = ["node", str(BENCH / "onnxruntime" / "attention.mjs")]
    return [Contender("Heed", [options.heed, "bench", "attention"], [["--json"]], {}),
            Contender("PyTorch", torch, threads, installed),
            Contender("PyTorch, tuned", torch, threads, tuned),
            Contender("ONNX Runtime", ort, threads, {})]


def arguments(case):
    words = []
    for name, value in case.items():
        words += ["--" + name] if value is True else ["--" + name, str(value)]
    return words


def measure(contender, case, variant):
    """The program's result, or {"skipped": why there is none}."""
    if contender.environment and not os.path.isdir(OPENBLAS):
        return {"skipped": "libopenblas0-openmp is not installed"}
    try:
        return run(contender.command + arguments(case) + variant, contender.environment)
    except FileNotFoundError:
        return {"skipped": f"{contender.command[0]} is not there"}
    except subprocess.CalledProcessError as error:
        return {"skipped": f"exit status {error.returncode}"}


def keep(file, record):
    if file:
        with open(file, "a", encoding="utf-8") as out:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


def run_all(options):
    """One record per run: case, contender, variant and what the program printed."""
    names = [name for name in CASES if re.search(options.only, name)]
    records, skipped = [], set()
    for number in range(options.rounds):
        for name in names:
            print(f"round {number + 1}: {name}", file=sys.stderr)
            for contender in contenders(options):
                if (contender.name, name) in skipped:
                    continue
                for variant in contender.variants:
                    result = measure(contender, CASES[name], variant)
                    if "skipped" in result:
                        skipped.add((contender.name, name))
                        print(f"  {contender.name} left out: {result['skipped']}",
                              file=sys.stderr)
                        break
                    records.append({"case": name, "contender": contender.name,
                                    "variant": variant, **result})
                    keep(options.json, records[-1])
    return records


def figure(records, case, contender, key="ms"):
    """The median over rounds of the variant whose median time is least, or None."""
    variants = {}
    for r in records:
        if (r["case"], r["contender"]) == (case, contender):
            variants.setdefault(tuple(r["variant"]), []).append(r)
    if not variants:
        return None

    def median(name):
        return lambda rounds: statistics.median(r[name] for r in rounds)

    def of_the_limit(rounds):
        return statistics.median(
            max(r["fraction"], r["gbytes_per_second"] / r["limit_gbytes_per_second"])
            for r in rounds)

    best = min(variants.values(), key=median("ms"))
    return of_the_limit(best) if key == "limit" else median(key)(best)


def cell(form, *values):
    return "–" if None in values else form.format(*values)


def tables(records, peers):
    cases = [name for name in CASES if any(r["case"] == name for r in records)]
    heads = ["ms (Heed is so many times faster)", "Heed", "of the limit", "extra MB", *peers]
    lines = [f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    for name in cases:
        ms, fraction, extra = (figure(records, name, "Heed", key)
                               for key in ("ms", "limit", "peak_extra_bytes"))
        row = [name, cell("{:.2f}", ms), cell("{:.0%}", fraction),
               cell("{:.1f}", extra and extra / 1e6)]
        for peer in peers:
            other = figure(records, name, peer)
            row.append(cell("{:.2f}", other) + (f" ({other / ms:.1f} ×)" if other and ms else ""))
        lines.append(f"| {' | '.join(row)} |")
    gains = [(what, [figure(records, name, "Heed") for name in pair])
             for what, pair in GAINS.items()]
    lines += ["", "| Heed with | faster than without |", "| --- | --- |"]
    lines += [f"| {what} | {slow / fast:.2f} × |" for what, (slow, fast) in gains if slow and fast]
    return "\n".join(lines)


def write(text):
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1, help="of each peer's run")
    parser.add_argument("--only", default="", metavar="REGEX", help="the cases whose names match")
    parser.add_argument("--heed", default=str(ROOT / "build" / "release" / "heed"))
    parser.add_argument("--json", metavar="FILE", help="adds every run to it")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    options = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    if options.write and options.only:
        parser.error("--write needs all cases, so no --only")
    if options.write and not 0 <= page.find(BEGIN) < page.find(END):
        parser.error(f"{PAGE} has no lines '{BEGIN}' and '{END}'")
    records = run_all(options)
    text = tables(records, [c.name for c in contenders(options)[1:]])
    print(text)
    if not any(r["contender"] == "Heed" for r in records):
        sys.exit(f"{options.heed} gave no figures, so there is nothing to compare")
    if options.write:
        write(text)


if __name__ == "__main__":
    main()
