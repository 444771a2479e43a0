#!/usr/bin/env python3
"""Ways to compare questions with texts, on files of answers (docs/how-to/retrieval.md):

    bench/answer_selection.py [--seeds N] [--shared-words] [--test FILE]
                              HEED TRAIN VALID [-- OPTIONS OF TRAINING...]

Trains each way with each seed, in turn, and writes means and deviations of MRR and
MAP, of validation (or of --test, with weights chosen by validation), beside BM25.
Also paired with mean pooling: in how many seeds a way is above it.
"""

import argparse
import json
import statistics
import subprocess
import tempfile

WAYS = {
    "last": ["--match", "separate", "--pooling", "last"],
    "mean": ["--match", "separate", "--pooling", "mean"],
    "max": ["--match", "separate", "--pooling", "max"],
    "pooled by attention": ["--match", "separate", "--pooling", "attention"],
    "attention": ["--match", "attention"],
    "attentive pooling": ["--match", "attentive_pooling"],
}


def scores(options, way, seed):
    with tempfile.TemporaryDirectory() as folder:
        model = folder + "/model"
        train = [options.heed, "train", "--task", "retrieve", "--answers",
                 options.train, "--valid-answers", options.valid, "--lowercase",
                 "--batch-queries", "16", "--negatives", "32", "--epochs", "15",
                 "--quiet", "--seed", str(seed), "--out", model]
        if options.shared_words:
            train.append("--shared-words")
        subprocess.run(train + WAYS[way] + options.more, check=True,
                       capture_output=True)
        report = subprocess.run(
            [options.heed, "evaluate", model, "--answers",
             options.test or options.valid, "--json"],
            check=True, capture_output=True, text=True).stdout
        return json.loads(report)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed")
    parser.add_argument("train")
    parser.add_argument("valid")
    parser.add_argument("--test")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--shared-words", action="store_true")
    parser.add_argument("more", nargs="*")
    options = parser.parse_args()
    found = {way: [] for way in WAYS}
    for seed in range(1, options.seeds + 1):
        for way in WAYS:
            found[way].append(scores(options, way, seed))
    print(f"{'%':20} {'MRR':>14} {'MAP':>14}   above the mean in")
    for way, reports in found.items():
        line = f"{way:20}"
        for key in ("mrr", "map"):
            values = [report["model"][key] for report in reports]
            deviation = statistics.stdev(values) if len(values) > 1 else 0
            line += f" {statistics.mean(values):7.2f} ± {deviation:4.2f}"
        above = sum(a["model"]["map"] > b["model"]["map"]
                    for a, b in zip(reports, found["mean"]))
        print(f"{line}   {above} of {len(reports)}")
    bm25 = found["mean"][0]["bm25"]
    print(f"{'BM25':20} {bm25['mrr']:7.2f}        {bm25['map']:7.2f}")


if __name__ == "__main__":
    main()
