#!/usr/bin/env python3
"""A linear model on words and pairs of words, beside `heed train --task classify`.

linear_words.py DOCS --train FOLDS --test FOLDS [--valid FOLDS] [--ngrams N] [--bayes]

DOCS is a file of format docs (plain or gzip). Logistic regression on which n-grams of
words a document has, binary as in Pang, Lee and Vaithyanathan 2002, with --bayes each
times its log-count ratio (Wang and Manning 2012, NBSVM). The strength of L2 is chosen on
--valid, on which the model is then not trained; without it, it is --l2. Needs PyTorch.
"""

import argparse
import collections
import gzip
import time

import torch

STRENGTHS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)


def folds_of(text):
    folds = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        folds.update(range(int(low), int(high or low) + 1))
    return folds


def read(path):
    """Returns (label, fold, words) of each document."""
    opener = gzip.open if path.endswith(".gz") else open
    documents = []
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.startswith("#doc "):
                _, _, label, fold = line.split()
                documents.append((label, int(fold), []))
            elif documents:
                documents[-1][2].extend([*line.split(), "\n"])
    return documents


def grams(words, longest):
    return {tuple(words[i:i + n]) for n in range(1, longest + 1)
            for i in range(len(words) - n + 1) if "\n" not in words[i:i + n]}


def matrix(rows, index, ratios=None):
    places, values = [[], []], []
    for r, row in enumerate(rows):
        for gram in row:
            if gram in index:
                places[0].append(r)
                places[1].append(index[gram])
                values.append(1.0 if ratios is None else float(ratios[index[gram]]))
    x = torch.sparse_coo_tensor(torch.tensor(places), torch.tensor(values),
                                (len(rows), len(index)))
    return x.coalesce()


def fit(x, y, l2):
    w = torch.zeros(x.shape[1], 1, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([w, b], max_iter=200, line_search_fn="strong_wolfe")

    def loss():
        optimizer.zero_grad()
        scores = torch.sparse.mm(x, w)[:, 0] + b
        value = torch.nn.functional.softplus(-scores * y).mean() + 0.5 * l2 * (w * w).sum()
        value.backward()
        return value

    optimizer.step(loss)
    return w.detach(), b.detach()


def accuracy(x, y, model):
    scores = torch.sparse.mm(x, model[0])[:, 0] + model[1]
    return 100 * ((scores > 0) == (y > 0)).float().mean().item()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("docs")
    options.add_argument("--train", required=True)
    options.add_argument("--valid")
    options.add_argument("--test", required=True)
    options.add_argument("--ngrams", type=int, default=2)
    options.add_argument("--least", type=int, default=2, help="documents with an n-gram")
    options.add_argument("--l2", type=float, default=1e-3)
    options.add_argument("--bayes", action="store_true")
    asked = options.parse_args()
    torch.manual_seed(1)
    start = time.time()
    documents = [(label, fold, grams(words, asked.ngrams))
                 for label, fold, words in read(asked.docs)]
    positive = max(label for label, _, _ in documents)

    def part(folds):
        chosen = [d for d in documents if d[1] in folds_of(folds)]
        return ([d[2] for d in chosen],
                torch.tensor([1.0 if d[0] == positive else -1.0 for d in chosen]))

    rows, y = part(asked.train)
    counts = collections.Counter(gram for row in rows for gram in row)
    kept = sorted(gram for gram, count in counts.items() if count >= asked.least)
    index = {gram: i for i, gram in enumerate(kept)}
    ratios = None
    if asked.bayes:
        x = matrix(rows, index)
        p = 1 + torch.sparse.mm(x.t(), (y > 0).float()[:, None])[:, 0]
        q = 1 + torch.sparse.mm(x.t(), (y < 0).float()[:, None])[:, 0]
        ratios = torch.log((p / p.sum()) / (q / q.sum()))
    x = matrix(rows, index, ratios)
    l2 = asked.l2
    if asked.valid:
        held, held_y = part(asked.valid)
        held = matrix(held, index, ratios)
        found = {one: accuracy(held, held_y, fit(x, y, one)) for one in STRENGTHS}
        l2 = max(found, key=found.get)
        print("  ".join(f"{one:g}: {value:.2f}" for one, value in found.items()))
    test, test_y = part(asked.test)
    result = accuracy(matrix(test, index, ratios), test_y, fit(x, y, l2))
    print(f"{len(index)} n-grams, L2 {l2:g}: {result:.2f} % of {len(test_y)} "
          f"({time.time() - start:.0f} s)")


if __name__ == "__main__":
    main()
