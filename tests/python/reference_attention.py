"""Attention as its formulas say it, number by number, on floats or on PyTorch's scalars.

Queries [T][D], keys [S][D] and values [S][V] are lists of numbers of one row of a batch and
one head. `p` gives the parameters by name as nested lists.
"""

import math

try:
    import torch
except ImportError:
    torch = None


def _on(function, x):
    return getattr(torch, function)(x) if torch is not None and isinstance(
        x, torch.Tensor) else getattr(math, function)(x)


def exp(x):
    return _on("exp", x)


def tanh(x):
    return _on("tanh", x)


def sqrt(x):
    return _on("sqrt", x)


def value(x):
    return float(x)


def sigmoid(x):
    return 1 / (1 + exp(-x))


def leaky(x):
    return x if value(x) > 0 else 0.2 * x


def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), 0.0)


def times(row, matrix, first=0, count=None):
    """row @ matrix, of some columns of the matrix."""
    columns = range(first, first + (len(matrix[0]) if count is None else count))
    return [dot(row, [line[c] for line in matrix]) for c in columns]


def part(row, head, size):
    return row[head * size:(head + 1) * size]


# ---- Scores: (query of all heads, keys of all heads, head, heads, p) -> scores of all keys

def hidden(q, keys, h, heads, p):
    """W q + U k + b of head h, for each key."""
    units = len(p["key.bias"]) // heads
    query = times(q, p["query.weight"], h * units, units)
    bias = part(p["key.bias"], h, units)
    found = []
    for k in keys:
        key = times(k, p["key.weight"], h * units, units)
        found.append([a + b + c for a, b, c in zip(query, key, bias)])
    return found


def additive(q, keys, h, heads, p):
    units = len(p["key.bias"]) // heads
    return [dot(part(p["score.weight"], h, units), [tanh(x) for x in row])
            for row in hidden(q, keys, h, heads, p)]


def leaky_additive(q, keys, h, heads, p):
    units = len(p["key.bias"]) // heads
    return [dot(part(p["score.weight"], h, units), [leaky(x) for x in row])
            for row in hidden(q, keys, h, heads, p)]


def mlp(q, keys, h, heads, p):
    found = []
    for row in hidden(q, keys, h, heads, p):
        row = times([tanh(x) for x in row], p["layers.1.weight"])
        row = [tanh(x + b) for x, b in zip(row, p["layers.1.bias"])]
        found.append(times(row, p["score.weight"])[0])
    return found


def by_head(score):
    """A score of the part of a head in queries and keys."""
    def of_head(q, keys, h, heads, p):
        size, width = len(q) // heads, len(keys[0]) // heads
        return [score(part(q, h, size), part(k, h, width), h, p, s)
                for s, k in enumerate(keys)]
    return of_head


def unit(x):
    length = sqrt(dot(x, x) + 1e-8)
    return [one / length for one in x]


def graph_score(q, k, h, p, _):
    return leaky(dot(q, part(p["query.weight"], h, len(q)))
                 + dot(k, part(p["key.weight"], h, len(k))))


def general_score(q, k, h, p, _):
    weight = p["key.weight"][h * len(k):(h + 1) * len(k)]
    return dot(q, times(k, weight))


def learned_query(_, keys, h, heads, p):
    units = len(p["key.bias"]) // heads
    query, bias = part(p["query"], h, units), part(p["key.bias"], h, units)
    return [dot(query, [tanh(x + b) for x, b in
                        zip(times(k, p["key.weight"], h * units, units), bias)])
            for k in keys]


def location_aware(q, keys, h, heads, p, previous):
    units = len(p["key.bias"]) // heads
    reach = len(p["filters"][0]) // 2
    found = []
    for s, row in enumerate(hidden(q, keys, h, heads, p)):
        features = [sum((previous[j] * one[s - j + reach] for j in range(len(keys))
                         if 0 <= s - j + reach <= 2 * reach), 0.0) for one in p["filters"]]
        moved = times(features, p["location.weight"])
        found.append(dot(part(p["score.weight"], h, units),
                         [tanh(a + b) for a, b in zip(row, moved)]))
    return found


