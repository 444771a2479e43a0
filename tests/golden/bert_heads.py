#!/usr/bin/env python3
"""Writes BERTs with heads as Hugging Face's Transformers save them, and what they
compute, with Python's standard library alone.

The layout and the formulas are those of huggingface/transformers:
models/bert/modeling_bert.py (BertForTokenClassification,
BertForSequenceClassification), models/bert/tokenization_bert.py and the format
of tokenizer.json of huggingface/tokenizers. Weights are random; sums are in
double precision. Nothing is taken from Heed.

huggingface_tags/     BertForTokenClassification, vocab.txt, cased; labels in no
                      order of their names; a pooler that no tag depends on
huggingface_classes/  BertForSequenceClassification, tokenizer.json alone,
                      lower-cased with accents

Each holds expected.json: of each line its words, the ids that are read, and the
scores of the labels by their names. wordpiece_rules.json holds pieces by the
rules of tokenizers: lowercase, strip_accents, split_chinese.

Run it in this folder: python3 bert_heads.py
"""

import json
import math
import os
import random
import struct
import unicodedata

M, HEADS, FF, LAYERS, POSITIONS, SEGMENTS = 8, 2, 12, 2, 16, 2
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
CASED = SPECIALS + ["Der", "Mann", "##s", "sah", "Berlin", "##er", ".", ",", "Anna", "##lena", "in", "!"]
ACCENTS = SPECIALS + ["ein", "sch\u00f6n", "##er", "film", "oh", "##ne", "\u00fcber", "##raschung", ".", "!", "schon",
                      "uber", "nicht", "\u4e2d", "\u6587"]
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
CLASSES = ["pos", "neg", "mixed"]
TAGGED = ["Der Mann sah Annalena", "Anna sah Berliner Manns !", "in Berlin , Xaver ."]
CLASSIFIED = ["Ein SCH\u00d6NER Film !", "nicht \u00fcberraschung", "ohne \u4e2d\u6587 film .", "schon schoner"]


# The WordPiece tokenizer.

def is_chinese(c):
    blocks = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
              (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))
    return any(first <= ord(c) <= last for first, last in blocks)


def is_punctuation(c):
    if ord(c) < 128:
        return c in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    return unicodedata.category(c).startswith("P")


