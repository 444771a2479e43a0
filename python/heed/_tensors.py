"""Computations with gradients: tapes, variables and parameters."""

from __future__ import annotations

import ctypes
import json
import numbers
import random
import threading
from ctypes import c_double, c_float, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _signatures as c
from ._arrays import Array, as_handle, new_array, to_array
from ._library import Handle, check, lib, make
from ._operators import Operators, Shape, _product
from .errors import ArgumentError, NumericError, ShapeError

_encode = json.JSONEncoder(allow_nan=False).encode
_FLOATS = {"float32": (c.F32, c_float), "float64": (c.F64, c_double)}


class _Stack(threading.local):
    """The tapes that record on this thread, the innermost last."""

    def __init__(self) -> None:
        self.tapes: List[Tape] = []


_stack = _Stack()


class Tape:
    """Records operations, so that gradients of their result can be computed.

    Operations of `heed.ops`, operators and modules of `heed.nn` are recorded while the
    tape is open, if an input is a parameter or a result of the same tape. Without a tape
    they compute the same values and store nothing. Each thread has its own open tapes; the
    innermost records.

    Example:
        >>> w = heed.Parameter([1.0, 2.0], "w")
        >>> with heed.Tape() as tape:
        ...     loss = (w * w).sum()
        >>> tape.gradient(loss, [w])
        [Array([2., 4.], dtype=float32)]
    """

    def __init__(self) -> None:
        self._handle = make("heed_tape_free", "tape", lib.heed_tape_new)
        # Recorded parameters, and those whose gradients together are the gradient of each.
        self._parameters: Dict[int, Tuple[Parameter, List[Parameter]]] = {}
        self._leaves: Dict[int, Handle] = {}  # their variables
        self._done = False

    def __enter__(self) -> "Tape":
        _stack.tapes.append(self)
        return self

    def __exit__(self, *_: Any) -> None:
        _stack.tapes.remove(self)

    def watch(self, array: Any) -> "Variable":
        """A variable with the elements of an array, whose gradient can be computed.

        Args:
            array: Numbers in float32 or float64. Lists become float32.

        Example:
            >>> with heed.Tape() as tape:
            ...     x = tape.watch([3.0])
            ...     y = x * x
            >>> tape.gradient(y, x)
            Array([6.], dtype=float32)
        """
        self._check_open()
        handle = make("heed_variable_free", "variable", lib.heed_variable_new,
                      self._handle.use(), as_handle(_floats(array)).use())
        return Variable(handle, self, leaf=True)

    def gradient(self, loss: "Variable", of: Any, seed: Any = None) -> Any:
        """The gradients of a result. Afterwards the tape is empty: call it once.

        Args:
            loss: A result of operations that this tape recorded, usually one number. If it
                has several elements, the gradients are those of their sum.
            of: A list of parameters and of variables that watch() made, or one of them.
            seed: Factor of each element of the loss, of its shape. None: ones.

        Returns: An array for each element of `of`, in its shape; zeros if the loss does not
            depend on it. One array if `of` is not a list.

        Raises:
            ArgumentError: The loss was not recorded, or the gradients are computed already.
        """
        self._check_open()
        if not isinstance(loss, Variable) or loss._tape is not self:
            raise ArgumentError("the loss was not recorded by this tape: compute it inside "
                                "of 'with heed.Tape() as tape:' from parameters")
        single = isinstance(of, (Variable, Parameter))
        targets = [of] if single else list(of)
        for target in targets:
            _check_target(target, self)
        factor = None if seed is None else as_handle(to_array(seed, loss.dtype)).use()
        check(lib.heed_tape_backward(self._handle.use(), loss._handle.use(), factor))
        self._done = True
        try:
            gradients = [self._gradient(target) for target in targets]
        finally:
            for _, parts in self._parameters.values():
                for part in parts:
                    lib.heed_parameter_set_gradient(part._handle.use(), None)
            self._parameters, self._leaves = {}, {}
        return gradients[0] if single else gradients

    def _gradient(self, target: Union["Variable", "Parameter"]) -> Array:
        if isinstance(target, Variable):
            return Array._of(make("heed_array_free", "array", lib.heed_tape_gradient,
                                  self._handle.use(), target._handle.use()))
        if id(target) not in self._parameters:
            return _filled(target.shape, 0.0, target.dtype)
        parts = [to_array(Array._of(make("heed_array_free", "array", lib.heed_parameter_gradient,
                                         part._handle.use())), target.dtype)
                 for part in self._parameters[id(target)][1]]
        return sum(parts[1:], parts[0])

    def _check_open(self) -> None:
        if self._done:
            raise ArgumentError("the gradients of this tape are computed already; make a "
                                "new tape for the next computation")

    def _leaf(self, parameter: "Parameter") -> Handle:
        """The variable of a parameter on this tape."""
        key = id(parameter)
        if key not in self._leaves:
            self._leaves[key] = make("heed_variable_free", "variable", lib.heed_variable_of,
                                     self._handle.use(), parameter._handle.use())
            self._note(parameter, parameter)
        return self._leaves[key]

    def _note(self, parameter: "Parameter", part: "Parameter") -> None:
        """Notes that the gradient of `part`, which is recorded, is one of the parameter."""
        parts = self._parameters.setdefault(id(parameter), (parameter, []))[1]
        if part not in parts:
            parts.append(part)


