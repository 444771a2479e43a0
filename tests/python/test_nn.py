"""Layers, and an own model."""

import math
import random

import pytest
import reference_operations as plain
from reference_operations import close, numbers

import heed
from conftest import needs_torch, torch
from heed import nn, ops
from heed._tensors import constant, uniform


X = numbers(2, 3, 4)


class Reverser(heed.nn.Module):
    def __init__(self):
        self.e = heed.nn.Embedding(26, 64)
        self.a = heed.nn.Attention(64, heads=4)
        self.o = heed.nn.Linear(64, 26)

    def __call__(self, x):
        h = self.e(x)
        return self.o(h + self.a(h, h))


def test_an_own_model_learns():
    nn.seed(1)
    chosen = random.Random(1)
    net = Reverser()
    opt = heed.Adam(net.parameters())
    for _ in range(160):
        x = [[chosen.randrange(26) for _ in range(8)] for _ in range(16)]
        y = [[25 - letter for letter in row] for row in x]
        with heed.Tape() as tape:
            loss = heed.ops.cross_entropy(net(x), y)
        opt.step(tape.gradient(loss, net.parameters()))
    assert loss.item() < 0.5


def test_modules_find_their_parameters():
    class Both(nn.Module):
        def __init__(self):
            self.shared = nn.Linear(2, 2)
            self.layers = [self.shared, nn.Sequential(nn.Linear(2, 3, bias=False), ops.relu)]
            self.by_name = {"scale": heed.Parameter([1.0]), "none": None}
            self.number = 3
            self.itself = self

    net = Both()
    assert list(net.named_parameters()) == ["shared.weight", "shared.bias",
                                            "layers.1.layers.0.weight", "by_name.scale"]
    assert len(net.parameters()) == 4 and "13 parameters" in repr(net)


def test_state():
    nn.seed(3)
    first, second = nn.Transformer(8, 1, 2), nn.Transformer(8, 1, 2)
    x = [nn.positions(3, 8)]
    assert first(x).tolist() != second(x).tolist()
    second.load_state(first.state())
    assert first(x).tolist() == second(x).tolist()
    state = first.state()
    state.pop("norm.bias")
    with pytest.raises(heed.ConfigError, match="norm.bias"):
        second.load_state(state)
    with pytest.raises(heed.ShapeError, match="norm.bias"):
        second.load_state({**state, "norm.bias": [1.0]})


@pytest.mark.parametrize("layer, x", [
    (lambda: nn.Linear(4, 3), X), (lambda: nn.LayerNorm(4), X),
    (lambda: nn.Embedding(5, 4), [[1, 2, 4]]), (lambda: nn.GRU(4, 3), X),
    (lambda: nn.LSTM(4, 3), X), (lambda: nn.Attention(4, heads=2), X),
    (lambda: nn.Attention(4, score="additive", project=False, units=3), X),
    (lambda: nn.Attention(4, 2, score="general", key_heads=1, normalizer="sparsemax"), X),
    (lambda: nn.Transformer(4, 2, 2, heed.Attention("cosine", ["rotary"], mask="causal")), X),
    (lambda: nn.Sequential(nn.Linear(4, 5), ops.tanh, nn.Linear(5, 1)), X),
])
def test_all_parameters_of_layers_have_gradients(layer, x):
    nn.seed(2)
    net = layer()

    def loss():
        found = net(x)
        found = found[0] if isinstance(found, tuple) else found
        return (found * uniform(found.shape, 1.0, seed=1)).sum()

    with heed.Tape() as tape:
        value = loss()
    gradients = tape.gradient(value, net.parameters())
    direction = [uniform(one.shape, 1.0, seed=i) for i, one in enumerate(net.parameters())]
    exact = sum(plain.dot(plain.flat(g.tolist()), plain.flat(d.tolist()))
                for g, d in zip(gradients, direction))
    start, ends = [one.array for one in net.parameters()], []
    for step in (1e-3, -1e-3):
        for parameter, old, d in zip(net.parameters(), start, direction):
            parameter.assign((constant(old) + constant(d) * step).array)
        ends.append(loss().item())
    found = (ends[0] - ends[1]) / 2e-3
    assert abs(exact - found) < 2e-2 * max(1.0, abs(found))
    assert any(abs(x) > 1e-6 for g in gradients for x in plain.flat(g.tolist()))


