#!/usr/bin/env python3
"""Writes han_attention.safetensors, han_mean.safetensors and han_max.safetensors:
what hierarchical networks of documents compute, by PyTorch in f64.

The model is written here from the equations of Yang et al. 2016 (N16-1174,
equations 1 to 10), document by document and sentence by sentence without any
padding, with plain tensor operations; nothing is taken from Heed but the names and
layouts of parameters (weights are [in, out], gates of a GRU stand side by side:
r z n). The files hold parameter.NAME, gradient.NAME, the scores of labels, the loss
and, with attention, the weights of words in sentences and of sentences.

Run it in this folder: python3 make_golden_han.py
"""

import torch
from make_golden import Parameters, write_safetensors
from make_golden_visits import gru_states, linear

WORDS, M, H, G, A, LABELS = 9, 5, 3, 4, 6, 3

DOCUMENTS = [[[4, 7, 2], [5], [8, 3, 3, 6]], [[7, 1]]]
CHOSEN = [2, 0]


def both_ways(p, name, rows, size):
    """Returns the states of a GRU in each direction, side by side."""
    forward = gru_states(p, name + ".forward.0", [(x,) for x in rows], size)
    backward = gru_states(p, name + ".backward.0", [(x,) for x in rows[::-1]], size)
    return torch.stack([torch.cat(pair) for pair in zip(forward, backward[::-1])])


def pool(p, name, kind, h):
    if kind == "mean":
        return h.mean(dim=0), None
    if kind == "max":
        return h.max(dim=0).values, None
    u = torch.tanh(h @ p(name + ".key.weight", h.shape[1], A)
                   + p(name + ".key.bias", A))
    alpha = torch.softmax(u @ p(name + ".query", A), dim=0)
    return alpha @ h, alpha


def write(kind, seed):
    p = Parameters(seed)
    table = p("embedding.weight", WORDS, M)
    scores, words, sentences = [], [], []
    for document in DOCUMENTS:
        vectors = []
        for sentence in document:
            h = both_ways(p, "words", list(table[sentence]), H)
            vector, alpha = pool(p, "word_attention", kind, h)
            vectors.append(vector)
            words.append(alpha)
        h = both_ways(p, "sentences", vectors, G)
        vector, alpha = pool(p, "sentence_attention", kind, h)
        sentences.append(alpha)
        scores.append(linear(p, "output", vector, LABELS))
    scores = torch.stack(scores)
    loss = torch.nn.functional.cross_entropy(
        scores, torch.tensor(CHOSEN), reduction="sum")
    loss.backward()
    tensors = {"scores": scores, "loss": loss}
    if kind == "attention":
        tensors["word_weights"] = torch.cat(words)
        tensors["sentence_weights"] = torch.cat(sentences)
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors(f"han_{kind}.safetensors", tensors, {"model": "han"})


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    for number, name in enumerate(["attention", "mean", "max"]):
        write(name, number + 1)
