"""Writes cider.tsv: CIDEr-D of captions as defined in Vedantam et al. 2015, section 5.

Usage: python3 make_cider.py

A line: score of this item in its corpus, caption, references. The last line: mean score. Texts
are lower-case words, so that tokenisers do not matter. The values equal those of coco-caption's
cider_scorer.py."""

import itertools
import math
import os
import random

ITEMS = [
    ("a dog runs on the beach", ["a dog runs on the beach", "a brown dog runs along the sea"]),
    ("a man rides a horse", ["a person on a horse", "a man is riding a brown horse", "man rides a horse"]),
    ("the the the the the", ["the cat sat on the mat"]),
    ("cat", ["cat", "a cat"]),
    ("", ["nothing was written here"]),
    ("two boys play", ["three girls sing a very long song about the sea and the hills far away"]),
    ("a a dog dog", ["a dog a dog", "a dog"]),
]


def generated_items():
    """Captions of a small vocabulary with up to five references."""
    generator = random.Random(4)

    def text():
        return " ".join(generator.choice("abcdefgh") for _ in range(generator.randint(1, 9)))

    return [(text(), [text() for _ in range(generator.randint(1, 5))]) for _ in range(30)]


def ngrams(text, n):
    words = text.split()
    return [" ".join(words[i:i + n]) for i in range(len(words) - n + 1)]


def score(items, index):
    caption, references = items[index]
    total = 0
    for n, reference in itertools.product(range(1, 5), references):

        def vector(text):
            weights = {}
            for ngram in ngrams(text, n):
                holders = sum(any(ngram in ngrams(r, n) for r in refs) for _, refs in items)
                weights[ngram] = weights.get(ngram, 0) + math.log(len(items) / max(1, holders))
            return weights

        ours, theirs = vector(caption), vector(reference)
        norms = math.prod(math.sqrt(sum(w * w for w in v.values())) for v in (ours, theirs))
        if norms == 0:
            continue
        product = sum(min(w, theirs.get(ngram, 0)) * theirs.get(ngram, 0) for ngram, w in ours.items())
        longer = len(caption.split()) - len(reference.split())
        total += math.exp(-longer**2 / (2 * 6**2)) * product / norms
    return 10 * total / 4 / len(references)


def main():
    items = ITEMS + generated_items()
    scores = [score(items, i) for i in range(len(items))]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cider.tsv")
    with open(path, "w", encoding="utf-8") as out:
        for value, (caption, references) in zip(scores, items):
            out.write("\t".join([f"{value:.10f}", caption] + references) + "\n")
        out.write(f"{sum(scores) / len(scores):.10f}\n")


if __name__ == "__main__":
    main()
