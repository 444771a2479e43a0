#!/usr/bin/env python3
"""Writes the golden files of Transformers: what PyTorch computes, in f64.

The layers are PyTorch's own (torch.nn.Transformer); what they have not, shared
embeddings with the paper's positions, is written here from the paper. Nothing is
taken from Heed but the names and layouts of its parameters: weights of layers
are [in, out], queries, keys and values stand side by side. Dropout is off.

A file holds, in the safetensors format: parameter.NAME, gradient.NAME and
trained.NAME (after ten steps of Adam, learning rate 0.01, on this one batch),
source, lengths, target_in, targets, logits, loss, losses (before each step).

Run it in this folder: python3 transformer_golden.py
"""

import math

import torch
from make_golden import IGNORED, LENGTHS, write_safetensors

torch.set_default_dtype(torch.float64)

V, M, H, FF, S, T, B = 11, 8, 2, 12, 5, 4, 3
LAYERS, DECODER_LAYERS = 2, 1
STEPS, RATE = 10, 0.01


def sinusoids(length):
    """Returns the positions of Vaswani et al. 2017, section 3.5."""
    table = torch.zeros(length, M)
    for p in range(length):
        for i in range(M // 2):
            angle = p / 10000 ** (2 * i / M)
            table[p, 2 * i] = math.sin(angle)
            table[p, 2 * i + 1] = math.cos(angle)
    return table


class Model(torch.nn.Module):
    def __init__(self, norm, activation, tie):
        super().__init__()
        self.transformer = torch.nn.Transformer(
            M, H, LAYERS, DECODER_LAYERS, FF, dropout=0.0, activation=activation,
            batch_first=True, norm_first=norm == "pre")
        if norm == "post":  # PyTorch normalises once more; the paper does not
            self.transformer.encoder.norm = None
            self.transformer.decoder.norm = None
        self.target = torch.nn.Embedding(V, M)
        self.source = self.target if tie == "all" else torch.nn.Embedding(V, M)
        self.bias = torch.nn.Parameter(torch.zeros(V))
        self.own_output = None
        if tie == "none":
            self.own_output = torch.nn.Parameter(torch.zeros(V, M))

    def output(self):
        return self.target.weight if self.own_output is None else self.own_output

    def forward(self, source, padding, target_in):
        x = self.source(source) * math.sqrt(M) + sinusoids(S)
        y = self.target(target_in) * math.sqrt(M) + sinusoids(T)
        later = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
        states = self.transformer(x, y, tgt_mask=later, src_key_padding_mask=padding,
                                  memory_key_padding_mask=padding)
        return states @ self.output().t() + self.bias

    def named(self, tie, of):
        """Returns tensors by Heed's names. `of` gives a parameter's value or gradient."""
        result = {}

        def linear(name, weight, bias):
            result[name + ".weight"] = of(weight).t()
            result[name + ".bias"] = of(bias)

        def norm(name, layer):
            result[name + ".gain"] = of(layer.weight)
            result[name + ".bias"] = of(layer.bias)

        def output(name, attention):
            linear(name + ".output", attention.out_proj.weight, attention.out_proj.bias)

        def layers(side, stack):
            for i, layer in enumerate(stack.layers):
                at = f"{side}.layers.{i}."
                own = layer.self_attn
                linear(at + "self_attention.qkv", own.in_proj_weight, own.in_proj_bias)
                output(at + "self_attention", own)
                norm(at + "self_attention.norm", layer.norm1)
                if side == "decoder":
                    other = layer.multihead_attn
                    weight, bias = of(other.in_proj_weight), of(other.in_proj_bias)
                    name = at + "cross_attention."
                    result[name + "q.weight"] = weight[:M].t()
                    result[name + "q.bias"] = bias[:M]
                    result[name + "kv.weight"] = weight[M:].t()
                    result[name + "kv.bias"] = bias[M:]
                    output(at + "cross_attention", other)
                    norm(at + "cross_attention.norm", layer.norm2)
                linear(at + "feed_forward.in", layer.linear1.weight, layer.linear1.bias)
                linear(at + "feed_forward.out", layer.linear2.weight, layer.linear2.bias)
                last = layer.norm3 if side == "decoder" else layer.norm2
                norm(at + "feed_forward.norm", last)
            if stack.norm is not None:
                norm(side + ".norm", stack.norm)

        layers("encoder", self.transformer.encoder)
        layers("decoder", self.transformer.decoder)
        if tie == "all":
            result["embedding.weight"] = of(self.target.weight)
        else:
            result["encoder.embedding.weight"] = of(self.source.weight)
            result["decoder.embedding.weight"] = of(self.target.weight)
        if self.own_output is not None:
            result["decoder.output.weight"] = of(self.own_output)
        result["decoder.output.bias"] = of(self.bias)
        return {name: value.detach().clone() for name, value in result.items()}


def make(name, norm, activation, tie, seed):
    torch.manual_seed(seed)
    model = Model(norm, activation, tie)
    with torch.no_grad():
        for parameter in model.parameters():  # avoids parameters that are all zeros or ones
            parameter.copy_(torch.randn_like(parameter) * 0.4)
    source = torch.randint(0, V, (B, S))
    target_in = torch.randint(0, V, (B, T))
    targets = torch.randint(0, V, (B, T))
    targets[1, T - 2:] = IGNORED
    padding = torch.arange(S)[None, :] >= torch.tensor(LENGTHS)[:, None]

    def loss_and_logits():
        logits = model(source, padding, target_in)
        loss = torch.nn.functional.cross_entropy(
            logits.reshape(-1, V), targets.reshape(-1), ignore_index=IGNORED)
        return loss, logits

    loss, logits = loss_and_logits()
    loss.backward()
    tensors = {
        "source": source.t().int(),
        "lengths": torch.tensor(LENGTHS, dtype=torch.int32),
        "target_in": target_in.t().int(),
        "targets": targets.t().int(),
        "logits": logits.transpose(0, 1),
        "loss": loss,
    }
    values = model.named(tie, lambda p: p)
    gradients = model.named(tie, lambda p: p.grad)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss, _ = loss_and_logits()
        losses.append(loss.item())
        loss.backward()
        optimizer.step()
    tensors["losses"] = torch.tensor(losses)
    for key, value in values.items():
        tensors["parameter." + key] = value
        tensors["gradient." + key] = gradients[key]
    for key, value in model.named(tie, lambda p: p).items():
        tensors["trained." + key] = value
    write_safetensors(f"transformer_{name}.safetensors", tensors, {"model": name})


if __name__ == "__main__":
    make("post_relu", "post", "relu", "none", 1)
    make("pre_gelu", "pre", "gelu", "all", 2)
