#!/usr/bin/python3
"""Writes the CMU dictionary as pairs for `heed train --task translate`: a word,
a tab, its phones without stress digits.

    bench/pronunciations.py DATA OUT

DATA is a folder with the data set: cmudict/{train.tsv.gz,dev.tsv,test.tsv}. OUT
gets {train,dev,test}.tsv. Pronunciations of a word that differ in stress alone
become one line. Words with several pronunciations keep several lines, which
`heed evaluate --alternatives` and the validation of a training count as one word
with several right answers:

    heed train --task translate --tsv OUT/train.tsv --valid-tsv OUT/dev.tsv \\
        --vocabulary characters --target-vocabulary words --metric exact_match ...
    heed evaluate MODEL --tsv OUT/test.tsv --alternatives

where the sentence error is the share of wrong words, and the word error rate that
of wrong phones.
"""
import argparse
import gzip
import pathlib
import re
import sys

FILES = {"train": "train.tsv.gz", "dev": "dev.tsv", "test": "test.tsv"}


def lines(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        yield from (line.rstrip("\n") for line in file)


def without_stress(phones):
    return " ".join(re.sub(r"\d+$", "", phone) for phone in phones.split())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for part, name in FILES.items():
        rows = [line.split("\t") for line in lines(args.data / "cmudict" / name)]
        # A dict keeps the first of equal keys.
        pairs = dict.fromkeys((word, without_stress(phones)) for word, phones in rows)
        with open(args.out / f"{part}.tsv", "w", encoding="utf-8") as out:
            out.writelines(f"{word}\t{phones}\n" for word, phones in pairs)
        words = len({word for word, _ in pairs})
        print(f"{part}: {words} words, {len(pairs)} pronunciations, "
              f"{len(rows) - len(pairs)} duplicates dropped", file=sys.stderr)


if __name__ == "__main__":
    main()
