"""Operations and operators: values, gradients, options and shapes that do not fit."""

import inspect
import json
import math

import pytest
import reference_attention
import reference_operations as plain
from reference_operations import close, numbers, positive

import heed
from conftest import needs_numpy, numpy
from heed import ops
from heed._library import ask, lib
from heed._tensors import constant, uniform
from heed.errors import ArgumentError


TABLE = {one["name"]: one for one in json.loads(ask(lib.heed_operations))}


def f64(x):
    return heed.Array(x, "float64")


X, Y, ROW = numbers(2, 3, 4), numbers(2, 3, 4, seed=2), numbers(4, seed=3)
IMAGE = numbers(1, 5, 4, 2)
# Operation, differentiable inputs, further inputs and options, and what it computes.
CASES = [
    ("add", (X, Y), {}, plain.each(lambda a, b: a + b)),
    ("sub", (X, Y), {}, plain.each(lambda a, b: a - b)),
    ("mul", (X, Y), {}, plain.each(lambda a, b: a * b)),
    ("div", (X, Y), {}, plain.each(lambda a, b: a / b)),
    ("scale", (X,), {"factor": -2.5}, plain.each(lambda a: -2.5 * a)),
    ("scale_by", (X, [1.5]), {}, lambda x, f: plain.each(lambda a: f[0] * a)(x)),
    ("scale_by", (X, 1.5), {}, lambda x, f: plain.each(lambda a: f * a)(x)),
    ("scale_rows", (X, numbers(2, 3)), {}, plain.with_rows(
        lambda row, f: [a * f for a in row])),
    ("add_scalar", (X,), {"number": 0.25}, plain.each(lambda a: a + 0.25)),
    ("add_row", (X, ROW), {}, lambda x, r: plain.rows(
        lambda row: [a + b for a, b in zip(row, r)])(x)),
    ("add_pairs", (X, numbers(2, 5, 4)), {}, lambda q, k: [
        [[[a + b for a, b in zip(row, key)] for key in keys] for row in queries]
        for queries, keys in zip(q, k)]),
    ("matmul", (X, numbers(4, 5)), {}, plain.matmul),
    ("linear", (X, numbers(4, 5), numbers(5)), {}, lambda x, w, b: plain.rows(
        lambda row: [a + c for a, c in zip(row, b)])(plain.matmul(x, w))),
    ("batch_matmul", (X, numbers(2, 4, 5)), {}, lambda x, y: [
        plain.matmul(a, b) for a, b in zip(x, y)]),
    ("batch_matmul", (X, numbers(2, 5, 4)), {"transpose": True}, lambda x, y: [
        plain.matmul(a, plain.transpose(b)) for a, b in zip(x, y)]),
    ("tanh", (X,), {}, plain.each(math.tanh)),
    ("sigmoid", (X,), {}, plain.each(plain.sigmoid)),
    ("relu", (X,), {}, plain.each(lambda a: max(a, 0.0))),
    ("leaky_relu", (X,), {"slope": 0.2}, plain.each(lambda a: max(a, 0.2 * a))),
    ("elu", (X,), {"alpha": 0.5}, plain.each(
        lambda a: a if a > 0 else 0.5 * (math.exp(a) - 1))),
    ("gelu", (X,), {}, plain.each(lambda a: a * (1 + math.erf(a / math.sqrt(2))) / 2)),
    ("silu", (X,), {}, plain.each(lambda a: a * plain.sigmoid(a))),
    ("softplus", (X,), {}, plain.each(lambda a: math.log1p(math.exp(a)))),
    ("exp", (X,), {}, plain.each(math.exp)),
    ("log", (positive(2, 3),), {}, plain.each(math.log)),
    ("sqrt", (positive(2, 3),), {}, plain.each(math.sqrt)),
    ("softmax", (X,), {}, plain.rows(plain.softmax)),
    ("softmax", (ROW,), {}, plain.softmax),
    ("sparsemax", (X,), {}, plain.rows(reference_attention.sparsemax)),
    ("entmax15", (X,), {}, plain.rows(reference_attention.entmax15)),
    ("log_softmax", (X,), {}, plain.rows(plain.log_softmax)),
    ("layer_norm", (X, ROW, numbers(4)), {"epsilon": 0.01},
     lambda x, g, b: plain.layer_norm(x, g, b, 0.01)),
    ("normalize_rows", (X,), {"epsilon": 0.5}, plain.rows(
        lambda row: [a / math.sqrt(plain.dot(row, row) + 0.5) for a in row])),
    ("concat", ([X, numbers(2, 3, 2)],), {}, lambda parts: [
        [a + b for a, b in zip(*pair)] for pair in zip(*parts)]),
    ("concat", ([numbers(2, 1, seed=i) for i in range(20)],), {}, lambda parts: [
        [part[i][0] for part in parts] for i in range(2)]),
    ("stack", ([X, Y],), {}, lambda parts: parts),
    ("slice", (X,), {"begin": 1}, lambda x: x[1:]),
    ("slice", (X,), {"begin": -3, "end": -1, "axis": -1}, plain.rows(lambda row: row[-3:-1])),
    ("select", (X,), {"i": -1}, lambda x: x[-1]),
    ("reshape", (X,), {"shape": [4, -1]}, lambda x: plain.shaped(plain.flat(x), (4, 6))),
    ("transpose", (X,), {}, plain.transpose),
    ("transpose", (numbers(2, 3),), {}, plain.transpose),
    ("transpose", (numbers(2, 3, 2, 2),), {}, plain.transpose),
    ("split_heads", (X,), {"heads": 2}, lambda x: [
        [row[2 * h:2 * h + 2] for row in part] for part in x for h in range(2)]),
    ("merge_heads", (X,), {"heads": 2}, lambda x: [
        [a + b for a, b in zip(*x)]]),
    ("sum", (X,), {}, lambda x: math.fsum(plain.flat(x))),
    ("row_sums", (X,), {}, plain.rows(math.fsum)),
    ("row_sums", (ROW,), {}, math.fsum),
    ("mean", (X,), {}, lambda x: math.fsum(plain.flat(x)) / 24),
    ("embedding", (numbers(5, 3),), {"ids": [[4, 0], [4, 1]]}, lambda t, ids: plain.each(
        lambda i: t[i])(ids)),
    ("pick", (X,), {"columns": [[0, 3, -1], [1, 1, 2]]}, plain.with_rows(
        lambda row, i: row[i] if i >= 0 else 0.0)),
    ("cross_entropy", (X,), {"targets": [[0, 3, 9], [1, 1, 2]], "ignore": 9, "smoothing": 0.1},
     lambda x, t: plain.cross_entropy(x, t, 9, 0.1)),
    ("binary_cross_entropy", (X,), {"targets": positive(2, 3, 4)}, plain.binary_cross_entropy),
    ("mse", (X,), {"targets": Y}, plain.mse),
    ("conv2d", (IMAGE, numbers(3, 3, 2, 3), numbers(3)), {"stride": 2, "padding": 1},
     lambda x, w, b: plain.conv2d(x, w, b, 2, 1)),
    ("conv2d", (IMAGE, numbers(2, 2, 2, 3)), {}, plain.conv2d),
    ("max_pool2d", (IMAGE,), {"size": 2}, plain.max_pool2d),
    ("rnn", (X, numbers(3, 4), numbers(4, 4)), {"lengths": [2, 0, 1]},
     lambda x, h, w, n: plain.recurrence(plain.rnn_step)(x, h, w, lengths=n)),
    ("gru", (numbers(3, 2, 6), numbers(2, 2), numbers(2, 6), numbers(6)), {},
     plain.recurrence(plain.gru_step)),
    ("gru", (numbers(3, 2, 6), numbers(2, 2), numbers(2, 6)), {"lengths": [3, 1]},
     lambda x, h, w, n: plain.recurrence(plain.gru_step)(x, h, w, lengths=n)),
    *[("gru", (numbers(3, 2, 6), numbers(2, 2), numbers(2, 4), numbers(2, 2)), {"kind": kind},
       lambda *a, kind=kind: plain.recurrence(plain.gru_step)(*a, kind=kind))
      for kind in ("cho", "bahdanau")],
    ("lstm", (numbers(3, 2, 8), numbers(2, 2, 2), numbers(2, 8)), {"lengths": [3, 2]},
     plain.lstm),
]
INPUTS = ("ids", "columns", "targets", "lengths")  # without a gradient