def basic_tokens(text, lowercase, strip_accents, split_chinese):
    clean = "".join(c for c in text if c in "\t\n\r" or unicodedata.category(c) not in ("Cc", "Cf"))
    if split_chinese:
        clean = "".join(f" {c} " if is_chinese(c) else c for c in clean)
    tokens = []
    for word in clean.split():
        if lowercase:
            word = word.lower()
        if strip_accents:
            word = "".join(c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn")
        part = ""
        for c in word:
            if is_punctuation(c):
                tokens += [part, c] if part else [c]
                part = ""
            else:
                part += c
        tokens += [part] if part else []
    return tokens


def pieces_of(word, vocabulary):
    """Splits a word into pieces by longest match first."""
    pieces, begin = [], 0
    while begin < len(word):
        for end in range(len(word), begin, -1):
            piece = ("##" if begin else "") + word[begin:end]
            if piece in vocabulary:
                break
        else:
            return ["[UNK]"]
        pieces.append(piece)
        begin = end
    return pieces


def tokenize(text, vocabulary, rules):
    return [piece for word in basic_tokens(text, **rules) for piece in pieces_of(word, vocabulary)]


# BERT's forward pass; matrices are lists of rows.

def values_of(vocabulary, labels, pooler, seed):
    source = random.Random(seed)
    values = {}

    def add(name, *shape, around=0.0):
        def numbers(dims):
            if not dims:
                number = around + source.gauss(0, 0.4)
                return struct.unpack("<f", struct.pack("<f", number))[0]  # rounded as in the file
            return [numbers(dims[1:]) for _ in range(dims[0])]
        values[name] = numbers(shape)

    def linear(name, out, inputs):
        add(name + ".weight", out, inputs)
        add(name + ".bias", out)

    def norm(name):
        add(name + ".weight", M, around=1.0)
        add(name + ".bias", M)

    at = "bert.embeddings."
    add(at + "word_embeddings.weight", vocabulary, M)
    add(at + "position_embeddings.weight", POSITIONS, M)
    add(at + "token_type_embeddings.weight", SEGMENTS, M)
    norm(at + "LayerNorm")
    for i in range(LAYERS):
        at = f"bert.encoder.layer.{i}."
        for part in ("query", "key", "value"):
            linear(at + "attention.self." + part, M, M)
        linear(at + "attention.output.dense", M, M)
        norm(at + "attention.output.LayerNorm")
        linear(at + "intermediate.dense", FF, M)
        linear(at + "output.dense", M, FF)
        norm(at + "output.LayerNorm")
    if pooler:
        linear("bert.pooler.dense", M, M)
    linear("classifier", labels, M)
    return values


class Bert:
    def __init__(self, values):
        self.values = values

    def linear(self, name, rows):
        weight, bias = self.values[name + ".weight"], self.values[name + ".bias"]
        return [[sum(a * b for a, b in zip(w, row)) + c for w, c in zip(weight, bias)] for row in rows]

    def norm(self, name, rows):
        result = []
        for row in rows:
            mean = sum(row) / M
            variance = sum((x - mean) ** 2 for x in row) / M
            result.append([(x - mean) / math.sqrt(variance + 1e-12) * g + b for x, g, b in
                           zip(row, self.values[name + ".weight"], self.values[name + ".bias"])])
        return result

    def layer(self, at, rows):
        q, k, v = (self.linear(at + "attention.self." + part, rows) for part in ("query", "key", "value"))
        width = M // HEADS
        context = [[] for _ in rows]
        for head in range(HEADS):
            part = slice(head * width, (head + 1) * width)
            for t, query in enumerate(q):
                scores = [sum(a * b for a, b in zip(query[part], key[part])) / math.sqrt(width) for key in k]
                weights = [math.exp(score - max(scores)) for score in scores]
                total = sum(weights)
                context[t] += [sum(w * row[part][j] for w, row in zip(weights, v)) / total for j in range(width)]
        added = self.linear(at + "attention.output.dense", context)
        rows = self.norm(at + "attention.output.LayerNorm",
                         [[a + b for a, b in zip(*pair)] for pair in zip(rows, added)])
        inner = [[x / 2 * (1 + math.erf(x / math.sqrt(2))) for x in row]
                 for row in self.linear(at + "intermediate.dense", rows)]
        added = self.linear(at + "output.dense", inner)
        return self.norm(at + "output.LayerNorm", [[a + b for a, b in zip(*pair)] for pair in zip(rows, added)])

    def states(self, ids):
        at = "bert.embeddings."
        rows = [[a + b + c for a, b, c in zip(self.values[at + "word_embeddings.weight"][i],
                                              self.values[at + "position_embeddings.weight"][p],
                                              self.values[at + "token_type_embeddings.weight"][0])]
                for p, i in enumerate(ids)]
        rows = self.norm(at + "LayerNorm", rows)
        for i in range(LAYERS):
            rows = self.layer(f"bert.encoder.layer.{i}.", rows)
        return rows

    def scores(self, ids, places):
        """Returns label scores from the states at some positions; None: from the pooled first
        state."""
        states = self.states(ids)
        if places is None:
            rows = [[math.tanh(x) for x in row] for row in self.linear("bert.pooler.dense", states[:1])]
        else:
            rows = [states[p] for p in places]
        return self.linear("classifier", rows)


# Files.

def flat(values):
    return [number for row in values for number in flat(row)] if isinstance(values, list) else [values]


def shape_of(values):
    return [len(values)] + shape_of(values[0]) if isinstance(values, list) else []


def save_weights(folder, values):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name in sorted(values):
        numbers = flat(values[name])
        size = 4 * len(numbers)
        header[name] = {"dtype": "F32", "shape": shape_of(values[name]),
                        "data_offsets": [len(data), len(data) + size]}
        data += struct.pack(f"<{len(numbers)}f", *numbers)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(f"{folder}/model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def save_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1, ensure_ascii=False)
        file.write("\n")


def save_config(folder, architecture, vocabulary, labels, **more):
    save_json(folder + "/config.json", {
        "_num_labels": len(labels), "architectures": [architecture], "attention_probs_dropout_prob": 0.1,
        "classifier_dropout": None, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": M,
        "id2label": {str(i): label for i, label in enumerate(labels)}, "initializer_range": 0.02,
        "intermediate_size": FF, "label2id": {label: i for i, label in enumerate(labels)},
        "layer_norm_eps": 1e-12, "max_position_embeddings": POSITIONS, "model_type": "bert",
        "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "output_past": True, "pad_token_id": 0,
        "position_embedding_type": "absolute", "torch_dtype": "float32", "transformers_version": "4.44.0",
        "type_vocab_size": SEGMENTS, "use_cache": True, "vocab_size": len(vocabulary), **more})


def by_name(labels, scores):
    return {label: round(score, 7) for label, score in zip(labels, scores)}


def write_tags(folder):
    os.makedirs(folder, exist_ok=True)
    rules = {"lowercase": False, "strip_accents": False, "split_chinese": True}
    with open(folder + "/vocab.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(CASED) + "\n")
    save_json(folder + "/tokenizer_config.json", {"do_lower_case": False, "model_max_length": POSITIONS,
                                                  "tokenizer_class": "BertTokenizer"})
    save_config(folder, "BertForTokenClassification", CASED, TAGS)
    values = values_of(len(CASED), len(TAGS), True, 1)
    save_weights(folder, values)
    expected = []
    for line in TAGGED:
        pieces, first = ["[CLS]"], []
        for word in line.split():
            first.append(len(pieces))
            pieces += tokenize(word, CASED, rules)
        ids = [CASED.index(piece) for piece in pieces + ["[SEP]"]]
        scores = Bert(values).scores(ids, first)
        expected.append({"words": line.split(), "ids": ids, "scores": [by_name(TAGS, row) for row in scores]})
    save_json(folder + "/expected.json", expected)


def write_classes(folder):
    os.makedirs(folder, exist_ok=True)
    rules = {"lowercase": True, "strip_accents": False, "split_chinese": True}
    save_json(folder + "/tokenizer.json", {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True} for i, token in enumerate(SPECIALS)],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": False, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
            "pair": [], "special_tokens": {}},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {token: i for i, token in enumerate(ACCENTS)}}})
    save_config(folder, "BertForSequenceClassification", ACCENTS, CLASSES,
                problem_type="single_label_classification")
    values = values_of(len(ACCENTS), len(CLASSES), True, 2)
    save_weights(folder, values)
    expected = []
    for line in CLASSIFIED:
        ids = [ACCENTS.index(piece) for piece in ["[CLS]"] + tokenize(line, ACCENTS, rules) + ["[SEP]"]]
        expected.append({"text": line, "ids": ids,
                         "scores": by_name(CLASSES, Bert(values).scores(ids, None)[0])})
    save_json(folder + "/expected.json", expected)


def write_rules(path):
    vocabulary = SPECIALS + ["a", "b", "o", "u", "e", "\u00e9", "\u00fc", "##a", "##b", "##e", "##\u00e9", "##\u00fc",
                             "##u", "A", "B", "E", "\u00dc", "U", "\u4e2d", "\u6587", "##\u4e2d", "##\u6587", ".", ","]
    texts = ["a\u00e9b", "A\u00c9B", "\u00dcb \u00fc U", "u\u0308a", "a\u4e2d\u6587b", "\u4e2d\u6587", "B,a.\u00e9",
             "\u4e2da \u6587", "\u00c9\u4e2d"]
    cases = []
    for number in range(8):
        rules = {"lowercase": number < 4, "strip_accents": number % 4 < 2, "split_chinese": number % 2 == 0}
        cases.append({**rules, "pieces": [tokenize(text, vocabulary, rules) for text in texts]})
    save_json(path, {"vocabulary": vocabulary, "texts": texts, "rules": cases})


if __name__ == "__main__":
    write_tags("huggingface_tags")
    write_classes("huggingface_classes")
    write_rules("wordpiece_rules.json")
