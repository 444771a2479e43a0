"""Attention in training: gradients of given parameters, and dropout."""

import math

import pytest
from test_attention import close, f64, flat, plus, table

import heed
from heed.errors import ArgumentError


def derivative(loss, point, direction, h=1e-4):
    """The change of a loss along a direction, by finite differences."""
    at = [loss(f64(plus(point, direction, step))) for step in (2 * h, h, -h, -2 * h)]
    return (8 * (at[1] - at[2]) - (at[0] - at[3])) / (12 * h)


def test_parameters_get_gradients_on_a_tape():
    q, k = f64(table(3, 4, 1)), f64(table(5, 4, 2))
    attention = heed.Attention("additive", units=3)
    values = attention.parameters(4, 4, dtype="float64")
    own = {name: heed.Parameter(value, name, dtype="float64") for name, value in values.items()}
    w = heed.Parameter(table(4, 4, 3), dtype="float64")
    with heed.Tape() as tape:  # both attentions use them
        first = heed.attend(q @ w, k, None, attention, parameters=own).context
        second = heed.attend(k, k, None, attention, parameters=own).context
        loss = (first * first).sum() + (second * second).sum()
    found = dict(zip([*own, "w"], tape.gradient(loss, [*own.values(), w])))

    def at(name, value):
        given = {**values, "w": w.array, name: value}
        scale = given.pop("w")
        contexts = [heed.attend(x, k, None, attention, parameters=given).context
                    for x in (q @ scale, k)]
        return sum((one * one).sum().item() for one in contexts)

    for name, value in {**values, "w": w.array}.items():
        rows = value.tolist() if value.ndim == 2 else [value.tolist()]
        direction = table(len(rows), len(rows[0]), 4)
        exact = math.fsum(a * b for a, b in zip(flat(found[name]), flat(direction)))
        shape = value.shape
        near = derivative(lambda x: at(name, x.reshape(shape)), rows, direction)
        assert abs(exact - near) < 1e-8, name
    with heed.Tape() as tape:  # arrays alone beside the parameters
        loss = heed.attend(q, k, None, attention, parameters=own).context.sum()
    assert any(flat(tape.gradient(loss, own["key.weight"])))


def test_parameters_that_get_no_gradient_are_refused():
    q, w = [[1.0, 2.0]], heed.Parameter([[1.0, 0.0], [0.0, 1.0]])
    with heed.Tape():
        with pytest.raises(ArgumentError, match="heed.nn.Attention"):
            heed.attend(q, q, score="general", parameters={"key.weight": w * 2})
    attended = heed.attend(q, q, score="general", parameters={"key.weight": w})
    assert attended.gradient()["parameters"]["key.weight"].shape == (2, 2)


def test_dropout():
    q, k, v = f64(table(3, 4, 1)), f64(table(6, 4, 2)), f64(table(6, 2, 3))
    attention = heed.Attention("scaled_dot", dropout=0.4)
    plain = heed.attend(q, k, v)
    assert close(heed.attend(q, k, v, attention).weights, plain.weights)
    assert close(heed.attend(q, k, v, attention).gradient()["v"], plain.gradient()["v"])
    heed.nn.seed(3)
    seen, total = set(), [0.0] * 18
    for _ in range(4000):
        with heed.Tape() as tape:
            weights = heed.attend(tape.watch(q), k, v, attention).weights
        seen.add(tuple(flat(weights)))
        total = [a + b for a, b in zip(total, flat(weights))]
    for mean, right in zip(total, flat(plain.weights)):
        assert abs(mean / 4000 - right) < 0.03
    ratios = {round(a / b, 9) for one in seen for a, b in zip(one, flat(plain.weights))}
    assert ratios == {0.0, round(1 / 0.6, 9)} and len(seen) > 3900


def test_gradients_of_dropout_are_those_of_its_sample():
    q, k, v = table(3, 4, 1), f64(table(6, 4, 2)), f64(table(6, 2, 3))

    def loss(x):
        heed.nn.seed(5)
        with heed.Tape() as tape:
            u = tape.watch(x)
            context = heed.attend(u, k, v, dropout=0.4).context
            return tape, u, (context * context).sum()

    tape, u, value = loss(f64(q))
    direction = table(3, 4, 4)
    exact = math.fsum(a * b for a, b in zip(flat(tape.gradient(value, u)), flat(direction)))
    assert abs(exact - derivative(lambda x: loss(x)[2].item(), q, direction)) < 1e-8
