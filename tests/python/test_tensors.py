"""Tapes, parameters and Adam; memory over many steps."""

import gc
import math
import resource
import threading

import pytest
import reference_operations as plain
from reference_operations import close

import heed
from heed import nn, ops
from heed.errors import ArgumentError


# ---- Tapes ---------------------------------------------------------------------

def test_gradients_of_parameters_and_variables():
    w, b = heed.Parameter([[2.0], [3.0]], "w"), heed.Parameter([0.5], "b")
    unused = heed.Parameter([7.0])
    with heed.Tape() as tape:
        x = tape.watch([[1.0, -1.0]])
        y = x @ w + b
        loss = (y * y).sum()
    gradients = tape.gradient(loss, [w, b, x, unused, w])
    assert [one.tolist() for one in gradients] == [[[-1.0], [1.0]], [-1.0], [[-2.0, -3.0]],
                                                   [0.0], [[-1.0], [1.0]]]
    with pytest.raises(ArgumentError, match="computed already"):
        tape.gradient(loss, [w])
    with pytest.raises(ArgumentError, match="computed already"):
        tape.watch([1.0])


def test_gradients_do_not_add_up_over_tapes():
    w = heed.Parameter([3.0])
    for _ in range(3):
        with heed.Tape() as tape:
            loss = w * w
        assert tape.gradient(loss, [w])[0].tolist() == [6.0]


def test_seed_of_a_gradient():
    with heed.Tape() as tape:
        x = tape.watch([1.0, 2.0, 3.0])
        y = x * 2
    assert tape.gradient(y, x, seed=[1.0, 0.0, -1.0]).tolist() == [2.0, 0.0, -2.0]
    with heed.Tape() as tape:
        y = tape.watch([1.0]) * 2
    with pytest.raises(heed.ShapeError, match="seed"):
        tape.gradient(y, [], seed=[1.0, 2.0])


def test_what_is_recorded():
    w = heed.Parameter([2.0])
    outside = w * 3
    with heed.Tape() as tape:
        inside = w * 3
        with heed.Tape() as inner:
            again = inside * w  # a constant times w
        after = inside * outside
    assert inner.gradient(again, w).tolist() == [6.0]
    late = after * 2
    for loss in (outside, late, again):
        with pytest.raises(ArgumentError, match="not recorded"):
            tape.gradient(loss, w)
    with pytest.raises(ArgumentError, match="watch"):
        tape.gradient(after, [inside])
    with pytest.raises(ArgumentError, match="parameters"):
        tape.gradient(after, [[1.0]])
    assert tape.gradient(after, w).tolist() == [18.0]
    assert (after * 1).tolist() == [36.0]


def test_an_exception_closes_the_tape():
    with pytest.raises(ZeroDivisionError):
        with heed.Tape():
            1 // 0
    w = heed.Parameter([2.0])
    assert (w * 2)._tape is None


def test_each_thread_has_its_own_tapes():
    w = heed.Parameter([2.0])
    found = []

    def work():
        found.append((w * 2)._tape is None)
        with heed.Tape() as tape:
            loss = ops.sum(tape.watch([5.0]) * 3)
        found.append(tape.gradient(loss, []) == [])

    with heed.Tape() as tape:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        loss = w * w
    assert found == [True, True]
    assert tape.gradient(loss, w).tolist() == [4.0]


# ---- Parameters ----------------------------------------------------------------

def test_parameters():
    w = heed.Parameter((20, 30), "w", seed=5)
    bound = math.sqrt(6 / 50)
    values = plain.flat(w.tolist())
    assert max(values) < bound and min(values) > -bound
    assert abs(math.fsum(values) / 600) < bound / 10
    assert abs(math.fsum(x * x for x in values) / 600 - bound ** 2 / 3) < bound ** 2 / 20
    assert heed.Parameter((20, 30), seed=5).tolist() == w.tolist()
    assert heed.Parameter((20, 30)).tolist() != heed.Parameter((20, 30)).tolist()
    assert heed.Parameter(3).tolist() == heed.Parameter((3,)).tolist() == [0.0] * 3
    assert heed.Parameter(()).tolist() == 0.0
    exact = heed.Parameter((40, 40), dtype="float64", seed=1)
    assert exact.dtype == "float64" and len(set(plain.flat(exact.tolist()))) == 1600
    assert repr(w) == "Parameter('w', [20, 30], dtype=float32)"
    assert (w.name, w.shape, w.ndim, w.size, len(w)) == ("w", (20, 30), 2, 600, 20)


