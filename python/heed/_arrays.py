"""Arrays of numbers: what Heed returns, and what it reads of other libraries."""

from __future__ import annotations

import array as _array
import ctypes
import functools
import numbers
import operator
import struct
from ctypes import byref, c_int64, c_void_p
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from . import _signatures as c
from ._library import Handle, check, lib, make
from ._operators import Operators
from .errors import ShapeError

_VIEW_SIZE = ctypes.sizeof(c.View)
# Elements of a heed_array: code, name, ctypes type, bytes.
_KINDS = {code: (name, kind, ctypes.sizeof(kind)) for code, name, kind in (
    (c.F32, "float32", ctypes.c_float), (c.F64, "float64", ctypes.c_double),
    (c.BF16, "bfloat16", ctypes.c_uint16), (c.I32, "int32", ctypes.c_int32),
    (c.I8, "int8", ctypes.c_int8), (c.U8, "uint8", ctypes.c_uint8))}
_CODE_OF = {name: code for code, (name, _, _) in _KINDS.items()}
# Elements that can be read, by their names in __array_interface__: kind and bytes.
_READABLE = {"f4": c.F32, "f8": c.F64, "f2": c.F16, "i4": c.I32, "i8": c.I64, "i1": c.I8,
             "u1": c.U8, "b1": c.BOOL}
# Elements that are converted when an array is made.
_KEPT_AS = {c.F16: c.F32, c.I64: c.I32, c.I8: c.I32, c.U8: c.I32, c.BOOL: c.I32}
_KINDS_OF_BUFFERS = {"f": "efd", "i": "bhilqn", "u": "BHILQN", "b": "?"}
_ALIASES = {"f32": "float32", "f64": "float64", "i32": "int32", "float": "float64",
            "int": "int32", "bool": "int32", "int64": "int32"}
_MOST_SHOWN = 1000
_EDGE = 3