def test_all_operations_are_tested():
    assert set(TABLE) == set(ops.__all__)
    assert set(TABLE) - {"dropout"} == {case[0] for case in CASES}


@pytest.mark.parametrize("name", sorted(TABLE))
def test_options_are_those_of_the_library(name):
    parameters = inspect.signature(getattr(ops, name)).parameters.values()
    options = {one.name: one.default for one in parameters if one.default is not one.empty
               and one.name not in ("bias", "lengths")}
    expected = dict(TABLE[name]["options"])
    if name == "slice":
        assert options.pop("end") is None and expected.pop("end") == 2 ** 63 - 1
    if name == "reshape":
        expected.pop("shape")
    assert options == expected
    assert getattr(ops, name).__doc__


def called(name, inputs, options):
    """An operation of variables or arrays."""
    if name in ("concat", "stack"):
        inputs = [list(inputs)]
    return getattr(ops, name)(*inputs, **options)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_values(case):
    name, inputs, options, expected = case
    given = inputs[0] if name in ("concat", "stack") else inputs
    right = expected(*inputs, *[options[key] for key in INPUTS if key in options])
    for dtype, tolerance in (("float64", 1e-12), ("float32", 1e-5)):
        found = called(name, [heed.Array(x, dtype) for x in given], options)
        for a, b in zip(found if isinstance(found, tuple) else [found],
                        right if isinstance(right, tuple) else [right]):
            assert a.dtype == dtype
            assert close(a, b, tolerance)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_gradients(case):
    name, inputs, options, _ = case
    given = inputs[0] if name in ("concat", "stack") else inputs

    def loss(*variables):
        found = called(name, variables, options)
        parts = found if isinstance(found, tuple) else (found,)
        return sum((part * uniform(part.shape, 1.0, "float64", seed=3)).sum()
                   for part in parts)

    assert heed.checks.gradient(loss, *given) < 1e-7