def test_assign():
    w = heed.Parameter([[1.0, 2.0]])
    before = w.array
    w.assign([[3, 4]])
    assert w.tolist() == [[3.0, 4.0]] and before.tolist() == [[1.0, 2.0]]
    assert (w @ [[1.0], [1.0]]).tolist() == [[7.0]]
    for wrong in ([3.0, 4.0], [[1.0]]):
        with pytest.raises(heed.ShapeError):
            w.assign(wrong)
    with pytest.raises(heed.ShapeError, match="float16"):
        heed.Parameter([1.0], dtype="float16")
    with pytest.raises(heed.ShapeError, match="negative"):
        heed.Parameter((2, -1))
    with pytest.raises(heed.ConfigError, match="element"):
        heed.Parameter((0, 2))


# ---- Adam ----------------------------------------------------------------------

def test_adam_is_that_of_the_paper():
    start, rate = [0.5, -1.0, 2.0], 0.1
    w = heed.Parameter(start, dtype="float64")
    optimizer = heed.Adam([w], lr=rate, clip=0, beta1=0.8, beta2=0.9, epsilon=1e-6)
    mean, square = [0.0] * 3, [0.0] * 3
    expected = list(start)
    for step in range(1, 8):
        gradient = [math.sin(step + x) for x in expected]
        for i, g in enumerate(gradient):
            mean[i] = 0.8 * mean[i] + 0.2 * g
            square[i] = 0.9 * square[i] + 0.1 * g * g
            expected[i] -= rate * mean[i] / (1 - 0.8 ** step) / (
                math.sqrt(square[i] / (1 - 0.9 ** step)) + 1e-6)
        norm = optimizer.step([gradient])
        assert abs(norm - math.sqrt(sum(g * g for g in gradient))) < 1e-12
        assert close(w, expected, 1e-12)
        rate = optimizer.rate = rate / 2


def test_clipping():
    a, b = heed.Parameter([0.0], dtype="float64"), heed.Parameter([0.0], dtype="float64")
    optimizer = heed.Adam([a, b], lr=1.0, clip=1.0, optimizer="sgd")
    assert optimizer.step([[3.0], [4.0]]) == pytest.approx(5.0)
    assert close(a, [-0.6]) and close(b, [-0.8])


def test_bad_steps():
    w = heed.Parameter([1.0, 2.0], "w")
    optimizer = heed.Adam([w])
    with pytest.raises(heed.NumericError, match="w"):
        optimizer.step([[math.nan, 0.0]])
    with pytest.raises(heed.ShapeError):
        optimizer.step([[1.0]])
    with pytest.raises(ArgumentError, match="2 gradients for 1"):
        optimizer.step([[1.0, 1.0]] * 2)
    with pytest.raises(ArgumentError, match="Array"):
        heed.Adam([w.array])
    with pytest.raises(heed.ConfigError):
        heed.Adam([w], momentun=1)
    with pytest.raises(heed.ConfigError):
        heed.Adam([w], beta1=2.0)
    assert w.tolist() == [1.0, 2.0]


# ---- Memory --------------------------------------------------------------------

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_memory_stays_flat():
    nn.seed(8)
    net = nn.Sequential(nn.Embedding(20, 16), nn.Transformer(16, 1, 2), nn.Linear(16, 20))
    optimizer = heed.Adam(net.parameters())
    x = [[i % 20 for i in range(10)]] * 4

    def step():
        with heed.Tape() as tape:
            loss = ops.cross_entropy(net(x), x)
        optimizer.step(tape.gradient(loss, net.parameters()))
        net(x)
        with heed.Tape():
            net(x)  # a tape without gradients

    gc.collect()
    gc.disable()  # nothing waits for the collector
    try:
        grown = []
        for _ in range(4):  # the first steps fill gaps that other tests have left
            before = resident()
            for _ in range(500):
                step()
            grown.append(resident() - before)
        assert min(grown) < 1 << 20
    finally:
        gc.enable()
