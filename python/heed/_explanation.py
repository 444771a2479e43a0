"""Explanations of answers, and pictures of attention."""

from __future__ import annotations

import itertools
import json
import os
import re
from functools import cached_property
from typing import Any, Dict, List

from ._arrays import Array, as_handle, to_array
from ._library import Handle, ask, ask_bytes, encode_json, lib, make
from .errors import ConfigError, Error, IoError

_FORMATS = ("svg", "png", "html", "json")
_numbers = itertools.count(1)  # of pictures on one page


class Picture:
    """A picture of attention. The last line of a notebook's cell shows it.

    `print(picture)` draws it with characters.
    """

    def _draw(self, request: Dict[str, Any]) -> bytes:
        raise NotImplementedError

    def draw(self, format: str = "svg", **options: Any) -> Any:
        """Draws the picture.

        Args:
            format: "svg", "html" (a page), "json" or "text" (for a terminal), which give a
                text; "png", which gives bytes.
            options: view, layer, head, rows, scale, words, width, colour: see
                `heed explain --help`.
        Raises:
            ConfigError: An option does not exist, or the picture needs other data.
        """
        drawn = self._draw({"format": format, **options})
        return drawn if format == "png" else drawn.decode()

    def save(self, path: Any, **options: Any) -> None:
        """Writes the picture to a file.

        Args:
            path: File name that ends in .svg, .png, .html or .json.
            options: As for draw.
        Raises:
            ConfigError: The file name has another ending.
            IoError: The file cannot be written.
        """
        name = os.fspath(path)
        form = name.rpartition(".")[2].lower()
        if form not in _FORMATS:
            raise ConfigError(f"'{name}' does not end in .{', .'.join(_FORMATS)}")
        drawn = self._draw({"format": form, **options})
        try:
            with open(name, "wb") as file:
                file.write(drawn)
        except OSError as error:
            raise IoError(f"cannot write {name}: {error.strerror}") from None

    def __repr__(self) -> str:
        try:
            lines = self.draw("text").rstrip("\n").split("\n")
            return "\n".join(line.rstrip() for line in lines)
        except Error as error:
            return f"<{type(self).__name__} without a picture: {error}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Dict[str, str]:
        shown = {"text/plain": repr(self)}
        try:
            svg = self.draw()
        except Error:
            return shown
        # Pictures on one page must not share ids.
        name = rf"\g<1>heed{next(_numbers)}-"
        svg = re.sub(r"(\bid=['\"]|url\(#|href=['\"]#)", name, svg)
        shown["image/svg+xml"] = svg
        shown["text/html"] = f"<div style='overflow-x:auto'>{svg}</div>"
        return shown


class WeightsPicture(Picture):
    """A picture of attention weights [T, S] or [heads, T, S]."""

    def __init__(self, weights: Any, request: Dict[str, Any]):
        self.weights = weights
        self._request = request

    def _draw(self, request: Dict[str, Any]) -> bytes:
        text = encode_json({**self._request, **request})
        handle = as_handle(self.weights)
        return ask_bytes(lib.heed_draw, handle.use(), text, len(text))


class Explanation(Picture):
    """What a model attended to for an answer, and what the answer depends on.

    `Model.explain` makes it. The last line of a notebook's cell shows it.

    Example:
        >>> model = heed.train("classify", ["good film", "bad film"] * 20, ["pos", "neg"] * 20,
        ...                    vocabulary="words", epochs=2, units=8, progress=False)
        >>> e = model.explain("good film", answer="pos")
        >>> e.source
        ['<s>', 'good', 'film', '</s>']
        >>> e.target
        ['pos']
        >>> e.attention.shape
        (1, 1, 1, 4)
        >>> list(e.layers)
        ['encoder.attention', 'pooling']
    """

    def __init__(self, handle: Handle):
        self._handle = handle

    def _draw(self, request: Dict[str, Any]) -> bytes:
        text = encode_json(request)
        return ask_bytes(lib.heed_explanation_draw, self._handle.use(), text, len(text))

    @cached_property
    def json(self) -> Dict[str, Any]:
        """The explanation as `heed explain --json` writes it."""
        return json.loads(ask(lib.heed_explanation_json, self._handle.use()))

    @property
    def text(self) -> str:
        """The explained input."""
        return self.json["text"]

    @property
    def answer(self) -> str:
        """The explained answer."""
        return self.json["answer"]

    @property
    def source(self) -> List[str]:
        """Labels of the last dimension of `attention`, such as tokens of the input."""
        return self._labels("key")

    @property
    def target(self) -> List[str]:
        """Labels of the second-last dimension of `attention`, such as tokens of the answer."""
        return self._labels("query")

    @cached_property
    def attention(self) -> Array:
        """Weights of the attention behind the answer [layers, heads, T, S] in float32.

        T: target, S: source. Layers are those between the same axes, the first one first; a
        text of several parts has those of its first part.

        Raises: ConfigError if the model has no attention.
        """
        shown = self._shown()
        same = [i for i, other in enumerate(self.json["maps"]) if all(
            other.get(key) == shown.get(key) for key in ("query", "key", "heads", "edges"))]
        return to_array([self._weights(i) for i in same], "float32")

    @cached_property
    def layers(self) -> Dict[str, Array]:
        """Weights [heads, T, S] of all attentions by name, in the order of computation.

        Attention to the neighbours in a graph is [heads, edges].
        """
        return {one["name"]: self._weights(i) for i, one in enumerate(self.json["maps"])}

    @property
    def attributions(self) -> Dict[str, Array]:
        """What each part of the source contributes to the answer, by the methods asked for.

        Shape: [targets, S].
        """
        return {one["method"]: Array(one["scores"]) for one in self.json["attributions"]}

    def _shown(self) -> Dict[str, Any]:
        """The attention that explains the answer."""
        maps = self.json["maps"]
        if not maps:
            raise ConfigError("the model has no attention; explain(text, method=\"saliency\") "
                              "shows what its answer depends on")
        behind = (target["map"] for target in self.json["targets"] if "map" in target)
        return maps[next(behind, -1)]

    def _labels(self, side: str) -> List[str]:
        axis = self.json["axes"][self._shown()[side] if self.json["maps"] else "source"]
        return axis.get("labels") or axis["items"]

    def _weights(self, index: int) -> Array:
        return Array._of(make("heed_array_free", "array", lib.heed_explanation_attention,
                              self._handle.use(), index))
