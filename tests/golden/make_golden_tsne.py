#!/usr/bin/env python3
"""Writes tsne.safetensors: t-SNE of a few points, by NumPy in f64.

Written from van der Maaten and Hinton 2008 ("Visualizing data using t-SNE"), with the
settings that their code has: early exaggeration, momentum 0.5 and then 0.8, gains; and the
step size N / exaggeration of Belkina et al. 2019. The file holds x [N, M], start [2, N],
chances [N, N] (p) and places [2, N] after STEPS steps.

Run it in this folder: python3 make_golden_tsne.py
"""

import numpy
import torch
from make_golden import write_safetensors

N, M, STEPS, PERPLEXITY = 30, 4, 45, 5.0
EXAGGERATED, EXAGGERATION = 25, 12.0  # few steps, because rounding errors accumulate


def conditional(distances, perplexity):
    """Returns the conditional probabilities of each row whose entropy is log(perplexity)."""
    p = numpy.zeros_like(distances)
    for i in range(N):
        others = [j for j in range(N) if j != i]
        d = distances[i, others]
        low, high = 0.0, 1e6
        for _ in range(200):
            beta = (low + high) / 2
            q = numpy.exp(-beta * (d - d.min()))
            q /= q.sum()
            entropy = -(q * numpy.log(numpy.maximum(q, 1e-300))).sum()
            if entropy > numpy.log(perplexity):
                low = beta
            else:
                high = beta
        p[i, others] = q
    return p


def main():
    random = numpy.random.default_rng(3)
    x = random.normal(size=(N, M)) + 3 * random.integers(0, 2, size=(N, 1))
    start = 1e-2 * random.normal(size=(N, 2))
    distances = ((x[:, None] - x[None, :]) ** 2).sum(-1)
    p = conditional(distances, PERPLEXITY)
    p = (p + p.T) / (2 * N)
    y, speed, gain = start.copy(), numpy.zeros((N, 2)), numpy.ones((N, 2))
    rate = max(N / EXAGGERATION, 1.0)
    for step in range(STEPS):
        away = y[:, None] - y[None, :]
        w = 1 / (1 + (away**2).sum(-1))
        numpy.fill_diagonal(w, 0)
        more = EXAGGERATION if step < EXAGGERATED else 1.0
        slope = 4 * (((more * p - w / w.sum()) * w)[:, :, None] * away).sum(1)
        gain = numpy.where((slope > 0) != (speed > 0), gain + 0.2, gain * 0.8)
        gain = numpy.maximum(gain, 0.01)
        speed = (0.5 if step < EXAGGERATED else 0.8) * speed - rate * gain * slope
        y = y + speed
        y = y - y.mean(0)
    write_safetensors("tsne.safetensors",
                      {"x": torch.tensor(x), "start": torch.tensor(start.T.copy()),
                       "chances": torch.tensor(p), "places": torch.tensor(y.T.copy())},
                      {"steps": str(STEPS)})


if __name__ == "__main__":
    main()
