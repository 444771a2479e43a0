"""Writes rouge.tsv: ROUGE of pairs of texts as the reference implementation computes it.

Usage: python3 make_rouge.py (with pip's rouge-score 0.1.2, without its stemmer)

A line: hypothesis, reference, then precision, recall and F1 of ROUGE-1, -2 and -L."""

import os

from rouge_score import rouge_scorer

PAIRS = [
    ("the baker painted the door", "the baker painted the door"),
    ("the cat sat on the mat", "a dog lay in the garden"),
    ("The quick brown fox, jumps over the LAZY dog!", "the quick brown dog jumps on the log."),
    ("police killed the gunman", "the gunman police killed"),
    ("the gunman kill police", "police killed the gunman"),
    ("the the the the", "the cat the dog"),
    ("a b a b a b", "b a b a"),
    ("", "nothing was written"),
    ("something was written", ""),
    ("...", "!!!"),
    ("one", "one two"),
    ("one two", "one"),
    ("it's 3.14 or 1,000-fold", "it s 3 14 or 1 000 fold"),
    ("naïve café at the Ångström", "na ve caf at the ngstr m"),
    ("東京 is a city", "Tokyo is a city"),
    ("under_score joins-not", "under score joins not"),
    ("a b c d e f g h", "h g f e d c b a"),
    ("x a x b x c x d", "a b c d"),
    ("The House passed the bill on Monday, 218 to 214.", "House passes bill 218-214"),
    ("w " * 70 + "end", "end " + "w " * 65),
    (" ".join(str(i % 7) for i in range(150)), " ".join(str(i % 5) for i in range(140))),
    ("KELVIN K İstanbul ẞ", "kelvin k istanbul ss"),
]


def main():
    kinds = ["rouge1", "rouge2", "rougeL"]
    scorer = rouge_scorer.RougeScorer(kinds, use_stemmer=False)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rouge.tsv")
    with open(path, "w", encoding="utf-8") as out:
        for hypothesis, reference in PAIRS:
            scores = scorer.score(reference, hypothesis)
            numbers = [f"{value:.10f}" for kind in kinds for value in scores[kind]]
            out.write("\t".join([hypothesis, reference] + numbers) + "\n")


if __name__ == "__main__":
    main()
