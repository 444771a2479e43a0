"""A classifier of texts for scikit-learn, for its pipelines and searches.

Example:
    >>> from heed.sklearn import Classifier  # doctest: +SKIP
    >>> from sklearn.model_selection import GridSearchCV  # doctest: +SKIP
    >>> search = GridSearchCV(Classifier(epochs=5), {"score": ["additive", "general"]})
    ... # doctest: +SKIP
    >>> search.fit(texts, labels).best_params_  # doctest: +SKIP
"""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Any, Dict, Iterable, List

import numpy
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ._model import Model
from .errors import FormatError


class Classifier(ClassifierMixin, BaseEstimator):
    """A text classifier with attention.

    Args:
        options: Options of `heed.train` for the task "classify", such as epochs=5,
            score="additive" and seed=2. They are the parameters of get_params and
            set_params.

    Attributes:
        classes_: The labels, sorted.
        model_: The `heed.Model`, for example to explain answers.
    """

    def __init__(self, **options: Any):
        self.options = options

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The options that were set."""
        return dict(self.options)

    def set_params(self, **options: Any) -> "Classifier":
        """Changes options."""
        self.options = {**self.options, **options}
        return self

    def fit(self, X: Iterable[str], y: Iterable[Any]) -> "Classifier":
        """Trains a model.

        Args:
            X: Texts.
            y: A label for each text.
        """
        from . import train
        texts, labels = _texts(X), numpy.asarray(y)
        if labels.shape != (len(texts),):
            raise ValueError("{} texts, but labels of shape {}".format(len(texts),
                                                                       labels.shape))
        self.classes_, numbers = numpy.unique(labels, return_inverse=True)
        self._names = [str(label) for label in self.classes_]
        if len(set(self._names)) < len(self._names) or not all(map(_is_word, self._names)):
            self._names = [str(i) for i in range(len(self.classes_))]
        self.model_ = train("classify", texts, [self._names[i] for i in numbers],
                            **{"progress": False, **self.options})
        return self

    def predict_proba(self, X: Iterable[str]) -> numpy.ndarray:
        """The probability of each class for each text [texts, classes]."""
        check_is_fitted(self, "model_")
        found = self.model_.probabilities(_texts(X))
        return numpy.array([[one[name] for name in self._names] for one in found]
                           ).reshape(-1, len(self._names))

    def predict(self, X: Iterable[str]) -> numpy.ndarray:
        """The most probable class for each text."""
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        if "model_" in state:
            with tempfile.TemporaryDirectory(prefix="heed-") as folder:
                state.pop("model_").save(folder, overwrite=True)
                state["_files"] = {os.path.relpath(path, folder): path.read_bytes()
                                   for path in pathlib.Path(folder).rglob("*")
                                   if path.is_file()}
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        files = state.pop("_files", None)
        self.__dict__.update(state)
        if files is not None:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="heed-"))
            for name, content in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
            self.model_ = Model(folder, _temporary=True)

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["string"], "non_deterministic": False}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags


def _texts(X: Iterable[str]) -> List[str]:
    """The texts of a list, an array or a column."""
    if isinstance(X, str):
        raise FormatError("X is one text; it must be a list of texts")
    texts = list(X)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise FormatError("X[{}] is {}, not a text".format(i, type(text).__name__))
    return [str(text) for text in texts]


def _is_word(name: str) -> bool:
    """True if a label can be written as it is."""
    return name != "" and name.isprintable() and name == name.strip()
