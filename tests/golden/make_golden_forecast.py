#!/usr/bin/env python3
"""Writes patchtst.safetensors and patchtst_padded.safetensors: what PyTorch computes for
a small forecaster of patches, in f64.

The model is written here from the equations of Nie et al. 2023 (arXiv:2211.14730,
section 3.1), of Kim et al. 2022 (reversible instance normalisation) and of a linear
map beside the network, window by window and column by column, with plain tensor
operations; nothing is taken from Heed but the names and layouts of parameters
(weights are [in, out]; queries, keys and values stand side by side). The encoder has
layer normalisation before its sublayers and none at its end. Patches end with the
window or, padded as in the paper, begin with it and end behind it.

The file holds parameter.NAME, the windows, the targets, the forecast and, for each of
the losses (squared, absolute, huber), loss.LOSS and gradient.LOSS.NAME.

Run it in this folder: python3 make_golden_forecast.py
"""

import math

import torch
import torch.nn.functional as F
from make_golden import Parameters, write_safetensors

B, L, C, H = 2, 11, 3, 4  # windows, rows that are read, columns, rows that are forecast
PATCH, STRIDE, M, HEADS, FF, LAYERS = 4, 2, 6, 2, 10, 2
DELTA, SCALE = 0.7, 0.25


def affine(p, name, x, out):
    return x @ p(name + ".weight", x.shape[-1], out) + p(name + ".bias", out)


def norm(p, name, x):
    return F.layer_norm(x, (M,), p(name + ".gain", M), p(name + ".bias", M), 1e-5)


def attention(p, name, x):
    q, k, v = affine(p, name + ".qkv", x, 3 * M).chunk(3, dim=-1)
    size = M // HEADS
    contexts = []
    for h in range(HEADS):
        own = slice(h * size, (h + 1) * size)
        scores = q[:, own] @ k[:, own].t() / math.sqrt(size)
        contexts.append(scores.softmax(-1) @ v[:, own])
    return affine(p, name + ".output", torch.cat(contexts, -1), M)


def encode(p, patches):
    """Encodes patches of one column [N, P] as states [N, M]."""
    x = affine(p, "encoder.input", patches, M)
    x = x + p("encoder.positions.weight", len(patches), M)
    for i in range(LAYERS):
        at = f"encoder.layers.{i}."
        x = x + attention(p, at + "self_attention", norm(p, at + "self_attention.norm", x))
        inner = affine(p, at + "feed_forward.in", norm(p, at + "feed_forward.norm", x), FF)
        x = x + affine(p, at + "feed_forward.out", F.gelu(inner), M)
    return x


def forecast(p, column, padded):
    """Returns the forecast [H] of one column [L]."""
    mean, deviation = column.mean(), (column.var(unbiased=False) + 1e-5).sqrt()
    z = (column - mean) / deviation
    if padded:  # section 3.1: S copies of the last value
        z = torch.cat([z, z[-1:].expand(STRIDE)])
    steps = (len(z) - PATCH) // STRIDE + 1
    read = PATCH + (steps - 1) * STRIDE  # one row lies in no patch
    z = z[:read] if padded else z[len(z) - read:]
    patches = torch.stack([z[i * STRIDE:i * STRIDE + PATCH] for i in range(steps)])
    y = affine(p, "head", encode(p, patches).reshape(-1), H)
    return (y + affine(p, "readout", z, H)) * deviation + mean


def losses(error):
    size = error.abs()
    return {"squared": size.square(), "absolute": size,
            "huber": torch.where(size <= DELTA, size.square(), DELTA * (2 * size - DELTA))}


def write(name, padded):
    p = Parameters(31)
    numbers = torch.Generator().manual_seed(32)
    windows = 3 * torch.randn(B, L, C, generator=numbers) + 5
    targets = 3 * torch.randn(B, H, C, generator=numbers) + 5
    y = torch.stack([torch.stack([forecast(p, windows[b, :, c], padded)
                                  for c in range(C)], -1) for b in range(B)])
    tensors = {"parameter." + name: value for name, value in p.values.items()}
    tensors.update({"windows": windows, "targets": targets, "forecast": y})
    for kind, errors in losses(y - targets).items():
        loss = SCALE * errors.sum()
        tensors["loss." + kind] = loss
        gradients = torch.autograd.grad(loss, list(p.values.values()), retain_graph=True)
        for parameter, gradient in zip(p.values, gradients):
            tensors[f"gradient.{kind}.{parameter}"] = gradient
    write_safetensors(name + ".safetensors", tensors, {"model": "patchtst"})


def main():
    torch.set_default_dtype(torch.float64)
    write("patchtst", padded=False)
    write("patchtst_padded", padded=True)


if __name__ == "__main__":
    main()
