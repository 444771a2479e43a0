#!/usr/bin/env python3
"""Cross-validation of document classification (docs/how-to/documents.md):

    bench/document_folds.py [--folds N] [--poolings NAME,NAME...] HEED DOCS [-- OPTIONS OF TRAINING...]

Each fold of DOCS is the test once, the fold before it chooses the epoch, and the
others are for training. Prints JSON: for each pooling the accuracies of the folds
in %, their mean and deviation, and the mean difference to the first pooling with
the p-value of the exact paired permutation test over the folds (all signs).
"""

import argparse
import itertools
import json
import statistics
import subprocess
import tempfile


def accuracy(options, pooling, test):
    valid = (test - 1) % options.folds
    train = [str(f) for f in range(options.folds) if f not in (test, valid)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [options.heed, "train", "--task", "classify", "--model", "han", "--format", "docs",
             "--texts", options.docs, "--folds", ",".join(train), "--valid-texts", options.docs,
             "--valid-folds", str(valid), "--pooling", pooling, "--quiet",
             "--out", folder + "/model", *options.more],
            check=True, capture_output=True)
        measured = subprocess.run(
            [options.heed, "evaluate", folder + "/model", "--texts", options.docs,
             "--folds", str(test), "--json"], check=True, capture_output=True)
        return json.loads(measured.stdout)["accuracy"]


def p_value(differences):
    """Two-sided p-value of a mean of 0: the fraction of all signs that give a mean
    at least as far from 0."""
    found = abs(sum(differences))
    sums = [abs(sum(s * d for s, d in zip(signs, differences)))
            for signs in itertools.product((1, -1), repeat=len(differences))]
    return sum(s >= found - 1e-9 for s in sums) / len(sums)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed")
    parser.add_argument("docs")
    parser.add_argument("--folds", type=int, default=9)
    parser.add_argument("--poolings", default="attention,mean")
    parser.add_argument("more", nargs="*")
    options = parser.parse_args()
    figures = {}
    for pooling in options.poolings.split(","):
        folds = [accuracy(options, pooling, test) for test in range(options.folds)]
        figures[pooling] = {"folds": folds, "mean": statistics.mean(folds),
                            "deviation": statistics.stdev(folds)}
        first = next(iter(figures.values()))["folds"]
        differences = [a - b for a, b in zip(folds, first)]
        figures[pooling]["difference"] = statistics.mean(differences)
        figures[pooling]["p_value"] = p_value(differences)
        print(json.dumps({pooling: figures[pooling]}), flush=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