class Array(Operators):
    """An array of numbers, which cannot be changed.

    Heed returns arrays of this type. `numpy.asarray(a)`, `torch.from_dlpack(a)` and
    `jax.numpy.asarray(a)` read them. Wherever Heed takes an array, it takes those of these
    libraries, nested lists and numbers, too. The operators ``+ - * / @ **`` and methods such
    as sum, reshape and tanh compute in float32, or in float64 if an operand has it.

    Args:
        data: An array of any library, a nested list, or a number. It is copied. Lists of
            fractions become float32, lists of whole numbers int32.
        dtype: "float32", "float64" or "int32", or such a type of numpy or PyTorch. None:
            that of the data. Half precision becomes float32; int64, int8, uint8 and bool
            become int32.

    Attributes:
        shape: Sizes of the dimensions.
        dtype: Type of the elements: "float32", "float64", "bfloat16" or "int32".

    Raises:
        ShapeError: Rows differ in length, or the elements are no numbers.

    Example:
        >>> a = heed.Array([[1.0, 2.0], [3.0, 4.5]])
        >>> a.shape, a.dtype
        ((2, 2), 'float32')
        >>> a[1]
        Array([3. , 4.5], dtype=float32)
        >>> a[:, 0].tolist()
        [1.0, 3.0]
        >>> (a @ a.T).tolist()
        [[5.0, 12.0], [12.0, 29.25]]
    """

    __slots__ = ("shape", "dtype", "_handle", "_code", "_strides", "_address", "_whole",
                 "__weakref__")
    shape: Tuple[int, ...]
    dtype: str

    def __new__(cls, data: Any, dtype: Any = None) -> Array:
        return to_array(data, dtype)

    @classmethod
    def _of(cls, handle: Handle) -> Array:
        """The array of a handle."""
        view = c.View(_VIEW_SIZE)
        check(lib.heed_array_view(handle.use(), byref(view)))
        return cls._whole_of(handle, view.dtype, tuple(view.shape[:view.ndim]))

    @classmethod
    def _whole_of(cls, handle: Handle, code: int, shape: Tuple[int, ...]) -> Array:
        """The array of a handle with this type and shape."""
        self = object.__new__(cls)
        self._handle, self._code, self.dtype = handle, code, _KINDS[code][0]
        self.shape, self._whole = shape, True
        return self

    @classmethod
    def _part(cls, handle: Handle, code: int, shape: Sequence[int], strides: Sequence[int],
              address: int) -> Array:
        """A part of the array of a handle. `strides`: in elements."""
        self = cls._whole_of(handle, code, tuple(shape))
        self._whole, self._strides, self._address = False, tuple(strides), address
        return self

    def __getattr__(self, name: str) -> Any:
        """Address and strides when they are first used; most arrays stay in the library."""
        if name not in ("_strides", "_address"):
            raise AttributeError(f"'Array' object has no attribute '{name}'")
        view = c.View(_VIEW_SIZE)
        check(lib.heed_array_view(self._handle.use(), byref(view)))
        self._strides, self._address = tuple(view.strides[:view.ndim]), view.data or 0
        return getattr(self, name)

    @staticmethod
    def _run(name: str, inputs: Sequence[Any], options: Any = None) -> Any:
        """An operation: its result is an array if all inputs are arrays."""
        from ._tensors import run
        result = run(name, inputs, options)
        return result.array if all(isinstance(one, Array) for one in inputs) else result

    @staticmethod
    def _constant(data: Any, like: Array) -> Any:
        """An operand beside an array. Lists and numbers get the type of the array."""
        if isinstance(data, Operators):
            return data
        typed = hasattr(data, "dtype") or like.dtype not in ("float32", "float64")
        return to_array(data, None if typed else like.dtype)

    @staticmethod
    def _filled(shape: Sequence[int], value: float, dtype: str) -> Array:
        from ._tensors import constant_filled
        return constant_filled(shape, value, dtype if dtype == "float64" else "float32").array

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        """An element, or a part of the array, which shares its memory.

        `index`: whole numbers, slices and `...`, as in numpy.
        """
        parts = index if isinstance(index, tuple) else (index,)
        dots = [i for i, part in enumerate(parts) if part is Ellipsis]
        missing = self.ndim - (len(parts) - len(dots))
        if missing < 0 or len(dots) > 1:
            raise IndexError(f"the index {index} does not fit the shape {self.shape}")
        at = dots[0] if dots else len(parts)
        parts = parts[:at] + (slice(None),) * missing + parts[at + 1:]
        shape, strides, offset = [], [], 0
        for axis, (part, size, stride) in enumerate(zip(parts, self.shape, self._strides)):
            if isinstance(part, slice):
                start, stop, step = part.indices(size)
                shape.append(len(range(start, stop, step)))
                strides.append(stride * step)
                offset += start * stride if shape[-1] else 0
            else:
                offset += _place(part, size, axis) * stride
        array = Array._part(self._handle, self._code, shape, strides,
                            self._address + offset * _KINDS[self._code][2])
        return array if shape else array.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        if not self.shape:
            return self.item()
        if self.ndim > 1 or self.size == 0 or self._strides[0] < 0:
            return [x.tolist() if isinstance(x, Array) else x for x in self]
        _, kind, _ = _KINDS[self._code]
        memory = (kind * ((self.size - 1) * self._strides[0] + 1)).from_address(self._address)
        row = memory[::max(self._strides[0], 1)]
        return [_of_bfloat16(x) for x in row] if self._code == c.BF16 else row

    def item(self) -> Any:
        """The only element, as a Python number. Raises: ShapeError if there are others."""
        if self.size != 1:
            raise ShapeError(f"an array of shape {self.shape} has {self.size} elements")
        number = _KINDS[self._code][1].from_address(self._address).value
        return _of_bfloat16(number) if self._code == c.BF16 else number

    def __float__(self) -> float:
        return float(self.item())

    def __repr__(self) -> str:
        seen: List[Any] = []
        short = self.size > _MOST_SHOWN
        _text(self, lambda x: str(seen.append(x)), short)
        text = _text(self, _form_of(seen, 8 if self.dtype == "float64" else 7), short)
        return "Array({}, dtype={})".format(text.replace("\n ", "\n" + 7 * " "), self.dtype)

    # ---- Other libraries ----

    @property
    def __array_interface__(self) -> dict:
        if self._code == c.BF16:
            raise AttributeError("numpy has no bfloat16")
        size = _KINDS[self._code][2]
        return {"version": 3, "shape": self.shape, "data": (self._address, True),
                "typestr": {"f": "<f", "i": "<i", "u": "|u"}[self.dtype[0]] + str(size),
                "strides": tuple(stride * size for stride in self._strides)}

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        import numpy
        if self._code == c.BF16:
            array = numpy.array(self.tolist(), numpy.float32)
        else:
            array = numpy.asarray(_Interface(self))
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[Tuple[int, int]] = None,
                   dl_device: Optional[Tuple[int, int]] = None,
                   copy: Optional[bool] = None) -> Any:
        from ._dlpack import capsule
        if stream is not None or dl_device not in (None, (1, 0)):
            raise BufferError("the array is in the memory of the processor")
        # Only the versioned form says that the elements must not be written to.
        versioned = max_version is not None and max_version[0] >= 1
        shared = versioned and self._whole and not copy
        if copy is False and not shared:
            raise BufferError("this array can only be exported as a copy")
        return capsule(self._handle if shared else _copied(self), versioned)


