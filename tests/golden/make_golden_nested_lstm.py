#!/usr/bin/env python3
"""Writes nested_lstm.safetensors: what a stack of Nested LSTMs computes, by PyTorch in f64.

The outer level is written here from the equations of Moniz and Krueger 2018
(arXiv:1801.10308), with an identity in the place of the outer candidate's tanh; the
inner level is PyTorch's own LSTM cell. Nothing is taken from Heed but the names and
layouts of parameters (weights are [in, out], gates stand side by side: i f g o; the
inner weight is that of the input above that of the hidden state). The file holds
parameter.NAME, gradient.NAME, x [S, B, E], lengths, the outputs (zeros behind a
sequence's end), the states at the end [layers, 3, B, H], and the gradient of Σ (outputs
⊙ weight).

Run it in this folder: python3 make_golden_nested_lstm.py
"""

import torch
from make_golden import Parameters, write_safetensors
from torch.nn.utils.rnn import pad_sequence
from torch.nn.utils.stateless import functional_call

E, H, S, LAYERS = 4, 5, 6, 2
LENGTHS = [6, 3, 5]


def inner_lstm(p, name, x, h, c):
    """Applies PyTorch's cell, whose weights are [out, in]."""
    weight = p(name + ".inner.weight", 2 * H, 4 * H)
    cell = torch.nn.LSTMCell(H, H)
    parameters = {
        "weight_ih": weight[:H].T,
        "weight_hh": weight[H:].T,
        "bias_ih": p(name + ".inner.bias", 4 * H),
        "bias_hh": torch.zeros(4 * H),
    }
    return functional_call(cell, parameters, (x, (h, c)))


def step(p, name, x, state):
    h, c, inner = state
    a = x @ p(name + ".input.0.weight", x.shape[-1], 4 * H) + p(name + ".bias", 4 * H)
    a = a + h @ p(name + ".recurrent.weight", H, 4 * H)
    i, f, g, o = a.chunk(4, dim=-1)
    x_inner = torch.sigmoid(i) * g
    h_inner = torch.sigmoid(f) * c
    c, inner = inner_lstm(p, name, x_inner, h_inner, inner)
    return torch.sigmoid(o) * torch.tanh(c), c, inner


def read(p, x):
    """Returns outputs [S, H] and the last states [LAYERS, 3, H] of one sequence."""
    last = []
    for layer in range(LAYERS):
        state = (torch.zeros(1, H),) * 3
        outputs = []
        for word in x:
            state = step(p, f"encoder.forward.{layer}", word.unsqueeze(0), state)
            outputs.append(state[0])
        x = torch.cat(outputs)
        last.append(torch.cat(state))
    return x, torch.stack(last)


def main():
    p = Parameters(31)
    generator = torch.Generator().manual_seed(7)
    x = torch.randn(S, len(LENGTHS), E, generator=generator, requires_grad=True)
    weight = torch.randn(S, len(LENGTHS), H, generator=generator)
    rows = [read(p, x[:n, b]) for b, n in enumerate(LENGTHS)]
    outputs = pad_sequence([row[0] for row in rows])
    (outputs * weight).sum().backward()
    tensors = {
        "x": x,
        "lengths": torch.tensor(LENGTHS, dtype=torch.int32),
        "outputs": outputs,
        "states": torch.stack([row[1] for row in rows], dim=2),
        "weight": weight,
        "gradient_of_x": x.grad,
    }
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors("nested_lstm.safetensors", tensors, {"model": "nested_lstm"})


if __name__ == "__main__":
    main()
