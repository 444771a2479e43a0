"""Metrics of answers, in the units of `heed evaluate`: most are in per cent.

Example:
    >>> round(heed.metrics.bleu(["the cat sat on the mat"], ["the cat sat on a mat"]), 1)
    53.7
    >>> heed.metrics.accuracy(["pos", "neg"], ["pos", "pos"])
    50.0
"""

from __future__ import annotations

from ctypes import byref, c_double
from typing import Any, Dict, Hashable, List, Sequence, Set

from ._data import listed
from ._library import check, encode_json, lib
from .errors import ConfigError, FormatError, ShapeError


def _measure(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> float:
    predicted, gold = _both(hypotheses, references)
    request = encode_json({"metric": name, "hypotheses": predicted, "references": gold})
    value = c_double()
    check(lib.heed_metric(request, len(request), byref(value)))
    return value.value


def bleu(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of a corpus, 0 to 100, as sacreBLEU counts it (tokeniser 13a).

    Args:
        hypotheses: Texts to measure.
        references: The right texts, one for each.
    """
    return _measure("bleu", hypotheses, references)


def chrf(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """chrF2 of a corpus, 0 to 100. Arguments: as for bleu."""
    return _measure("chrf", hypotheses, references)


def ter(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Translation edit rate of a corpus in per cent, as sacreBLEU counts it by default.

    Edits per word of the references: a word is inserted, deleted or replaced, or a phrase
    shifted (Snover et al. 2006). Texts are lower-cased and split at white space.
    Arguments: as for bleu.

    Example:
        >>> heed.metrics.ter(["on the mat the cat sat"], ["the cat sat on the mat"])
        16.666666666666668
    """
    return _measure("ter", hypotheses, references)


def exact_match(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Texts that equal their references, in per cent. Arguments: as for bleu."""
    return _measure("exact_match", hypotheses, references)


def word_error_rate(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Wrong, missing and added words per word of the references, in per cent."""
    return _measure("word_error_rate", hypotheses, references)


def character_error_rate(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Wrong, missing and added characters per character of the references, in per cent."""
    return _measure("character_error_rate", hypotheses, references)


def rouge(hypotheses: Sequence[str], references: Sequence[str]) -> Dict[str, float]:
    """F1 of ROUGE-1, ROUGE-2 and ROUGE-L, 0 to 100, by "rouge1", "rouge2" and "rouge_l"."""
    return {name: _measure(name, hypotheses, references)
            for name in ("rouge1", "rouge2", "rouge_l")}


def accuracy(predicted: Sequence[Any], gold: Sequence[Any]) -> float:
    """Right answers in per cent. Answers that are lists are compared as sets of labels."""
    pairs = list(zip(*_label_sets(predicted, gold)))
    return 100 * sum(one == other for one, other in pairs) / len(pairs)


def f1(predicted: Sequence[Any], gold: Sequence[Any], average: str = "macro") -> float:
    """F1 in per cent: 2 correct / (gold + predicted).

    Args:
        predicted: A label, or a list of labels, for each example.
        gold: The right ones.
        average: "macro": the mean of the F1 of each label that occurs. "micro": F1 of all
            decisions together.

    Example:
        >>> heed.metrics.f1(["a", "b", "b", "b"], ["a", "a", "b", "b"], average="micro")
        75.0
    """
    if average not in ("macro", "micro"):
        raise ConfigError(f"average is '{average}'; there are macro and micro")
    counts: Dict[Hashable, List[int]] = {}  # correct, and gold + predicted
    for one, other in zip(*_label_sets(predicted, gold)):
        for label in sorted(one, key=str) + sorted(other, key=str):
            counts.setdefault(label, [0, 0])[1] += 1
        for label in one & other:
            counts[label][0] += 1
    if average == "micro":
        counts = {"all": [sum(column) for column in zip(*counts.values())]}
    shares = [2 * correct / number for correct, number in counts.values()]
    return 100 * sum(shares) / len(shares)


def _both(predicted: Any, gold: Any) -> Any:
    predicted, gold = listed("the first list", predicted), listed("the second list", gold)
    if len(predicted) != len(gold):
        raise ShapeError(f"{len(predicted)} answers, but {len(gold)} right ones")
    if not predicted:
        raise FormatError("there is no answer to measure")
    return predicted, gold


def _label_sets(predicted: Any, gold: Any) -> List[List[Set[Hashable]]]:
    return [[set(one) if isinstance(one, (list, tuple, set)) else {one} for one in answers]
            for answers in _both(predicted, gold)]