@needs_torch
def test_layers_are_those_of_torch():
    nn.seed(4)
    x = torch.tensor(X)

    def load(target, source):
        target.data.copy_(torch.from_dlpack(source.array))

    layer = nn.GRU(4, 3)
    layer.bias.assign(numbers(9))
    other = torch.nn.GRU(4, 3, batch_first=True)
    load(other.weight_ih_l0, layer.input.weight.T)
    load(other.weight_hh_l0, layer.weight.T)
    load(other.bias_ih_l0, layer.input.bias)
    load(other.bias_hh_l0, layer.bias * 1)
    states, last = layer(X)
    assert close(states, other(x)[0].tolist(), 1e-5)
    assert close(last, other(x)[1][0].tolist(), 1e-5)

    layer = nn.LSTM(4, 3)
    other = torch.nn.LSTM(4, 3, batch_first=True)
    load(other.weight_ih_l0, layer.input.weight.T)
    load(other.weight_hh_l0, layer.weight.T)
    load(other.bias_ih_l0, layer.input.bias)
    other.bias_hh_l0.data.zero_()
    states, (h, c) = layer(X)
    assert close(states, other(x)[0].tolist(), 1e-5)
    assert close(c, other(x)[1][1][0].tolist(), 1e-5)

    layer = nn.Attention(4, heads=2)
    other = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    three = [layer.projections[name] for name in ("query", "key", "value")]
    other.in_proj_weight.data.copy_(torch.cat([torch.from_dlpack(one.weight.T.array)
                                               for one in three]))
    other.in_proj_bias.data.zero_()
    load(other.out_proj.weight, layer.output.weight.T)
    other.out_proj.bias.data.zero_()
    context, weights = layer(X, weights=True, mask="causal")
    hidden = ~torch.ones(3, 3, dtype=torch.bool).tril()
    expected = other(x, x, x, attn_mask=hidden, average_attn_weights=False)
    assert close(context, expected[0].tolist(), 1e-5)
    assert close(weights, expected[1].tolist(), 1e-5)


def test_states_of_recurrent_layers():
    nn.seed(5)
    for layer in (nn.GRU(4, 3), nn.LSTM(4, 3)):
        states, last = layer(X)
        first, middle = layer([row[:2] for row in X])
        rest, end = layer([row[2:] for row in X], middle)
        assert close(rest, [row[2:] for row in states.tolist()], 1e-6)
        short, _ = layer(X, lengths=[2, 3])
        assert close(short[0, 2], states.tolist()[0][1], 1e-6)
        assert isinstance(last, tuple) == isinstance(layer, nn.LSTM)


def test_attention_layer():
    nn.seed(6)
    layer = nn.Attention(8, heads=2, mask=lambda t, s: s <= t)
    x = nn.positions(5, 8)
    context, weights = layer(x, weights=True, mask="window(2)")
    assert context.shape == (5, 8) and weights.shape == (1, 2, 5, 5)
    for t in range(5):
        for s in range(5):
            assert (weights.array[0, 0, t, s] > 0) == (0 <= t - s <= 1)
    one = nn.Attention(8, score=heed.Attention("additive", heads=2, units=3))
    assert one.parts["score.weight"].shape == (6,)
    assert nn.Attention(8, score="additive").parts["key.weight"].tolist() != nn.Attention(
        8, score="additive").parts["key.weight"].tolist()
    with pytest.raises(heed.ConfigError, match="positions"):
        nn.Attention(8, score="location")
    with pytest.raises(heed.ConfigError):
        nn.Attention(8, heads=3)
    with pytest.raises(heed.ConfigError):
        nn.Attention(8, score="additiv")
    with pytest.raises(heed.ShapeError):
        layer([1.0])


def test_transformer():
    nn.seed(7)
    decoder = nn.Transformer(8, 2, 2, heed.Attention(mask="causal"), hidden=5, dropout=0.5,
                             cross=True)
    x, source = [nn.positions(4, 8)], [nn.positions(6, 8)]
    y = decoder(x, source)
    assert y.shape == (1, 4, 8) and decoder(x, source).tolist() == y.tolist()
    changed = [x[0].tolist()[:3] + [[9.0] * 8]]
    assert close(decoder(changed, source)[0, :3], y.tolist()[0][:3], 1e-6)
    with heed.Tape():
        assert decoder(x, source).tolist() != y.tolist()  # dropout
    hidden = decoder(x, source, source_mask=[[1, 0, 0, 0, 0, 0]] * 4)
    assert hidden.tolist() != y.tolist()
    with pytest.raises(heed.ConfigError, match="source"):
        decoder(x)
    with pytest.raises(heed.ConfigError, match="source"):
        nn.Transformer(8, 1, 2)(x, source)


def test_positions():
    table = nn.positions(50, 6).tolist()
    assert len(table) == 50
    for t in (0, 7, 49):
        for i in range(3):
            angle = t / 10000 ** (2 * i / 6)
            assert table[t][2 * i] == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[t][2 * i + 1] == pytest.approx(math.cos(angle), abs=1e-6)
    assert nn.positions(0, 4).shape == (0, 4) and nn.positions(3, 0).shape == (3, 0)


def test_dropout_layer():
    layer = nn.Dropout(0.5)
    x = [[1.0] * 200]
    assert layer(x).tolist() == x
    with heed.Tape():
        first, second = layer(x).tolist(), layer(x).tolist()
    assert first != second and 40 < first[0].count(0.0) < 160
    with pytest.raises(heed.ConfigError):
        nn.Dropout(1.0)


def test_dropout_of_attention_is_of_training_alone():
    nn.seed(6)
    layer = nn.Attention(4, heads=2, dropout=0.5)
    assert layer(X).tolist() == layer(X).tolist()
    with heed.Tape() as tape:
        first, weights = layer(X, weights=True)
        loss = first.sum() + layer(X).sum()
    assert first.tolist() != layer(X).tolist()
    assert 0.0 in plain.flat(weights.tolist())
    assert len(tape.gradient(loss, layer.parameters())) == 8
    decoder = nn.Transformer(4, 1, 2, heed.Attention(dropout=0.5), cross=True)
    assert decoder.layers[0].cross.attention.dropout == 0.5
