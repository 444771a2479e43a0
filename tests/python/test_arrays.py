"""Arrays: indices, printing, and exchange with other libraries."""

import array
import ctypes
import gc
import struct
import weakref

import pytest

import heed
from conftest import needs_numpy, needs_torch, numpy, torch
from heed import Array
from heed._arrays import as_handle, to_array


CUBE = [[[float(100 * i + 10 * j + k) for k in range(4)] for j in range(3)] for i in range(2)]


def test_lists():
    a = Array(CUBE)
    assert (a.shape, a.dtype, a.ndim, a.size, len(a)) == ((2, 3, 4), "float32", 3, 24, 2)
    assert a.tolist() == CUBE
    assert Array([1, 2]).dtype == "int32"
    assert Array([1, 2.5]).tolist() == [1, 2.5]
    assert Array([True, False]).tolist() == [1, 0]
    assert Array((1.5, 2.5)).tolist() == [1.5, 2.5]
    assert Array([a[0], a[1]]).tolist() == CUBE
    assert Array([]).shape == (0,)
    assert Array([[], []]).tolist() == [[], []]


def test_numbers():
    assert Array(2.5).shape == ()
    assert Array(3).item() == 3
    assert float(Array([0.5])) == 0.5
    with pytest.raises(TypeError):
        len(Array(1))
    with pytest.raises(heed.ShapeError, match="2 elements"):
        Array([1, 2]).item()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_types(dtype):
    assert Array([1, 2], dtype).dtype == dtype
    assert Array(Array([1.0, 2.0]), dtype).tolist() == [1, 2]


def test_names_of_types():
    assert Array([1], "f64").dtype == "float64"
    assert Array([1], float).dtype == "float64"
    with pytest.raises(heed.ShapeError, match="none of"):
        Array([1], "complex64")
    with pytest.raises(heed.ShapeError, match="not of bfloat16"):
        Array([1], "bfloat16")


@pytest.mark.parametrize("index", [
    0, -1, (1, 2), (1, 2, 3), slice(None), slice(1, None), slice(None, None, -1), Ellipsis,
    (Ellipsis, 0), (0, Ellipsis), (0, Ellipsis, -1),
    (slice(None), slice(0, 2), slice(1, 4, 2)),
    (slice(None, None, -1), 1, slice(3, 0, -2)), slice(5, 9), (), (-2, -3, -4)])
def test_indices(index):
    def picked(part, parts):
        if not parts:
            return part
        if isinstance(parts[0], slice):
            return [picked(one, parts[1:]) for one in part[parts[0]]]
        return picked(part[parts[0]], parts[1:])

    parts = index if isinstance(index, tuple) else (index,)
    if Ellipsis in parts:
        at = parts.index(Ellipsis)
        parts = parts[:at] + (slice(None),) * (4 - len(parts)) + parts[at + 1:]
    part = Array(CUBE)[index]
    assert (part.tolist() if isinstance(part, Array) else part) == picked(CUBE, parts)


def test_wrong_indices():
    a = Array(CUBE)
    for index in (2, -3, (0, 3), (0, 0, 0, 0), (Ellipsis, Ellipsis)):
        with pytest.raises(IndexError):
            a[index]
    with pytest.raises(TypeError, match="numpy.asarray"):
        a["x"]
    with pytest.raises(TypeError):
        a[[0, 1]]


def test_parts_of_parts():
    a = Array(CUBE)
    assert a[1][:, ::2][1].tolist() == [110, 112]
    assert [row.tolist() for row in a[0]] == CUBE[0]
    assert list(a[0, 0]) == CUBE[0][0]


def test_part_keeps_the_array_alive():
    part = Array(CUBE)[1]
    gc.collect()
    assert part.tolist() == CUBE[1]


def test_memory_is_freed():
    a = Array(CUBE)
    pointer = weakref.ref(a._handle._pointer)
    part = a[0]
    del a
    assert pointer() is not None
    del part
    gc.collect()
    assert pointer() is None


def test_handles():
    a = Array(CUBE)
    assert as_handle(a) is a._handle
    assert Array._of(as_handle(a[:, ::-1])).tolist() == [rows[::-1] for rows in CUBE]


@pytest.mark.parametrize("bad, message", [
    ([[1], [1, 2]], "differ in length"), ([[1], 2], "differ in length"), ("abc", "str where"),
    ([["a"]], "str where a number"), ([None], "NoneType where"), ({1: 2}, "dict where"),
    ([1j], "complex where"), ([b"a"], "bytes where"), (object(), "object where"),
    ([2 ** 40], "too large")])
