#!/usr/bin/env python3
"""Writes ntm_*.safetensors: what a Neural Turing Machine computes, by PyTorch in f64.

The model is written here from the equations of Graves et al. 2014
(arXiv:1410.5401, section 3) with plain tensor operations, one slot and one head
after the other; nothing is taken from Heed but the names and layouts of
parameters (weights are [in, out], a memory is [F, N], gates of an LSTM stand
side by side: i f g o). Two write heads, two read heads, shifts of up to two
slots. The files hold parameter.NAME, gradient.NAME, the batch, the logits, the
last memory, its weights, and the gradient of the input.

Run it in this folder: python3 make_golden_ntm.py
"""

import torch
from make_golden import Parameters, write_safetensors

N, F, T, B, HEADS, R = 6, 4, 5, 3, 2, 2  # slots, features, steps, rows, heads, reach
I, O, U = 3, 2, 5  # channels in and out, units of the controller
ADDRESS = F + 2 * R + 4


def softplus(x):
    return torch.log(1 + torch.exp(x))


def affine(p, name, x, out):
    return x @ p(name + ".weight", x.shape[-1], out) + p(name + ".bias", out)


def cosine(u, v):
    return u @ v / torch.sqrt((u @ u + 1e-8) * (v @ v + 1e-8))


def address(numbers, before, memory):
    """Returns the weights over the slots of one head; memory: a list of slots."""
    key = torch.tanh(numbers[:F])
    strength = softplus(numbers[F])
    gate = torch.sigmoid(numbers[F + 1])
    shift = torch.softmax(numbers[F + 2 : F + 3 + 2 * R], dim=0)
    sharpening = 1 + softplus(numbers[-1])
    scores = torch.stack([strength * cosine(key, slot) for slot in memory])
    mixed = gate * torch.softmax(scores, dim=0) + (1 - gate) * before
    moved = [
        sum(shift[o + R] * mixed[(i - o) % N] for o in range(-R, R + 1))
        for i in range(N)
    ]
    powers = torch.stack(moved) ** sharpening
    return powers / powers.sum()


def heads_of(p, name, control):
    return affine(p, name + ".address", control, HEADS * ADDRESS).split(ADDRESS)


def write(p, control, weights, memory):
    weights = [
        address(numbers, before, memory)
        for numbers, before in zip(heads_of(p, "write", control), weights)
    ]
    erase = torch.sigmoid(affine(p, "write.erase", control, HEADS * F)).split(F)
    add = torch.tanh(affine(p, "write.add", control, HEADS * F)).split(F)
    slots = []
    for i, slot in enumerate(memory):
        for w, e in zip(weights, erase):
            slot = slot * (1 - w[i] * e)
        for w, a in zip(weights, add):
            slot = slot + w[i] * a
        slots.append(slot)
    return weights, slots


def read(p, control, weights, memory):
    weights = [
        address(numbers, before, memory)
        for numbers, before in zip(heads_of(p, "read", control), weights)
    ]
    vectors = [sum(w[i] * slot for i, slot in enumerate(memory)) for w in weights]
    return weights, torch.cat(vectors)


def feedforward(p, x, r, state):
    a = x @ p("controller.0.weight", I, U) + p("controller.0.bias", U)
    a = a + r @ p("controller.read.weight", HEADS * F, U)
    return torch.tanh(affine(p, "controller.1", torch.tanh(a), U)), state


def lstm_cell(p, name, inputs, state):
    h, c = state
    a = p(name + ".bias", 4 * U) + h @ p(name + ".recurrent.weight", U, 4 * U)
    for i, x in enumerate(inputs):
        a = a + x @ p(f"{name}.input.{i}.weight", x.shape[0], 4 * U)
    i, f, g, o = a.chunk(4)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def recurrent(p, x, r, state):
    first = lstm_cell(p, "controller.0", [x, r], state[0])
    second = lstm_cell(p, "controller.1", [first[0]], state[1])
    return second[0], [first, second]


def run(p, x, controller, before, learned):
    """Returns logits [T, O] of one sequence, its last memory [N, F] and weights."""
    memory = list(p("start.memory", F, N).T)
    if learned:
        starts = [
            torch.softmax(p(f"start.weights.{what}", HEADS, N), dim=1)
            for what in ("write", "read")
        ]
    else:
        starts = [torch.eye(N)[:1].repeat(HEADS, 1)] * 2
    w_write, w_read = list(starts[0]), list(starts[1])
    r = p("start.read", HEADS * F)
    state = None
    if controller is recurrent:
        state = [p(f"controller.{i}.start", 2 * U).chunk(2) for i in range(2)]
    logits = []
    for step in x:
        control, state = controller(p, step, r, state)
        if before:
            w_read, r = read(p, control, w_read, memory)
        w_write, memory = write(p, control, w_write, memory)
        if not before:
            w_read, r = read(p, control, w_read, memory)
        y = affine(p, "output", control, O)
        logits.append(y + r @ p("output_read.weight", HEADS * F, O))
    return torch.stack(logits), torch.stack(memory), torch.stack(w_read)


def make(name, seed, controller, before, learned):
    p = Parameters(seed)
    generator = torch.Generator().manual_seed(seed + 100)
    x = torch.randn(T, B, I, generator=generator, requires_grad=True)
    weight = torch.randn(T, B, O, generator=generator)
    rows = [run(p, x[:, b], controller, before, learned) for b in range(B)]
    logits = torch.stack([row[0] for row in rows], dim=1)
    (logits * weight).sum().backward()
    tensors = {
        "x": x,
        "weight": weight,
        "logits": logits,
        "memory": torch.stack([row[1].T for row in rows]),
        "read_weights": torch.stack([row[2] for row in rows]),
        "gradient_of_x": x.grad,
    }
    for key, value in p.values.items():
        tensors["parameter." + key] = value
        tensors["gradient." + key] = value.grad
    write_safetensors(name + ".safetensors", tensors, {"model": "ntm"})


def main():
    make("ntm_feedforward", 51, feedforward, before=False, learned=True)
    make("ntm_lstm", 52, recurrent, before=True, learned=False)


if __name__ == "__main__":
    main()
