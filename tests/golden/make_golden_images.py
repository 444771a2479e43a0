#!/usr/bin/env python3
"""Writes patches.safetensors, conv.safetensors and ram_jump and ram_step.safetensors: what
classifiers of images compute, by PyTorch in f64.

Written from Dosovitskiy et al. 2020 (arXiv:2010.11929, equations 1 to 3; patches are
pooled by the attention of Yang et al. 2016 instead of a token for the class) and, for the
convolutional and the glimpse network (Mnih et al. 2014, arXiv:1406.6247), from their docstrings, with
torch.nn.functional. Nothing is taken from
Heed but the names and layouts of parameters: weights are [in, out] or [K, K, in, out],
images [B, H, W, C], queries, keys and values stand side by side. A file holds images,
labels, parameter.NAME, gradient.NAME, scores, the loss (the sum of cross entropies) and
gradient_images; those of the glimpse network also where each look was drawn, place.T.

Run it in this folder: python3 make_golden_images.py
"""

import math

import torch
import torch.nn.functional as F
from make_golden import Parameters, write_safetensors

B, H, W, C, K = 3, 6, 4, 2, 3
LABELS = [2, 0, 1]
PATCH, LAYERS, M, FF, HEADS = 2, 2, 8, 12, 2
FILTERS, UNITS = 3, 5
LOOKS, GLIMPSE, SCALES, GLIMPSE_UNITS, RAM_UNITS = 3, 2, 2, 4, 6
DEVIATION, REINFORCE = 0.05, 0.01


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


def pixels_at(images, x, y):
    """Returns a pixel; 0 outside. Shapes: images [H, W, C]."""
    if 0 <= y < H and 0 <= x < W:
        return images[y, x]
    return torch.zeros(C)


def glimpse(image, place, size, scales):
    """Returns means of windows of size, 2 size .. pixels around place = (x, y) in -1 to 1."""
    values = []
    for scale in range(scales):
        side, block = size * 2**scale, 2**scale
        left = math.floor((place[0] + 1) / 2 * (W - 1) - (side - 1) / 2 + 0.5)
        top = math.floor((place[1] + 1) / 2 * (H - 1) - (side - 1) / 2 + 0.5)
        for v in range(0, side, block):
            for u in range(0, side, block):
                values.append(
                    sum(pixels_at(image, left + u + i, top + v + j)
                        for i in range(block) for j in range(block)) / block**2)
    return torch.cat(values)


def affine(p, name, x, size, bias=True):
    y = x @ p(name + ".weight", x.shape[-1], size)
    return y + p(name + ".bias", size) if bias else y


def ram(p, images, labels, first, given, step):
    """Returns the scores and the loss of glimpses at `first` and then as `given`: drawn places,
    or step indices."""
    state, place = None, first
    log_p, baselines = [], []
    for t in range(LOOKS):
        seen = torch.stack([glimpse(images[b], place[b].tolist(), GLIMPSE, SCALES)
                            for b in range(B)])
        what = F.relu(affine(p, "see", seen, GLIMPSE_UNITS))
        where = F.relu(affine(p, "place", place, GLIMPSE_UNITS))
        g = F.relu(affine(p, "glimpse_see", what, RAM_UNITS) +
                   affine(p, "glimpse_place", where, RAM_UNITS, bias=False))
        total = affine(p, "state", g, RAM_UNITS)
        if state is not None:
            total = total + affine(p, "core", state, RAM_UNITS, bias=False)
        state = F.relu(total)
        if t + 1 == LOOKS:
            break
        seen_state = state.detach()
        hidden = F.relu(affine(p, "locate", seen_state, RAM_UNITS // 2))
        baselines.append(affine(p, "baseline", seen_state, 1)[:, 0])
        if step:
            scores = torch.log_softmax(affine(p, "location", hidden, 9), dim=-1)
            chosen = given[t].long()
            log_p.append(scores.gather(1, chosen[:, None])[:, 0])
            by = torch.stack([(chosen % 3 - 1) * GLIMPSE / W, (chosen // 3 - 1) * GLIMPSE / H],
                             dim=1)
            place = (place + by).clamp(-1, 1)
        else:
            mean = torch.tanh(affine(p, "location", hidden, 2))
            normal = torch.distributions.Normal(mean, DEVIATION)
            log_p.append(normal.log_prob(given[t]).sum(dim=-1))
            place = given[t].clamp(-1, 1)
    scores = affine(p, "output", state, K)
    right = (scores.argmax(dim=-1) == labels).double()
    loss = F.cross_entropy(scores, labels, reduction="sum")
    for b, log in zip(baselines, log_p):
        loss = loss + ((b - right)**2).sum() / len(baselines)
        loss = loss - REINFORCE * ((right - b.detach()) * log).sum()
    return scores, loss


def write_ram(path, seed, step):
    p = Parameters(seed)
    images = torch.rand(B, H, W, C, generator=p.generator).requires_grad_()
    labels = torch.tensor(LABELS)
    first = torch.rand(B, 2, generator=p.generator) * 2 - 1
    given = [torch.randint(0, 9, (B,), generator=p.generator) if step else
             torch.randn(B, 2, generator=p.generator) * 0.8 for _ in range(LOOKS - 1)]
    scores, loss = ram(p, images, labels, first, given, step)
    loss.backward()
    tensors = {"images": images, "labels": labels.int(), "scores": scores, "loss": loss,
               "gradient_images": images.grad, "place.0": first}
    for t, one in enumerate(given):
        tensors[f"place.{t + 1}"] = one.int() if step else one
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors(path, tensors, {"model": "ram"})


if __name__ == "__main__":
    write("patches.safetensors", patches, 31)
    write("conv.safetensors", conv, 32)
    write_ram("ram_jump.safetensors", 35, step=False)
    write_ram("ram_step.safetensors", 34, step=True)
