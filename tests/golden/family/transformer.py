"""Transformer layers of all families in f64, and their mutations.

Rules are a dict. Each family sets these keys, and mutations change them:

heads             number of heads
norm              "pre": norms before attention and feed-forward; "post": behind the sum
epsilon           ε of every norm
activation        of the feed-forward layer, a name of ACTIVATIONS
causal            position t reads positions ≤ t only

Only mutations set these keys:

scale             factor of the scores instead of 1/√D
scale_by_layer    scores are divided by the number of the layer as well
see_padding       padding is read
swap              pairs of parts of a layer that change places
transpose         square matrices of a layer that are transposed
no_bias           parts of a layer without their bias
"""

import math

import numpy as np

ERF = np.vectorize(math.erf)
ACTIVATIONS = {
    "gelu": lambda x: x / 2 * (1 + ERF(x / math.sqrt(2))),
    "gelu_new": lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "none": lambda x: x,
}


def affine(x, part):
    weight, bias = part
    return x @ weight + bias


def linear(values, name):
    """Returns a linear layer of the file, [out, in], as a pair of [in, out] and bias."""
    return values[name + ".weight"].T, values[name + ".bias"]


def gains(values, name):
    return values[name + ".weight"], values[name + ".bias"]


def normalize(x, part, epsilon):
    gain, bias = part
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * gain + bias


def attention(layer, number, x, seen, rules):
    """Returns what attention adds, [B, T, M], and its weights, [B, H, T, T]."""
    batch, length, width = x.shape

    def heads(part):
        y = affine(x, layer[part])
        return y.reshape(batch, length, rules["heads"], -1).transpose(0, 2, 1, 3)

    q, k, v = heads("q"), heads("k"), heads("v")
    scores = q @ k.transpose(0, 1, 3, 2) * rules.get("scale", q.shape[-1] ** -0.5)
    if rules.get("scale_by_layer"):
        scores = scores / (number + 1)
    scores = np.where(seen, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    context = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
    return affine(context, layer["o"]), weights


def changed(layer, rules):
    """Returns a layer with its parts mutated by rules."""
    layer = dict(layer)
    for a, b in rules.get("swap", ()):
        layer[a], layer[b] = layer[b], layer[a]
    for part in rules.get("transpose", ()):
        layer[part] = (layer[part][0].T, layer[part][1])
    for part in rules.get("no_bias", ()):
        layer[part] = (layer[part][0], 0 * layer[part][1])
    return layer


def run_layer(layer, number, x, seen, rules):
    pre, activation = rules["norm"] == "pre", ACTIVATIONS[rules["activation"]]

    def norm(name, y, here):
        return normalize(y, layer[name], rules["epsilon"]) if here else y

    added, weights = attention(layer, number, norm("first", x, pre), seen, rules)
    x = norm("first", x + added, not pre)
    inner = activation(affine(norm("second", x, pre), layer["in"]))
    return norm("second", x + affine(inner, layer["out"]), not pre), weights


def run_layers(x, layers, lengths, rules):
    """Runs layers, each a dict of q, k, v, o, in, out (pairs of [in, out] and bias), first and
    second (gain and bias). Returns states [B, T, M] and a list of weights [B, H, T, T]."""
    positions = np.arange(x.shape[1])
    seen = positions[None, None, None, :] < np.asarray(lengths)[:, None, None, None]
    if rules.get("see_padding"):
        seen = seen | True
    if rules["causal"]:
        seen = seen & (positions[None, :] <= positions[:, None])
    maps = []
    for number, layer in enumerate(layers):
        x, weights = run_layer(changed(layer, rules), number, x, seen, rules)
        maps.append(weights)
    return x, maps


def cut(outputs, lengths):
    """Sets everything behind the end of a text to 0. outputs: states, logits by position and
    attention.N."""
    for name, value in outputs.items():
        value = outputs[name] = value.copy()
        for b, length in enumerate(lengths):
            if name.startswith("attention."):
                value[b, :, length:] = 0
                value[b, :, :, length:] = 0
            else:
                value[b, length:] = 0
    return outputs
