"""Attention on arrays: all parts against their formulas, gradients, layouts and bad input."""

import json
import math
import pickle
import random
import threading

import pytest
import reference_attention as reference

import heed
from conftest import needs_numpy, needs_torch, numpy, torch
from heed._library import command
from heed._tensors import constant_filled
from heed.errors import ArgumentError


PARTS = json.loads(command("list", "attentions", "--json"))["attentions"]


def names(kind):
    return [part["name"].partition("(")[0] for part in PARTS if part["kind"] == kind]


T, S, D, HEADS, UNITS = 3, 4, 4, 2, 3
# Numbers that matter for so few keys.
NUMBERS = {"top_k": "top_k(2)", "location_aware": "location_aware(2, 1)"}
MASKS = {
    "padding": (heed.Mask.padding([2]), lambda t, s: s < 2),
    "local_m": ("local_m(1)", lambda t, s: abs(t - s) <= 1),
    "strict_causal": ("strict_causal", lambda t, s: s < t),
    "causal": ("causal", lambda t, s: s <= t),
    "adjacency": (heed.Mask.adjacency([[0, 2], [3], []], 4),
                  lambda t, s: s in ((0, 2), (3,), ())[t]),
    "prefix": (heed.Mask.prefix([2]), lambda t, s: s <= t or s < 2),
    "window": ("window(2)", lambda t, s: abs(t - s) <= 1),
    "documents": (heed.Mask.documents([[0, 0, 1]], [[0, 1, 1, -1]]),
                  lambda t, s: (0, 0, 1)[t] == (0, 1, 1, -1)[s]),
}


def test_reference_knows_all_parts():
    assert set(names("score")) == set(reference.SCORES)
    assert set(names("normalizer")) == set(reference.NORMALIZERS)
    assert set(names("mask")) == set(MASKS)
    assert len(names("score")) == 13


def table(rows, columns, seed):
    chosen = random.Random(seed)
    return [[chosen.uniform(-1, 1) for _ in range(columns)] for _ in range(rows)]


def close(a, b, tolerance=1e-9):
    """True if numbers of nested lists are equal relative to the largest."""
    a, b = flat(a), flat(b)
    most = max([1.0] + [abs(x) for x in b])
    return len(a) == len(b) and all(abs(x - y) <= tolerance * most for x, y in zip(a, b))


def flat(x):
    if hasattr(x, "tolist"):
        x = x.tolist()
    return [one for part in x for one in flat(part)] if isinstance(x, (list, tuple)) else [
        float(x)]


def f64(x):
    return heed.Array(x, "float64")


class Case:
    """Inputs and parameters of one attention, with random numbers."""

    def __init__(self, score, normalizer, mask):
        self.score, self.normalizer = score, normalizer
        self.mask, may = MASKS[mask]
        queries = 1 if score == "learned_query" else T
        self.q = None if score == "learned_query" else table(T, D, 1)
        if queries == 1:
            self.mask = [[int(may(0, s)) for s in range(S)]]
        self.may = [[may(t, s) for s in range(S)] for t in range(queries)]
        self.k, self.v = table(S, D, 2), table(S, 6, 3)
        self.attention = heed.Attention(
            NUMBERS.get(score, score), normalizer=NUMBERS.get(normalizer, normalizer),
            heads=HEADS, units=UNITS, positions=S)
        chosen = random.Random(4)
        self.p = {name: moved(array.tolist(), chosen) for name, array in
                  self.attention.parameters(D, D, 6, "float64").items()}
        self.g = table(queries, 6, 5)

    def attended(self):
        return heed.attend(None if self.q is None else f64(self.q), f64(self.k), f64(self.v),
                           self.attention, mask=self.mask, parameters=self.arrays())

    def arrays(self):
        return {name: f64(array) for name, array in self.p.items()}

    def expected(self):
        return reference.attend(self.q or [None], self.k, self.v, self.may, self.score,
                                self.normalizer, HEADS, self.p)

    def inputs(self):
        """All inputs by name."""
        found = {"q": self.q, "k": self.k, "v": self.v, **self.p}
        return {name: x for name, x in found.items() if x is not None}


