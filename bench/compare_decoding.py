#!/usr/bin/python3
"""heed bench decode and PyTorch in alternation; prints a Markdown table.

How they run: see peers.py. A transformer-base with random weights translates 30
tokens into 30. A row says how many threads Heed had, each with a batch of its
own; PyTorch had as many for one batch, or one for each of so many processes, or
one alone: the fastest counts. int8 is its dynamic
quantisation. Packages: python3-torch libopenblas0-openmp.

    bench/compare_decoding.py [--rounds 5] [--seconds 3] [--only REGEX]
                              [--heed build/release/heed] [--json FILE] [--write]
                              [--peer-root DIR]
    bench/compare_decoding.py --check [--peer-root DIR]

--write puts the table into docs/performance.md, between the comments
`decoding figures: begin` and `...: end`. --check measures nothing, but trains a
small model and compares what both write with its weights.
"""
import pathlib
import random
import subprocess
import sys
import tempfile

import peers
from peers import cell, median, ratio

LENGTHS = {"src-len": 30, "length": 30, "vocab": 32000}
CASES = {f"batch {batch}, beam {beam}, {dtype}":
         {"batch": batch, "beam": beam, "dtype": dtype, **LENGTHS}
         for batch, beam in ((64, 1), (64, 5), (1, 1)) for dtype in ("f32", "int8")}
PEER = "pytorch_decoding.py"
# What PyTorch may do where Heed has so many threads.
VARIANTS = {1: [["--threads", "1"]],
            2: [["--threads", "1"], ["--threads", "2"], ["--workers", "2"]]}


def contenders(options):
    seconds = ["--seconds", str(options.seconds)]
    heed = [options.heed, "bench", "decode", "--model", "transformer-base", "--json", *seconds]
    torch = peers.pytorch(options, PEER, VARIANTS[2])
    torch.command += seconds
    return [peers.Contender("Heed", heed, [["--threads", str(n)] for n in VARIANTS]), torch]


def row(records, name, threads):
    ours, theirs = (
        [record for record in records
         if record["contender"] == contender and
         peers.parts(record["variant"])[1] in variants]
        for contender, variants in (("Heed", [["--threads", str(threads)]]),
                                    ("PyTorch", VARIANTS[threads])))
    heed = peers.fastest(ours, name, "Heed", peers.seconds_per_token)
    torch = peers.fastest(theirs, name, "PyTorch", peers.seconds_per_token)
    first = peers.fastest(theirs, name, "PyTorch", "first_token_ms")
    rates = [median(runs, "tokens_per_second") for runs in (torch, heed)]
    return [name, str(threads), *(cell("{:,.0f}", rate) for rate in rates),
            cell("{:.1f} ×", ratio(rates[1], rates[0])), cell("{:.0%}", median(heed, "fraction")),
            cell("{:.1f}", median(first, "first_token_ms")),
            cell("{:.1f}", median(heed, "first_token_ms"))]


def table(records):
    heads = ["", "threads", "PyTorch tokens/s", "Heed tokens/s", "ratio", "of the floor",
             "PyTorch first token, ms", "Heed first token, ms"]
    return peers.table(heads, [row(records, name, threads)
                               for name in peers.ran(CASES, records) for threads in VARIANTS])


WORDS = 76  # with four special ones so many that the search of the k best folds them


def write_pairs(folder, count):
    """Sentences of twelve words and what stands for them; every third word on
    average is a random one, so that beams meet many that are as likely."""
    numbers = random.Random(1)
    with open(f"{folder}/source", "w", encoding="utf-8") as source, \
         open(f"{folder}/target", "w", encoding="utf-8") as target:
        for _ in range(count):
            words = [numbers.randrange(WORDS) for _ in range(12)]
            noisy = [word if numbers.random() < 2 / 3 else numbers.randrange(WORDS)
                     for word in words]
            source.write(" ".join(f"s{word}" for word in words) + "\n")
            target.write(" ".join(f"t{word}" for word in noisy) + "\n")


def hypotheses(lines):
    """(words, log-probability) of each line of --nbest, by sentence; other lines are
    a sentence each."""
    found = {}
    for i, line in enumerate(lines.splitlines()):
        number, text, score = line.split(" ||| ") if " ||| " in line else (i, line, 0)
        found.setdefault(int(number), []).append((text.split(), float(score)))
    return found


def agree(ours, theirs):
    return len(ours) == len(theirs) and all(
        our == their and abs(score - other) < 1e-3
        for (our, score), (their, other) in zip(ours, theirs))


def compare(what, ours, theirs):
    """Exits with an error unless the same sentences have the same hypotheses."""
    for number, expected in ours.items():
        if not agree(expected, theirs[number]):
            sys.exit(f"{what}, sentence {number}:\nHeed    {expected}\nPyTorch {theirs[number]}")
    print(f"{what}: the same words of {len(ours)} sentences")


def train(heed, folder):
    """A small model for sentences of twelve words; returns its folder."""
    write_pairs(folder, 4000)
    model = f"{folder}/model"
    subprocess.run([heed, "train", "--model", "transformer", "--layers", "2",
                    "--decoder-layers", "3", "--width", "64", "--ff", "96", "--heads", "4",
                    "--norm", "post", "--dropout", "0", "--label-smoothing", "0",
                    "--vocabulary", "words", "--source", f"{folder}/source",
                    "--target", f"{folder}/target", "--batch-sentences", "100",
                    "--epochs", "12", "--warmup", "50", "--learning-rate", "3e-3",
                    "--beta2", "0.98", "--quiet", "--out", model], check=True)
    return model


def check(options):
    """Exits with an error unless both write the same with the same weights."""
    heed, torch = options.heed, peers.pytorch(options, PEER, [[]])
    environment = torch.environment | dict(
        word.split("=", 1) for word in torch.variants[0])
    with tempfile.TemporaryDirectory() as folder:
        model = train(heed, folder)
        lines = pathlib.Path(f"{folder}/source").read_text(encoding="utf-8").splitlines(True)
        text = "".join(lines[:50])

        def ours(*more):
            return hypotheses(peers.output([heed, "translate", model, "--dtype", "f32", *more],
                                           input=text))

        def theirs(*more):
            return hypotheses(peers.output(torch.command + ["--model", model, *more],
                                           environment, input=text))

        compare("greedy", ours("--beam", "1", "--max-length", "20"), theirs("--length", "20"))
        words = 7
        found = ours("--beam", "5", "--nbest", "5", "--length-penalty", "0",
                     "--max-length", str(words))
        # The peer's are of one length. Log-probabilities only fall, so a shorter one
        # that took a place in the beam is among the best at the end.
        full = {number: best for number, best in found.items()
                if all(len(text) == words for text, _ in best)}
        if 2 * len(full) < len(found):
            sys.exit(f"only {len(full)} sentences have no hypothesis that ends early")
        compare("beam 5", full, theirs("--beam", "5", "--length", str(words)))


def main():
    parser = peers.parser(__doc__, page="decoding")
    parser.add_argument("--seconds", type=float, default=3, help="of each run")
    parser.add_argument("--check", action="store_true", help="compare what they write instead")
    options = peers.parse(parser)
    if options.check:
        check(options)
        return
    records = peers.run_in_turn(CASES, contenders(options), options)
    peers.finish(options, records, table(records))


if __name__ == "__main__":
    main()
