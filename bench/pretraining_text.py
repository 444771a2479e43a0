#!/usr/bin/python3
"""Gathers text to pre-train BERT on: a sentence a line, a blank line between
documents, as `heed train --task pretrain` reads it.

    bench/pretraining_text.py DATA OUT [--sets movie_reviews imdb ud_ewt music tweets]

DATA is a folder with those data sets (see each function for what it reads). Of
every set only what is there to train on is taken, never text that a fine-tuned
model is tested on. Posts of `tweets` are documents of one sentence each: they
are good for words, but teach nothing about what follows.
"""
import argparse
import csv
import gzip
import pathlib
import re
import sys

VALIDATION_FOLD = "8"  # of movie_reviews
# A sentence ends with these characters, optionally followed by quotes, before a new
# start.
SENTENCE_END = re.compile(r"""(?<=[.!?])["')\]]*\s+(?=["'(\[]?[A-Z0-9])""")


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from (line.rstrip("\n") for line in file)


def sentences(text):
    for paragraph in re.split(r"(?:<br ?/?>\s*)+", text):
        yield from filter(None, (s.strip() for s in SENTENCE_END.split(paragraph)))


def movie_reviews(data):
    document, wanted = [], False
    for line in lines(data / "movie_reviews" / "docs.txt.gz"):
        if line.startswith("#doc "):
            document, wanted = [], line.split()[-1] != VALIDATION_FOLD
        elif line:
            document.append(line)
        elif wanted:
            yield document
    # The last document may lack a final blank line.
    if wanted and document:
        yield document


def imdb(data):
    for part in ("pos", "neg"):
        for line in lines(data / "imdb" / f"train_{part}.tsv.gz"):
            yield list(sentences(line.split("\t", 2)[2]))


def ud_ewt(data):
    document = []
    for line in lines(data / "ud_ewt" / "en_ewt-ud-train.conllu.gz"):
        if line.startswith("# newdoc"):
            yield document
            document = []
        elif line.startswith("# text = "):
            document.append(line.removeprefix("# text = "))
    yield document


def music(data):
    rows = csv.DictReader(lines(data / "amazon_music_reviews" / "reviews.tsv.gz"),
                          delimiter="\t", quoting=csv.QUOTE_NONE)
    for row in rows:
        yield [row["summary"], *sentences(row["text"])]


def tweets(data):
    files = [data / "wnut17" / "train.conll"]
    files += [data / "btc" / f"{section}.conll" for section in "abgh"]
    for path in files:
        for post in path.read_text(encoding="utf-8").split("\n\n"):
            yield [" ".join(line.split("\t")[0] for line in post.splitlines())]


SETS = {"movie_reviews": movie_reviews, "imdb": imdb, "ud_ewt": ud_ewt, "music": music,
        "tweets": tweets}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sets", nargs="+", choices=list(SETS),
                        default=["movie_reviews", "imdb", "ud_ewt", "music"])
    args = parser.parse_args()
    with open(args.out, "w", encoding="utf-8") as out:
        for name in args.sets:
            documents = count = words = 0
            for document in SETS[name](args.data):
                document = [" ".join(s.split()) for s in document]
                document = [s for s in document if s]
                if not document:
                    continue
                out.write("\n".join(document) + "\n\n")
                documents += 1
                count += len(document)
                words += sum(len(s.split()) for s in document)
            print(f"{name}: {documents} documents, {count} sentences, {words} words",
                  file=sys.stderr)


if __name__ == "__main__":
    main()