def _check_target(target: Any, tape: Tape) -> None:
    if isinstance(target, Parameter):
        return
    if not isinstance(target, Variable):
        raise ArgumentError("gradients are of parameters and of variables that Tape.watch "
                            "made, not of {}".format(type(target).__name__))
    if not target._leaf or target._tape is not tape:
        raise ArgumentError("the variable was not made by watch() of this tape")


def recording() -> Optional[Tape]:
    """The tape that records on this thread, or None."""
    tapes = _stack.tapes
    return None if not tapes or tapes[-1]._done else tapes[-1]


class Variable(Operators):
    """An array in a computation. Operations return it; `heed.Tape.watch` makes one.

    It has the operators ``+ - * / @ ** []`` and methods such as sum, mean, reshape and
    tanh. `numpy.asarray(v)`, `v.array`, `v.tolist()` and `v.item()` read its elements.

    Attributes:
        shape: Tuple of the sizes of its dimensions.
        dtype: "float32" or "float64".

    Example:
        >>> heed.ops.softmax([[0.0, 0.0]]) * 2
        Variable([[1., 1.]], dtype=float32)
    """

    __slots__ = ("_handle", "_tape", "_leaf", "_array", "__weakref__")

    def __init__(self, handle: Handle, tape: Optional[Tape] = None, leaf: bool = False):
        self._handle = handle
        self._tape = tape
        self._leaf = leaf
        self._array: Optional[Array] = None

    @property
    def array(self) -> Array:
        """Its elements, without a copy."""
        if self._array is None:
            self._array = Array._of(make("heed_array_free", "array", lib.heed_variable_array,
                                         self._handle.use()))
        return self._array

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        """Sizes of the dimensions."""
        return self.array.shape

    @property
    def dtype(self) -> str:  # type: ignore[override]
        """Type of the elements, such as "float32"."""
        return self.array.dtype

    def __repr__(self) -> str:
        return "Variable" + repr(self.array)[len("Array"):]


