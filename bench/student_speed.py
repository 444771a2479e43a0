#!/usr/bin/env python3
"""Speed of students in int8 on one thread, beside the engine of Firefox.

A random student of Firefox's tiny architecture (256 features, 6 + 2 layers, 32,000 pieces)
translates sentences of 30 random pieces greedily, in batches of 32, with and without its
shortlist, to the limit of 62 tokens; with "to 31 tokens" at most 31, as real text. The engine runs in Node: the npm package @browsermt/bergamot-translator 0.4.9, unpacked in DIR. It
batches by itself. Both load the model before time is taken: Heed's time is that of all
sentences less that of one. Rounds alternate; medians count.

    bench/student_speed.py [--heed build/release/heed] [--engine DIR] [--sentences 640]
                      [--rounds 3] [--models DIR,DIR --text FILE]

--models compares folders of models on the lines of FILE instead, greedily in int8 on one
thread, as a student with a Transformer.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "bergamot"))
import students  # noqa: E402  pylint: disable=wrong-import-position

TINY = students.Shape(width=256, ff=1536, heads=8, encoder=6, decoder=2, source=32000,
                      target=32000, joint=True)
PIECES = 30  # of a sentence


def random_words(count, draw):
    """Different words of syllables."""
    syllables = [a + b + c for a in "bdfgklmnprstvw" for b in "aeiou" for c in ("", *"lnrst")]
    words = {"".join(draw.choices(syllables, k=3)) for _ in range(2 * count)}
    return sorted(words)[:count]


def translate(heed, model, lines, *options):
    """Returns seconds and translations."""
    start = time.perf_counter()
    run = subprocess.run([heed, "translate", model, "--beam", "1", "--threads", "1", "--dtype",
                          "int8", "--batch-sentences", "32", *options], check=True,
                         input="\n".join(lines) + "\n", capture_output=True, text=True)
    return time.perf_counter() - start, run.stdout.splitlines()


def without_loading(heed, model, lines, *options):
    first, _ = translate(heed, model, lines[:1], *options)
    every, texts = translate(heed, model, lines, *options)
    return every - first, texts


def engine(package, folder, shortlist, lines):
    job = {"model": str(folder / "model.ende.intgemm.alphas.bin"), "timed": True,
           "vocabs": [str(folder / "vocab.ende.spm")] * 2, "lines": lines,
           "shortlist": str(folder / "lex.50.50.ende.s2t.bin") if shortlist else ""}
    run = subprocess.run(["node", str(ROOT / "tests" / "bergamot" / "engine.cjs"), package],
                         input=json.dumps(job), capture_output=True, text=True, check=True)
    result = json.loads(run.stdout)
    return result["seconds"], result["texts"]


def in_turn(contenders, lines, rounds):
    """Runs {name: function} in turn; returns {name: (sentences per second, translations)}."""
    seconds, texts = {name: [] for name in contenders}, {}
    for _ in range(rounds):
        for name, run in contenders.items():
            took, texts[name] = run()
            seconds[name].append(took)
    return {name: (len(lines) / statistics.median(seconds[name]), texts[name])
            for name in contenders}


def firefox(options, folder):
    draw = random.Random(1)
    letters = set("".join(students.WORDS))
    words = random_words(TINY.source - len(letters) - 3, draw)  # and </s>, <unk>, the space
    students.write(folder / "student", 1, TINY, parts=["\u2581" + word for word in words])
    model = str(folder / "model")
    subprocess.run([options.heed, "import", str(folder / "student"), "--out", model], check=True,
                   stdout=subprocess.DEVNULL)
    lines = [" ".join(draw.choices(words, k=PIECES)) for _ in range(options.sentences)]
    contenders = {}
    for shortlist in (False, True):
        with_it = ", shortlist" if shortlist else ""
        for scale in ("row", "fixed"):
            contenders[f"Heed, --activations {scale}{with_it}"] = (
                lambda scale=scale, shortlist=shortlist: without_loading(
                    options.heed, model, lines, "--activations", scale, "--shortlist",
                    "model" if shortlist else "none"))
        if options.engine:
            contenders[f"engine of npm{with_it}"] = (
                lambda shortlist=shortlist: engine(options.engine, folder / "student", shortlist,
                                                   lines))
    contenders["Heed, shortlist, to 31 tokens"] = lambda: without_loading(
        options.heed, model, lines, "--shortlist", "model", "--max-length-factor", "1")
    print(f"{len(lines)} sentences of {PIECES} pieces; equal: translations that equal the engine's")
    results = in_turn(contenders, lines, options.rounds)
    for name, (rate, texts) in results.items():
        line = f"{name:<38} {rate:7.1f} sentences/s"
        peer = results.get("engine of npm" + (", shortlist" if "shortlist" in name else ""))
        if peer and "activations" in name:
            equal = sum(a == b for a, b in zip(texts, peer[1]))
            line += f"  {rate / peer[0]:5.2f} times the engine, {equal / len(lines):.1%} equal"
        print(line)


def folders(options):
    lines = pathlib.Path(options.text).read_text(encoding="utf-8").splitlines()
    models = options.models.split(",")
    results = in_turn({model: lambda model=model: without_loading(options.heed, model, lines)
                       for model in models}, lines, options.rounds)
    for model, (rate, texts) in results.items():
        words = sum(len(text.split()) for text in texts)
        print(f"{model}: {rate:.1f} sentences/s, {words / len(lines):.1f} words each, "
              f"{rate / results[models[-1]][0]:.2f} times {models[-1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heed", default=str(ROOT / "build" / "release" / "heed"))
    parser.add_argument("--engine", metavar="DIR", default="")
    parser.add_argument("--sentences", type=int, default=640)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--models", metavar="DIR,DIR", default="")
    parser.add_argument("--text", metavar="FILE")
    options = parser.parse_args()
    if options.models:
        folders(options)
        return
    with tempfile.TemporaryDirectory() as folder:
        firefox(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
