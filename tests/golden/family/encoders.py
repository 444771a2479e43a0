"""BERT's layout, heads and mutations of encoders."""

import numpy as np

from family.transformer import ACTIVATIONS, affine, gains, linear, normalize, run_layers

# Mutations of every encoder with learned positions.
MUTATIONS = {
    "gelu by tanh": {"activation": "gelu_new"},
    "relu": {"activation": "relu"},
    "scores without 1/√D": {"scale": 1},
    "scores / (layer + 1)": {"scale_by_layer": True},
    "causal": {"causal": True},
    "padding is read": {"see_padding": True},
    "norms before the sublayers": {"norm": "pre"},
    "no norm of embeddings": {"embedding_norm": False},
    "two norms of a layer swapped": {"swap": [("first", "second")]},
    "q and k swapped": {"swap": [("q", "k")]},
    "k and v swapped": {"swap": [("k", "v")]},
    "output matrix of attention transposed": {"transpose": ["o"]},
    "no bias of q": {"no_bias": ["q"]},
    "no bias of v": {"no_bias": ["v"]},
    "embeddings times √M": {"embedding_scale": True},
}
# Mutation of a model with embeddings of segments.
SEGMENTS = {"no row of segments": {"segment": None}}
MASKED_WORDS = {
    "head: gelu by tanh": {"head_activation": "gelu_new"},
    "head: no activation": {"head_activation": "none"},
    "head: no norm": {"head_norm": False},
    "head: no bias of tokens": {"head_bias": False},
    "head: scores not tied": {"tied": False},
}


def bert_weights(weights, at, sizes):
    """Adds embeddings and layers. sizes: tokens, positions, segments, M, inner width, layers."""
    tokens, positions, segments, width, inner, layers = sizes
    weights.normal(at + "embeddings.word_embeddings.weight", tokens, width)
    weights.normal(at + "embeddings.position_embeddings.weight", positions, width)
    weights.normal(at + "embeddings.token_type_embeddings.weight", segments, width)
    weights.norm(at + "embeddings.LayerNorm", width)
    for i in range(layers):
        layer = f"{at}encoder.layer.{i}."
        for part in ("query", "key", "value"):
            weights.linear(f"{layer}attention.self.{part}", width, width)
        weights.linear(layer + "attention.output.dense", width, width)
        weights.norm(layer + "attention.output.LayerNorm", width)
        weights.feed_forward(layer + "intermediate.dense", layer + "output.dense", width, inner)
        weights.norm(layer + "output.LayerNorm", width)


def bert_layer(values, at):
    names = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
             "o": "attention.output.dense", "in": "intermediate.dense", "out": "output.dense"}
    return {part: linear(values, at + name) for part, name in names.items()} | {
        "first": gains(values, at + "attention.output.LayerNorm"), "second": gains(values, at + "output.LayerNorm")}


def embed(values, at, ids, rules):
    """Returns normed embeddings [B, T, M]. offset: the row of the first position; segment: the row
    of every token or rows [B, T], None for a model without segments."""
    ids = np.asarray(ids)
    words = values[at + "word_embeddings.weight"]
    scale = words.shape[1] ** 0.5 if rules.get("embedding_scale") else 1
    x = words[ids] * scale + values[at + "position_embeddings.weight"][np.arange(ids.shape[1]) + rules["offset"]]
    if rules["segment"] is not None:
        x = x + values[at + "token_type_embeddings.weight"][rules["segment"]]
    if not rules.get("embedding_norm", True):
        return x
    return normalize(x, gains(values, at + "LayerNorm"), rules["epsilon"])


def bert_states(values, at, ids, lengths, rules):
    """Returns the last states and attention.N."""
    count = sum(name.endswith(".intermediate.dense.bias") for name in values)
    x = embed(values, at + "embeddings.", ids, rules)
    layers = [bert_layer(values, f"{at}encoder.layer.{i}.") for i in range(count)]
    x, maps = run_layers(x, layers, lengths, rules)
    return {"states": x} | {f"attention.{i}": weights for i, weights in enumerate(maps)}


def masked_words(x, parts, rules):
    """Returns logits [B, T, V]. parts: dense and norm of the head, words [V, M], bias [V]."""
    dense, norm, words, bias = parts
    x = ACTIVATIONS[rules["head_activation"]](affine(x, dense))
    if rules.get("head_norm", True):
        x = normalize(x, norm, rules["epsilon"])
    if not rules.get("tied", True):
        words = 0.3 * np.random.RandomState(99).standard_normal(words.shape)
    return x @ words.T + (bias if rules.get("head_bias", True) else 0)


def pooled(states, lengths, rules):
    """Returns the state that a classifier reads [B, M]: the first, or by a mutation another."""
    place = rules.get("pooled", "first")
    if place == "first":
        return states[:, 0]
    if place == "last":
        return states[np.arange(len(states)), np.asarray(lengths) - 1]
    return np.stack([x[:length].mean(0) for x, length in zip(states, lengths)])


def classifier(x, dense, out, rules):
    """Returns logits [B, L] of two layers."""
    return affine(ACTIVATIONS[rules["head_activation"]](affine(x, dense)), out)


def labels(names):
    """Returns the keys of a config that name labels."""
    return {"id2label": {str(i): name for i, name in enumerate(names)},
            "label2id": {name: i for i, name in enumerate(names)}}


CLASSIFIER = {
    "head: reads the last state": {"pooled": "last"},
    "head: reads the mean": {"pooled": "mean"},
    "head: no activation": {"head_activation": "none"},
}