def moved(x, chosen):
    """Nested lists with another number at each place."""
    return [moved(one, chosen) for one in x] if isinstance(x, list) else chosen.uniform(-1, 1)


@pytest.mark.parametrize("normalizer", names("normalizer"))
@pytest.mark.parametrize("score", names("score"))
def test_all_parts(score, normalizer):
    for mask in MASKS:
        case = Case(score, normalizer, mask)
        attended = case.attended()
        context, weights = case.expected()
        assert close(attended.weights, weights), mask
        assert close(attended.context, context), mask


def plus(x, direction, step):
    if isinstance(x, list):
        return [plus(a, b, step) for a, b in zip(x, direction)]
    return x + step * direction


def directional(case, name, direction, step=1e-4):
    """The derivative of sum(g * context), with an error of step^4."""
    def at(change):
        old = getattr(case, name, None) if name in "qkv" else case.p[name]
        new = plus(old, direction, change)
        if name in "qkv":
            setattr(case, name, new)
        else:
            case.p[name] = new
        found = math.fsum(a * b for a, b in zip(flat(case.attended().context), flat(case.g)))
        if name in "qkv":
            setattr(case, name, old)
        else:
            case.p[name] = old
        return found
    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


@pytest.mark.parametrize("normalizer", names("normalizer"))
@pytest.mark.parametrize("score", names("score"))
def test_gradients_are_those_of_finite_differences(score, normalizer):
    for mask in MASKS:
        case = Case(score, normalizer, mask)
        gradients = case.attended().gradient(f64(case.g))
        gradients.update(gradients.pop("parameters"))
        for name, x in case.inputs().items():
            direction = moved(x, random.Random(len(name)))
            exact = math.fsum(a * b for a, b in zip(flat(gradients[name]), flat(direction)))
            found = directional(case, name, direction)
            assert abs(exact - found) <= 1e-9 * max(1.0, abs(found)), (mask, name)


def test_gradient_of_each_element():
    for score in names("score"):
        case = Case(score, "softmax", "causal")
        gradients = case.attended().gradient(f64(case.g))
        gradients.update(gradients.pop("parameters"))
        for name, x in case.inputs().items():
            for i, exact in enumerate(flat(gradients[name])):
                one = iter([1.0 if j == i else 0.0 for j in range(len(flat(x)))])
                direction = filled(x, one)
                found = directional(case, name, direction)
                assert abs(exact - found) <= 1e-9 * max(1.0, abs(found)), (score, name, i)


def filled(x, numbers):
    return [filled(one, numbers) for one in x] if isinstance(x, list) else next(numbers)


@needs_torch
@pytest.mark.parametrize("score", names("score"))
def test_gradients_are_those_of_torch(score):
    for normalizer in names("normalizer"):
        for mask in MASKS:
            case = Case(score, normalizer, mask)
            leaves = {name: filled_leaves(x) for name, x in case.inputs().items()}
            context, weights = reference.attend(
                leaves.get("q", [None]), leaves["k"], leaves["v"], case.may, score, normalizer,
                HEADS, leaves)
            loss = sum((x * g for row, gs in zip(context, case.g) for x, g in zip(row, gs)),
                       torch.zeros((), dtype=torch.float64))
            if loss.requires_grad:
                loss.backward()
            gradients = case.attended().gradient(f64(case.g))
            gradients.update(gradients.pop("parameters"))
            for name, leaf in leaves.items():
                expected = [0.0 if x.grad is None else float(x.grad) for x in leaf_list(leaf)]
                assert close(gradients[name], expected), (normalizer, mask, name)


def filled_leaves(x):
    if isinstance(x, list):
        return [filled_leaves(one) for one in x]
    return torch.tensor(x, dtype=torch.float64, requires_grad=True)


def leaf_list(x):
    return [one for part in x for one in leaf_list(part)] if isinstance(x, list) else [x]


