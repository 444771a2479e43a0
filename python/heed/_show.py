"""Pictures of any attention weights, and alignments of words."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ._arrays import Array, to_array
from ._data import evaluation_options
from ._explanation import WeightsPicture
from ._words import run, words_of
from .errors import ConfigError, ShapeError

_KINDS = {"heatmap": "alignment", "lines": "lines", "heads": "heads"}


def show(weights: Any, source: Optional[Sequence[str]] = None,
         target: Optional[Sequence[str]] = None, kind: str = "heatmap", *, title: str = "",
         head: int = -1, scale: str = "auto") -> WeightsPicture:
    """Draws attention weights of any library.

    Args:
        weights: Array [T, S] or [heads, T, S] of numpy, PyTorch, JAX or Heed, or nested
            lists. Leading dimensions of size 1 are left out.
        source: Labels of the S columns. None: numbers.
        target: Labels of the T rows. None: those of the columns if T is S.
        kind: "heatmap"; "lines" between both sides; "heads", a small map for each head.
        title: Text above the picture.
        head: Head of a heat map or of lines. -1: the mean of all heads.
        scale: Weight in full shade: "absolute" (1), "row" or "picture" (the largest of
            these), or "auto".
    Returns: A picture, which a notebook shows, with save(path).
    Raises:
        ShapeError: Labels and weights do not fit together.
        NumericError: A weight is NaN or infinite.

    Example:
        >>> heed.show([[0.9, 0.1], [0.2, 0.8]], ["ein", "Haus"], ["a", "house"])
               ein  Haus
            a █████░░░░░░
        house ░░░░░██████
              0 ·░▒▓█ 1
    """
    if kind not in _KINDS:
        raise ConfigError(f"kind is '{kind}'; there are {', '.join(_KINDS)}")
    array = to_array(weights)
    if array.dtype not in ("float32", "float64"):
        array = to_array(array, "float32")
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    request: Dict[str, Any] = {"view": _KINDS[kind], "scale": scale, "head": head}
    if array.ndim == 2 or kind == "heads":
        del request["head"]
    for name, labels in (("source", source), ("target", target)):
        if labels is not None:
            request[name] = list(map(str, labels))
    if title:
        request["title"] = title
    picture = WeightsPicture(array, request)
    picture.draw()  # reports wrong labels and weights now
    return picture


class Alignment(WeightsPicture):
    """Words that translate each other. A notebook shows them as a picture.

    Attributes:
        source: Words of the source.
        target: Words of the target.
        links: Pairs (index of a source word, index of a target word).
        weights: Weights of all pairs of words [T, S].
    """

    def __init__(self, sentence: Dict[str, Any]):
        self.source: List[str] = sentence["source"]
        self.target: List[str] = sentence["target"]
        self.links: List[Tuple[int, int]] = [(s, t) for s, t in sentence["links"]]
        super().__init__(Array(sentence["weights"]), {
            "source": self.source, "target": self.target, "title": "Alignment"})


def align(source: Union[str, Sequence[str]], target: Union[str, Sequence[str]], model: Any,
          **options: Any) -> Any:
    """Aligns the words of sentences with those of their translations.

    Args:
        source: A sentence, or a list of sentences.
        target: Their translations.
        model: A translator, its folder, or "ibm1" or "ibm2", which learn from these pairs
            alone and need many.
        options: Those of `heed align`, such as reverse, symmetrize, layer, threshold.
    Returns: An Alignment, or a list of them.

    Example:
        >>> pairs = heed.align(
        ...     ["das Haus ist klein", "ein Buch ist gut", "ein Haus", "das Buch"],
        ...     ["the house is small", "a book is good", "a house", "the book"], "ibm1")
        >>> pairs[2].links
        [(0, 0), (1, 1)]
    """
    one = isinstance(source, str)
    if one != isinstance(target, str):
        raise ShapeError("source and target must both be a text, or both be lists")
    folder = getattr(model, "folder", model)
    with tempfile.TemporaryDirectory(prefix="heed-") as place:
        options.update(evaluation_options("translate", [source] if one else source,
                                          [target] if one else target, place))
        answer = run("align", os.fspath(folder), "--format", "json", *words_of(options))
    found = [Alignment(sentence) for sentence in json.loads(answer)["sentences"]]
    return found[0] if one else found
