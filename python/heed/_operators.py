"""Operators and methods that arrays, variables and parameters share."""

from __future__ import annotations

import numbers
from typing import Any, Callable, Optional, Sequence, Tuple, Union

from .errors import ShapeError

Shape = Tuple[int, ...]
Index = Union[int, slice, type(Ellipsis)]


class Operators:
    """Arithmetic, indexing and reductions, each one operation of `heed.ops`.

    Operands of ``+ - * /`` have equal shapes, or one of them is a number, an
    array of one element, or a row [N] that is combined with each row of
    [..., N]. Plain arrays and lists become constants of the type of the other
    operand.
    """

    __slots__ = ()
    _run: Callable[..., Any]
    _constant: Callable[..., Any]
    _filled: Callable[..., Any]
    shape: Shape
    dtype: str
    array: Any

    def item(self) -> float:
        """The only element, as a number. Raises: ShapeError if there are others."""
        return self.array.item()

    def tolist(self) -> Any:
        """The elements as nested lists of numbers."""
        return self.array.tolist()

    def __float__(self) -> float:
        return float(self.array)

    def __bool__(self) -> bool:
        return bool(self.item())

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        return self.array.__array__(dtype, copy)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return _product(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a scalar has no length")
        return self.shape[0]

    def __neg__(self) -> Any:
        return self._run("scale", (self,), {"factor": -1.0})

    def __add__(self, other: Any) -> Any:
        if isinstance(other, numbers.Real):
            return self._run("add_scalar", (self,), {"number": float(other)})
        return _add(self, self._constant(other, self))

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, numbers.Real):
            return self._run("add_scalar", (self,), {"number": -float(other)})
        other = self._constant(other, self)
        if other.shape == self.shape:
            return self._run("sub", (self, other))
        return _add(self, -other)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, numbers.Real):
            return self._run("scale", (self,), {"factor": float(other)})
        return _multiply(self, self._constant(other, self))

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, numbers.Real):
            return self._run("scale", (self,), {"factor": 1.0 / float(other)})
        return _divide(self, self._constant(other, self))

    def __rtruediv__(self, other: Any) -> Any:
        if isinstance(other, numbers.Real):
            return _inverse(self) * other
        return _divide(self._constant(other, self), self)

    def __pow__(self, power: float) -> Any:
        if not isinstance(power, numbers.Real):
            return NotImplemented
        if power == 0.5:
            return self.sqrt()
        if power != int(power):
            return (self.log() * power).exp()
        if power == 0:
            return self._filled(self.shape, 1.0, self.dtype)
        result = self
        for _ in range(abs(int(power)) - 1):
            result = result * self
        return result if power > 0 else _inverse(result)

    def __matmul__(self, other: Any) -> Any:
        return _matmul(self, self._constant(other, self))

    def __rmatmul__(self, other: Any) -> Any:
        return _matmul(self._constant(other, self), self)

    def __getitem__(self, index: Union[Index, Tuple[Index, ...]]) -> Any:
        return _item(self, index)

    def reshape(self, *shape: Union[int, Sequence[int]]) -> Any:
        """The elements in another shape; one dimension may be -1."""
        sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return self._run("reshape", (self,), {"shape": [int(size) for size in sizes]})

    def transpose(self) -> Any:
        """The array with its first two dimensions swapped: [A, B, ...] to [B, A, ...]."""
        return self._run("transpose", (self,))

    @property
    def T(self) -> Any:
        """The transpose of a matrix: [A, B] to [B, A]."""
        if self.ndim != 2:
            raise ShapeError("T is for matrices; {} has {} dimensions (transpose() swaps "
                             "the first two)".format(list(self.shape), self.ndim))
        return self.transpose()

    def sum(self, axis: Optional[int] = None) -> Any:
        """Sum of all elements [], or with axis -1 of each row [...]."""
        if axis is None:
            return self._run("sum", (self,))
        _check_last(axis, self.shape, "sum")
        return self._run("row_sums", (self,))

    def mean(self, axis: Optional[int] = None) -> Any:
        """Mean of all elements [], or with axis -1 of each row [...]."""
        if axis is None:
            return self._run("mean", (self,))
        return self.sum(axis) / max(self.shape[-1], 1)

    def tanh(self) -> Any:
        """Hyperbolic tangent of each element."""
        return self._run("tanh", (self,))

    def sigmoid(self) -> Any:
        """1 / (1 + exp(-x)) of each element."""
        return self._run("sigmoid", (self,))

    def relu(self) -> Any:
        """max(x, 0) of each element."""
        return self._run("relu", (self,))

    def gelu(self) -> Any:
        """x times the probability that a normal variable is below x, of each element."""
        return self._run("gelu", (self,))

    def silu(self) -> Any:
        """x * sigmoid(x) of each element."""
        return self._run("silu", (self,))

    def softplus(self) -> Any:
        """log(1 + exp(x)) of each element."""
        return self._run("softplus", (self,))

    def exp(self) -> Any:
        """Exponential of each element."""
        return self._run("exp", (self,))

    def log(self) -> Any:
        """Natural logarithm of each element."""
        return self._run("log", (self,))

    def sqrt(self) -> Any:
        """Square root of each element."""
        return self._run("sqrt", (self,))

    def softmax(self) -> Any:
        """Softmax of each row."""
        return self._run("softmax", (self,))

    def log_softmax(self) -> Any:
        """Logarithm of the softmax of each row."""
        return self._run("log_softmax", (self,))