def test_checks_find_a_wrong_gradient():
    def wrong(x):
        return (x * constant(x.array)).sum()  # the second factor is not differentiated

    with pytest.raises(heed.checks.GradientError, match=r"element \[1\] of argument 0"):
        heed.checks.gradient(wrong, [0.0, 2.0])
    with pytest.raises(AssertionError):
        heed.checks.gradient(wrong, [1.0])


def test_dropout():
    x = constant([[1.0] * 1000])
    y = ops.dropout(x, 0.25, seed=3)
    assert close(sorted(set(y.tolist()[0])), [0.0, 4 / 3], 1e-6)
    assert 150 < y.tolist()[0].count(0.0) < 350
    assert ops.dropout(x, 0.25, seed=3).tolist() == y.tolist()
    assert ops.dropout(x, 0.25, seed=4).tolist() != y.tolist()
    with heed.Tape() as tape:
        w = tape.watch([[1.0] * 1000])
        z = ops.dropout(w, 0.25, seed=3)
    assert tape.gradient(z, w).tolist() == y.tolist()


# ---- Operators -----------------------------------------------------------------

def operators():
    a, b, c = f64(numbers(2, 3)), f64(numbers(2, 3, seed=2)), f64([0.5, -1.5, 2.0])
    m, s = f64(numbers(3, 2)), f64(0.75)
    return [
        (lambda x, y: x + y, (a, b)), (lambda x, y: x - y, (a, b)),
        (lambda x, y: x * y, (a, b)), (lambda x, y: x / y, (a, b)),
        (lambda x, y: x + y, (a, c)), (lambda x, y: x + y, (c, a)),
        (lambda x, y: x - y, (a, c)), (lambda x, y: x - y, (c, a)),
        (lambda x, y: x * y, (a, c)), (lambda x, y: x * y, (c, a)),
        (lambda x, y: x / y, (a, c)), (lambda x, y: x / y, (c, a)),
        (lambda x, y: x + y, (a, s)), (lambda x, y: x - y, (s, a)),
        (lambda x, y: x * y, (s, a)), (lambda x, y: x / y, (a, s)),
        (lambda x, y: x / y, (s, a)),
        (lambda x: -x + 2 - 0.5, (a,)), (lambda x: 3 - x, (a,)), (lambda x: 2 * x / 4, (a,)),
        (lambda x: 1 / x, (a,)), (lambda x: x ** 2, (a,)), (lambda x: x ** -1, (a,)),
        (lambda x: x ** 3, (a,)), (lambda x: (x * x) ** 0.5, (a,)),
        (lambda x: (x * x) ** 1.5, (a,)),
        (lambda x, y: x @ y, (a, m)), (lambda x, y: x @ y, (a, c)),
        (lambda x, y: x @ y, (c, m)),
        (lambda x: x.T @ x, (a,)),
        (lambda x: x[0], (a,)), (lambda x: x[-1, 1], (a,)), (lambda x: x[:, 1], (a,)),
        (lambda x: x[:, 1:], (a,)), (lambda x: x[..., :2], (a,)), (lambda x: x[1:, -2:], (a,)),
        (lambda x: x.mean(), (a,)), (lambda x: x.sum(), (a,)),
        (lambda x: x.reshape(3, 2), (a,)), (lambda x: x.reshape((6,)), (a,)),
        (lambda x: x.reshape(3, -1), (a,)),
    ]


@needs_numpy
@pytest.mark.parametrize("i", range(len(operators())))
def test_operators_are_those_of_numpy(i):
    function, arrays = operators()[i]
    expected = function(*[numpy.asarray(one) for one in arrays])
    assert numpy.allclose(function(*[constant(one) for one in arrays]), expected, atol=1e-12)
    assert numpy.shape(expected) == function(*[constant(one) for one in arrays]).shape


@pytest.mark.parametrize("i", range(len(operators())))
def test_operators_have_gradients(i):
    function, arrays = operators()[i]
    assert heed.checks.gradient(lambda *x: function(*x) * function(*x), *arrays) < 1e-6


