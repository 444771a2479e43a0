#!/usr/bin/env python3
"""Writes patches.safetensors and conv.safetensors: what classifiers of images compute, by
PyTorch in f64.

Written from Dosovitskiy et al. 2020 (arXiv:2010.11929, equations 1 to 3; patches are
pooled by the attention of Yang et al. 2016 instead of a token for the class) and, for the
convolutional network, from its docstring, with torch.nn.functional. Nothing is taken from
Heed but the names and layouts of parameters: weights are [in, out] or [K, K, in, out],
images [B, H, W, C], queries, keys and values stand side by side. A file holds images,
labels, parameter.NAME, gradient.NAME, scores, the loss (the sum of cross entropies) and
gradient_images.

Run it in this folder: python3 make_golden_images.py
"""

import torch
import torch.nn.functional as F
from make_golden import Parameters, write_safetensors

B, H, W, C, K = 3, 6, 4, 2, 3
LABELS = [2, 0, 1]
PATCH, LAYERS, M, FF, HEADS = 2, 2, 8, 12, 2
FILTERS, UNITS = 3, 5


def linear(p, name, x, size):
    return x @ p(name + ".weight", x.shape[-1], size) + p(name + ".bias", size)


def norm(p, name, x):
    return F.layer_norm(x, (M,), p(name + ".gain", M), p(name + ".bias", M), 1e-5)


def self_attention(p, name, x):
    q, k, v = linear(p, name + ".qkv", x, 3 * M).chunk(3, dim=-1)
    d = M // HEADS
    parts = []
    for h in range(HEADS):
        own = slice(h * d, (h + 1) * d)
        weights = torch.softmax(q[..., own] @ k[..., own].transpose(1, 2) / d**0.5, dim=-1)
        parts.append(weights @ v[..., own])
    return linear(p, name + ".output", torch.cat(parts, dim=-1), M)


def patches(p, images):
    cells = []
    for i in range(0, H, PATCH):
        for j in range(0, W, PATCH):
            cells.append(images[:, i:i + PATCH, j:j + PATCH, :].reshape(B, -1))
    x = linear(p, "input", torch.stack(cells, dim=1), M)
    x = x + p("encoder.positions.weight", len(cells), M)
    for i in range(LAYERS):
        at = f"encoder.layers.{i}."
        x = x + self_attention(p, at + "self_attention",
                               norm(p, at + "self_attention.norm", x))
        inner = F.gelu(linear(p, at + "feed_forward.in",
                              norm(p, at + "feed_forward.norm", x), FF))
        x = x + linear(p, at + "feed_forward.out", inner, M)
    x = norm(p, "encoder.norm", x)
    inner = torch.tanh(linear(p, "pooling.key", x, M))
    weights = torch.softmax(inner @ p("pooling.query", M), dim=-1)
    return linear(p, "output", torch.einsum("bs,bsm->bm", weights, x), K)


def convolution(p, name, x, filters):
    """x [B, C, H, W]."""
    w = p(name + ".weight", 3, 3, x.shape[1], filters)
    y = F.conv2d(x, w.permute(3, 2, 0, 1), p(name + ".bias", filters), padding=1)
    return F.max_pool2d(F.relu(y), 2)


def conv(p, images):
    x = convolution(p, "first", images.permute(0, 3, 1, 2), FILTERS)
    x = convolution(p, "second", x, 2 * FILTERS)
    x = x.permute(0, 2, 3, 1).reshape(B, -1)
    return linear(p, "output", F.relu(linear(p, "hidden", x, UNITS)), K)


def write(path, model, seed):
    p = Parameters(seed)
    images = torch.rand(B, H, W, C, generator=p.generator).requires_grad_()
    labels = torch.tensor(LABELS)
    scores = model(p, images)
    loss = F.cross_entropy(scores, labels, reduction="sum")
    loss.backward()
    tensors = {"images": images, "labels": labels.int(), "scores": scores, "loss": loss,
               "gradient_images": images.grad}
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors(path, tensors, {"model": path.split(".")[0]})


if __name__ == "__main__":
    write("patches.safetensors", patches, 31)
    write("conv.safetensors", conv, 32)
