#!/usr/bin/env python3
"""Writes sat_soft.safetensors and sat_hard.safetensors: what Show, Attend and Tell computes,
by PyTorch in f64.

Written from Xu et al. 2015 (arXiv:1502.03044, section 3 and 4; equations 11 to 14) and the
docstring of ShowAttendTell. Nothing is taken from Heed but the names and layouts of
parameters, as in make_golden_images.py. A file holds images [B, H, W, C], target_in and
targets [T, B] (-1 where a caption has ended), parameter.NAME, gradient.NAME, logits
[T, B, V], the loss and gradient_images: of sat_soft the cross entropy and the doubly
stochastic term, of sat_hard the cross entropy and the reward's term for the cells in `drawn`
[T, B], a baseline of 0.

Run it in this folder: python3 make_golden_captions.py
"""

import torch
import torch.nn.functional as F
from make_golden import Parameters, write_safetensors

B, H, W, C, V = 2, 16, 24, 3, 7
FILTERS, E, N = 2, 5, 6
D, L = 2 * FILTERS, H // 8 * (W // 8)
TARGETS = [[3, 5], [6, 2], [2, -1]]
LAMBDA = 0.7  # weight of the doubly stochastic term
REWARD, ENTROPY = 0.1, 0.002
# Choices that Heed samples with the seed of its test.
DRAWN = [[5, 3], [4, 2], [4, 3]]


def linear(p, name, x, size, bias=True):
    y = x @ p(name + ".weight", x.shape[-1], size)
    return y + p(name + ".bias", size) if bias else y


def convolution(p, name, x, filters):
    """x [B, C, H, W]."""
    w = p(name + ".weight", 3, 3, x.shape[1], filters)
    y = F.conv2d(x, w.permute(3, 2, 0, 1), p(name + ".bias", filters), padding=1)
    return F.max_pool2d(F.relu(y), 2)


def cells(p, images):
    x = images.permute(0, 3, 1, 2)
    for name, filters in (("first", FILTERS), ("second", D), ("third", D)):
        x = convolution(p, "image." + name, x, filters)
    x = x.permute(0, 2, 3, 1).reshape(B, L, D)
    return x + p("image.positions", L * D).reshape(L, D)


def run(p, images, target_in, drawn):
    """Logits [T, B, V], weights [T, B, L] and log-weights of all steps."""
    a = cells(p, images)
    start = torch.relu(linear(p, "decoder.start", a.mean(dim=1), N))
    h, c = torch.tanh(linear(p, "decoder.state", start, 2 * N)).chunk(2, dim=-1)
    table = p("decoder.embedding.weight", V, E)
    logits, all_weights, all_logs = [], [], []
    for t, ids in enumerate(target_in):
        y = table[ids]
        at = "decoder.attention."
        hidden = torch.tanh((h @ p(at + "query.weight", N, N)).unsqueeze(1) +
                            linear(p, at + "key", a, N))
        hidden = torch.tanh(linear(p, at + "layers.1", hidden, N))
        logs = torch.log_softmax((hidden @ p(at + "score.weight", N, 1))[..., 0], dim=-1)
        weights = logs.exp() if drawn is None else F.one_hot(drawn[t], L).double()
        z = torch.sigmoid(linear(p, "decoder.gate", h, 1)) * torch.einsum(
            "bl,bld->bd", weights, a)
        name = "decoder.lstm"
        gates = (y @ p(name + ".input.0.weight", E, 4 * N) +
                 z @ p(name + ".input.1.weight", D, 4 * N) + p(name + ".bias", 4 * N) +
                 h @ p(name + ".recurrent.weight", N, 4 * N))
        i, f, g, o = gates.chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        read = torch.tanh(y + linear(p, "decoder.read_state", h, E) +
                          linear(p, "decoder.read_context", z, E, bias=False))
        logits.append(linear(p, "decoder.output", read, V))
        all_weights.append(weights)
        all_logs.append(logs)
    return torch.stack(logits), torch.stack(all_weights), torch.stack(all_logs)


def write(path, hard):
    p = Parameters(41)
    images = torch.rand(B, H, W, C, generator=p.generator).requires_grad_()
    targets = torch.tensor(TARGETS)
    target_in = torch.cat([torch.ones(1, B, dtype=torch.long), targets[:-1].clamp(min=0)])
    drawn = torch.tensor(DRAWN) if hard else None
    logits, weights, logs = run(p, images, target_in, drawn)
    counts = (targets >= 0).double()
    log_p = torch.log_softmax(logits, dim=-1).gather(
        2, targets.clamp(min=0)[..., None])[..., 0] * counts
    loss = -log_p.sum()
    if hard:
        reward = (log_p.sum(dim=0) / counts.sum(dim=0)).detach()
        chosen = logs.gather(2, drawn[..., None])[..., 0]
        entropy = -(logs.exp() * logs).sum(dim=-1)
        loss = loss - REWARD * (reward * chosen * counts).sum()
        loss = loss - ENTROPY * (entropy * counts).sum()
    else:
        seen = (weights * counts[..., None]).sum(dim=0)
        loss = loss + LAMBDA * ((1 - seen)**2).sum() / L
    loss.backward()
    tensors = {"images": images, "target_in": target_in.int(), "targets": targets.int(),
               "logits": logits, "loss": loss, "gradient_images": images.grad}
    if hard:
        tensors["drawn"] = drawn.int()
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors(path, tensors, {"model": "sat"})


if __name__ == "__main__":
    write("sat_soft.safetensors", hard=False)
    write("sat_hard.safetensors", hard=True)