def test_slices_of_any_dimension():
    x = numbers(2, 3, 4, 2)
    v = constant(f64(x))
    assert v[:, 1].tolist() == [part[1] for part in x]
    assert v[:, 1:, 0].tolist() == [[row[0] for row in part[1:]] for part in x]
    assert v[1, :, -2:, 1].tolist() == [[pair[1] for pair in row[-2:]] for row in x[1]]
    assert v[..., 0].shape == (2, 3, 4) and v[:, :0].shape == (2, 0, 4, 2)
    assert [part.shape for part in v] == [(3, 4, 2)] * 2
    for index, error in ((2, IndexError), ((0, 0, 0, 0, 0), IndexError),
                         (slice(None, None, 2), IndexError), ("a", TypeError)):
        with pytest.raises(error):
            v[index]


def test_methods():
    x = constant([[1.0, 2.0], [3.0, 4.0]])
    assert x.sum(axis=-1).tolist() == [3.0, 7.0] and x.mean(axis=1).tolist() == [1.5, 3.5]
    assert x.transpose().tolist() == x.T.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert (len(x), x.ndim, x.size, x.shape, x.dtype) == (2, 2, 4, (2, 2), "float32")
    assert x.sum().item() == float(x.sum()) == 10.0 and bool(x.sum())
    assert repr(x) == "Variable" + repr(x.array)[len("Array"):]
    for name in ("tanh", "sigmoid", "relu", "exp", "log", "sqrt", "softmax", "log_softmax"):
        assert getattr(x, name)().tolist() == getattr(ops, name)(x).tolist()
    with pytest.raises(heed.ShapeError, match="axis 0"):
        x.sum(axis=0)
    with pytest.raises(heed.ShapeError, match="matrices"):
        x.reshape(4).T
    with pytest.raises(heed.ShapeError, match="4 elements|one"):
        bool(x)
    with pytest.raises(TypeError):
        len(x.sum())


@needs_numpy
def test_numpy_leaves_operators_to_variables():
    w = heed.Parameter([[1.0], [2.0]])
    x = numpy.array([[3.0, 4.0]])
    with heed.Tape() as tape:
        y = x @ w
        z = numpy.float32(2.0) * y + numpy.array([[1.0]])
    assert isinstance(y, heed._tensors.Variable) and z.tolist() == [[23.0]]
    assert tape.gradient(z, w).tolist() == [[6.0], [8.0]]
    assert numpy.asarray(y).tolist() == [[11.0]] and numpy.asarray(w).shape == (2, 1)


def test_shapes_that_do_not_fit():
    a = constant(numbers(2, 3))
    for function in (lambda: a + numbers(3, 2), lambda: a * numbers(2),
                     lambda: a / [[1.0, 2.0]],
                     lambda: a @ a, lambda: a - [[[1.0]]], lambda: ops.add(a, [1.0]),
                     lambda: a.reshape(4), lambda: ops.matmul([1.0], 2.0),
                     lambda: ops.layer_norm(a, [1.0], [1.0]),
                     lambda: ops.concat([a, numbers(3, 3)]), lambda: ops.row_sums(1.0),
                     lambda: ops.embedding(a, [2]), lambda: ops.embedding([1.0], [0]),
                     lambda: ops.embedding(a, [0.5]), lambda: ops.pick(a, [0, 3]),
                     lambda: ops.cross_entropy(a, [0, 3]), lambda: ops.stack([a, [1.0]]),
                     lambda: ops.gru(numbers(3, 2, 6), numbers(2, 2), numbers(2, 6), [1.0]),
                     lambda: ops.gru(numbers(3, 2, 6), numbers(2, 2), numbers(2, 4),
                                     kind="cho"),
                     lambda: ops.lstm(numbers(3, 2, 8), numbers(2, 2), numbers(2, 8)),
                     lambda: ops.rnn(X, numbers(3, 4), numbers(4, 4), [1, 2, 5]),
                     lambda: ops.conv2d(IMAGE, numbers(2, 3)),
                     lambda: constant(f64(1.0)) + constant(1.0)):
        with pytest.raises(heed.ShapeError):
            function()
    for function in (lambda: ops.dropout(a, 1.5), lambda: ops.split_heads(X, 0),
                     lambda: ops.conv2d(IMAGE, numbers(2, 2, 2, 3), stride=0),
                     lambda: ops.conv2d(IMAGE, numbers(2, 2, 2, 3), padding=10 ** 9),
                     lambda: ops.gru(X, X, X, kind="other"),
                     lambda: ops.cross_entropy(a, [0, 1], smoothing=2.0)):
        with pytest.raises((heed.ConfigError, heed.ShapeError)):
            function()
    with pytest.raises(heed.NumericError):
        a * math.nan
    with pytest.raises(ArgumentError, match="concat"):
        ops.concat([])
