#!/usr/bin/env python3
"""Writes graph_gat, graph_gatv2 and graph_gcn.safetensors: what networks over graphs
compute, by dense PyTorch in f64.

Written from Veličković et al. 2018 (arXiv:1710.10903, equations 1 to 6, with the two
biases of the authors' code inside the LeakyReLU) and Brody et al. 2021
(arXiv:2105.14491, equation 7) over a whole [N, N] matrix of scores with -inf where there
is no edge; the convolution from Kipf and Welling 2017 (arXiv:1609.02907, equation 2),
whose weights D^-1/2 (A + I) D^-1/2 replace attention. Nothing is taken from Heed but the names and layouts of parameters (weights
are [in, out], heads stand side by side). A file holds x [N, F], edges [E, 2], nodes and
labels, parameter.NAME and gradient.NAME, logits [N, C] and the loss, of which the
gradients are: the mean cross entropy of the nodes, and half of L2 times the squares of
all parameters.

Run it in this folder: python3 make_golden_graph.py
"""

import torch
from make_golden import Parameters, write_safetensors

N, F, H, D, C, OUT_HEADS, UNITS = 12, 9, 3, 4, 3, 2, 4
L2 = 0.05
EDGES = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (3, 8),
         (8, 9), (9, 10), (2, 9)]  # node 11 is isolated
NODES = [0, 3, 4, 8, 11]
LABELS = [0, 2, 1, 1, 0]


def may_attend():
    mask = torch.eye(N, dtype=torch.bool)
    for u, v in EDGES:
        mask[u, v] = mask[v, u] = True
    return mask


def graph_scores(p, path, h, heads, units):
    """Returns GAT scores [heads, N, N] from h [N, heads, units]."""
    a = p(path + ".query.weight", heads * units).view(heads, units)
    b = p(path + ".query.bias", heads)
    c = p(path + ".key.weight", heads * units).view(heads, units)
    d = p(path + ".key.bias", heads)
    of_query = torch.einsum("nhd,hd->hn", h, a) + b[:, None]
    of_key = torch.einsum("nhd,hd->hn", h, c) + d[:, None]
    return torch.nn.functional.leaky_relu(of_query[:, :, None] + of_key[:, None, :], 0.2)


def dynamic_scores(p, path, h, heads, units):
    """Returns GATv2 scores [heads, N, N]. Hidden layers are as wide as a head."""
    flat = h.reshape(N, heads * units)
    q = flat @ p(path + ".query.weight", heads * units, heads * units)
    k = flat @ p(path + ".key.weight", heads * units, heads * units)
    k = k + p(path + ".key.bias", heads * units)
    w = p(path + ".score.weight", heads * units).view(heads, units)
    pairs = q.view(N, 1, heads, units) + k.view(1, N, heads, units)
    return torch.einsum("ijhd,hd->hij", torch.nn.functional.leaky_relu(pairs, 0.2), w)


def attention_weights(scores):
    """Returns weights [heads, N, N]: softmax of scores over the neighbours."""
    def weights(p, path, h, heads, units):
        e = scores(p, path + ".attention", h, heads, units)
        return torch.softmax(e.masked_fill(~may_attend(), float("-inf")), dim=-1)
    return weights


def convolution_weights(p, path, h, heads, units):
    loops = may_attend().double()  # A + I
    root = torch.diag(loops.sum(dim=1) ** -0.5)
    return (root @ loops @ root).expand(heads, N, N)


def layer(p, number, x, heads, units, weights):
    path = f"layers.{number}"
    weight = p(path + ".weight", x.shape[1], heads * units)
    bias = p(path + ".bias", heads * units)
    h = (x @ weight).view(N, heads, units)
    a = weights(p, path, h, heads, units)
    return torch.einsum("hij,jhd->ihd", a, h) + bias.view(heads, units)


def logits(p, x, weights):
    hidden = torch.nn.functional.elu(layer(p, 0, x, H, D, weights)).reshape(N, H * D)
    return layer(p, 1, hidden, OUT_HEADS, C, weights).mean(dim=1)


def main():
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(N, F, generator=generator)
    x = x * (torch.rand(N, F, generator=generator) < 0.4)
    for model, weights in (("gat", attention_weights(graph_scores)),
                           ("gatv2", attention_weights(dynamic_scores)),
                           ("gcn", convolution_weights)):
        p = Parameters(11)
        y = logits(p, x, weights)
        loss = torch.nn.functional.cross_entropy(y[NODES], torch.tensor(LABELS))
        loss = loss + L2 / 2 * sum((value**2).sum() for value in p.values.values())
        loss.backward()
        tensors = {
            "x": x,
            "edges": torch.tensor(EDGES, dtype=torch.int32),
            "nodes": torch.tensor(NODES, dtype=torch.int32),
            "labels": torch.tensor(LABELS, dtype=torch.int32),
            "logits": y,
            "loss": loss.view(1),
        }
        for name, value in p.values.items():
            tensors["parameter." + name] = value
            tensors["gradient." + name] = value.grad
        write_safetensors(f"graph_{model}.safetensors", tensors, {"l2": str(L2)})


if __name__ == "__main__":
    main()
