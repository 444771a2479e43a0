#!/usr/bin/env python3
"""Writes bert.safetensors: what PyTorch computes for a small BERT, in f64.

The model is written here from Devlin et al. 2018 and the layout of Hugging
Face's BertForPreTraining (names of parameters, weights as [out, in]); dropout is
off. Nothing is taken from Heed but the names and layouts of its parameters, into
which `heed_names` translates: weights are [in, out], queries, keys and values
stand side by side.

The file holds, in the safetensors format: parameter.NAME, gradient.NAME and
trained.NAME (after ten steps of BERT's optimiser on this one batch: Adam without
bias correction, decay 0.01 of matrices, learning rate 0.01), ids, segments,
lengths, rows, labels, next, states, pooled, word_scores, next_scores, losses
(before each step).

Run it in this folder: python3 bert.py
"""

import math

import torch
import torch.nn.functional as F
from make_golden import write_safetensors

torch.set_default_dtype(torch.float64)

V, M, HEADS, FF, LAYERS, POSITIONS, SEGMENTS = 23, 8, 2, 12, 2, 9, 2
B, S = 3, 7
LENGTHS = [7, 4, 6]
ROWS = [1, 5, 9, 16, 18]  # b * S + s of the words to predict
STEPS, RATE, DECAY, EPSILON = 10, 0.01, 0.01, 1e-6


def parameters(seed):
    """Returns random values by Hugging Face's names."""
    generator = torch.Generator().manual_seed(seed)
    values = {}

    def add(name, *shape, around=0.0):
        value = around + 0.3 * torch.randn(*shape, generator=generator)
        values[name] = value.requires_grad_()

    def linear(name, out, inputs):
        add(name + ".weight", out, inputs)
        add(name + ".bias", out)

    def norm(name):
        add(name + ".weight", M, around=1.0)
        add(name + ".bias", M)

    add("bert.embeddings.word_embeddings.weight", V, M)
    add("bert.embeddings.position_embeddings.weight", POSITIONS, M)
    add("bert.embeddings.token_type_embeddings.weight", SEGMENTS, M)
    norm("bert.embeddings.LayerNorm")
    for i in range(LAYERS):
        at = f"bert.encoder.layer.{i}."
        for part in ("query", "key", "value"):
            linear(at + "attention.self." + part, M, M)
        linear(at + "attention.output.dense", M, M)
        norm(at + "attention.output.LayerNorm")
        linear(at + "intermediate.dense", FF, M)
        linear(at + "output.dense", M, FF)
        norm(at + "output.LayerNorm")
    linear("bert.pooler.dense", M, M)
    linear("cls.predictions.transform.dense", M, M)
    norm("cls.predictions.transform.LayerNorm")
    add("cls.predictions.bias", V)
    linear("cls.seq_relationship", 2, M)
    return values


