"""RoBERTa and its kin: models/roberta/modeling_roberta.py, with xlm_roberta and camembert.

BERT's layout with prefix roberta. (all three), one row of segments, and positions from row
pad_token_id + 1 = 2 on, so that two rows of the table are unused.

huggingface_roberta/      RobertaForMaskedLM: lm_head with tied scores, a pooler without use, the
                          buffer position_ids; <s> 0 <pad> 1 </s> 2 <unk> 3, <mask> last
huggingface_xlm_roberta/  XLMRobertaForTokenClassification: 11 labels, so that an order of their
                          numbers as texts is wrong
huggingface_camembert/    CamembertForSequenceClassification: dense, tanh, out_proj on the first
                          state; <s> 5 </s> 6 <pad> 1, a label beyond ASCII

The tokenizers of xlm-roberta and camembert are Unigram with Precompiled, which Heed does not read:
both folders have a byte-level BPE instead, with the ids of their special tokens.
"""

import numpy as np

from family import encoders
from family.files import Weights
from family.folder import Folder
from family.tokenizers import ByteBpe, padded, template
from family.transformer import affine, cut, gains, linear

HEADS, LAYERS, INNER, POSITIONS = 4, 2, 37, 24
FRONT = ["<s>", "<pad>", "</s>", "<unk>"]
AT = "roberta."
TAGS = ["O", "B-DATE", "I-DATE", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC", "B-MISC", "I-MISC"]
CLASSES = ["positif", "n\u00e9gatif", "neutre"]
MUTATIONS = encoders.MUTATIONS | encoders.SEGMENTS | {
    "ε 1e-12": {"epsilon": 1e-12},
    "ε 1e-6": {"epsilon": 1e-6},
    "positions from row 0": {"offset": 0},
    "positions from row 1": {"offset": 1},
    "positions from row 3": {"offset": 3},
}


def config_of(architecture, model_type, sizes, **more):
    tokens, width = sizes
    return {"architectures": [architecture], "attention_probs_dropout_prob": 0.1, "bos_token_id": 0,
            "classifier_dropout": None, "eos_token_id": 2, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
            "hidden_size": width, "initializer_range": 0.02, "intermediate_size": INNER, "layer_norm_eps": 1e-05,
            "max_position_embeddings": POSITIONS, "model_type": model_type, "num_attention_heads": HEADS,
            "num_hidden_layers": LAYERS, "pad_token_id": 1, "position_embedding_type": "absolute",
            "torch_dtype": "float32", "transformers_version": "4.30.2", "type_vocab_size": 1, "use_cache": True,
            "vocab_size": tokens, **more}


def rules_of(config, **more):
    return {"heads": HEADS, "norm": "post", "epsilon": config["layer_norm_eps"], "activation": "gelu",
            "causal": False, "offset": config["pad_token_id"] + 1, "segment": 0, **more}


def random_weights(seed, config):
    weights = Weights(seed)
    encoders.bert_weights(weights, AT, (config["vocab_size"], POSITIONS, 1, config["hidden_size"], INNER, LAYERS))
    weights.quiet((AT + "embeddings.word_embeddings.weight", config["bos_token_id"]),
                  (AT + "embeddings.token_type_embeddings.weight", 0),
                  (AT + "embeddings.position_embeddings.weight", config["pad_token_id"] + 1))
    return weights


def tokenizer_config(kind, **more):
    return {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "mask_token": "<mask>",
            "model_max_length": POSITIONS - 2, "pad_token": "<pad>", "sep_token": "</s>", "tokenizer_class": kind,
            "unk_token": "<unk>", **more}


def pair_template(ids):
    """Returns <s> A </s> and <s> A </s> </s> B </s>, all of segment 0."""
    single = [("<s>", 0), ("A", 0), ("</s>", 0)]
    return template(single, single + [("</s>", 0), ("B", 0), ("</s>", 0)], ids)


def masked_model():
    tokenizer = ByteBpe(FRONT, ["<mask>"], 26, pairs_as_lists=True, begin=["<s>"], finish=["</s>"])
    config = config_of("RobertaForMaskedLM", "roberta", (len(tokenizer.ids), 28))
    weights = random_weights(4, config)
    weights.linear(AT + "pooler.dense", 28, 28)
    weights.linear("lm_head.dense", 28, 28)
    weights.lower("lm_head.dense.bias")
    weights.norm("lm_head.layer_norm", 28)
    weights.normal("lm_head.bias", len(tokenizer.ids))
    weights.buffers[AT + "embeddings.position_ids"] = ("I64", np.arange(POSITIONS)[None])
    lines = ["the cat <mask> on it.", "café, 12<mask>"]
    ids, lengths = padded([tokenizer.encode(line) for line in lines], 1)

    def compute(rules):
        values = weights.values
        outputs = encoders.bert_states(values, AT, ids, lengths, rules)
        parts = (linear(values, "lm_head.dense"), gains(values, "lm_head.layer_norm"),
                 values[AT + "embeddings.word_embeddings.weight"], values["lm_head.bias"])
        return cut(outputs | {"logits": encoders.masked_words(outputs["states"], parts, rules)}, lengths)

    processor = {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": True,
                 "add_prefix_space": False}
    files = {"tokenizer.json": tokenizer.json(processor),
             "tokenizer_config.json": tokenizer_config("RobertaTokenizer", add_prefix_space=False)}
    return Folder("huggingface_roberta", config, weights, files,
                  {"ids": ids, "lengths": lengths, "lines": "\n".join(lines)}, compute,
                  rules_of(config, head_activation="gelu"), MUTATIONS | encoders.MASKED_WORDS)


def tagger():
    tokenizer = ByteBpe(FRONT, ["<mask>"], 25, add_prefix_space=True, begin=["<s>"], finish=["</s>"])
    config = config_of("XLMRobertaForTokenClassification", "xlm-roberta", (len(tokenizer.ids), 24),
                       output_past=True, **encoders.labels(TAGS))
    weights = random_weights(5, config)
    weights.linear("classifier", len(TAGS), 24)
    lines = ["the old cat ran", "a café in 2013 , there"]
    ids, lengths = padded([tokenizer.encode(line) for line in lines], 1)

    def compute(rules):
        outputs = encoders.bert_states(weights.values, AT, ids, lengths, rules)
        logits = affine(outputs["states"], linear(weights.values, "classifier"))
        order = sorted(range(len(TAGS)), key=str) if rules.get("labels") == "as texts" else range(len(TAGS))
        return cut(outputs | {"logits": logits[..., list(order)]}, lengths)

    files = {"tokenizer.json": tokenizer.json(pair_template(tokenizer.ids)),
             "tokenizer_config.json": tokenizer_config("XLMRobertaTokenizer")}
    first, _ = padded([tokenizer.first_tokens(line) for line in lines], -1)
    return Folder("huggingface_xlm_roberta", config, weights, files,
                  {"ids": ids, "lengths": lengths, "lines": "\n".join(lines), "first": first}, compute,
                  rules_of(config), MUTATIONS | {"labels sorted by their numbers as texts": {"labels": "as texts"}})


def sentence_classifier():
    front = ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>"]
    tokenizer = ByteBpe(front, ["<mask>"], 22, add_prefix_space=True, begin=["<s>"], finish=["</s>"])
    config = config_of("CamembertForSequenceClassification", "camembert", (len(tokenizer.ids), 24),
                       output_past=True, **encoders.labels(CLASSES)) | {"bos_token_id": 5, "eos_token_id": 6}
    weights = random_weights(6, config)
    weights.linear("classifier.dense", 24, 24)
    weights.linear("classifier.out_proj", len(CLASSES), 24)
    lines = ["the café is there", "a cat can't", "12 dogs, and the man sat"]
    ids, lengths = padded([tokenizer.encode(line) for line in lines], 1)

    def compute(rules):
        outputs = cut(encoders.bert_states(weights.values, AT, ids, lengths, rules), lengths)
        x = encoders.pooled(outputs["states"], lengths, rules)
        return outputs | {"logits": encoders.classifier(x, linear(weights.values, "classifier.dense"),
                                                        linear(weights.values, "classifier.out_proj"), rules)}

    files = {"tokenizer.json": tokenizer.json(pair_template(tokenizer.ids)),
             "tokenizer_config.json": tokenizer_config("CamembertTokenizer")}
    return Folder("huggingface_camembert", config, weights, files,
                  {"ids": ids, "lengths": lengths, "lines": "\n".join(lines)}, compute,
                  rules_of(config, head_activation="tanh"),
                  MUTATIONS | encoders.CLASSIFIER | {"head: relu": {"head_activation": "relu"}})


def folders():
    return [masked_model(), tagger(), sentence_classifier()]