class Parameter(Operators):
    """An array that training changes.

    Args:
        value: An array, whose elements are copied; or the shape of a new array, as a tuple
            of whole numbers or as one whole number. New matrices have random elements,
            uniform within sqrt(6 / (inputs + outputs)) (Glorot and Bengio 2010). New
            vectors are zeros.
        name: Name in messages and in the state of a module.
        dtype: "float32" or "float64".
        seed: Seed of the random elements. None: the next of a sequence that starts equally
            in each process; `heed.nn.seed` restarts it.

    Raises:
        ShapeError: Another dtype, or a shape with a negative size.

    Example:
        >>> heed.Parameter((2, 3), "weight", seed=1).shape
        (2, 3)
        >>> heed.Parameter([1, 2]).array
        Array([1., 2.], dtype=float32)
    """

    __slots__ = ("_handle", "name", "_shape", "_dtype", "__weakref__")

    def __init__(self, value: Any, name: str = "", dtype: str = "float32",
                 seed: Optional[int] = None):
        if dtype not in _FLOATS:
            raise ShapeError("a parameter is float32 or float64, not {!r}".format(dtype))
        shape = _shape_of(value)
        if shape is None:
            start = to_array(value, dtype)
        elif len(shape) < 2:
            start = _filled(shape, 0.0, dtype)
        else:
            start = uniform(shape, glorot(shape), dtype, seed)
        self._take(make("heed_parameter_free", "parameter", lib.heed_parameter_new,
                        name.encode(), as_handle(start).use()), name, start.shape, dtype)

    def _take(self, handle: Handle, name: str, shape: Shape, dtype: str) -> None:
        self._handle, self.name, self._shape, self._dtype = handle, name, shape, dtype

    @classmethod
    def _of(cls, handle: Handle, name: str) -> "Parameter":
        """A parameter that the library made."""
        self = cls.__new__(cls)
        array = Array._of(make("heed_array_free", "array", lib.heed_parameter_array,
                               handle.use()))
        self._take(handle, name, array.shape, array.dtype)
        return self

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        """Sizes of the dimensions."""
        return self._shape

    @property
    def dtype(self) -> str:  # type: ignore[override]
        """Type of the elements, such as "float32"."""
        return self._dtype

    @property
    def array(self) -> Array:
        """A copy of its elements."""
        return Array._of(make("heed_array_free", "array", lib.heed_parameter_array,
                              self._handle.use()))

    def assign(self, array: Any) -> None:
        """Replaces the elements by those of an array of equal shape.

        Raises: ShapeError if the shapes differ.
        """
        new = to_array(array, self.dtype)
        check(lib.heed_parameter_set(self._handle.use(), as_handle(new).use()))

    def __repr__(self) -> str:
        return "Parameter({!r}, {}, dtype={})".format(self.name, list(self.shape), self.dtype)


def _shape_of(value: Any) -> Optional[Shape]:
    """The shape that `value` is, or None if it is an array."""
    sizes = (value,) if isinstance(value, numbers.Integral) else value
    if not isinstance(sizes, tuple):
        return None
    if not all(isinstance(size, numbers.Integral) for size in sizes):
        return None
    if any(size < 0 for size in sizes):
        raise ShapeError("a shape has no negative sizes, but {} has".format(list(sizes)))
    return tuple(int(size) for size in sizes)


# ---- Arrays of one number and of random numbers --------------------------------

def _filled(shape: Sequence[int], value: float, dtype: str) -> Array:
    """An array with equal elements."""
    code, number = _FLOATS[dtype]
    element = number(value)
    return new_array(code, shape, [0] * len(shape), ctypes.addressof(element))


def constant_filled(shape: Sequence[int], value: float, dtype: str) -> Variable:
    """A constant with equal elements."""
    return _constant_of(_filled(shape, value, dtype))


def glorot(shape: Sequence[int]) -> float:
    """Bound of random weights [..., inputs, outputs]."""
    inputs, outputs = _product(shape[:-1]), _product(shape[:-2]) * shape[-1]
    return (6.0 / max(inputs + outputs, 1)) ** 0.5


class _Seeds:
    generator = random.Random(1)


def next_seed() -> int:
    """A seed that differs from all before."""
    return _Seeds.generator.getrandbits(63)


def restart_seeds(seed: int) -> None:
    """Makes the next seeds those that follow `seed`."""
    _Seeds.generator = random.Random(seed)


def uniform(shape: Sequence[int], bound: float, dtype: str = "float32",
            seed: Optional[int] = None) -> Array:
    """Random numbers from -bound to bound."""
    generator = random.Random(next_seed() if seed is None else seed)
    # Random bits become the mantissas of numbers in [1, 2).
    width, mantissa, one = ((4, b"\xff\xff\x7f\x00", b"\x00\x00\x80\x3f")
                            if dtype == "float32" else
                            (8, b"\xff\xff\xff\xff\xff\xff\x0f\x00",
                             b"\x00\x00\x00\x00\x00\x00\xf0\x3f"))
    parts: List[bytes] = []
    left = _product(shape)
    while left:
        count = min(left, 1 << 20)
        bits = generator.getrandbits(8 * width * count)
        bits &= int.from_bytes(mantissa * count, "little")
        bits |= int.from_bytes(one * count, "little")
        parts.append(bits.to_bytes(width * count, "little"))
        left -= count
    raw = b"".join(parts)
    numbers_ = _constant_of(new_array(_FLOATS[dtype][0], shape, None,
                                      ctypes.cast(raw, c_void_p).value or 0))
    return ((numbers_ - 1.5) * (2 * bound)).array


