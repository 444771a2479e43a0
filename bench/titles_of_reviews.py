#!/usr/bin/env python3
"""Reviews and their titles as pairs of text and summary.

bench/titles_of_reviews.py DATA OUT reads amazon_music_reviews/reviews.tsv.gz below DATA and writes
OUT/train.tsv, valid.tsv and test.tsv: 8 : 1 : 1 of the reviews by their number, texts cut at 60 words."""

import argparse
import csv
import gzip
import os
import sys

WORDS = 60


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("out")
    options = parser.parse_args()
    csv.field_size_limit(1 << 24)
    path = os.path.join(options.data, "amazon_music_reviews", "reviews.tsv.gz")
    os.makedirs(options.out, exist_ok=True)
    parts = {name: [] for name in ("train", "valid", "test")}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)):
            text, title = row["text"].split()[:WORDS], row["summary"].split()
            if not text or not title:
                continue
            part = {0: "test", 1: "valid"}.get(number % 10, "train")
            parts[part].append(" ".join(text) + "\t" + " ".join(title) + "\n")
    for name, pairs in parts.items():
        with open(os.path.join(options.out, name + ".tsv"), "w", encoding="utf-8") as out:
            out.writelines(pairs)
        print(f"{name}: {len(pairs)} reviews", file=sys.stderr)


if __name__ == "__main__":
    main()