def test_what_is_no_array(bad, message):
    with pytest.raises(heed.ShapeError, match=message):
        Array(bad)


def test_printing():
    assert repr(Array([1.5, 0.25])) == "Array([1.5 , 0.25], dtype=float32)"
    assert repr(Array(0.3)) == "Array(0.3, dtype=float32)"
    assert repr(Array([[1, 10], [100, 2]])) == \
        "Array([[  1,  10],\n       [100,   2]], dtype=int32)"
    assert repr(Array([1e-10, 1])) == "Array([1e-10,     1], dtype=float32)"
    assert repr(Array(list(range(2000)))).count(",") == 7
    assert "nan" in repr(Array([float("nan"), 1.0]))
    assert repr(Array([])) == "Array([], dtype=float32)"


def test_buffers():
    assert to_array(array.array("d", [1.5, 2])).dtype == "float64"
    assert to_array(array.array("h", [1, -2])).tolist() == [1, -2]
    assert to_array(array.array("q", [1, -2])).dtype == "int32"
    assert to_array(b"ab").tolist() == [97, 98]
    assert to_array(memoryview(bytes(range(6))).cast("B", (2, 3))).tolist() == [[0, 1, 2],
                                                                              [3, 4, 5]]
    assert to_array((ctypes.c_int32 * 2)(3, 4)).tolist() == [3, 4]
    assert to_array(memoryview(array.array("f", [1, 2, 3, 4]))[::2]).tolist() == [1, 3]


def test_large_list():
    a = Array([0.5] * 10 ** 6)
    assert a.shape == (10 ** 6,) and a[-1] == 0.5


@needs_numpy
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4", "i8", "i1", "u1", "?", "i2", "u4",
                                   ">f4"])
def test_from_numpy(dtype):
    given = numpy.arange(24).reshape(2, 3, 4).astype(dtype)
    for part in (given, given[:, ::2], given[::-1, :, 1], given.T, given[:0], given[1, 1]):
        assert to_array(part).tolist() == part.tolist()


@needs_numpy
def test_numpy_types():
    assert to_array(numpy.float64(1.5)).dtype == "float64"
    assert to_array([numpy.float32(1), numpy.float32(2)]).dtype == "float32"
    assert to_array([numpy.int64(1)]).dtype == "int32"
    assert Array(numpy.ones(2), numpy.float32).dtype == "float32"
    assert Array(numpy.ones(2, "i8"), numpy.dtype("f8")).dtype == "float64"
    with pytest.raises(heed.ShapeError):
        to_array(numpy.array(["a"]))
    with pytest.raises(heed.ShapeError):
        to_array(numpy.array([1j]))
    with pytest.raises(heed.ShapeError):
        to_array(numpy.array([None, 1], object))
    records = numpy.zeros(3, [("a", "f4"), ("b", "u1")])
    assert to_array(records["a"]).tolist() == [0, 0, 0]


@needs_numpy
def test_to_numpy_shares_memory():
    a = Array(CUBE)
    shared = numpy.asarray(a)
    assert shared.dtype == "float32" and shared.tolist() == CUBE
    assert numpy.shares_memory(shared, numpy.asarray(a))
    assert not shared.flags.writeable
    assert numpy.asarray(a[:, ::-1, 1]).tolist() == a[:, ::-1, 1].tolist()
    assert numpy.array(a, dtype="f8").dtype == "float64"
    assert numpy.array(a).flags.writeable
    del a
    gc.collect()
    assert shared.tolist() == CUBE


@needs_numpy
def test_dlpack_of_numpy():
    if not hasattr(numpy, "from_dlpack"):
        pytest.skip("needs numpy 1.22")
    assert numpy.from_dlpack(Array(CUBE)).tolist() == CUBE


class Foreign:
    """An array that has __dlpack__ alone, as those of JAX."""

    def __init__(self, array, versions=True, device=(1, 0)):
        self.array, self.versions, self.device = array, versions, device

    def __dlpack__(self, *, max_version=None):
        if not self.versions and max_version is not None:
            raise TypeError("an old library")
        return self.array.__dlpack__(max_version=max_version)

    def __dlpack_device__(self):
        return self.device