class _Interface:
    """Gives numpy the memory of an array, and keeps it alive."""

    def __init__(self, array: Array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


_EXACT = ("float64", "float32", "int32")


def to_array(data: Any, dtype: Any = None) -> Array:
    """`data` as an Array: see Array for what it may be."""
    wanted = None if dtype is None else _name(dtype)
    if wanted is not None and hasattr(data, "astype"):
        data = data.astype(wanted)
    if wanted in _EXACT and isinstance(data, (list, tuple, range, float, int)):
        return _of_lists(data, wanted)  # not rounded to float32 first
    array = data if isinstance(data, Array) else _read(data)
    if wanted in (None, array.dtype):
        return array
    return _of_lists(array.tolist(), wanted)


def as_handle(data: Any) -> Handle:
    """The handle of a heed_array with the elements of `data`."""
    if isinstance(data, Array):
        return data._handle if data._whole else _copied(data)
    return _read(data)._handle


# ---- Reading ------------------------------------------------------------------

def _read(data: Any) -> Array:
    """A copy of an array of any library."""
    if isinstance(data, (str, dict, set)):
        raise ShapeError(f"{type(data).__name__} where an array of numbers is needed")
    interface = getattr(data, "__array_interface__", None)
    if interface is not None:
        array = _of_interface(interface)
    elif hasattr(data, "__dlpack__"):
        from ._dlpack import read
        array = read(data)
    else:
        array = _of_buffer(data)
    if array is None:
        array = _of_lists(data.tolist() if hasattr(data, "tolist") else data)
    return array


def _of_interface(interface: dict) -> Optional[Array]:
    """A copy of an array with __array_interface__; None if its elements are others."""
    data = interface["data"]
    strides = interface.get("strides")
    layout = _layout_of(interface["typestr"], tuple(interface["shape"]),
                        None if strides is None else tuple(strides))
    return None if layout is None or data is None else _new(layout, data[0])


@functools.lru_cache(maxsize=256)
def _layout_of(typestr: str, shape: Tuple[int, ...],
               strides: Optional[Tuple[int, ...]]) -> Optional[_Layout]:
    """The layout of an array with __array_interface__; None if it cannot be read."""
    code = _READABLE.get(typestr[1:])
    if code is None or typestr[0] == ">":
        return None
    size = int(typestr[2:])
    if strides is not None:
        if any(stride % size for stride in strides):
            return None
        strides = tuple(stride // size for stride in strides)
    return _Layout(code, shape, strides)


def _of_buffer(data: Any) -> Optional[Array]:
    """A copy of an object with Python's buffer protocol; None if it has none."""
    try:
        buffer = memoryview(data)
    except TypeError:
        return None
    letter = buffer.format.lstrip("@=<")
    kind = next((kind for kind, all_ in _KINDS_OF_BUFFERS.items() if letter in all_), "")
    code = _READABLE.get(f"{kind}{buffer.itemsize}")
    if code is None:
        if letter != buffer.format or not kind:
            raise ShapeError(f"a buffer of format '{buffer.format}' cannot be read")
        return _of_lists(buffer.tolist())
    elements = buffer.tobytes()
    address = ctypes.cast(elements, c_void_p).value or 0
    return new_array(code, buffer.shape, None, address)


class _Layout:
    """Type, shape and strides (in elements; None: dense) of an array outside of Heed."""

    __slots__ = ("code", "kept", "shape", "sizes", "strides")

    def __init__(self, code: int, shape: Sequence[int], strides: Optional[Sequence[int]]):
        sizes = c_int64 * len(shape)
        self.code, self.kept, self.shape = code, _KEPT_AS.get(code, code), tuple(shape)
        self.sizes = sizes(*shape)
        self.strides = None if strides is None else sizes(*strides)


def _new(layout: _Layout, address: int) -> Array:
    """A copy of elements in memory."""
    view = c.View(_VIEW_SIZE, layout.code, len(layout.shape), 0, layout.sizes, layout.strides,
                  address)
    handle = make("heed_array_free", "array", lib.heed_array_new, byref(view))
    return Array._whole_of(handle, layout.kept, layout.shape)


def new_array(code: int, shape: Sequence[int], strides: Optional[Sequence[int]],
              address: int) -> Array:
    """A copy of elements in memory. `strides`: in elements; None: rows in sequence."""
    return _new(_Layout(code, shape, strides), address)


def _copied(array: Array) -> Handle:
    return new_array(array._code, array.shape, array._strides, array._address)._handle


def _of_lists(data: Any, dtype: Optional[str] = None) -> Array:
    """An array of nested lists, or of a number."""
    shape: List[int] = []
    level = [data]
    while any(_is_list(part) for part in level):
        sizes = {len(part) if _is_list(part) else -1 for part in level}
        if len(sizes) > 1:
            raise ShapeError(f"the lists of dimension {len(shape)} differ in length")
        shape.append(sizes.pop())
        level = [x for part in level for x in part]
    for x in level:
        if isinstance(x, (str, bytes, complex)) or not hasattr(x, "__float__"):
            raise ShapeError(f"{type(x).__name__} where a number is needed")
    if dtype is None:
        whole = level and all(isinstance(x, numbers.Integral) for x in level)
        dtype = "int32" if whole else "float32"
    if dtype not in ("float32", "float64", "int32"):
        raise ShapeError(f"Heed makes arrays of float32, float64 and int32, not of {dtype}")
    form, code = {"float32": ("f", c.F32), "float64": ("d", c.F64),
                  "int32": ("q", c.I64)}[dtype]
    try:
        elements = _array.array(form, map(int, level) if form == "q" else level)
    except (TypeError, OverflowError, ValueError) as error:
        raise ShapeError(f"an element of the array cannot be {dtype}: {error}") from None
    return new_array(code, shape, None, elements.buffer_info()[0])


def _is_list(value: Any) -> bool:
    """True for a list, and for an array with dimensions inside of a list."""
    return isinstance(value, (list, tuple, range)) or bool(
        hasattr(value, "__len__") and getattr(value, "shape", ()))


def _name(dtype: Any) -> str:
    """Name of a type of elements of Heed, numpy, PyTorch or Python."""
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    name = name.rpartition(".")[2]
    name = _ALIASES.get(name, name)
    if name not in _CODE_OF:
        raise ShapeError(f"the type '{dtype}' is none of {', '.join(_CODE_OF)}")
    return name


def _place(index: Any, size: int, axis: int) -> int:
    try:
        place = operator.index(index)
    except TypeError:
        raise TypeError(f"{type(index).__name__} is no index of an Array; numpy.asarray(a) "
                        "has all indices of numpy") from None
    if not -size <= place < size:
        raise IndexError(f"the index {place} is out of range: dimension {axis} has {size} "
                         "elements")
    return place + size if place < 0 else place


def _of_bfloat16(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


# ---- Printing -----------------------------------------------------------------

def _text(part: Any, form: Callable[[Any], str], short: bool) -> str:
    """Elements in brackets, as numpy prints them. `short`: both ends of long dimensions."""
    if not isinstance(part, Array) or not part.shape:
        return form(part.item() if isinstance(part, Array) else part)
    size = len(part)
    ends = short and size > 2 * _EDGE
    shown = [*range(_EDGE), *range(size - _EDGE, size)] if ends else range(size)
    texts = [_text(part[i], form, short) for i in shown]
    if ends:
        texts.insert(_EDGE, "...")
    between = ", " if part.ndim == 1 else "," + "\n" * (part.ndim - 1) + " "
    return "[" + between.join(text.replace("\n ", "\n  ") for text in texts) + "]"


def _form_of(elements: List[Any], digits: int) -> Callable[[Any], str]:
    """How to print numbers with this many digits so that they stand in columns."""
    texts = [f"{x:.{digits}g}" for x in elements]
    if any(isinstance(x, float) for x in elements) and not any(
            letter in text for text in texts for letter in "eni"):
        decimals = max(len(text.partition(".")[2]) for text in texts)
        width = max(len(text.partition(".")[0]) for text in texts) + 1 + decimals

        def form(x: float) -> str:
            whole, _, rest = f"{x:.{decimals}f}".partition(".")
            return f"{whole}.{rest.rstrip('0').ljust(decimals)}".rjust(width)

        return form
    width = max(map(len, texts), default=0)
    return lambda x: f"{x:.{digits}g}".rjust(width)
