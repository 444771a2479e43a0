"""DistilBERT: models/distilbert/modeling_distilbert.py.

No segments, no pooler; ε is 1e-12 and stands in no config.

huggingface_distilbert/      DistilBertForSequenceClassification: pre_classifier, relu, classifier
                             on the first state
huggingface_distilbert_mlm/  DistilBertForMaskedLM: vocab_transform, the activation of the config,
                             vocab_layer_norm, tied scores; sinusoidal_pos_embds, whose table is
                             stored as any other; BF16
"""

import numpy as np

from family import encoders
from family.files import Weights, rounded
from family.folder import Folder
from family.tokenizers import WordPiece, padded
from family.transformer import cut, gains, linear, run_layers

M, HEADS, LAYERS, INNER, POSITIONS, UNUSED = 24, 4, 2, 37, 13, 1
AT = "distilbert."
CLASSES = ["NEGATIVE", "POSITIVE"]
WORDS = ["[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "!", "'", ",", ".", "a", "and", "b",
         "bad", "cafe", "cat", "c", "d", "dog", "e", "film", "fun", "good", "great", "in", "is", "it", "man", "not",
         "of", "old", "on", "s", "sat", "seen", "so", "the", "this", "to", "very", "was", "we", "who", "with",
         "you", "##s", "##ly", "##ing", "##ed", "##er", "##est", "##n", "##t", "##m", "##a", "##e", "1", "##2",
         "\u4e2d"]
MUTATIONS = encoders.MUTATIONS | {
    "ε 1e-5": {"epsilon": 1e-5},
    "ε 1e-6": {"epsilon": 1e-6},
    "positions + 1": {"offset": 1},
    "positions + 2": {"offset": 2},
}


def config_of(architecture, **more):
    return {"activation": "gelu", "architectures": [architecture], "attention_dropout": 0.1, "dim": M, "dropout": 0.1,
            "hidden_dim": INNER, "initializer_range": 0.02, "max_position_embeddings": POSITIONS,
            "model_type": "distilbert", "n_heads": HEADS, "n_layers": LAYERS, "output_past": True, "pad_token_id": 0,
            "qa_dropout": 0.1, "seq_classif_dropout": 0.2, "sinusoidal_pos_embds": False, "tie_weights_": True,
            "torch_dtype": "float32", "transformers_version": "4.30.2", "vocab_size": len(WORDS) + UNUSED, **more}


def random_weights(seed, dtype):
    weights = Weights(seed, dtype)
    weights.normal(AT + "embeddings.word_embeddings.weight", len(WORDS) + UNUSED, M)
    weights.normal(AT + "embeddings.position_embeddings.weight", POSITIONS, M)
    weights.norm(AT + "embeddings.LayerNorm", M)
    for i in range(LAYERS):
        at = f"{AT}transformer.layer.{i}."
        for part in ("q_lin", "k_lin", "v_lin", "out_lin"):
            weights.linear(f"{at}attention.{part}", M, M)
        weights.norm(at + "sa_layer_norm", M)
        weights.feed_forward(at + "ffn.lin1", at + "ffn.lin2", M, INNER)
        weights.norm(at + "output_layer_norm", M)
    return weights


def quiet(weights):
    """Makes the sum of [CLS] and the first position small."""
    weights.quiet((AT + "embeddings.position_embeddings.weight", 0),
                  (AT + "embeddings.word_embeddings.weight", WORDS.index("[CLS]")))


def layer_of(values, at):
    names = {"q": "attention.q_lin", "k": "attention.k_lin", "v": "attention.v_lin", "o": "attention.out_lin",
             "in": "ffn.lin1", "out": "ffn.lin2"}
    return {part: linear(values, at + name) for part, name in names.items()} | {
        "first": gains(values, at + "sa_layer_norm"), "second": gains(values, at + "output_layer_norm")}