@pytest.mark.parametrize("versions", [True, False])
def test_dlpack(versions):
    a = Array(CUBE)
    assert to_array(Foreign(a, versions)).tolist() == CUBE
    assert to_array(Foreign(a[:, 1], versions)).tolist() == [CUBE[0][1], CUBE[1][1]]
    assert a.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        a.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        a.__dlpack__(copy=False)
    a.__dlpack__(max_version=(1, 1), copy=False)
    with pytest.raises(heed.ShapeError, match="another device"):
        to_array(Foreign(a, device=(2, 0)))


def test_dlpack_capsules_free_their_memory():
    a = Array(CUBE)
    for _ in range(1000):
        a.__dlpack__(max_version=(1, 0))
        a.__dlpack__()
    assert a.tolist() == CUBE


def bfloat16(numbers):
    """A bfloat16 array, as of PyTorch."""
    from heed import _signatures
    from heed._arrays import new_array
    bits = array.array("H", (struct.unpack("<I", struct.pack("<f", x))[0] >> 16
                             for x in numbers))
    return new_array(_signatures.BF16, (len(bits),), None, bits.buffer_info()[0])


def test_bfloat16():
    a = bfloat16([1.5, -2, 0.25])
    assert a.dtype == "bfloat16"
    assert a.tolist() == [1.5, -2, 0.25]
    assert (a[1], a[::-1].tolist()) == (-2, [0.25, -2, 1.5])
    assert Array(a, "float32").tolist() == [1.5, -2, 0.25]
    assert not hasattr(a, "__array_interface__")
    assert to_array(Foreign(a)).dtype == "bfloat16"
    if numpy is not None:
        assert numpy.asarray(a).dtype == "float32"


@needs_torch
def test_torch():
    t = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    assert to_array(t).tolist() == t.tolist()
    assert to_array(t.T[::2]).tolist() == t.T[::2].tolist()
    assert to_array(t.requires_grad_()).tolist() == t.tolist()
    assert to_array(torch.ones(2, dtype=torch.bfloat16)).dtype == "bfloat16"
    assert to_array(torch.tensor([True, False])).tolist() == [1, 0]
    assert to_array([torch.ones(2), torch.zeros(2)]).tolist() == [[1, 1], [0, 0]]
    assert Array(torch.ones(2), torch.float64).dtype == "float64"
    assert torch.from_dlpack(Array(CUBE)).tolist() == CUBE


def test_operators_are_those_of_variables():
    a = heed.Array([[1.0, 2.0], [3.0, 4.0]])
    b = heed.Array([[2.0, 0.5], [1.0, 4.0]])
    assert (a @ b).tolist() == [[4.0, 8.5], [10.0, 17.5]]
    assert (a + b).tolist() == [[3.0, 2.5], [4.0, 8.0]]
    assert (a - b).tolist() == [[-1.0, 1.5], [2.0, 0.0]]
    assert (a * b).tolist() == [[2.0, 1.0], [3.0, 16.0]]
    assert (a / b).tolist() == [[0.5, 4.0], [3.0, 1.0]]
    assert (1 - a * [1.0, 2.0] + 2 / b).tolist() == [[1.0, 1.0], [0.0, -6.5]]
    assert ([[1.0, 1.0]] @ a).tolist() == [[4.0, 6.0]]
    assert (-a.T ** 2).tolist() == [[-1.0, -9.0], [-4.0, -16.0]]
    assert a.sum(-1).tolist() == [3.0, 7.0] and a.relu().mean().item() == 2.5
    for result in (a @ b, 2 * a, a.reshape(4), a[:, 0] + 1, heed.Array([1, 2]) ** 0):
        assert type(result) is heed.Array and result.dtype == "float32"
    assert (heed.Array([1, 2]) / 2).tolist() == [0.5, 1.0]
    assert (a + heed.Array(b, "float64")).dtype == "float64"
    with pytest.raises(heed.ShapeError, match="do not fit"):
        a + [1.0, 2.0, 3.0]


def test_operators_with_variables_are_recorded():
    a, w = heed.Array([[1.0, 2.0]]), heed.Parameter([[1.0], [3.0]])
    with heed.Tape() as tape:
        loss = (a @ w).sum() + (a - w.T).sum()
    assert tape.gradient(loss, w).tolist() == [[0.0], [1.0]]


def test_ranges_are_lists_of_numbers():
    assert heed.Array(range(3)).tolist() == [0, 1, 2]
    assert heed.Array([range(2), range(2)], "float64").tolist() == [[0.0, 1.0], [0.0, 1.0]]
    for ids in (range(5), (0, 1, 2, 3, 4)):
        assert heed.nn.Embedding(9, 2)(ids).shape == (5, 2)