def coverage(q, keys, h, heads, p, seen):
    units = len(p["key.bias"]) // heads
    return [dot(part(p["score.weight"], h, units),
                [tanh(a + seen[s] * v) for a, v in zip(row, p["coverage.weight"][0])])
            for s, row in enumerate(hidden(q, keys, h, heads, p))]


SCORES = {
    "additive": additive,
    "cosine": by_head(lambda q, k, h, p, s: exp(p["log_strength"][0]) * dot(unit(q), unit(k))),
    "mlp": mlp,
    "location": by_head(lambda q, k, h, p, s: times(q, p["position.weight"])[s]),
    "general": by_head(general_score),
    "dot": by_head(lambda q, k, h, p, s: dot(q, k)),
    "location_aware": location_aware,
    "learned_query": learned_query,
    "coverage": coverage,
    "uniform": by_head(lambda q, k, h, p, s: 0.0),
    "scaled_dot": by_head(lambda q, k, h, p, s: dot(q, k) / math.sqrt(len(k))),
    "graph": by_head(graph_score),
    "leaky_additive": leaky_additive,
}


# ---- Normalisers: (scores of the keys that may be attended to, bias) -> weights

def softmax(e, bias=None):
    most = max(value(x) for x in e)
    exps = [exp(x - most) for x in e]
    total = sum(exps)
    return [x / total for x in exps]


def top_k(e, bias=None):
    first = sorted(range(len(e)), key=lambda i: -value(e[i]))[:2]
    weights = softmax([e[i] for i in first])
    return [weights[first.index(i)] if i in first else 0.0 for i in range(len(e))]


def sparsemax(e, bias=None):
    ordered = sorted(e, key=lambda x: -value(x))
    for n in range(len(e), 0, -1):
        tau = (sum(ordered[:n]) - 1) / n
        if value(ordered[n - 1] - tau) > 0:
            break
    return [x - tau if value(x - tau) > 0 else 0.0 * x for x in e]


def entmax15(e, bias=None):
    half = [x / 2 for x in e]
    ordered = sorted(half, key=lambda x: -value(x))
    for n in range(len(e), 0, -1):
        mean = sum(ordered[:n]) / n
        rest = (1 - sum((x - mean) ** 2 for x in ordered[:n])) / n
        if value(rest) < 0:
            continue
        tau = mean - (sqrt(rest) if value(rest) > 0 else 0.0)
        if value(ordered[n - 1] - tau) > 0:
            break
    return [(x - tau) ** 2 if value(x - tau) > 0 else 0.0 * x for x in half]


def smoothed_sigmoid(e, bias):
    gates = [sigmoid(x + bias) for x in e]
    total = sum(gates)
    return [x / total for x in gates]


def sigmoid_gate(e, bias):
    return [sigmoid(x + bias - math.log(len(e))) for x in e]


NORMALIZERS = {"softmax": softmax, "smoothed_sigmoid": smoothed_sigmoid, "top_k": top_k,
               "hard": softmax, "gumbel": softmax, "sparsemax": sparsemax,
               "entmax15": entmax15, "sigmoid": sigmoid_gate}


def attend(q, k, v, may, score, normalizer, heads, p):
    """Contexts [T][H * V] and weights [H][T][S] of one row; `may` [T][S]."""
    size = len(v[0]) // heads
    weights = [[] for _ in range(heads)]
    contexts = []
    previous = [[1.0] + [0.0] * (len(k) - 1) for _ in range(heads)]
    seen = [[0.0] * len(k) for _ in range(heads)]
    for t, query in enumerate(q):
        context = []
        for h in range(heads):
            further = {"location_aware": (previous[h],), "coverage": (seen[h],)}.get(score, ())
            e = SCORES[score](query, k, h, heads, p, *further)
            open_keys = [s for s in range(len(k)) if may[t][s]]
            bias = p["normalizer.bias"][h] if "normalizer.bias" in p else None
            found = []
            if open_keys:
                found = NORMALIZERS[normalizer]([e[s] for s in open_keys], bias)
            row = [found[open_keys.index(s)] if s in open_keys else 0.0 for s in range(len(k))]
            previous[h] = row
            seen[h] = [a + b for a, b in zip(seen[h], row)]
            weights[h].append(row)
            context += [sum((row[s] * v[s][h * size + j] for s in range(len(k))), 0.0)
                        for j in range(size)]
        contexts.append(context)
    return contexts, weights