@needs_torch
@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-12), ("float32", 1e-5)])
def test_multi_head_attention_of_torch(dtype, tolerance):
    torch.manual_seed(1)
    q, k, v = (torch.randn(2, 4, n, 8, dtype=getattr(torch, dtype), requires_grad=True)
               for n in (5, 7, 7))
    may = torch.ones(5, 7, dtype=torch.bool).tril()
    scores = (q @ k.transpose(-1, -2) / math.sqrt(8)).masked_fill(~may, -math.inf)
    weights = scores.softmax(-1)
    context = weights @ v
    seed = torch.randn_like(context)
    context.backward(seed)
    attended = heed.attend(q.detach(), k.detach(), v.detach(), mask="causal")
    assert attended.context.dtype == dtype
    assert close(attended.context, context.tolist(), tolerance)
    assert close(attended.weights, weights.tolist(), tolerance)
    gradients = attended.gradient(seed)
    for name, x in zip("qkv", (q, k, v)):
        assert gradients[name].shape == tuple(x.shape)
        assert close(gradients[name], x.grad.tolist(), tolerance)


@pytest.mark.parametrize("score", names("score"))
@pytest.mark.parametrize("mask", ["none", "causal", "window(2)"])
def test_float32(score, mask):
    case = Case(score, "softmax", "causal")
    exact = heed.attend(None if case.q is None else f64(case.q), f64(case.k), f64(case.v),
                        case.attention, mask=mask, parameters=case.arrays())
    rounded = heed.attend(case.q, case.k, case.v, case.attention, mask=mask,
                          parameters=case.p)
    assert rounded.context.dtype == rounded.weights.dtype == "float32"
    assert close(rounded.context, exact.context, 1e-5)
    assert close(rounded.weights, exact.weights, 1e-5)
    given, right = rounded.gradient(case.g), exact.gradient(f64(case.g))
    for name in ("k", "v"):
        assert close(given[name], right[name], 1e-5)


# ---- Layouts -------------------------------------------------------------------

def test_layouts_give_equal_numbers():
    q, k, v = (heed.ops.scale(table(n, 12, n)).array for n in (5, 7, 8))
    v = v[:7]
    two = heed.attend(q, k, v, heads=3)
    three = heed.attend([q, q], [k, k], [v, v], heads=3)
    by_head = [[[row[4 * h:4 * h + 4] for row in x.tolist()] for h in range(3)]
               for x in (q, k, v)]
    four = heed.attend(*[[x] for x in by_head])
    assert two.context.shape == (5, 12) and two.weights.shape == (3, 5, 7)
    assert three.context.shape == (2, 5, 12) and three.weights.shape == (2, 3, 5, 7)
    assert four.context.shape == (1, 3, 5, 4) and four.weights.shape == (1, 3, 5, 7)
    assert three.context[1].tolist() == two.context.tolist()
    assert four.weights[0].tolist() == two.weights.tolist()
    for h in range(3):
        assert four.context[0, h].tolist() == [row[4 * h:4 * h + 4]
                                               for row in two.context.tolist()]
    seed = table(5, 12, 9)
    gradients = [two.gradient(seed), three.gradient([seed, seed]), four.gradient(
        [[[row[4 * h:4 * h + 4] for row in seed] for h in range(3)]])]
    for name, x in zip("qkv", (q, k, v)):
        assert gradients[0][name].shape == x.shape
        assert gradients[1][name][0].tolist() == gradients[0][name].tolist()
        assert gradients[2][name].shape == (1, 3, x.shape[0], 4)
        assert close(gradients[2][name][0, 1],
                     [row[4:8] for row in gradients[0][name].tolist()], 1e-7)


