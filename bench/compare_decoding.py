#!/usr/bin/python3
"""heed bench decode, PyTorch and CTranslate2 in alternation; prints a Markdown table.

How they run: see peers.py. A transformer-base with random weights translates 30
tokens into 30. A row says how many threads Heed had, each with a batch of its
own; a peer had as many for one batch, or one for each of so many processes (of
CTranslate2: copies of the translator), or one alone: the fastest counts. int8 is
dynamic quantisation. Packages: python3-torch libopenblas0-openmp.

    bench/compare_decoding.py [--rounds 5] [--seconds 3] [--only REGEX]
                              [--heed build/release/heed] [--json FILE] [--write]
                              [--peer-root DIR] [--ctranslate2 DIR]
    bench/compare_decoding.py --check [--peer-root DIR] [--ctranslate2 DIR]

--write puts the table into docs/explanation/performance.md, between the comments
`decoding figures: begin` and `...: end`. --check measures nothing, but trains a
small model and compares what all write with its weights.

CTranslate2 is no package of Debian, and is left out without --ctranslate2. This
script fetches nothing; the sources in DIR are got and built by

    git clone --recursive -b v4.8.1 https://github.com/OpenNMT/CTranslate2 DIR
    cmake -S DIR -B DIR/build -DWITH_MKL=OFF -DWITH_DNNL=ON -DOPENMP_RUNTIME=COMP \
        -DBUILD_CLI=OFF -DCMAKE_INSTALL_PREFIX=DIR/built
    cmake --build DIR/build -j 2 --target install

on Intel's processors with MKL, which it then prefers (package libmkl-dev, non-free), by

    -DWITH_MKL=ON -DMKL_ROOT=/usr -DMKL_INCLUDE_DIR=/usr/include/mkl \
        -DMKL_CORE_LIBRARY=/usr/lib/x86_64-linux-gnu/libmkl_core.a

and then by the line that ctranslate2_decoding.cc begins with, all in the system of
--peer-root if there is one, where it runs. Packages: there g++ cmake make libdnnl-dev
(3 or newer, so Debian 13), here python3-numpy python3-yaml.
"""
import dataclasses
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
PEERS = ("PyTorch", "CTranslate2")
# Variants of a peer for the number of Heed's threads.
VARIANTS = {1: [["--threads", "1"]],
            2: [["--threads", "1"], ["--threads", "2"], ["--workers", "2"]]}


def pytorch(options, variants):
    return peers.pytorch(options, "pytorch_decoding.py", variants)


def write_ctranslate2_model(options, folder, *more):
    subprocess.run([peers.PYTHON, str(peers.BENCH / "ctranslate2_model.py"),
                    options.ctranslate2, folder, *more], check=True)


def contenders(options, model):
    """Returns Heed and its peers; `model` is CTranslate2's."""
    of_all = [peers.ctranslate2(options, model, VARIANTS[2]), pytorch(options, VARIANTS[2]),
              peers.Contender("Heed", [options.heed, "bench", "decode", "--model",
                                       "transformer-base", "--json"],
                              [["--threads", str(n)] for n in VARIANTS])]
    for contender in of_all:
        contender.command += ["--seconds", str(options.seconds)]
    return of_all


def of_variants(records, contender, variants):
    return [record for record in records if record["contender"] == contender and
            peers.parts(record["variant"])[1] in variants]


def row(records, name, threads, others):
    ours = of_variants(records, "Heed", [["--threads", str(threads)]])
    heed = peers.fastest(ours, name, "Heed", peers.seconds_per_token)
    rate = median(heed, "tokens_per_second")
    cells = [name, str(threads), cell("{:,.0f}", rate), cell("{:.0%}", median(heed, "fraction"))]
    firsts = [median(heed, "first_token_ms")]
    for other in others:
        theirs = of_variants(records, other, VARIANTS[threads])
        peer = median(peers.fastest(theirs, name, other, peers.seconds_per_token),
                      "tokens_per_second")
        faster = ratio(rate, peer)
        cells.append(cell("{:,.0f}", peer) + (f" ({faster:.1f} ×)" if faster else ""))
        firsts.append(median(peers.fastest(theirs, name, other, "first_token_ms"),
                             "first_token_ms"))
    return cells + [cell("{:.1f}", first) for first in firsts]