class Bert:
    def __init__(self, values):
        self.values = values

    def linear(self, name, x):
        return F.linear(x, self.values[name + ".weight"], self.values[name + ".bias"])

    def norm(self, name, x):
        return F.layer_norm(x, (M,), self.values[name + ".weight"], self.values[name + ".bias"], 1e-12)

    def layer(self, at, x, seen):
        def heads(part):
            y = self.linear(at + "attention.self." + part, x)
            return y.view(B, S, HEADS, M // HEADS).transpose(1, 2)

        scores = heads("query") @ heads("key").transpose(2, 3) / math.sqrt(M // HEADS)
        scores = scores.masked_fill(~seen[:, None, None, :], -math.inf)
        context = (scores.softmax(-1) @ heads("value")).transpose(1, 2).reshape(B, S, M)
        x = self.norm(at + "attention.output.LayerNorm",
                      x + self.linear(at + "attention.output.dense", context))
        inner = F.gelu(self.linear(at + "intermediate.dense", x))
        return self.norm(at + "output.LayerNorm", x + self.linear(at + "output.dense", inner))

    def states(self, ids, segments, lengths):
        at = "bert.embeddings."
        x = (self.values[at + "word_embeddings.weight"][ids]
             + self.values[at + "position_embeddings.weight"][:S]
             + self.values[at + "token_type_embeddings.weight"][segments])
        x = self.norm(at + "LayerNorm", x)
        seen = torch.arange(S)[None, :] < lengths[:, None]
        for i in range(LAYERS):
            x = self.layer(f"bert.encoder.layer.{i}.", x, seen)
        return x

    def __call__(self, batch):
        states = self.states(batch["ids"], batch["segments"], batch["lengths"])
        pooled = torch.tanh(self.linear("bert.pooler.dense", states[:, 0]))
        at = "cls.predictions.transform."
        hidden = F.gelu(self.linear(at + "dense", states.reshape(B * S, M)[batch["rows"]]))
        hidden = self.norm(at + "LayerNorm", hidden)
        words = F.linear(hidden, self.values["bert.embeddings.word_embeddings.weight"],
                         self.values["cls.predictions.bias"])
        follows = self.linear("cls.seq_relationship", pooled)
        loss = F.cross_entropy(words, batch["labels"]) + F.cross_entropy(follows, batch["next"])
        return {"states": states, "pooled": pooled, "word_scores": words, "next_scores": follows}, loss


def heed_names(values):
    """Returns the tensors with Heed's names and layouts."""
    result = {}

    def linear(ours, *theirs):
        result[ours + ".weight"] = torch.cat([values[name + ".weight"] for name in theirs]).t()
        result[ours + ".bias"] = torch.cat([values[name + ".bias"] for name in theirs])

    def norm(ours, theirs):
        result[ours + ".gain"] = values[theirs + ".weight"]
        result[ours + ".bias"] = values[theirs + ".bias"]

    at = "bert.embeddings."
    result["encoder.embedding.weight"] = values[at + "word_embeddings.weight"]
    result["encoder.positions.weight"] = values[at + "position_embeddings.weight"]
    result["encoder.segments.weight"] = values[at + "token_type_embeddings.weight"]
    norm("encoder.embedding.norm", at + "LayerNorm")
    for i in range(LAYERS):
        ours, theirs = f"encoder.layers.{i}.", f"bert.encoder.layer.{i}."
        linear(ours + "self_attention.qkv",
               *(theirs + "attention.self." + part for part in ("query", "key", "value")))
        linear(ours + "self_attention.output", theirs + "attention.output.dense")
        norm(ours + "self_attention.norm", theirs + "attention.output.LayerNorm")
        linear(ours + "feed_forward.in", theirs + "intermediate.dense")
        linear(ours + "feed_forward.out", theirs + "output.dense")
        norm(ours + "feed_forward.norm", theirs + "output.LayerNorm")
    linear("pooler", "bert.pooler.dense")
    linear("words.dense", "cls.predictions.transform.dense")
    norm("words.norm", "cls.predictions.transform.LayerNorm")
    result["words.bias"] = values["cls.predictions.bias"]
    linear("next", "cls.seq_relationship")
    return {name: value.detach().contiguous().clone() for name, value in result.items()}


class AdamOfBert:
    """Optimiser of google-research/bert, class AdamWeightDecayOptimizer."""

    def __init__(self, values):
        self.mean = {name: torch.zeros_like(value) for name, value in values.items()}
        self.square = {name: torch.zeros_like(value) for name, value in values.items()}

    def step(self, values):
        for name, value in values.items():
            g = value.grad
            self.mean[name] = 0.9 * self.mean[name] + 0.1 * g
            self.square[name] = 0.999 * self.square[name] + 0.001 * g * g
            update = self.mean[name] / (self.square[name].sqrt() + EPSILON)
            if "LayerNorm" not in name and "bias" not in name:
                update = update + DECAY * value.detach()
            value.data -= RATE * update
            value.grad = None


def main():
    generator = torch.Generator().manual_seed(7)
    ids = torch.randint(0, V, (B, S), generator=generator)
    segments = torch.tensor([[0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1, 0]])
    batch = {"ids": ids, "segments": segments, "lengths": torch.tensor(LENGTHS),
             "rows": torch.tensor(ROWS), "labels": torch.tensor([3, 22, 0, 11, 11]),
             "next": torch.tensor([1, 0, 1])}
    values = parameters(1)
    model = Bert(values)
    tensors = {name: value.to(torch.int32) for name, value in batch.items()}
    tensors |= {"parameter." + name: value for name, value in heed_names(values).items()}
    optimizer = AdamOfBert(values)
    losses = []
    for step in range(STEPS):
        outputs, loss = model(batch)
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            tensors |= {name: value.detach() for name, value in outputs.items()}
            gradients = heed_names({name: value.grad for name, value in values.items()})
            tensors |= {"gradient." + name: value for name, value in gradients.items()}
        optimizer.step(values)
    tensors |= {"trained." + name: value for name, value in heed_names(values).items()}
    tensors["losses"] = torch.tensor(losses)
    write_safetensors("bert.safetensors", tensors, {"model": "bert", "torch": torch.__version__})


if __name__ == "__main__":
    main()
