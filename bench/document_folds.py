#!/usr/bin/env python3
"""Cross-validation of document classification (docs/how-to/documents.md):

    bench/document_folds.py HEED DOCS [-- OPTIONS OF TRAINING...]

Each of the nine folds of DOCS is the test once, the fold before it chooses the
epoch, and the others are for training. Prints JSON: the accuracies of the folds
with attention and with the mean, in %, the means of both, and the p-value of a
paired permutation test over the folds.
"""

import argparse
import json
import statistics
import subprocess
import tempfile

from answer_selection import p_value

FOLDS = 9


def accuracy(options, pooling, test):
    valid = (test - 1) % FOLDS
    train = ",".join(str(f) for f in range(FOLDS) if f not in (test, valid))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [options.heed, "train", "--task", "classify", "--model", "han", "--format", "docs",
             "--texts", options.docs, "--folds", train, "--valid-texts", options.docs,
             "--valid-folds", str(valid), "--pooling", pooling, "--quiet",
             "--out", folder + "/model", *options.more],
            check=True, capture_output=True)
        measured = subprocess.run(
            [options.heed, "evaluate", folder + "/model", "--texts", options.docs,
             "--folds", str(test), "--json"], check=True, capture_output=True)
        return json.loads(measured.stdout)["accuracy"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed")
    parser.add_argument("docs")
    parser.add_argument("more", nargs="*")
    options = parser.parse_args()
    folds = {pooling: [accuracy(options, pooling, test) for test in range(FOLDS)]
             for pooling in ("attention", "mean")}
    print(json.dumps({
        "folds": folds,
        "mean": {pooling: statistics.mean(found) for pooling, found in folds.items()},
        "p_value": p_value([a - b for a, b in zip(*folds.values())])}))


if __name__ == "__main__":
    main()
