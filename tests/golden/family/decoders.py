"""Embeddings, scores, mutations and greedy continuation of decoders."""

import numpy as np

# Mutations of every decoder with learned positions and tied scores.
MUTATIONS = {
    "ε 1e-12": {"epsilon": 1e-12},
    "ε 1e-6": {"epsilon": 1e-6},
    "scores without 1/√D": {"scale": 1},
    "scores / (layer + 1)": {"scale_by_layer": True},
    "not causal": {"causal": False},
    "norms behind the sums": {"norm": "post"},
    "no final norm": {"final_norm": False},
    "two norms of a layer swapped": {"swap": [("first", "second")]},
    "q and k swapped": {"swap": [("q", "k")]},
    "k and v swapped": {"swap": [("k", "v")]},
    "output matrix of attention transposed": {"transpose": ["o"]},
    "no bias of q": {"no_bias": ["q"]},
    "no bias of v": {"no_bias": ["v"]},
    "embeddings times √M": {"embedding_scale": True},
    "scores not tied": {"tied": False},
}


def embed(words, positions, ids, offset, rules):
    """Returns the sum of words and positions [B, T, M]."""
    ids = np.asarray(ids)
    scale = words.shape[1] ** 0.5 if rules.get("embedding_scale") else 1
    rows = np.arange(ids.shape[1]) + offset
    return words[ids] * scale + positions[rows]


def scores(states, words, rules):
    """Returns logits [B, T, V] by the embeddings. The mutation "tied" takes a random matrix."""
    if not rules.get("tied", True):
        words = 0.3 * np.random.RandomState(99).standard_normal(words.shape)
    return states @ words.T


def continuation(run, prompt, never, steps=12):
    """Returns the ids that follow a prompt by the maximum of logits. It stops the script if the two
    highest logits are so close that rounding could decide, and at a token of `never`."""
    ids = list(prompt)
    for _ in range(steps):
        logits = run([ids], [len(ids)])["logits"][0, -1]
        second, first = np.sort(logits)[-2:]
        ids.append(int(logits.argmax()))
        if first - second < 0.02 or ids[-1] in never:
            raise SystemExit("no clear continuation: take another seed")
    return ids[len(prompt):]
