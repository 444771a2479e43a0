#!/usr/bin/env python3
"""Two-fold cross-validation of answer selection (docs/how-to/retrieval.md):

    bench/answer_selection.py [--seeds N,N...] HEED TRAIN VALID [-- OPTIONS OF TRAINING...]

Trains on TRAIN with each seed twice. Every other question of VALID selects the
weights, and the other questions are measured. Prints JSON: for each metric the
values of the seeds in %, over all questions of VALID, that of BM25, and the mean
difference per question with the p-value of a paired permutation test. The
difference of a question is the mean over the seeds.
"""

import argparse
import json
import random
import statistics
import subprocess
import tempfile

PERMUTATIONS = 20000


def measure(options, seed, half):
    """Returns [mrr, map, mrr of BM25, map of BM25] by question, in %."""
    with tempfile.TemporaryDirectory() as folder:
        model, each = folder + "/model", folder + "/each.tsv"
        subprocess.run(
            [options.heed, "train", "--task", "retrieve", "--answers", options.train,
             "--valid-answers", options.valid, "--valid-queries", half, "--quiet",
             "--seed", seed, "--out", model, *options.more],
            check=True, capture_output=True)
        subprocess.run([options.heed, "evaluate", model, "--per-query", each],
                       check=True, capture_output=True)
        with open(each) as lines:
            rows = [line.split() for line in lines][1:]
        return {row[0]: [100 * float(x) for x in row[1:]] for row in rows}


def p_value(differences):
    """Two-sided p-value of a mean of 0: the fraction of random signs that give a
    mean at least as far from 0."""
    rng = random.Random(1)
    found = abs(sum(differences))
    beyond = sum(abs(sum(d if rng.random() < 0.5 else -d for d in differences)) >= found - 1e-9
                 for _ in range(PERMUTATIONS))
    return (beyond + 1) / (PERMUTATIONS + 1)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed")
    parser.add_argument("train")
    parser.add_argument("valid")
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument("more", nargs="*")
    options = parser.parse_args()
    runs = [measure(options, seed, "odd") | measure(options, seed, "even")
            for seed in options.seeds.split(",")]
    questions = list(runs[0])
    report = {"questions": len(questions)}
    for column, name in enumerate(("mrr", "map")):
        values = [[run[q][column] for q in questions] for run in runs]
        bm25 = [runs[0][q][column + 2] for q in questions]
        above = [statistics.mean(seeds) - b for seeds, b in zip(zip(*values), bm25)]
        report[name] = {"mean": statistics.mean(map(statistics.mean, values)),
                        "seeds": [statistics.mean(run) for run in values],
                        "bm25": statistics.mean(bm25),
                        "above": statistics.mean(above), "p_value": p_value(above)}
    print(json.dumps(report))


if __name__ == "__main__":
    main()