def _product(shape: Sequence[int]) -> int:
    product = 1
    for size in shape:
        product *= size
    return product


def _check_last(axis: int, shape: Shape, what: str) -> None:
    if not shape or axis not in (-1, len(shape) - 1):
        raise ShapeError("{}: axis {} of {}; only the last axis (-1) or all elements "
                         "(None) can be reduced".format(what, axis, list(shape)))


def _is_row_of(row: Shape, whole: Shape) -> bool:
    return len(row) == 1 and len(whole) > 1 and whole[-1] == row[0]


def _spread(x: Any, shape: Shape) -> Any:
    """x, which is one number or a row, repeated to `shape`."""
    if x.size == 1:
        return x._run("scale_by", (x._filled(shape, 1.0, x.dtype), x))
    return x._run("add_row", (x._filled(shape, 0.0, x.dtype), x))


def _aligned(name: str, a: Any, b: Any) -> Tuple[Any, Any]:
    """Both operands in one shape. Raises ShapeError if one cannot be repeated."""
    if a.shape == b.shape:
        return a, b
    if _is_row_of(b.shape, a.shape) or (b.size == 1 and b.ndim <= a.ndim):
        return a, _spread(b, a.shape)
    if _is_row_of(a.shape, b.shape) or (a.size == 1 and a.ndim <= b.ndim):
        return _spread(a, b.shape), b
    raise ShapeError("{}: shapes {} and {} do not fit; they must be equal, or one operand "
                     "a number or a row of the other".format(name, list(a.shape),
                                                             list(b.shape)))


def _add(a: Any, b: Any) -> Any:
    if _is_row_of(b.shape, a.shape):
        return a._run("add_row", (a, b))
    if _is_row_of(a.shape, b.shape):
        return a._run("add_row", (b, a))
    return a._run("add", _aligned("+", a, b))


def _multiply(a: Any, b: Any) -> Any:
    if a.shape != b.shape:
        if b.size == 1 and b.ndim <= a.ndim:
            return a._run("scale_by", (a, b))
        if a.size == 1 and a.ndim <= b.ndim:
            return a._run("scale_by", (b, a))
    return a._run("mul", _aligned("*", a, b))


def _divide(a: Any, b: Any) -> Any:
    return a._run("div", _aligned("/", a, b))


def _inverse(x: Any) -> Any:
    return x._run("div", (x._filled(x.shape, 1.0, x.dtype), x))


def _matmul(a: Any, b: Any) -> Any:
    if a.ndim == 3 and b.ndim == 3:
        return a._run("batch_matmul", (a, b))
    if b.ndim == 1:
        product = a._run("matmul", (a, b.reshape(b.shape[0], 1)))
        return product.reshape(a.shape[:-1])
    return a._run("matmul", (a, b))


def _item(x: Any, index: Any) -> Any:
    entries = list(index) if isinstance(index, tuple) else [index]
    for at, entry in enumerate(entries):
        if entry is Ellipsis:
            entries[at:at + 1] = [slice(None)] * (x.ndim - len(entries) + 1)
            break
    if len(entries) > x.ndim:
        raise IndexError("{} indices for {} dimensions".format(len(entries), x.ndim))
    axis = 0
    for entry in entries:
        if isinstance(entry, slice):
            x = _sliced(x, axis, entry)
            axis += 1
        elif isinstance(entry, numbers.Integral):
            x = _selected(x, axis, int(entry))
        else:
            raise TypeError("an index is a whole number, a slice or ..., not {!r}; "
                            "heed.ops.embedding looks up rows".format(entry))
    return x


def _selected(x: Any, axis: int, i: int) -> Any:
    size = x.shape[axis]
    if not -size <= i < size:
        raise IndexError("index {} of {} elements".format(i, size))
    if axis == 0:
        return x._run("select", (x,), {"i": i})
    i %= size
    part = _sliced(x, axis, slice(i, i + 1))
    return part.reshape(x.shape[:axis] + x.shape[axis + 1:])


def _sliced(x: Any, axis: int, part: slice) -> Any:
    begin, end, step = part.indices(x.shape[axis])
    if step != 1:
        raise IndexError("a slice has step {}; only 1 is supported".format(step))
    if (begin, end) == (0, x.shape[axis]):
        return x
    end = max(begin, end)
    if axis in (0, x.ndim - 1):
        return x._run("slice", (x,), {"begin": begin, "end": end,
                                      "axis": 0 if axis == 0 else -1})
    before, after = x.shape[:axis], x.shape[axis + 1:]
    flat = x.reshape(_product(before), x.shape[axis], _product(after)).transpose()
    return flat[begin:end].transpose().reshape(before + (end - begin,) + after)