def states(values, ids, lengths, rules):
    x = encoders.embed(values, AT + "embeddings.", ids, rules)
    layers = [layer_of(values, f"{AT}transformer.layer.{i}.") for i in range(LAYERS)]
    x, maps = run_layers(x, layers, lengths, rules)
    return {"states": x} | {f"attention.{i}": weights for i, weights in enumerate(maps)}


RULES = {"heads": HEADS, "norm": "post", "epsilon": 1e-12, "activation": "gelu", "causal": False, "offset": 0,
         "segment": None}


def files_of(tokenizer):
    return {"tokenizer.json": tokenizer.json(),
            "tokenizer_config.json": {"cls_token": "[CLS]", "do_lower_case": True, "mask_token": "[MASK]",
                                      "model_max_length": POSITIONS, "pad_token": "[PAD]", "sep_token": "[SEP]",
                                      "strip_accents": None, "tokenize_chinese_chars": True,
                                      "tokenizer_class": "DistilBertTokenizer", "unk_token": "[UNK]"}}


def classifier():
    tokenizer = WordPiece(WORDS)
    weights = random_weights(7, "F32")
    quiet(weights)
    weights.linear("pre_classifier", M, M)
    weights.linear("classifier", len(CLASSES), M)
    lines = ["This Café is GREAT!", "badly seen", "so-so, \u4e2d12!"]
    ids, lengths = padded([tokenizer.encode(line) for line in lines], 0)

    def compute(rules):
        outputs = cut(states(weights.values, ids, lengths, rules), lengths)
        x = encoders.pooled(outputs["states"], lengths, rules)
        return outputs | {"logits": encoders.classifier(x, linear(weights.values, "pre_classifier"),
                                                        linear(weights.values, "classifier"), rules)}

    config = config_of("DistilBertForSequenceClassification", finetuning_task="sst-2", **encoders.labels(CLASSES))
    return Folder("huggingface_distilbert", config, weights, files_of(tokenizer),
                  {"ids": ids, "lengths": lengths, "lines": "\n".join(lines)}, compute,
                  RULES | {"head_activation": "relu"},
                  MUTATIONS | encoders.CLASSIFIER | {"head: tanh": {"head_activation": "tanh"}})


def sinusoids():
    """Returns sin in even columns and cos in odd ones [P, M]."""
    angles = np.arange(POSITIONS)[:, None] / 10000 ** (np.arange(0, M, 2) / M)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(POSITIONS, M)


def masked_model():
    tokenizer = WordPiece(WORDS)
    weights = random_weights(18, "BF16")
    weights.values[AT + "embeddings.position_embeddings.weight"] = rounded(sinusoids(), "BF16")
    quiet(weights)
    weights.linear("vocab_transform", M, M)
    weights.lower("vocab_transform.bias")
    weights.norm("vocab_layer_norm", M)
    weights.normal("vocab_projector.bias", len(WORDS) + UNUSED)
    lines = ["the [MASK] sat on it.", "a very [MASK] cat"]
    ids, lengths = padded([tokenizer.encode(line) for line in lines], 0)

    def compute(rules):
        values = weights.values
        outputs = states(values, ids, lengths, rules)
        parts = (linear(values, "vocab_transform"), gains(values, "vocab_layer_norm"),
                 values[AT + "embeddings.word_embeddings.weight"], values["vocab_projector.bias"])
        return cut(outputs | {"logits": encoders.masked_words(outputs["states"], parts, rules)}, lengths)

    config = config_of("DistilBertForMaskedLM", sinusoidal_pos_embds=True) | {"torch_dtype": "bfloat16"}
    return Folder("huggingface_distilbert_mlm", config, weights, files_of(tokenizer),
                  {"ids": ids, "lengths": lengths, "lines": "\n".join(lines)}, compute,
                  RULES | {"head_activation": "gelu"}, MUTATIONS | encoders.MASKED_WORDS)


def folders():
    return [classifier(), masked_model()]
