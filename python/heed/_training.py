"""Training of models, and what can be trained."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from functools import lru_cache
from typing import Any, Dict, FrozenSet, List, Optional

from ._data import training_options
from ._model import Model, check_free
from ._words import run, words_of
from .errors import ConfigError, Error, IoError


def tasks() -> Dict[str, str]:
    """The tasks that models can learn, each with a description.

    Example:
        >>> heed.tasks()["classify"]
        'labels of texts and of pairs of texts'
    """
    rows = json.loads(run("list", "tasks", "--json"))["tasks"]
    return {row["task"]: row["description"] for row in rows}


def options(task: str, model: Optional[str] = None) -> Dict[str, Dict[str, str]]:
    """The options of `train` for a task, by their names.

    Args:
        task: One of tasks().
        model: Architecture, on which some options depend. None: that of the task.
    Returns: For each option its type, default, range, section and help.
    Raises: ConfigError: There is no such task or architecture.

    Example:
        >>> heed.options("classify")["learning_rate"]["default"]
        '0.001'
    """
    words = ["--task", task] + (["--model", model] if model else [])
    rows = json.loads(run("list", "options", *words, "--json"))["options"]
    return {row.pop("key"): row for row in rows}


@lru_cache(maxsize=None)
def _choices(task: str, model: Optional[str]) -> FrozenSet[str]:
    """Options that are no flags, and so take "yes" and "no"."""
    return frozenset(name for name, row in options(task, model).items()
                     if row["type"] != "flag")


def train(task: str, data: Any = None, targets: Any = None, *, valid: Any = None,
          out: Any = None, progress: bool = True, **options: Any) -> Model:
    """Trains a model on examples.

    Args:
        task: One of tasks().
        data: Inputs as a list, or the path of a file in the format of the task. An input is
            a text; of `tag` a list of words; of tasks with several inputs, such as pairs of
            texts, a tuple. Of `forecast` it is an array [time, columns] of numbers, or a
            dict of columns; of `nodes` a list of features of each node.
        targets: The right answers, one for each input: translations, labels, lists of tags.
            None: `data` holds tuples (input, target), or a task has no targets.
        valid: Examples that select the best weights: (data, targets), or a path, or the
            share of `data` that is not trained on, such as 0.1. None: none; the last
            weights are kept.
        out: Folder of the model; the examples are kept in out/examples, so that
            train(task, resume=out) can go on. None: a temporary folder, which is removed
            with the model; Model.save copies it.
        progress: Show a line of progress.
        options: Options of `heed train`, with `_` for `-`: heed.options(task) lists them.

    Returns: The trained model.
    Raises:
        ConfigError: An option does not exist or is out of range.
        FormatError: An example has the wrong form.
        KeyboardInterrupt: Ctrl-C. A training in `out` can go on.

    Example:
        >>> model = heed.train("classify", ["good film", "dull film"] * 50,
        ...                    ["pos", "neg"] * 50, epochs=5, score="additive",
        ...                    progress=False)
        >>> model("a good film")
        'pos'
    """
    resume = options.pop("resume", None)
    choices = _choices(task, options.get("model"))
    if resume is not None:
        if data is not None:
            raise ConfigError("resume goes on with the examples of its folder; leave data out")
        run("train", "--resume", os.fspath(resume), *_words(options, choices, progress),
            quiet=not progress)
        return Model(resume)
    folder = os.fspath(out) if out else ""
    if folder:
        check_free(folder, options.get("overwrite", False))
    made = folder or tempfile.mkdtemp(prefix="heed-")
    place = os.path.join(made, "examples")
    try:
        if data is not None:
            os.makedirs(place, exist_ok=True)
        options.update(training_options(task, data, targets, valid, place, options))
        run("train", "--task", task, "--out", made, *_words(options, choices, progress),
            quiet=not progress)
        if not folder:
            shutil.rmtree(place, ignore_errors=True)
        return Model(made, _temporary=not folder)
    except BaseException as error:
        if not (folder and isinstance(error, KeyboardInterrupt)):  # which may be resumed
            shutil.rmtree(place if folder else made, ignore_errors=True)
        if isinstance(error, OSError) and not isinstance(error, Error):
            raise IoError(f"cannot write {made}: {error.strerror}") from None
        raise


def _words(options: Dict[str, Any], choices: FrozenSet[str], progress: bool) -> List[str]:
    return words_of(options, choices) + ([] if progress else ["--quiet"])


def import_model(source: Any, out: Any = None, **options: Any) -> Model:
    """Converts a model of Hugging Face or Marian and loads it.

    Args:
        source: Folder with config.json, model.safetensors and the tokenizer's files, or
            model.npz of Marian.
        out: Folder to write. None: a temporary one, which is removed with the model.
        options: Those of `heed import`, such as pairs, encoder_only, dtype, overwrite.
    Raises:
        ConfigError: The model has a part that Heed does not support.
        IoError: There is no such model.
    """
    folder = os.fspath(out) if out is not None else tempfile.mkdtemp(prefix="heed-")
    try:
        run("import", os.fspath(source), "--out", folder, *words_of(options))
        return Model(folder, _temporary=out is None)
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
