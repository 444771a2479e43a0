"""Pictures of any attention weights, and alignments of words."""

from __future__ import annotations

import json
import math
import os
import struct
import tempfile
import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ._arrays import Array, to_array
from ._data import evaluation_options
from ._explanation import WeightsPicture
from ._words import run, words_of
from .errors import ConfigError, IoError, NumericError, ShapeError

_KINDS = {"heatmap": "alignment", "lines": "lines", "heads": "heads", "overlay": "input"}


def show(weights: Any, source: Any = None,
         target: Optional[Sequence[str]] = None, kind: str = "heatmap", *, title: str = "",
         head: int = -1, scale: str = "auto") -> WeightsPicture:
    """Draws attention weights of any library.

    Args:
        weights: Array [T, S] or [heads, T, S] of numpy, PyTorch, JAX or Heed, or nested
            lists. Leading dimensions of size 1 are left out.
        source: Labels of the S columns. None: numbers. For kind "overlay": the image.
        target: Labels of the T rows. None: those of the columns if T is S.
        kind: "heatmap"; "lines" between both sides; "heads", a small map for each head;
            "overlay", the image for each target with its weights. The S weights are cells
            of the image, row by row: a square grid if there is one, else the one nearest to
            the shape of the image. The image is the path or the bytes of a PNG or JPEG
            file, or an array [height, width] or [height, width, 3], of fractions from 0 to
            1 or of whole numbers to 255.
        title: Text above the picture.
        head: Head of a heat map or of lines. -1: the mean of all heads.
        scale: Weight in full shade: "absolute" (1), "row" or "picture" (the largest of
            these), or "auto".
    Returns: A picture, which a notebook shows, with save(path).
    Raises:
        ShapeError: Labels, weights or image do not fit together.
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
    if kind == "overlay":
        request["image"] = b64encode(_image_file(source)).decode()
    for name, labels in (("source", source), ("target", target)):
        if labels is not None and (name, kind) != ("source", "overlay"):
            request[name] = list(map(str, labels))
    if title:
        request["title"] = title
    picture = WeightsPicture(array, request)
    picture.draw()  # reports wrong labels and weights now
    return picture


def _image_file(image: Any) -> bytes:
    """The bytes of a PNG or JPEG file: those of a file, or of the pixels of an array."""
    if isinstance(image, bytes):
        return image
    if isinstance(image, (str, os.PathLike)):
        try:
            return Path(image).read_bytes()
        except OSError as error:
            raise IoError(f"cannot read {os.fspath(image)}: {error.strerror}") from None
    if image is None:
        raise ConfigError("kind 'overlay' needs an image as source")
    pixels = to_array(image)
    if not (pixels.ndim == 2 or pixels.ndim == 3 and pixels.shape[2] == 3) or not pixels.size:
        raise ShapeError(f"an image is [height, width] or [height, width, 3], not "
                         f"{list(pixels.shape)}")
    factor = 255 if "float" in pixels.dtype else 1
    numbers = pixels.reshape(pixels.shape[0], -1).tolist()
    if not all(map(math.isfinite, (x for row in numbers for x in row))):
        raise NumericError("a pixel of the image is NaN or infinite")
    rows = [bytes(min(max(round(x * factor), 0), 255) for x in row) for row in numbers]
    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8,
                         2 if pixels.ndim == 3 else 0, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row for row in rows))  # filter 0: none
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", header), (b"IDAT", body), (b"IEND", b"")))


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
