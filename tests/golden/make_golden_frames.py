#!/usr/bin/env python3
"""Writes triplet.safetensors: what a judge of the order of frames computes, by PyTorch
in f64.

Written from Misra et al. 2016 (arXiv:1603.08561, section 3.2), with a trunk of three
convolutions and a hidden layer over the features of all frames, as its docstring says,
with torch.nn.functional. Nothing is taken from Heed but the names and layouts of
parameters, as in make_golden_images.py, whose layers it uses. The file holds images
(strips: three frames side by side), labels, parameter.NAME, gradient.NAME, scores, the
loss (the sum of cross entropies) and gradient_images.

Run it in this folder: python3 make_golden_frames.py
"""

import torch
import torch.nn.functional as F
from make_golden import Parameters, write_safetensors
from make_golden_images import convolution, linear

B, H, W, C = 2, 9, 17, 2
LABELS = [1, 0]
FILTERS, FEATURES, UNITS = 2, 3, 4


def features(p, frame):
    """frame [B, H, W, C]."""
    x = frame.permute(0, 3, 1, 2)
    for i, name in enumerate(("first", "second", "third")):
        x = convolution(p, "trunk." + name, x, FILTERS * 2**i)
    x = x.permute(0, 2, 3, 1).reshape(B, -1)
    return F.relu(linear(p, "features", x, FEATURES))


def triplet(p, strips):
    z = torch.cat([features(p, strips[:, :, i * W:(i + 1) * W]) for i in range(3)], dim=-1)
    return linear(p, "output", F.relu(linear(p, "hidden", z, UNITS)), 2)


if __name__ == "__main__":
    p = Parameters(36)
    strips = torch.rand(B, H, 3 * W, C, generator=p.generator).requires_grad_()
    labels = torch.tensor(LABELS)
    scores = triplet(p, strips)
    loss = F.cross_entropy(scores, labels, reduction="sum")
    loss.backward()
    tensors = {"images": strips, "labels": labels.int(), "scores": scores, "loss": loss,
               "gradient_images": strips.grad}
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors("triplet.safetensors", tensors, {"model": "triplet"})
