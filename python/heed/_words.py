"""Options of Python as words of a command."""

from __future__ import annotations

import os
import re
from typing import Any, Collection, Dict, List

from ._library import command
from .errors import ConfigError


def words_of(options: Dict[str, Any], choices: Collection[str] = ()) -> List[str]:
    """Options as words: {"units": 8, "quiet": True} gives --units 8 --quiet.

    Lists are joined by commas; None is left out. `choices`: options that take "yes" or "no"
    instead of being flags.
    """
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, bool) and name not in choices:
            words.append(option if value else "--no-" + option[2:])
            continue
        words += [option, _text(name, value)]
    return words


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, int, float, os.PathLike)):
        return str(value) if not isinstance(value, os.PathLike) else os.fspath(value)
    if isinstance(value, (list, tuple)):
        return ",".join(_text(name, one) for one in value)
    if hasattr(value, "item"):  # a number of numpy
        return str(value.item())
    raise ConfigError(f"the option {name} is {type(value).__name__}; a text, a number, True, "
                      "False or a list is needed")


def run(*words: str, quiet: bool = True) -> str:
    """Runs a command. Its errors name options as Python does."""
    try:
        return command(*words, quiet=quiet)
    except ConfigError as error:
        raise ConfigError(_in_python(str(error))) from None


def _in_python(message: str) -> str:
    """learning_rate for --learning-rate."""
    message = re.sub(r" \(see heed \w+ --help\)", "", message)
    return re.sub(r"(heed \w+ )?--([a-z][a-z0-9-]*)", lambda found: found[0] if found[1] else
                  found[2].replace("-", "_"), message)