def test_one_head_of_two_dimensions():
    attended = heed.attend([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    assert attended.weights.shape == (1, 2)
    context, weights = attended
    assert context.shape == (1, 2) and weights is attended.weights


def test_shared_key_heads():
    q, k = table(3, 8, 1), table(4, 4, 2)
    attended = heed.attend(q, k, heads=4, key_heads=2)
    assert attended.context.shape == (3, 8) and attended.weights.shape == (4, 3, 4)
    by_head = heed.attend([[[row[2 * h:2 * h + 2] for row in q] for h in range(4)]],
                          [[[row[2 * h:2 * h + 2] for row in k] for h in range(2)]])
    assert by_head.weights[0].tolist() == attended.weights.tolist()
    assert by_head.gradient()["k"].shape == (1, 2, 4, 2)


def test_no_weights_and_no_values():
    q, k = table(3, 4, 1), table(5, 4, 2)
    attended = heed.attend(q, k, weights=False)
    assert attended.weights is None
    assert close(attended.context, heed.attend(q, k, k).context, 1e-6)
    gradients = attended.gradient()
    assert set(gradients) == {"q", "k", "v", "parameters"}
    both = heed.attend(q, k, k).gradient()
    assert gradients["k"].tolist() == both["k"].tolist()
    assert gradients["v"].tolist() == both["v"].tolist()


@pytest.mark.parametrize("t, s, b", [(0, 3, 1), (3, 0, 1), (0, 0, 1), (2, 2, 0)])
def test_empty(t, s, b):
    q, k = (constant_filled((b, n, 4), 1.0, "float32").array for n in (t, s))
    attended = heed.attend(q, k)
    assert attended.context.shape == (b, t, 4)
    assert attended.weights.shape == (b, 1, t, s)
    assert set(flat(attended.context)) <= {0.0}


def test_types():
    q = table(2, 4, 1)
    assert heed.attend(q, q).context.dtype == "float32"
    assert heed.attend(f64(q), q).context.dtype == "float64"
    assert heed.attend([[1, 0]], [[1, 0], [0, 1]]).context.dtype == "float32"


@needs_numpy
def test_arrays_of_numpy():
    chosen = numpy.random.default_rng(1)
    q, k = chosen.standard_normal((2, 6, 8)), chosen.standard_normal((2, 8, 9))
    strided = k.transpose(0, 2, 1)[:, ::-1]
    attended = heed.attend(q, strided, score="dot")
    scores = q @ strided.transpose(0, 2, 1)
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    assert numpy.allclose(attended.weights[:, 0], weights, atol=1e-12)
    assert numpy.allclose(attended.context, weights @ strided, atol=1e-12)
    f32 = heed.attend(q.astype("f4"), strided.astype("f4"), score="dot")
    assert numpy.asarray(f32.context).dtype == numpy.float32


# ---- Masks ---------------------------------------------------------------------

def test_forms_of_a_mask():
    q = table(4, 4, 1)
    expected = heed.attend(q, q, mask="causal").weights.tolist()
    causal = [[t >= s for s in range(4)] for t in range(4)]
    for mask in (causal, heed.Mask("causal"), heed.Mask(causal), lambda t, s: s <= t,
                 [causal], heed.Mask("causal", 4)):
        assert close(heed.attend(q, q, mask=mask).weights, expected, 1e-6)
        attention = heed.Attention(mask=mask)
        assert close(heed.attend(q, q, None, attention).weights, expected, 1e-6)


def test_masks_of_attention_and_call_are_combined():
    q = table(4, 4, 1)
    for first, second in (("causal", "window(2)"), ("causal", lambda t, s: abs(t - s) <= 1),
                          (lambda t, s: s <= t, "window(2)"),
                          (lambda t, s: s <= t, lambda t, s: abs(t - s) <= 1)):
        weights = heed.attend(q, q, attention=heed.Attention(mask=first), mask=second).weights
        for t in range(4):
            for s in range(4):
                assert (weights[t, s] > 0) == (s <= t and t - s <= 1)


def test_combined_masks():
    causal, diagonal = heed.Mask("causal"), heed.Mask(lambda t, s: t == s, 3)
    assert (causal & ~diagonal).may.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    assert (diagonal | "causal").may.tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert (~causal | diagonal).may.tolist() == [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    text = heed.Mask(~(causal & "window(2)"), (2, 3))
    assert text.may.tolist() == [[0, 1, 1], [0, 0, 1]]
    assert "causal" in repr(text) and "window(2)" in repr(text)
    rows = heed.Mask(heed.Mask.padding([1, 2]) & "causal", 2)
    assert rows.may.tolist() == [[[1, 0], [1, 0]], [[1, 0], [1, 1]]]
    assert heed.Mask([[1, 0]]).size == (1, 2) and causal.size is None
    assert (heed.Mask([[1, 0]]) & [[True, True]]).may.tolist() == [[1, 0]]


def test_bad_masks():
    q = table(4, 4, 1)
    with pytest.raises(heed.ConfigError, match="sideways"):
        heed.attend(q, q, mask="sideways")
    with pytest.raises(heed.ConfigError, match="data"):
        heed.attend(q, q, mask="padding")
    with pytest.raises(heed.ShapeError, match="4 queries and 4 keys|2 queries and 2 keys"):
        heed.attend(q, q, mask=[[1, 0], [1, 1]])
    with pytest.raises(heed.ShapeError, match="rows of a batch"):
        heed.attend(q, q, mask=heed.Mask.padding([1, 2]))
    with pytest.raises(heed.ShapeError, match="whole numbers"):
        heed.attend(q, q, mask=[[0.0, -1e9]])
    with pytest.raises(ArgumentError, match="size"):
        heed.Mask("causal").may
    with pytest.raises(heed.ShapeError):
        heed.Mask("causal", (1, 2, 3))
    with pytest.raises(heed.ShapeError, match="cannot be combined"):
        heed.Mask([[1]]) & [[1, 0]]
    with pytest.raises(heed.ShapeError, match="neighbours"):
        heed.Mask.adjacency([[0, 5]])
    with pytest.raises(ZeroDivisionError):
        heed.attend(q, q, mask=lambda t, s: 1 // 0)


# ---- Values, parameters and threads --------------------------------------------

def test_attention_is_a_value():
    attention = heed.Attention("additive", ["alibi", "soft_cap(30)"], heads=2)
    assert attention == heed.Attention("additive", "alibi;soft_cap(30)", heads=2)
    assert attention != attention.replace(heads=4)
    assert len({attention, attention.replace(), heed.Attention()}) == 2
    assert attention.modifiers == ("alibi", "soft_cap(30)")
    assert eval(repr(attention), {"Attention": heed.Attention}) == attention
    assert pickle.loads(pickle.dumps(attention)) == attention
    with pytest.raises(AttributeError):
        attention.heads = 3
    with pytest.raises(heed.ConfigError):
        heed.Attention(heads=0)


@pytest.mark.parametrize("modifier", names("modifier"))
def test_modifiers(modifier):
    q, k = table(4, 8, 1), table(6, 8, 2)
    attention = heed.Attention("scaled_dot", [modifier], heads=2)
    attended = heed.attend(f64(q), f64(k), None, attention)
    assert attended.context.shape == (4, 8)
    seed = f64(table(4, 8, 3))
    exact = flat(attended.gradient(seed)["q"])
    direction, h = table(4, 8, 4), 1e-4

    def at(step):
        context = heed.attend(f64(plus(q, direction, step)), f64(k), None, attention).context
        return math.fsum(a * b for a, b in zip(flat(context), flat(seed)))

    found = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    assert abs(math.fsum(a * b for a, b in zip(exact, flat(direction))) - found) < 1e-9


def test_parameters():
    attention = heed.Attention("general", units=3)
    values = attention.parameters(2, 3)
    assert {name: one.shape for name, one in values.items()} == {"key.weight": (3, 2)}
    q, k = [[1.0, 2.0]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    changed = heed.attend(q, k, None, attention, parameters={"key.weight": [[0.0, 0.0]] * 3})
    assert changed.weights.tolist() == [[0.5, 0.5]]
    assert heed.attend(q, k, None, attention).weights.tolist() != [[0.5, 0.5]]
    assert attention.replace(seed=2).parameters(2, 3)["key.weight"].tolist() != values[
        "key.weight"].tolist()
    assert attention.parameters(2, 3)["key.weight"].tolist() == values["key.weight"].tolist()
    with pytest.raises(heed.ConfigError, match="key.weight"):
        heed.attend(q, k, None, attention, parameters={"bias": [1.0]})
    with pytest.raises(heed.ShapeError, match="key.weight"):
        heed.attend(q, k, None, attention, parameters={"key.weight": [[1.0]]})


def test_on_a_tape():
    q, k = table(3, 8, 1), table(4, 8, 2)
    seed = f64(table(3, 8, 3))
    for layout in (lambda x: x, lambda x: [x],
                   lambda x: [[[row[4 * h:4 * h + 4] for row in x] for h in range(2)]]):
        x, y, g = f64(layout(q)), f64(layout(k)), f64(layout(seed.tolist()))
        expected = heed.attend(x, y, heads=2)
        with heed.Tape() as tape:
            u, w = tape.watch(x), tape.watch(y)
            attended = heed.attend(u, w, heads=2)
            loss = (attended.context * g).sum()
        found = tape.gradient(loss, [u, w])
        right = expected.gradient(g)
        assert close(attended.context, expected.context)
        assert close(attended.weights, expected.weights)
        assert attended.weights.shape == expected.weights.shape
        assert close(found[0], right["q"])
        assert close(found[1], [a + b for a, b in zip(flat(right["k"]), flat(right["v"]))])
        with pytest.raises(ArgumentError, match="tape"):
            attended.gradient()


def test_bad_input():
    q = table(3, 4, 1)
    for arguments, keywords, error, match in (
            ((q, [[1.0] * 3]), {}, heed.ConfigError, "3"),
            ((q, [q]), {}, heed.ShapeError, "dimensions"),
            (([1.0], [1.0]), {}, heed.ShapeError, "dimensions"),
            (([[[q]]], [[[q]]]), {}, heed.ShapeError, "dimensions"),
            ((q, q, [[1.0]]), {}, heed.ShapeError, ""),
            ((q, q), {"heads": 3}, heed.ConfigError, "3 heads"),
            (([[q, q]], [[q, q]]), {"heads": 3}, heed.ShapeError, "3 heads"),
            ((q, q), {"score": "cosin"}, heed.ConfigError, "cosine"),
            ((q, q), {"normalizer": "softmin"}, heed.ConfigError, "softmax"),
            ((q, q), {"modifiers": ["rotar"]}, heed.ConfigError, "rotary"),
            ((q, q), {"haeds": 2}, TypeError, "haeds"),
            ((None, q), {}, heed.ShapeError, "quer"),
            ((q, None), {}, ArgumentError, "keys"),
            (("text", q), {}, heed.ShapeError, "str"),
            (([[1.0], [1.0, 2.0]], q), {}, heed.ShapeError, "differ"),
            ((q, q), {"score": "dot", "units": -1}, heed.ConfigError, "units"),
            ((q, q), {"dropout": 1.0}, heed.ConfigError, "dropout"),
            ((q, q), {"dropout": -0.5}, heed.ConfigError, "dropout"),
    ):
        with pytest.raises(error, match=match):
            heed.attend(*arguments, **keywords)
    attended = heed.attend(q, q)
    for seed in ([1.0], [[1.0] * 4] * 2, [q]):
        with pytest.raises(heed.ShapeError, match="gradient"):
            attended.gradient(seed)


def test_nan_is_passed_on_or_refused():
    q = [[math.nan, 1.0]]
    assert math.isnan(heed.attend(q, [[1.0, 2.0]]).weights[0, 0])
    with pytest.raises(heed.NumericError):
        heed.attend(q, [[1.0, 2.0]], normalizer="sparsemax")


def test_threads_get_their_own_results():
    inputs = [table(5, 8, i) for i in range(8)]
    attention = heed.Attention("additive", heads=2, mask="causal")
    expected = [heed.attend(x, x, None, attention).gradient() for x in inputs]
    wrong = []

    def work(i):
        for _ in range(30):
            attended = heed.attend(inputs[i], inputs[i], None, attention)
            gradient = attended.gradient()
            if gradient["q"].tolist() != expected[i]["q"].tolist():
                wrong.append(i)
            if flat(gradient["parameters"]["key.weight"]) != flat(
                    expected[i]["parameters"]["key.weight"]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
