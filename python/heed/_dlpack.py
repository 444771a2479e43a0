"""Exchange of arrays with other libraries by DLPack 1.1."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, \
    c_void_p
from typing import Any, Optional

from ._arrays import Array, new_array
from ._library import Handle, check, lib
from .errors import ShapeError

_CPU = 1
_PLAIN, _VERSIONED = b"dltensor", b"dltensor_versioned"
_Deleter = ctypes.CFUNCTYPE(None, c_void_p)


class _Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device", c_int32), ("device_id", c_int32),
                ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16),
                ("shape", ctypes.POINTER(c_int64)), ("strides", ctypes.POINTER(c_int64)),
                ("byte_offset", c_uint64)]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", _Deleter)]


class _ManagedVersioned(ctypes.Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p),
                ("deleter", _Deleter), ("flags", c_uint64), ("tensor", _Tensor)]


_FORMS = {_PLAIN: _Managed, _VERSIONED: _ManagedVersioned}


def _python(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_DESTRUCTOR = ctypes.CFUNCTYPE(None, c_void_p)
_new = _python("PyCapsule_New", ctypes.py_object, c_void_p, c_char_p, _DESTRUCTOR)
# A capsule that is being destroyed must not be counted, hence its address.
_is = _python("PyCapsule_IsValid", ctypes.c_int, c_void_p, c_char_p)
_pointer = _python("PyCapsule_GetPointer", c_void_p, c_void_p, c_char_p)


@_DESTRUCTOR
def _destroy(address: int) -> None:
    """Frees the tensor of a capsule that nobody has taken."""
    for name, form in _FORMS.items():
        if _is(address, name):
            pointer = _pointer(address, name)
            form.from_address(pointer).deleter(pointer)


def capsule(handle: Handle, versioned: bool) -> Any:
    """A capsule that shares the elements of an array."""
    managed = c_void_p()
    check(lib.heed_array_dlpack(handle.use(), versioned, byref(managed)))
    return _new(managed, _VERSIONED if versioned else _PLAIN, _destroy)


def read(data: Any) -> Optional[Array]:
    """A copy of an array with __dlpack__; None if its elements are not known.

    Raises: ShapeError if the array is not in the memory of the processor.
    """
    device = data.__dlpack_device__()
    if device[0] != _CPU:
        raise ShapeError("the array is on another device; copy it to the processor first, "
                         "such as by array.cpu()")
    if hasattr(data, "detach"):  # PyTorch: without gradients
        data = data.detach()
    try:
        try:
            given = data.__dlpack__(max_version=(1, 1))
        except TypeError:  # older libraries
            given = data.__dlpack__()
    except (BufferError, RuntimeError):
        return None
    name = _VERSIONED if _is(id(given), _VERSIONED) else _PLAIN
    tensor = _FORMS[name].from_address(_pointer(id(given), name)).tensor
    if tensor.lanes != 1:
        return None
    strides = tensor.strides[:tensor.ndim] if tensor.strides else None
    return new_array(tensor.code * 256 + tensor.bits, tensor.shape[:tensor.ndim], strides,
                     (tensor.data or 0) + tensor.byte_offset)
