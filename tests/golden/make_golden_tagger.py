#!/usr/bin/env python3
"""Writes tagger.safetensors: what a tagger computes, by PyTorch in f64.

The model is written here from the equations of its papers, with plain tensor
operations; nothing is taken from Heed but the names and layouts of parameters
(weights are [in, out], gates of an LSTM stand side by side: i f g o). The random
field of intent and tags is computed over all paths one by one. The file holds
parameter.NAME, gradient.NAME, the batch, the loss, the best tags and intents
and their probabilities.

Run it in this folder: python3 make_golden_tagger.py
"""

import itertools

import torch
from make_golden import Parameters, write_safetensors

V, K, CASES, C, I = 9, 6, 3, 4, 3  # words, characters, casings, tags, intents
E, EC, F, W, EK, H = 4, 3, 4, 3, 2, 5  # sizes of features; W: window
INTENT_WEIGHT = 0.7

LENGTHS = [5, 2, 4]
WORDS = [[5, 2, 7, 1, 3], [8, 4, 0, 0, 0], [6, 5, 2, 2, 0]]
SPELLING = [[0, 1, 2, 3, 4], [2, 1, 0, 0, 0], [3, 0, 1, 1, 0]]
CHARACTERS = [[2, 3, 0], [5, 0, 0], [4, 4, 4], [1, 2, 0], [3, 0, 0]]
CASINGS = [0, 1, 2, 1, 0]
TAGS = [[0, 1, 2, 3, 1], [2, 2, -1, -1, -1], [3, 0, 0, 1, -1]]
INTENTS = [2, 0, 1]


def spell(p, characters):
    """Convolves the zero-padded characters and takes the maximum over time."""
    word = [c for c in characters if c != 0]
    padded = [0] * (W - 1) + word + [0] * (W - 1)
    x = p("features.characters.weight", K, EC)[padded]
    weight = p(f"features.filters.{W}.weight", EC, W * F)
    windows = []
    for start in range(len(padded) - W + 1):
        windows.append(
            sum(x[start + j] @ weight[:, j * F : (j + 1) * F] for j in range(W))
        )
    y = torch.stack(windows).max(dim=0).values
    return torch.relu(y + p(f"features.filters.{W}.bias", F))


def lstm(p, name, x):
    h = torch.zeros(H)
    c = torch.zeros(H)
    out = []
    for step in x:
        a = step @ p(name + ".input.0.weight", x.shape[1], 4 * H)
        a = a + p(name + ".bias", 4 * H)
        a = a + h @ p(name + ".recurrent.weight", H, 4 * H)
        i, f, g, o = a.chunk(4)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        out.append(h)
    return torch.stack(out)


def additive(p, h):
    """Returns [h; c], c_t = Σ_s softmax(wᵀ tanh(W h_t + U h_s + b)) h_s."""
    q = h @ p("encoder.attention.query.weight", 2 * H, H)
    k = h @ p("encoder.attention.key.weight", 2 * H, H)
    k = k + p("encoder.attention.key.bias", H)
    w = p("encoder.attention.score.weight", H)
    e = torch.tanh(q[:, None] + k[None]) @ w
    return torch.cat([h, torch.softmax(e, dim=1) @ h], dim=1)


def linear(p, name, x, out):
    return x @ p(name + ".weight", x.shape[-1], out) + p(name + ".bias", out)


def read(p, b):
    """Returns the vectors of a sentence."""
    n = LENGTHS[b]
    spelling = SPELLING[b][:n]
    casings = [CASINGS[u] for u in spelling]
    x = torch.cat(
        [
            p("features.words.weight", V, E)[WORDS[b][:n]],
            torch.stack([spell(p, CHARACTERS[u]) for u in spelling]),
            p("features.casings.weight", CASES, EK)[casings],
        ],
        dim=1,
    )
    forward = lstm(p, "encoder.forward.0", x)
    backward = lstm(p, "encoder.backward.0", x.flip(0)).flip(0)
    return additive(p, torch.cat([forward, backward], dim=1))


def score(p, emissions, path):
    total = p("crf.start", C)[path[0]] + p("crf.end", C)[path[-1]]
    for t, tag in enumerate(path):
        total = total + emissions[t, tag]
        if t > 0:
            total = total + p("crf.between", C, C)[path[t - 1], tag]
    return total


def sentence(p, b):
    """Returns the loss; the best tags, p(y_t = best tag); the best intent, its log p."""
    y = read(p, b)
    width = y.shape[1]
    keys = torch.tanh(linear(p, "pooling.key", y, width))
    pooled = torch.softmax(keys @ p("pooling.query", width), dim=0) @ y
    emissions = linear(p, "tags", y, C) + pooled @ p("informed.weight", width, C)
    paths = list(itertools.product(range(C), repeat=len(y)))
    # Scores of every intent with every path.
    alone = linear(p, "intents", pooled, I)
    scores = torch.stack(
        [
            torch.stack([alone[z] + score(p, emissions + row, path) for path in paths])
            for z, row in enumerate(p("joint.weight", I, C))
        ]
    )
    intents = torch.logsumexp(scores, dim=1)
    intents = intents - torch.logsumexp(intents, dim=0)
    given = torch.log_softmax(scores, dim=1)
    tags = paths.index(tuple(TAGS[b][: len(y)]))
    loss = -given[INTENTS[b], tags] - INTENT_WEIGHT * intents[INTENTS[b]]
    likeliest = int(intents.argmax())
    probabilities = torch.exp(given[likeliest])
    best = paths[int(probabilities.argmax())]
    through = [
        sum(q for path, q in zip(paths, probabilities) if path[t] == tag)
        for t, tag in enumerate(best)
    ]
    return loss, best, torch.stack(through).detach(), likeliest, intents[likeliest]


def main():
    p = Parameters(1)
    loss = 0
    best = torch.zeros(3, 5, dtype=torch.int32)
    best_probability = torch.zeros(3, 5)
    intent = torch.zeros(3, dtype=torch.int32)
    intent_probability = torch.zeros(3)
    for b, n in enumerate(LENGTHS):
        one, best[b, :n], best_probability[b, :n], intent[b], log_p = map(
            torch.as_tensor, sentence(p, b)
        )
        intent_probability[b] = torch.exp(log_p.detach())
        loss = loss + one
    loss.backward()

    def ints(values):
        return torch.tensor(values, dtype=torch.int32)

    tensors = {
        "words": ints(WORDS),
        "spelling": ints(SPELLING),
        "characters": ints(CHARACTERS),
        "casings": ints(CASINGS),
        "lengths": ints(LENGTHS),
        "tags": ints(TAGS),
        "intents": ints(INTENTS),
        "loss": loss,
        "best": best,
        "best_probability": best_probability,
        "intent": intent,
        "intent_probability": intent_probability,
    }
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors("tagger.safetensors", tensors, {"model": "tagger"})


if __name__ == "__main__":
    main()
