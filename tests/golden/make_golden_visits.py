#!/usr/bin/env python3
"""Writes retain.safetensors and visit_gru.safetensors: what classifiers of visits
compute, by PyTorch in f64.

The models are written here from the equations of Choi et al. 2016
(arXiv:1608.05745, equations 1 to 5), patient by patient without any padding, with
plain tensor operations; nothing is taken from Heed but the names and layouts of
parameters (weights are [in, out], gates of a GRU stand side by side: r z n). The
files hold parameter.NAME, gradient.NAME, the patients, the logits, the loss and, of
RETAIN, alpha and the contribution of each code of each visit.

Run it in this folder: python3 make_golden_visits.py
"""

import torch
from make_golden import Parameters, write_safetensors

CODES, M, G, H = 7, 5, 4, 3  # features of visits, of states of both GRUs
STATE_FACTOR = 0.5

VISITS = [[[1, 4], [0], [6, 2, 4]], [[3]], [[5, 0], [2, 1], [3, 5], [1], [0, 6]]]
TIMES = [[0.0, 3.0, 10.0], [2.0], [0.0, 1.0, 1.0, 30.0, 365.0]]
LABELS = [1.0, 0.0, 1.0]


def gru_states(p, name, inputs, size):
    """GRU with reset after the product: n = tanh(W x + r * (U h + b')); z keeps the old state."""
    h = torch.zeros(size)
    states = []
    for parts in inputs:
        a = p(name + ".bias", 3 * size)
        for i, x in enumerate(parts):
            a = a + x @ p(f"{name}.input.{i}.weight", len(x), 3 * size)
        u = h @ p(name + ".recurrent.weight", size, 3 * size)
        u = u + p(name + ".recurrent.bias", 3 * size)
        ar, az, an = a.chunk(3)
        ur, uz, un = u.chunk(3)
        r, z = torch.sigmoid(ar + ur), torch.sigmoid(az + uz)
        h = z * h + (1 - z) * torch.tanh(an + r * un)
        states.append(h)
    return states


def features(visits, times):
    """Returns the codes and the log age of each visit: [(codes, age)]."""
    return [(codes, torch.log1p(torch.tensor([times[-1] - t])))
            for codes, t in zip(visits, times)]


def linear(p, name, x, size):
    return x @ p(name + ".weight", len(x), size) + p(name + ".bias", size)


def retain(p, visits, times):
    table = p("embedding", CODES, M)
    rows = features(visits, times)
    v = [table[codes].sum(dim=0) for codes, _ in rows]
    backwards = [(x, age) for x, (_, age) in zip(v, rows)][::-1]
    g = gru_states(p, "alpha_rnn", backwards, G)[::-1]
    h = gru_states(p, "beta_rnn", backwards, H)[::-1]
    e = torch.cat([linear(p, "alpha", STATE_FACTOR * x, 1) for x in g])
    alpha = torch.softmax(e, dim=0)
    beta = [torch.tanh(linear(p, "beta", STATE_FACTOR * x, M)) for x in h]
    context = sum(a * b * x for a, b, x in zip(alpha, beta, v))
    logit = linear(p, "output", context, 1)
    w = p("output.weight", M, 1)[:, 0]
    contributions = [alpha[j] * w @ (beta[j] * table[k])
                     for j, codes in enumerate(visits) for k in codes]
    return logit, alpha, contributions


def gru(p, visits, _times):
    table = p("embedding", CODES, M)
    v = [(table[codes].sum(dim=0),) for codes in visits]
    return linear(p, "output", gru_states(p, "recurrent", v, G)[-1], 1), None, None


def write(path, model, seed):
    p = Parameters(seed)
    logits, alphas, contributions = [], [], []
    for visits, times in zip(VISITS, TIMES):
        logit, alpha, own = model(p, visits, times)
        logits.append(logit)
        if alpha is not None:
            alphas.append(alpha)
            contributions += own
    logits = torch.cat(logits)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(
        logits, torch.tensor(LABELS))
    loss.backward()
    tensors = {"logits": logits, "loss": loss}
    if alphas:
        tensors["alpha"] = torch.cat(alphas)
        tensors["contributions"] = torch.stack(contributions)
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors(path, tensors, {"model": path.split(".")[0]})


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    write("retain.safetensors", retain, 1)
    write("visit_gru.safetensors", gru, 2)