def table(records):
    others = [name for name in PEERS if any(record["contender"] == name for record in records)]
    heads = ["tokens/s (Heed makes so many times more)", "threads", "Heed", "of the floor",
             *others, *(f"{name}: first token, ms" for name in ("Heed", *others))]
    return peers.table(heads, [row(records, name, threads, others)
                               for name in peers.ran(CASES, records) for threads in VARIANTS])


WORDS = 76  # with the four special tokens, enough for the folded search of the k best


def write_pairs(folder, count):
    """Writes sentences of twelve words with translations. On average every third word is random,
    so that beam search meets many hypotheses of equal probability."""
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
    """Returns (words, log-probability) of each line of --nbest, by sentence. Other lines are one
    sentence each."""
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
    """Exits with an error unless sentences have equal hypotheses."""
    for number, expected in ours.items():
        if not agree(expected, theirs[number]):
            sys.exit(f"{what}, sentence {number}:\nHeed {expected}\npeer {theirs[number]}")
    print(f"{what}: the same words of {len(ours)} sentences")


def train(heed, folder):
    """Trains a small model for sentences of twelve words; returns its folder."""
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


@dataclasses.dataclass
class Checked:
    """A model of Heed, and sentences for it and its peers."""
    heed: str
    model: str
    text: str

    def ours(self, *more):
        return hypotheses(peers.output([self.heed, "translate", self.model, "--dtype", "f32",
                                        "--length-penalty", "0", *more], input=self.text))

    def theirs(self, contender, *more):
        settings = dict(word.split("=", 1) for word in contender.variants[0])
        return hypotheses(peers.output([*contender.command, *more],
                                       contender.environment | settings, input=self.text))


def check_pytorch(checked, torch):
    torch.command += ["--model", checked.model]
    compare("PyTorch, greedy", checked.ours("--beam", "1", "--max-length", "20"),
            checked.theirs(torch, "--length", "20"))
    words = 7
    found = checked.ours("--beam", "5", "--nbest", "5", "--max-length", str(words))
    # The peer's hypotheses have one length. Log-probabilities only decrease, so a
    # shorter hypothesis that took a place in the beam is among the best at the end.
    full = {number: best for number, best in found.items()
            if all(len(text) == words for text, _ in best)}
    if 2 * len(full) < len(found):
        sys.exit(f"only {len(full)} sentences have no hypothesis that ends early")
    compare("PyTorch, beam 5", full,
            checked.theirs(torch, "--beam", "5", "--length", str(words)))


def check_ctranslate2(checked, peer):
    for beam in ("1", "5"):
        search = ["--beam", beam, "--nbest", beam]
        compare(f"CTranslate2, beam {beam}", checked.ours(*search, "--max-length", "20"),
                checked.theirs(peer, *search, "--length", "20"))


def check(options):
    """Exits with an error unless all programs give equal translations with equal weights."""
    with tempfile.TemporaryDirectory() as folder:
        model = train(options.heed, folder)
        lines = pathlib.Path(f"{folder}/source").read_text(encoding="utf-8").splitlines(True)
        checked = Checked(options.heed, model, "".join(lines[:50]))
        check_pytorch(checked, pytorch(options, [[]]))
        if options.ctranslate2:
            converted = f"{folder}/ctranslate2"
            write_ctranslate2_model(options, converted, model)
            check_ctranslate2(checked, peers.ctranslate2(options, converted, [[]]))


def main():
    parser = peers.parser(__doc__, page="decoding")
    parser.add_argument("--seconds", type=float, default=3, help="of each run")
    parser.add_argument("--check", action="store_true", help="compare what they write instead")
    parser.add_argument("--ctranslate2", metavar="DIR", default="",
                        help="CTranslate2's sources, built as said above")
    options = peers.parse(parser)
    if options.check:
        check(options)
        return
    with tempfile.TemporaryDirectory() as model:
        if options.ctranslate2:
            write_ctranslate2_model(options, model)
        records = peers.run_in_turn(CASES, contenders(options, model), options)
    peers.finish(options, records, table(records))


if __name__ == "__main__":
    main()
