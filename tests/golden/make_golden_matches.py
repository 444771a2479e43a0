#!/usr/bin/env python3
"""Writes match_separate.safetensors, match_attention.safetensors and
match_attentive_pooling.safetensors: how queries and documents are compared, by
PyTorch in f64.

The comparisons are written here from their papers (Lei et al. 2016,
arXiv:1512.05726; Tan et al. 2015, arXiv:1511.04108, equations 9 to 11; dos Santos
et al. 2016, arXiv:1602.03609, section 4), pair by pair without any padding, with
plain tensor operations; nothing is taken from Heed but the names and layouts of
parameters (weights are [in, out]). Words are encoded by tanh(x W + b). The files
hold parameter.NAME, gradient.NAME, the cosines [queries, documents] and the loss, a
softmax over all documents at temperature 1/2.

Run it in this folder: python3 make_golden_matches.py
"""

import torch
from make_golden import Parameters, write_safetensors

WORDS, M, D = 12, 5, 4
QUERIES = [[1, 2, 3], [4, 5], [7]]
DOCUMENTS = [[2, 1], [4, 3, 8, 1], [6], [8, 7], [10, 11, 5]]
ANSWERS = [0, 1, 2]


def encode(p, text):
    x = p("embedding.weight", WORDS, M)[text]
    return torch.tanh(x @ p("encoder.map.weight", M, D) + p("encoder.map.bias", D))


def attend(p, query, states):
    scores = torch.tanh(query @ p("match.query.weight", D, D)
                        + states @ p("match.key.weight", D, D)
                        + p("match.key.bias", D)) @ p("match.score.weight", D)
    return torch.softmax(scores, dim=0) @ states


def compared(p, kind, q, d):
    if kind == "separate":
        return q.mean(dim=0), d.mean(dim=0)
    if kind == "attention":
        query = torch.nn.functional.normalize(q.mean(dim=0), dim=0)
        return query, attend(p, query, d)
    g = torch.tanh(q @ p("match.affinity", D, D) @ d.T)
    return (torch.softmax(g.max(dim=1).values, dim=0) @ q,
            torch.softmax(g.max(dim=0).values, dim=0) @ d)


def write(kind, seed):
    p = Parameters(seed)
    cosines = torch.stack([torch.stack([
        torch.nn.functional.cosine_similarity(
            *compared(p, kind, encode(p, q), encode(p, d)), dim=0, eps=1e-12)
        for d in DOCUMENTS]) for q in QUERIES])
    loss = torch.nn.functional.cross_entropy(
        2 * cosines, torch.tensor(ANSWERS), reduction="sum")
    loss.backward()
    tensors = {"cosines": cosines, "loss": loss}
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors(f"match_{kind}.safetensors", tensors, {"model": "bi_encoder"})


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    for number, name in enumerate(["separate", "attention", "attentive_pooling"]):
        write(name, number + 1)
