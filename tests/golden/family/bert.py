"""BERT with a head: BertForSequenceClassification of models/bert/modeling_bert.py.

huggingface_bert_pairs/  classes of pairs of texts: [CLS] A [SEP] B [SEP] with segments 0 and 1, the
                         pooler (tanh) and the classifier; hidden_act gelu_new

bert_heads.py writes tags and classes of single texts, without attention weights.
"""

import numpy as np

from family import encoders
from family.files import Weights
from family.folder import Folder
from family.sentences import WORDS, tokenizer_config
from family.tokenizers import WordPiece, padded
from family.transformer import cut, linear

M, HEADS, LAYERS, INNER, POSITIONS = 24, 4, 2, 37, 18
AT = "bert."
CLASSES = ["entailment", "neutral", "contradiction"]
PAIRS = [("The old man sat.", "he ran"), ("two dogs", "We see her cat!"), ("Who is not in the house?", "")]
MUTATIONS = encoders.MUTATIONS | encoders.SEGMENTS | encoders.CLASSIFIER | {
    "gelu by erf": {"activation": "gelu"},
    "ε 1e-5": {"epsilon": 1e-5},
    "ε 1e-6": {"epsilon": 1e-6},
    "positions + 1": {"offset": 1},
    "segment 0 for all": {"segment": 0},
    "head: relu": {"head_activation": "relu"},
}
del MUTATIONS["gelu by tanh"]


def encode(tokenizer, pair):
    """Returns ids and segments of one text or two."""
    first, second = (tokenizer.encode(text) for text in pair)
    if not pair[1]:
        return first, [0] * len(first)
    return first + second[1:], [0] * len(first) + [1] * (len(second) - 1)


def folders():
    tokenizer = WordPiece(WORDS)
    weights = Weights(11)
    encoders.bert_weights(weights, AT, (len(WORDS), POSITIONS, 2, M, INNER, LAYERS))
    weights.linear(AT + "pooler.dense", M, M)
    weights.linear("classifier", len(CLASSES), M)
    weights.quiet((AT + "embeddings.word_embeddings.weight", WORDS.index("[CLS]")),
                  (AT + "embeddings.token_type_embeddings.weight", 0),
                  (AT + "embeddings.position_embeddings.weight", 0))
    encoded = [encode(tokenizer, pair) for pair in PAIRS]
    ids, lengths = padded([row for row, _ in encoded], 0)
    segments, _ = padded([row for _, row in encoded], 0)
    config = {"architectures": ["BertForSequenceClassification"], "attention_probs_dropout_prob": 0.1,
              "classifier_dropout": None, "hidden_act": "gelu_new", "hidden_dropout_prob": 0.1, "hidden_size": M,
              "initializer_range": 0.02, "intermediate_size": INNER, "layer_norm_eps": 1e-12,
              "max_position_embeddings": POSITIONS, "model_type": "bert", "num_attention_heads": HEADS,
              "num_hidden_layers": LAYERS, "pad_token_id": 0, "position_embedding_type": "absolute",
              "problem_type": "single_label_classification", "torch_dtype": "float32",
              "transformers_version": "4.30.2", "type_vocab_size": 2, "use_cache": True, "vocab_size": len(WORDS),
              **encoders.labels(CLASSES)}

    def compute(rules):
        outputs = cut(encoders.bert_states(weights.values, AT, ids, lengths, rules), lengths)
        x = encoders.pooled(outputs["states"], lengths, rules)
        return outputs | {"logits": encoders.classifier(x, linear(weights.values, AT + "pooler.dense"),
                                                        linear(weights.values, "classifier"), rules)}

    rules = {"heads": HEADS, "norm": "post", "epsilon": 1e-12, "activation": "gelu_new", "causal": False,
             "offset": 0, "segment": np.array(segments), "head_activation": "tanh"}
    files = {"tokenizer.json": tokenizer.json(), "tokenizer_config.json": tokenizer_config(POSITIONS)}
    inputs = {"ids": ids, "lengths": lengths, "segments": segments,
              "lines": "\n".join("\t".join(pair) if pair[1] else pair[0] for pair in PAIRS)}
    return [Folder("huggingface_bert_pairs", config, weights, files, inputs, compute, rules, MUTATIONS)]
