#!/usr/bin/env python3
"""AUC limit of a data set of patients: visits_known_decay.py DIR [DECAY]

Fits a logistic regression to the patients of `heed generate patients --out DIR`. The
regression knows the decay of effects over visits and fits only one weight per code. Prints
its test AUC and that of the true log-odds. A model that must also learn the decay is not
expected to come closer. Needs NumPy."""

import json
import sys

import numpy as np

CODES = 200


def patients(path, decay):
    rows, labels, log_odds = [], [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            patient = json.loads(line)
            row = np.zeros(CODES + 1)
            row[CODES] = 1
            visits = patient["visits"]
            for j, codes in enumerate(visits):
                for code in codes:
                    row[int(code[1:])] += np.exp(-(len(visits) - 1 - j) / decay)
            rows.append(row)
            labels.append(patient["label"])
            log_odds.append(patient["log_odds"])
    return np.array(rows), np.array(labels, float), np.array(log_odds)


def auc(scores, labels):
    """Returns the AUC; a tie counts half. Patients without effective codes have equal log-odds."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    positive = labels.sum()
    pairs = positive * (len(labels) - positive)
    return (ranks[labels == 1].sum() - positive * (positive + 1) / 2) / pairs


def main():
    folder = sys.argv[1]
    decay = float(sys.argv[2]) if len(sys.argv) > 2 else 3
    x, y, _ = patients(f"{folder}/train.jsonl", decay)
    weights = np.zeros(CODES + 1)
    for _ in range(20):  # Newton steps to the maximum likelihood
        p = 1 / (1 + np.exp(-x @ weights))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(CODES + 1)
        weights += np.linalg.solve(hessian, x.T @ (y - p))
    x, y, log_odds = patients(f"{folder}/test.jsonl", decay)
    own, best = auc(x @ weights, y), auc(log_odds, y)
    print(f"AUC {own:.4f}, Bayes {best:.4f}, below Bayes {best - own:.4f}")


if __name__ == "__main__":
    main()
