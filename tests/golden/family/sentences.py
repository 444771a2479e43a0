"""A folder of sentence-transformers: modules of sentence_transformers/models.

huggingface_sentences/  BertModel without prefix (position_ids and a pooler without use), the mean
                        of the states, Dense with tanh, and vectors of length 1

A prompt stands before its text ("query: " + text) and counts in the mean. Texts beyond
max_seq_length tokens are truncated; [SEP] stays. Normalize has no folder: a repository keeps none
that is empty.
"""

import numpy as np

from family import encoders
from family.files import Weights
from family.folder import Folder
from family.tokenizers import WordPiece, padded
from family.transformer import ACTIVATIONS, affine, cut, linear

M, HEADS, LAYERS, INNER, POSITIONS, LONGEST, OUT = 24, 4, 2, 37, 16, 12, 13
WORDS = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "!", ",", ".", ":", "?", "a", "and",
         "at", "bird", "by", "cat", "dog", "eat", "fish", "from", "he", "her", "his", "house", "in", "is", "it",
         "man", "mat", "new", "not", "old", "on", "pass", "query", "ran", "run", "sat", "see", "she", "tail", "that",
         "the", "they", "to", "two", "was", "we", "what", "where", "who", "with", "you", "##s", "##age", "##ing",
         "##er", "##ed", "##n"]
PROMPTS = {"query": "query: ", "document": "passage: "}
LINES = [("query", "Where is the cat?"), ("document", "the old cat sat on the mat, and two dogs ran to the house."),
         ("document", "We see a fish."), ("", "Where is the cat?")]
MUTATIONS = encoders.MUTATIONS | encoders.SEGMENTS | {
    "ε 1e-5": {"epsilon": 1e-5},
    "ε 1e-6": {"epsilon": 1e-6},
    "positions + 1": {"offset": 1},
    "segment 1": {"segment": 1},
    "state of [CLS]": {"pooling": "cls"},
    "mean over padding": {"pooling": "padding"},
    "mean without [CLS] and [SEP]": {"pooling": "words"},
    "maximum": {"pooling": "max"},
    "sum / √length": {"pooling": "sqrt"},
    "Dense without activation": {"dense_activation": "none"},
    "Dense without bias": {"dense_bias": False},
    "no Dense": {"dense": False},
    "no Normalize": {"normalize": False},
    "pooler before the mean": {"pooler": True},
}


def mean_of(states, lengths, kind):
    """Returns one vector for each text [B, M]: the mean, or by a mutation another."""
    rows = []
    for x, length in zip(states, lengths):
        known = x[:length]
        rows.append({"mean": known.mean(0), "cls": x[0], "padding": x.mean(0), "words": known[1:-1].mean(0),
                     "max": known.max(0), "sqrt": known.sum(0) / length**0.5}[kind])
    return np.stack(rows)


def compute(weights, dense, ids, lengths, rules):
    outputs = encoders.bert_states(weights.values, "", ids, lengths, rules)
    states = outputs["states"]
    if rules.get("pooler"):
        states = np.tanh(affine(states, linear(weights.values, "pooler.dense")))
    pooled = mean_of(states, lengths, rules.get("pooling", "mean"))
    x = pooled
    if rules.get("dense", True):
        weight, bias = linear(dense.values, "linear")
        x = ACTIVATIONS[rules["dense_activation"]](affine(x, (weight, bias if rules.get("dense_bias", True) else 0)))
    x = x[:, :OUT]  # cuts the mutation without Dense to the right shape
    if rules.get("normalize", True):
        x = x / np.sqrt((x**2).sum(-1, keepdims=True))
    return cut(outputs, lengths) | {"pooled": pooled, "embeddings": x, "similarities": x @ x.T}


def modules():
    names = {"Transformer": "", "Pooling": "1_Pooling", "Dense": "2_Dense", "Normalize": "3_Normalize"}
    return [{"idx": i, "name": str(i), "path": path, "type": "sentence_transformers.models." + kind}
            for i, (kind, path) in enumerate(names.items())]


def tokenizer_config(longest):
    return {"cls_token": "[CLS]", "do_lower_case": True, "mask_token": "[MASK]", "model_max_length": longest,
            "pad_token": "[PAD]", "sep_token": "[SEP]", "strip_accents": None, "tokenize_chinese_chars": True,
            "tokenizer_class": "BertTokenizer", "unk_token": "[UNK]"}


def files_of(tokenizer):
    modes = ("cls_token", "max_tokens", "mean_sqrt_len_tokens", "mean_tokens", "weightedmean_tokens", "lasttoken")
    pooling = {"pooling_mode_" + mode: mode == "mean_tokens" for mode in modes}
    return {"tokenizer.json": tokenizer.json(),
            "tokenizer_config.json": tokenizer_config(POSITIONS),
            "modules.json": modules(),
            "sentence_bert_config.json": {"do_lower_case": False, "max_seq_length": LONGEST},
            "config_sentence_transformers.json": {
                "__version__": {"pytorch": "2.1.0", "sentence_transformers": "3.0.1", "transformers": "4.41.2"},
                "default_prompt_name": None, "prompts": PROMPTS, "similarity_fn_name": "cosine"},
            "1_Pooling/config.json": {"include_prompt": True, "word_embedding_dimension": M} | pooling,
            "2_Dense/config.json": {"activation_function": "torch.nn.modules.activation.Tanh", "bias": True,
                                    "in_features": M, "out_features": OUT}}


def folders():
    tokenizer = WordPiece(WORDS)
    weights, dense = Weights(9), Weights(10)
    encoders.bert_weights(weights, "", (len(WORDS), POSITIONS, 2, M, INNER, LAYERS))
    weights.linear("pooler.dense", M, M)
    weights.quiet(("embeddings.word_embeddings.weight", WORDS.index("[CLS]")),
                  ("embeddings.token_type_embeddings.weight", 0), ("embeddings.position_embeddings.weight", 0))
    weights.buffers["embeddings.position_ids"] = ("I64", np.arange(POSITIONS)[None])
    dense.linear("linear", OUT, M)
    encoded = [tokenizer.encode(PROMPTS.get(prompt, "") + line) for prompt, line in LINES]
    ids, lengths = padded([row[:LONGEST - 1] + row[-1:] if len(row) > LONGEST else row for row in encoded], 0)
    config = {"architectures": ["BertModel"], "attention_probs_dropout_prob": 0.1, "classifier_dropout": None,
              "gradient_checkpointing": False, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": M,
              "initializer_range": 0.02, "intermediate_size": INNER, "layer_norm_eps": 1e-12,
              "max_position_embeddings": POSITIONS, "model_type": "bert", "num_attention_heads": HEADS,
              "num_hidden_layers": LAYERS, "pad_token_id": 0, "position_embedding_type": "absolute",
              "torch_dtype": "float32", "transformers_version": "4.41.2", "type_vocab_size": 2, "use_cache": True,
              "vocab_size": len(WORDS)}
    rules = {"heads": HEADS, "norm": "post", "epsilon": 1e-12, "activation": "gelu", "causal": False, "offset": 0,
             "segment": 0, "dense_activation": "tanh"}
    inputs = {"ids": ids, "lengths": lengths, "lines": "\n".join(line for _, line in LINES),
              "prompts": "\n".join(prompt for prompt, _ in LINES)}
    return [Folder("huggingface_sentences", config, weights, files_of(tokenizer), inputs,
                   lambda rules: compute(weights, dense, ids, lengths, rules), rules, MUTATIONS, "embeddings",
                   parts={"2_Dense": dense})]
