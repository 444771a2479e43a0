#!/usr/bin/python3
"""Writes English text normalisation as pairs for `heed train --task translate`.

    bench/normalization.py DATA OUT [--test] [--windows WORDS]
    bench/normalization.py DATA OUT [--test] --join ANSWERS > SENTENCES

DATA is a folder with the data set: textnorm_en/{train,test}.tsv.gz, a line for
each token: as written, a tab, as spoken, which is empty for what is not spoken.

Sentences: OUT/{train,valid}.tsv, and test.tsv with --test. A line is a written
sentence, a tab, the spoken sentence, tokens with one space between them. The last
5 % of the training sentences, in the order of the file, are for validation.

Windows (--windows 3): OUT/{train,valid,test}.tokens.tsv too, a line for each token
with so many words on either side,
    draw influences from <soft> rock , post      TAB  <same>
    My Chemical <2007> shows in Worcester        TAB  two thousand seven
where <same> stands for the token itself and <silent> for nothing. A sentence is
then right if all its tokens are. Training tokens teach little that are spoken as
written, or not at all, wherever they stand, unless they are capitals or numbers:
one in ten of these is kept.

--join reads the answers to valid.tokens.tsv (with --test: to test.tokens.tsv),
line by line, and prints the sentences that they make, for
    heed evaluate MODEL --tsv OUT/valid.tsv --translations SENTENCES --copy-baseline
"""
import argparse
import gzip
import pathlib
import sys

VALIDATION = 20  # one in this number of training sentences
KEPT_EASY = 10  # one in this number of easy training tokens
SAME, SILENT = "<same>", "<silent>"


def sentences(path):
    """Yields sentences as lists of (written, spoken)."""
    tokens = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.strip("\n"):
                tokens.append(tuple(line.rstrip("\n").split("\t")))
            elif tokens:
                yield tokens
                tokens = []
    if tokens:
        yield tokens


def split(data, test):
    """Returns the sentences of each part by name."""
    train = list(sentences(data / "textnorm_en" / "train.tsv.gz"))
    border = len(train) - len(train) // VALIDATION
    parts = {"train": train[:border], "valid": train[border:]}
    if test:
        parts["test"] = list(sentences(data / "textnorm_en" / "test.tsv.gz"))
    return parts


def written(tokens):
    return " ".join(token for token, _ in tokens)


def spoken(tokens):
    return " ".join(speech for _, speech in tokens if speech)


def windows(tokens, words):
    """Yields a pair for each token."""
    text = [token for token, _ in tokens]
    for i, (token, speech) in enumerate(tokens):
        context = text[max(0, i - words):i] + [f"<{token}>"] + text[i + 1:i + 1 + words]
        answer = SAME if speech == token else speech or SILENT
        yield " ".join(context), answer


def training_windows(part, words):
    changed = {token for tokens in part for token, speech in tokens if speech not in (token, "")}
    easy = 0
    for tokens in part:
        for (token, _), pair in zip(tokens, windows(tokens, words)):
            # All capitals and numbers are kept, because they may be new.
            if token not in changed and not token.isupper() and not any(map(str.isdigit, token)):
                easy += 1
                if easy % KEPT_EASY:
                    continue
            yield pair


def write(path, pairs):
    count = 0
    with open(path, "w", encoding="utf-8") as out:
        for source, target in pairs:
            out.write(f"{source}\t{target}\n")
            count += 1
    print(f"{path}: {count} pairs", file=sys.stderr)


def joined(tokens, answers):
    speech = (token if answer == SAME else "" if answer == SILENT else answer
              for (token, _), answer in zip(tokens, answers))
    return " ".join(filter(None, speech))


def join(part, path):
    with open(path, encoding="utf-8") as file:
        answers = [line.rstrip("\n") for line in file]
    count = sum(map(len, part))
    if len(answers) != count:
        sys.exit(f"{path}: {len(answers)} answers to {count} tokens")
    begin = 0
    for tokens in part:
        print(joined(tokens, answers[begin:begin + len(tokens)]))
        begin += len(tokens)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--test", action="store_true", help="the test sentences too")
    parser.add_argument("--windows", type=int, metavar="WORDS",
                        help="tokens in context too, with so many words on either side")
    parser.add_argument("--join", type=pathlib.Path, metavar="ANSWERS",
                        help="print the sentences of these answers instead")
    args = parser.parse_args()
    parts = split(args.data, args.test)
    if args.join:
        join(parts["test" if args.test else "valid"], args.join)
        return
    args.out.mkdir(parents=True, exist_ok=True)
    for name, part in parts.items():
        write(args.out / f"{name}.tsv", ((written(t), spoken(t)) for t in part))
        if args.windows is None:
            continue
        pairs = (training_windows(part, args.windows) if name == "train" else
                 (pair for tokens in part for pair in windows(tokens, args.windows)))
        write(args.out / f"{name}.tokens.tsv", pairs)


if __name__ == "__main__":
    main()
