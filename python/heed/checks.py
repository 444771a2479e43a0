"""Checks of own computations."""

from __future__ import annotations

import math
from array import array
from typing import Any, Callable, List

from ._arrays import Array, new_array, to_array
from ._signatures import F64
from ._tensors import Tape, constant
from .errors import Error


class GradientError(Error, AssertionError):
    """A gradient that differs from the finite differences of its function."""


def gradient(f: Callable[..., Any], *arrays: Any, epsilon: float = 1e-6,
             tolerance: float = 1e-6) -> float:
    """Compares the gradients of a function with finite differences, in float64.

    The difference quotient (f(x + epsilon) - f(x - epsilon)) / (2 epsilon) is computed for
    each element of each array.

    Args:
        f: Function of variables, one for each array. It returns a variable; if that has
            several elements, their sum is checked.
        arrays: Arguments of the function, converted to float64.
        epsilon: Change of an element.
        tolerance: Largest error that is accepted.

    Returns: The largest error |gradient - quotient| / max(1, |quotient|).

    Raises:
        GradientError: The error is above the tolerance; says for which element.

    Example:
        >>> heed.checks.gradient(lambda x: x.tanh(), [[0.5, -1.0]]) < 1e-8
        True
    """
    points = [to_array(one, "float64") for one in arrays]
    with Tape() as tape:
        variables = [tape.watch(point) for point in points]
        result = f(*variables)
    found = tape.gradient(result, variables)
    worst = 0.0
    for i, point in enumerate(points):
        elements = _flat(point)
        for at, exact in enumerate(_flat(found[i])):
            quotient = (_value(f, points, i, elements, at, epsilon)
                        - _value(f, points, i, elements, at, -epsilon)) / (2 * epsilon)
            error = abs(exact - quotient) / max(1.0, abs(quotient))
            if not error <= tolerance:
                raise GradientError(
                    "element {} of argument {}: the gradient is {:.9g}, the difference "
                    "quotient {:.9g} (error {:.3g}, tolerance {:.3g})".format(
                        _index(at, point.shape), i, exact, quotient, error, tolerance))
            worst = max(worst, error)
    return worst


def _value(f: Callable[..., Any], points: List[Array], i: int, elements: List[float],
           at: int, change: float) -> float:
    """Sum of f with element `at` of argument i changed."""
    moved = array("d", elements)
    moved[at] += change
    arguments = list(points)
    arguments[i] = new_array(F64, points[i].shape, None, moved.buffer_info()[0])
    result = f(*[constant(argument) for argument in arguments])
    return math.fsum(_flat(result.array))


def _flat(of: Array) -> List[float]:
    """The elements in order."""
    if not of.shape:
        return [of.item()]
    rows = of.tolist()
    for _ in range(of.ndim - 1):
        rows = [x for row in rows for x in row]
    return rows


def _index(at: int, shape: Any) -> Any:
    """Position of element `at`."""
    index: List[int] = []
    for size in reversed(shape):
        index.insert(0, at % size)
        at //= size
    return index
