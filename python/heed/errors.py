"""Exceptions and warnings of Heed.

Every exception is an `Error`, and also the built-in exception that Python programs expect
for its kind: `ShapeError`, `ConfigError` and `FormatError` are `ValueError`, `IoError` is
`OSError`.
"""

from __future__ import annotations


class Error(Exception):
    """Base of all exceptions of Heed. The message says what failed, where, and what to do."""


class ArgumentError(Error, ValueError):
    """An object that cannot be used here, such as a closed model."""


class ShapeError(Error, ValueError):
    """Arrays whose shapes or types of elements do not fit together."""


class ConfigError(Error, ValueError):
    """An option or a name that does not exist, or a value out of its range."""


class FormatError(Error, ValueError):
    """A file, a text or a record with content that cannot be read."""


class IoError(Error, OSError):
    """A file that cannot be opened, read or written."""


class NumericError(Error, ArithmeticError):
    """NaN or infinity in a computation."""


class Cancelled(Error):
    """A computation that was stopped, for example because its iterator was closed."""


class OutOfMemory(Error, MemoryError):
    """Too little memory. A smaller batch, model or input needs less."""


class InternalError(Error, RuntimeError):
    """An error of Heed itself. Please report it."""


class HeedWarning(UserWarning):
    """Something odd that Heed handled, such as a text that was cut."""
