"""Attention models: train, load, run and explain them.

Models for texts, images, sounds, graphs and series are trained in one call, and answer in
another. Each of them shows what it attended to:

    >>> import heed
    >>> model = heed.train("classify", ["good film", "dull film"] * 50, ["pos", "neg"] * 50,
    ...                    epochs=5, progress=False)
    >>> model("a good film")
    'pos'
    >>> explanation = model.explain("a good film")  # a picture, as the last line of a cell

Attention on arrays of numpy, PyTorch, JAX or lists:

    >>> found = heed.attend([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], mask=None)
    >>> found.weights.shape
    (1, 2)

Models: load, train, import_model, tasks, options, Model, Prediction, Explanation, serve.
Arrays: Array, attend, Attention, Mask. Own models: Parameter, Tape, ops, nn, Adam, checks.
Pictures and metrics: show, align, metrics. Errors are in heed.errors.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, List

_PLACES = {
    "_training": "train import_model tasks options",
    "_model": "load threads Model Prediction",
    "_explanation": "Explanation",
    "_server": "serve Server",
    "_show": "show align",
    "_arrays": "Array",
    "_attention": "Attention attend",
    "_mask": "Mask",
    "_tensors": "Parameter Tape",
    "_optim": "Adam",
    "errors": "Error ShapeError ConfigError FormatError IoError NumericError Cancelled "
              "HeedWarning",
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names.split()}
_MODULES = ("checks", "errors", "metrics", "nn", "ops", "sklearn")

__all__ = [*_MODULE_OF, *_MODULES, "__version__"]
__all__.remove("sklearn")  # needs scikit-learn

if TYPE_CHECKING:
    from . import checks, errors, metrics, nn, ops
    from ._arrays import Array
    from ._attention import Attention, attend
    from ._explanation import Explanation
    from ._mask import Mask
    from ._model import Model, Prediction, load, threads
    from ._optim import Adam
    from ._server import Server, serve
    from ._show import align, show
    from ._tensors import Parameter, Tape
    from ._training import import_model, options, tasks, train
    from .errors import (Cancelled, ConfigError, Error, FormatError, HeedWarning, IoError,
                         NumericError, ShapeError)

    __version__: str


def __getattr__(name: str) -> Any:
    """Imports what is used, so that `import heed` is fast."""
    if name in _MODULE_OF:
        value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    elif name in _MODULES:
        value = importlib.import_module(f".{name}", __name__)
    elif name == "__version__":
        from ._library import lib
        value = lib.heed_version().decode()
    else:
        raise AttributeError(f"module 'heed' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted(__all__)  # help(heed) imports all of these; sklearn may be missing
