#!/usr/bin/env python3
"""Writes log_mel.safetensors and arsg.safetensors: what a recogniser of speech reads and
computes, by numpy and PyTorch in f64.

The features are written from their definition with numpy's rfft (Heed multiplies by a
matrix of cosines and sines), the model from Chorowski et al. 2015 (arXiv:1506.07503,
equations 2 to 9 and section 2.3, smoothing), one sequence at a time. Nothing is taken
from Heed but the names and layouts of parameters, as in make_golden.py, whose layers it
uses.

Run it in this folder: python3 make_golden_speech.py
"""

import numpy as np
import torch
from make_golden import (B, E, H, IGNORED, LENGTHS, S, T, V, Parameters, encode_both_ways,
                         gru, linear, logits_of, maxout, readout, write_safetensors, zeros)

RATE, BANDS, STACK = 8000, 40, 3
FEATURES, FILTERS, REACH = 7, 3, 2


def chirp():
    """Returns a sweep from 100 Hz to 3900 Hz in 0.23 s with a little noise, in f32."""
    t = np.arange(int(0.23 * RATE)) / RATE
    noise = np.random.default_rng(3).normal(size=t.size)
    return (0.5 * np.sin(2 * np.pi * (100 * t + 3800 * t * t / 0.46))
            + 0.01 * noise).astype(np.float32)


def triangles(frequencies):
    mel = np.linspace(0, 2595 * np.log10(1 + RATE / 2 / 700), BANDS + 2)
    border = 700 * (10 ** (mel / 2595) - 1)
    f = np.linspace(0, RATE / 2, frequencies)[:, None]
    rising = (f - border[:-2]) / (border[1:-1] - border[:-2])
    falling = (border[2:] - f) / (border[2:] - border[1:-1])
    return np.maximum(0, np.minimum(rising, falling))


def energies(samples):
    x = samples.astype(np.float64)
    x = np.concatenate([x[:1], x[1:] - 0.97 * x[:-1]])
    window, hop, points = RATE // 40, RATE // 100, 256
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    frames = [x[i:i + window] * hann for i in range(0, len(x) - window + 1, hop)]
    power = np.abs(np.fft.rfft(np.stack(frames), points)) ** 2
    return np.log(np.maximum(power @ triangles(points // 2 + 1), 1e-10))


def features(e):
    z = (e - e.mean(0)) / np.maximum(0.5, e.std(0))
    z = np.concatenate([z, np.zeros((-len(z) % STACK, BANDS))])
    return z.reshape(-1, STACK * BANDS)


def attend(p, query, annotations, before):
    """Returns smoothed location-aware attention. before [S]: the previous weights."""
    name = "decoder.attention"
    keys = torch.cat(annotations)  # [S, 2H]
    u = keys @ p(name + ".key.weight", keys.shape[1], H) + p(name + ".key.bias", H)
    padded = torch.cat([torch.zeros(REACH), before, torch.zeros(REACH)])
    windows = padded.unfold(0, 2 * REACH + 1, 1)  # [S, 2R + 1]
    # A convolution reverses its filters (equation 8).
    f = windows @ p(name + ".filters", FILTERS, 2 * REACH + 1).flip(1).T
    u = u + f @ p(name + ".location.weight", FILTERS, H)
    w = query @ p(name + ".query.weight", H, H)
    energy = torch.tanh(w + u) @ p(name + ".score.weight", H)
    energy = energy + p(name + ".normalizer.bias", 1)  # a sigmoid does not cancel it
    weights = torch.sigmoid(energy) / torch.sigmoid(energy).sum()
    return (weights @ keys).unsqueeze(0), weights


def arsg(p, frames, target):
    """Decodes frames [S, F]: s_i = f(y_{i-1}, s_{i-1}, c_{i-1}), a_i = attend(s_i, a_{i-1})."""
    x = [linear(p, "encoder.frames", frame.unsqueeze(0), E) for frame in frames]
    annotations, first = encode_both_ways(p, x, gru)
    s = torch.tanh(linear(p, "decoder.bridge.0", first, H))
    weights = torch.zeros(len(frames))
    weights[0] = 1
    c = torch.zeros(1, 2 * H)
    rows, attention = [], []
    for word in p("decoder.embedding.weight", V, E)[target].unsqueeze(1):
        s = gru(p, "decoder.layers.0", [word, c], s)
        c, weights = attend(p, s, annotations, weights)
        t = readout(p, {"state": s, "embedding": word, "context": c}, 2 * E)
        rows.append(logits_of(p, maxout(t)))
        attention.append(weights)
    return torch.cat(rows), torch.stack(attention)


def write_features():
    samples = chirp()
    e = energies(samples)
    tensors = {"samples": samples.astype(np.float64), "triangles": triangles(129),
               "energies": e, "features": features(e)}
    write_safetensors("log_mel.safetensors",
                      {name: torch.from_numpy(x) for name, x in tensors.items()},
                      {"rate": str(RATE), "bands": str(BANDS), "stack": str(STACK)})


def write_model():
    p = Parameters(41)
    g = torch.Generator().manual_seed(141)
    frames = torch.randn(B, S, FEATURES, generator=g).requires_grad_()
    target_in = torch.randint(0, V, (T, B), generator=g)
    targets = torch.randint(0, V, (T, B), generator=g)
    targets[T - 1, 1] = IGNORED
    columns, tensors = [], {}
    for b in range(B):
        rows, attention = arsg(p, frames[b, :LENGTHS[b]], target_in[:, b])
        columns.append(rows)
        tensors[f"attention.{b}"] = attention
    logits = torch.stack(columns, dim=1)
    counts = targets != IGNORED
    log_p = torch.log_softmax(logits, dim=-1)
    loss = -log_p[counts].gather(1, targets[counts].unsqueeze(1)).sum()
    loss.backward()
    tensors |= {"frames": frames, "gradient_frames": frames.grad,
                "lengths": torch.tensor(LENGTHS, dtype=torch.int32),
                "target_in": target_in.int(), "targets": targets.int(), "logits": logits,
                "loss": loss}
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors("arsg.safetensors", tensors, {"model": "arsg"})


if __name__ == "__main__":
    write_features()
    write_model()
