#!/usr/bin/env python3
"""Writes the golden files: what each model computes, by PyTorch in f64.

The models are written here from the equations of their papers, with plain
tensor operations; nothing is taken from Heed but the names and layouts of its
parameters (weights are [in, out], gates stand side by side: i f g o for an LSTM,
r z n for a GRU; a `gru` has cuDNN's form with a bias inside of the reset).
Gradients are PyTorch's. A file holds, in the safetensors format: parameter.NAME,
gradient.NAME, source, lengths, target_in, targets, logits, loss.

Run it in this folder: python3 make_golden.py
"""

import json
import struct

import torch

torch.set_default_dtype(torch.float64)

V, E, H, S, T, B = 11, 6, 8, 5, 4, 3
LENGTHS = [5, 2, 4]
IGNORED = -1  # target without a loss


class Parameters:
    """Random tensors, created at first access."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)
        self.values = {}

    def __call__(self, name, *shape):
        if name not in self.values:
            value = torch.randn(*shape, generator=self.generator) * 0.4
            self.values[name] = value.requires_grad_()
        assert self.values[name].shape == shape, name
        return self.values[name]


# Cells. x: a list of (name of the weight, input), whose products are summed.


def project(p, name, inputs, gates):
    total = p(name + ".bias", gates * H)
    for i, x in enumerate(inputs):
        weight = p(f"{name}.input.{i}.weight", x.shape[-1], gates * H)
        total = total + x @ weight
    return total


def lstm(p, name, inputs, state):
    """LSTM of Hochreiter and Schmidhuber 1997 with a forget gate; state: (h, c)."""
    h, c = state
    a = project(p, name, inputs, 4) + h @ p(name + ".recurrent.weight", H, 4 * H)
    i, f, g, o = a.chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def gru(p, name, inputs, h, inner=None):
    """GRU with reset after the product: n = tanh(W x + r * (U h + b')); z keeps the old state."""
    a = project(p, name, inputs, 3)
    u = h @ p(name + ".recurrent.weight", H, 3 * H) + p(name + ".recurrent.bias", 3 * H)
    if inner is not None:
        u = u + inner  # Cho et al.: r * (U s + C c), and C_r c, C_z c in the gates
    a_r, a_z, a_n = a.chunk(3, dim=-1)
    u_r, u_z, u_n = u.chunk(3, dim=-1)
    r = torch.sigmoid(a_r + u_r)
    z = torch.sigmoid(a_z + u_z)
    n = torch.tanh(a_n + r * u_n)
    return z * h + (1 - z) * n


def reset_before(p, name, inputs, h):
    """Returns gate z and candidate n = tanh(W x + U (r * h)), with reset before the product."""
    a_r, a_z, a_n = project(p, name, inputs, 3).chunk(3, dim=-1)
    u_r, u_z = (h @ p(name + ".recurrent.weight", H, 2 * H)).chunk(2, dim=-1)
    r = torch.sigmoid(a_r + u_r)
    z = torch.sigmoid(a_z + u_z)
    return z, torch.tanh(a_n + (r * h) @ p(name + ".candidate.weight", H, H))


def gru_cho(p, name, inputs, h):
    """GRU of arXiv:1406.1078, A.1.1: z keeps the old state."""
    z, n = reset_before(p, name, inputs, h)
    return z * h + (1 - z) * n


def gru_bahdanau(p, name, inputs, h):
    """GRU in which z selects the new state."""
    z, n = reset_before(p, name, inputs, h)
    return (1 - z) * h + z * n


def linear(p, name, x, out):
    return x @ p(name + ".weight", x.shape[-1], out) + p(name + ".bias", out)


def zeros():
    return torch.zeros(1, H)


# Encoders of one sentence: embedded words in, outputs and last states out. Single
# sentences need no padding and no masks, so they are the reference for Heed's batches.


def embed(p, side, ids):
    return p(side + ".embedding.weight", V, E)[ids].unsqueeze(1)  # [length, 1, E]


def encode_lstm(p, words, layers):
    states = []
    for layer in range(layers):
        state = (zeros(), zeros())
        outputs = []
        for word in words:
            state = lstm(p, f"encoder.forward.{layer}", [word], state)
            outputs.append(state[0])
        words = outputs
        states.append(state)
    return words, states


def encode_both_ways(p, words, cell):
    forward, backward = [], []
    h = zeros()
    for word in words:
        h = cell(p, "encoder.forward.0", [word], h)
        forward.append(h)
    h = zeros()
    for word in reversed(list(words)):
        h = cell(p, "encoder.backward.0", [word], h)
        backward.append(h)
    backward.reverse()
    annotations = [torch.cat(pair, dim=-1) for pair in zip(forward, backward)]
    return annotations, backward[0]


# Attention of one query over the annotations of one sentence.


def attend_additively(p, query, annotations):
    name = "decoder.attention"
    keys = torch.cat(annotations)  # [S, 2H]
    u = keys @ p(name + ".key.weight", keys.shape[1], H) + p(name + ".key.bias", H)
    w = query @ p(name + ".query.weight", H, H)
    energy = torch.tanh(w + u) @ p(name + ".score.weight", H)
    return (torch.softmax(energy, dim=0) @ keys).unsqueeze(0)


def attend_bilinearly(p, query, annotations):
    keys = torch.cat(annotations)
    energy = (keys @ p("decoder.attention.key.weight", keys.shape[1], H)) @ query[0]
    return (torch.softmax(energy, dim=0) @ keys).unsqueeze(0)


def readout(p, parts, columns):
    total = p("decoder.readout.bias", columns)
    for name, x in parts.items():
        weight = p(f"decoder.readout.{name}.weight", x.shape[-1], columns)
        total = total + x @ weight
    return total


def maxout(x):
    return x.reshape(x.shape[0], -1, 2).amax(dim=-1)


def logits_of(p, x):
    return x @ p("decoder.output.weight", x.shape[-1], V) + p("decoder.output.bias", V)


# Models: logits of one sentence, from source and target word ids.


def cho(p, source, target):
    """arXiv:1406.1078. c = tanh(V h_N), s_0 = tanh(V' c), c at every step.

    The encoder resets before the product (A.1.1), the decoder after it (A.1.2)."""
    h = zeros()
    for word in embed(p, "encoder", source):
        h = gru_cho(p, "encoder.forward.0", [word], h)
    c = torch.tanh(linear(p, "decoder.summary", h, H))
    inner = linear(p, "decoder.context", c, 3 * H)
    s = torch.tanh(linear(p, "decoder.bridge.0", c, H))
    result = []
    for word in embed(p, "decoder", target):
        s = gru(p, "decoder.layers.0", [word], s, inner)
        t = readout(p, {"state": s, "embedding": word, "context": c}, 2 * E)
        result.append(logits_of(p, maxout(t)))
    return result


def sutskever(p, source, target):
    """arXiv:1409.3215. The source is reversed; its last states start the decoder."""
    _, states = encode_lstm(p, embed(p, "encoder", source.flip(0)), 2)
    result = []
    for word in embed(p, "decoder", target):
        x = word
        for layer in range(2):
            states[layer] = lstm(p, f"decoder.layers.{layer}", [x], states[layer])
            x = states[layer][0]
        result.append(logits_of(p, x))
    return result


def rnnsearch(p, source, target):
    """arXiv:1409.0473, appendix: attention and read-out see s_{i-1}."""
    annotations, first = encode_both_ways(p, embed(p, "encoder", source), gru_bahdanau)
    s = torch.tanh(linear(p, "decoder.bridge.0", first, H))
    result = []
    for word in embed(p, "decoder", target):
        c = attend_additively(p, s, annotations)
        before = s
        s = gru_bahdanau(p, "decoder.layers.0", [word, c], s)
        t = readout(p, {"state": before, "embedding": word, "context": c}, 2 * E)
        result.append(logits_of(p, maxout(t)))
    return result


def cgru(p, source, target):
    """arXiv:1703.04357: GRU1(y), attention with its state, GRU2(c)."""
    annotations, first = encode_both_ways(p, embed(p, "encoder", source), gru)
    s = torch.tanh(linear(p, "decoder.bridge.0", first, H))
    result = []
    for word in embed(p, "decoder", target):
        middle = gru(p, "decoder.layers.0", [word], s)
        c = attend_additively(p, middle, annotations)
        s = gru(p, "decoder.second", [c], middle)
        t = readout(p, {"state": s, "embedding": word, "context": c}, E)
        result.append(logits_of(p, torch.tanh(t)))
    return result


def luong(p, source, target):
    """arXiv:1508.04025: h, a, c, h~ = tanh(W [c; h]), fed into the next step."""
    outputs, states = encode_lstm(p, embed(p, "encoder", source.flip(0)), 2)
    feed = zeros()
    result = []
    for word in embed(p, "decoder", target):
        inputs = [word, feed]
        for layer in range(2):
            states[layer] = lstm(p, f"decoder.layers.{layer}", inputs, states[layer])
            inputs = [states[layer][0]]
        h = states[1][0]
        c = attend_bilinearly(p, h, outputs)
        feed = torch.tanh(
            linear(p, "decoder.attentional", torch.cat([c, h], dim=-1), H))
        result.append(logits_of(p, feed))
    return result


# Files.


def write_safetensors(path, tensors, metadata):
    dtypes = {torch.float64: "F64", torch.int32: "I32"}
    header = {"__metadata__": metadata}
    data = b""
    for name, tensor in tensors.items():
        raw = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {
            "dtype": dtypes[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def make(model, variant, function, seed):
    p = Parameters(seed)
    words = torch.Generator().manual_seed(seed + 100)
    source = torch.randint(0, V, (S, B), generator=words)
    target_in = torch.randint(0, V, (T, B), generator=words)
    targets = torch.randint(0, V, (T, B), generator=words)
    targets[T - 1, 1] = IGNORED
    targets[T - 2, 1] = IGNORED
    columns = []
    for b in range(B):
        rows = function(p, source[: LENGTHS[b], b], target_in[:, b])
        columns.append(torch.cat(rows))
    logits = torch.stack(columns, dim=1)  # [T, B, V]
    counts = targets != IGNORED
    log_p = torch.log_softmax(logits, dim=-1)
    loss = -log_p[counts].gather(1, targets[counts].unsqueeze(1)).mean()
    loss.backward()

    tensors = {
        "source": source.int(),
        "lengths": torch.tensor(LENGTHS, dtype=torch.int32),
        "target_in": target_in.int(),
        "targets": targets.int(),
        "logits": logits,
        "loss": loss,
    }
    for name, value in p.values.items():
        tensors["parameter." + name] = value
        tensors["gradient." + name] = value.grad
    write_safetensors(f"{model}_{variant}.safetensors", tensors,
                      {"model": model, "variant": variant})


if __name__ == "__main__":
    make("fixed", "cho", cho, 1)
    make("fixed", "sutskever", sutskever, 2)
    make("bahdanau", "rnnsearch", rnnsearch, 3)
    make("bahdanau", "cgru", cgru, 4)
    make("luong", "global", luong, 5)