# ---- Operations ----------------------------------------------------------------

def _constant_of(data: Any) -> Variable:
    return Variable(make("heed_variable_free", "variable", lib.heed_variable_new, None,
                         as_handle(data).use()))


def _floats(data: Any, dtype: str = "") -> Array:
    """An array in `dtype`, or in float32 unless it is float64."""
    array = to_array(data)
    wanted = dtype or ("float64" if array.dtype == "float64" else "float32")
    return array if array.dtype == wanted else to_array(data, wanted)


def constant(data: Any, like: Any = None) -> Union[Variable, Parameter]:
    """Data as an operand: variables and parameters stay, arrays become constants.

    `like`: an operand whose type the array gets.
    """
    if isinstance(data, (Variable, Parameter)):
        return data
    return _constant_of(_floats(data, "" if like is None else like.dtype))


def _type_of(inputs: Sequence[Any], ids: int) -> str:
    """Type in which arrays among the inputs are computed with."""
    for i, one in enumerate(inputs):
        if i != ids and isinstance(one, (Variable, Parameter)):
            return one.dtype
    found = [to_array(one).dtype for i, one in enumerate(inputs) if i != ids]
    return "float64" if "float64" in found else "float32"


def handle_on(tape: Optional[Tape],
              operand: Union[Variable, Parameter]) -> Tuple[Handle, bool]:
    """The C variable of an operand, and true if it is on the tape."""
    if isinstance(operand, Parameter):
        if tape is not None:
            return tape._leaf(operand), True
        return make("heed_variable_free", "variable", lib.heed_variable_of, None,
                    operand._handle.use()), False
    if operand._tape is None:
        return operand._handle, False
    if operand._tape is tape:
        return operand._handle, True
    return _constant_of(operand.array)._handle, False


def _encoded(options: Dict[str, Any]) -> bytes:
    """JSON of options of an operation."""
    try:
        return _encode(options).encode()
    except ValueError:
        raise NumericError("a number of an operation is NaN or infinite: {}".format(
            options)) from None


def run(name: str, inputs: Sequence[Any], options: Optional[Dict[str, Any]] = None,
        ids: int = -1, results: int = 1) -> Any:
    """Runs an operation of the library.

    Args:
        name: Its name in heed_operations.
        inputs: Variables, parameters and arrays.
        options: Its options.
        ids: The input that holds whole numbers, if any.
        results: Number of its results.

    Returns: A variable, or a tuple of several.
    """
    tape = recording()
    dtype = ""
    handles: List[Handle] = []
    recorded = False
    for i, one in enumerate(inputs):
        if not isinstance(one, (Variable, Parameter)):
            if i == ids:
                one = _constant_of(one)
            else:
                dtype = dtype or _type_of(inputs, ids)
                one = _constant_of(_floats(one, dtype))
        handle, on_tape = handle_on(tape, one)
        handles.append(handle)
        recorded = recorded or on_tape
    pointers = [handle.use() for handle in handles]
    addresses = (c_void_p * len(pointers))(*[pointer.value for pointer in pointers])
    text = _encoded(options) if options else None
    found = (c_void_p * results)()
    owner = tape if recorded else None
    check(lib.heed_operation(None if owner is None else owner._handle.use(), name.encode(),
                             addresses, len(pointers), text, len(text) if text else 0,
                             found, results))
    variables = [Variable(Handle(pointer, "heed_variable_free", "variable"), owner)
                 for pointer in found if pointer]
    return variables[0] if results == 1 else tuple(variables)


for _class in (Variable, Parameter):
    _class._run = staticmethod(run)
    _class._constant = staticmethod(constant)
    _class._filled = staticmethod(constant_filled)
    _class.__array_ufunc__ = None  # makes numpy leave operators to these classes
del _class
