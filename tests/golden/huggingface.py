#!/usr/bin/env python3
"""Writes folders as Hugging Face's Transformers save them, and what they compute.

The layout (config.json, names and shapes of tensors, tokenizer files) and the
formulas are those of huggingface/transformers: models/marian/modeling_marian.py,
models/marian/tokenization_marian.py, models/bert/modeling_bert.py. Weights are
random, numbers come from PyTorch's functions in f64. Nothing is taken from Heed.

huggingface_marian/  MarianMT: embeddings tied, a vocabulary of both languages
                     over two SentencePiece models, one mark of a language
huggingface_bert/    BertForPreTraining, with gamma and beta as old conversions
                     call them, and position_ids

Each holds expected.npz besides. MarianMT: source [B, S] with lengths, target
[B, T] (the decoder starts from <pad>), logits [B, T, V], lines of text. BERT:
ids, segments, lengths, rows, states, word_scores, next_scores as bert.py has
them.

Run it in this folder: python3 huggingface.py
"""

import json
import math
import os
import struct
import subprocess

import bert
import numpy as np
import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)

D, HEADS, FF, LAYERS, DECODER_LAYERS = 8, 2, 12, 1, 2
ENGLISH = """the old house stands near the river
an old man walks to the river with a dog
the dog sees a house and a man
"""
GERMAN = """das alte haus steht am fluss
ein alter mann geht mit dem hund zum fluss
der hund sieht ein haus und einen mann
"""
LINES = ["the old dog", ">>fra<< a river sees the house", "man ? vat der"]


def save(folder, tensors):
    """Writes model.safetensors in the format of the library's save_file."""
    header = {"__metadata__": {"format": "pt"}}
    names = {np.dtype("float32"): "F32", np.dtype("int64"): "I64"}
    data = b""
    for name in sorted(tensors):
        value = np.ascontiguousarray(tensors[name])
        header[name] = {"dtype": names[value.dtype], "shape": list(value.shape),
                        "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(f"{folder}/model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def save_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")


def as_f32(values):
    """Rounds to the precision of the file."""
    return {name: value.detach().float().double() for name, value in values.items()}


def train_subwords(text, path):
    with open("corpus.txt", "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["spm_train", "--bos_id=-1", "--eos_id=0", "--unk_id=1", "--input=corpus.txt",
                    "--model_prefix=corpus", "--vocab_size=40", "--hard_vocab_limit=false",
                    "--minloglevel=2", "--normalization_rule_name=identity"], check=True)
    with open("corpus.vocab", encoding="utf-8") as file:
        pieces = [line.split("\t")[0] for line in file]
    os.rename("corpus.model", path)
    os.remove("corpus.txt")
    os.remove("corpus.vocab")
    return pieces


def pieces_of(path, line):
    """Tokenises like MarianTokenizer: a language mark is one token, the rest goes to the model."""
    mark = [line[:line.index("<<") + 2]] if line.startswith(">>") else []
    rest = line[len(mark[0]):] if mark else line
    result = subprocess.run(["spm_encode", "--model=" + path], input=rest + "\n",
                            capture_output=True, check=True, text=True)
    return mark + result.stdout.split()


def marian_values(vocabulary, seed):
    generator = torch.Generator().manual_seed(seed)
    values = {}

    def add(name, *shape, around=0.0):
        values[name] = around + 0.4 * torch.randn(*shape, generator=generator)

    def linear(name, out, inputs):
        add(name + ".weight", out, inputs)
        add(name + ".bias", out)

    def norm(name):
        add(name + ".weight", D, around=1.0)
        add(name + ".bias", D)

    add("model.shared.weight", vocabulary, D)
    values["model.shared.weight"][-1] = 0  # <pad> is zero after a conversion from Marian
    add("final_logits_bias", 1, vocabulary)
    for side, layers in (("encoder", LAYERS), ("decoder", DECODER_LAYERS)):
        for i in range(layers):
            at = f"model.{side}.layers.{i}."
            attentions = ["self_attn"] + (["encoder_attn"] if side == "decoder" else [])
            for attention in attentions:
                for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    linear(f"{at}{attention}.{part}", D, D)
                norm(f"{at}{attention}_layer_norm")
            linear(at + "fc1", FF, D)
            linear(at + "fc2", D, FF)
            norm(at + "final_layer_norm")
    return as_f32(values)


class MarianMt:
    def __init__(self, values):
        self.values = values

    def linear(self, name, x):
        return F.linear(x, self.values[name + ".weight"], self.values[name + ".bias"])

    def norm(self, name, x):
        return F.layer_norm(x, (D,), self.values[name + ".weight"], self.values[name + ".bias"], 1e-5)

    def attention(self, name, x, memory, mask=None):
        def heads(part, y):
            return self.linear(f"{name}.{part}", y).view(len(y), HEADS, D // HEADS).transpose(0, 1)

        q = heads("q_proj", x) * (D // HEADS) ** -0.5
        scores = q @ heads("k_proj", memory).transpose(1, 2)
        if mask is not None:
            scores = scores + mask
        context = (scores.softmax(-1) @ heads("v_proj", memory)).transpose(0, 1).reshape(len(x), D)
        return self.norm(name + "_layer_norm", x + self.linear(name + ".out_proj", context))

    def feed_forward(self, at, x):
        y = self.linear(at + "fc2", F.silu(self.linear(at + "fc1", x)))
        return self.norm(at + "final_layer_norm", x + y)

    def embed(self, ids):
        positions = torch.zeros(len(ids), D)
        for p in range(len(ids)):
            for j in range(D // 2):
                angle = p / 10000 ** (2 * j / D)
                positions[p, j] = math.sin(angle)
                positions[p, D // 2 + j] = math.cos(angle)
        return self.values["model.shared.weight"][ids] * math.sqrt(D) + positions

    def logits(self, source, target_in):
        x = self.embed(source)
        for i in range(LAYERS):
            at = f"model.encoder.layers.{i}."
            x = self.feed_forward(at, self.attention(at + "self_attn", x, x))
        y = self.embed(target_in)
        later = torch.full((len(y), len(y)), -math.inf).triu(1)
        for i in range(DECODER_LAYERS):
            at = f"model.decoder.layers.{i}."
            y = self.attention(at + "self_attn", y, y, later)
            y = self.attention(at + "encoder_attn", y, x)
            y = self.feed_forward(at, y)
        return F.linear(y, self.values["model.shared.weight"]) + self.values["final_logits_bias"]


def write_marian(folder):
    os.makedirs(folder, exist_ok=True)
    source = train_subwords(ENGLISH, folder + "/source.spm")
    target = train_subwords(GERMAN, folder + "/target.spm")
    tokens = ["</s>", "<unk>"]
    for piece in sorted(set(source[2:] + target[2:])):
        if piece != "v":  # "v" is a piece of the models that is missing in the vocabulary
            tokens.append(piece)
    tokens += [">>fra<<", "<pad>"]
    vocabulary = {token: i for i, token in enumerate(tokens)}
    pad = vocabulary["<pad>"]
    save_json(folder + "/vocab.json", vocabulary)
    save_json(folder + "/tokenizer_config.json",
              {"source_lang": "eng", "target_lang": "deu", "separate_vocabs": False})
    save_json(folder + "/config.json", {
        "_num_labels": 3, "activation_dropout": 0.0, "activation_function": "swish",
        "add_bias_logits": False, "add_final_layer_norm": False,
        "architectures": ["MarianMTModel"], "attention_dropout": 0.0,
        "bad_words_ids": [[pad]], "bos_token_id": 0, "classif_dropout": 0.0,
        "classifier_dropout": 0.0, "d_model": D, "decoder_attention_heads": HEADS,
        "decoder_ffn_dim": FF, "decoder_layerdrop": 0.0, "decoder_layers": DECODER_LAYERS,
        "decoder_start_token_id": pad, "decoder_vocab_size": len(tokens), "dropout": 0.1,
        "encoder_attention_heads": HEADS, "encoder_ffn_dim": FF, "encoder_layerdrop": 0.0,
        "encoder_layers": LAYERS, "eos_token_id": 0, "forced_eos_token_id": 0,
        "id2label": {"0": "LABEL_0"}, "init_std": 0.02, "is_encoder_decoder": True,
        "label2id": {"LABEL_0": 0}, "max_length": 512, "max_position_embeddings": 512,
        "model_type": "marian", "normalize_before": False, "normalize_embedding": False,
        "num_beams": 4, "num_hidden_layers": LAYERS, "pad_token_id": pad,
        "scale_embedding": True, "share_encoder_decoder_embeddings": True,
        "static_position_embeddings": True, "tie_word_embeddings": True,
        "torch_dtype": "float32", "transformers_version": "4.35.2", "use_cache": True,
        "vocab_size": len(tokens)})
    values = marian_values(len(tokens), 3)
    save(folder, {name: value.numpy().astype("<f4") for name, value in values.items()})
    model = MarianMt(values)
    sources = [[vocabulary.get(piece, 1) for piece in pieces_of(folder + "/source.spm", line)] + [0]
               for line in LINES]
    targets = [[9, 20, 4, 0], [len(tokens) - 2, 1, 7, 0], [30, 3, 3, 5]]
    padded = np.zeros((len(sources), max(map(len, sources))), "<i4")
    for row, ids in zip(padded, sources):
        row[:len(ids)] = ids
    logits = [model.logits(torch.tensor(s), torch.tensor([pad] + t[:-1]))
              for s, t in zip(sources, targets)]
    np.savez_compressed(folder + "/expected.npz", source=padded, target=np.array(targets, "<i4"),
                        lengths=np.array([len(s) for s in sources], "<i4"),
                        logits=torch.stack(logits).numpy(),
                        lines=np.frombuffer("\n".join(LINES).encode(), "u1"))


def write_bert(folder):
    os.makedirs(folder, exist_ok=True)
    words = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ",", ".", "the", "cat",
             "sat", "##s", "on", "mat", "##ter", "a", "dog", "ran", "Der", "Mann", "##m", "!"]
    with open(folder + "/vocab.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(words) + "\n")
    assert len(words) == bert.V - 1  # the table has one row more
    save_json(folder + "/tokenizer_config.json",
              {"do_lower_case": False, "model_max_length": 9, "tokenizer_class": "BertTokenizer",
               "tokenize_chinese_chars": True, "strip_accents": None, "cls_token": "[CLS]"})
    save_json(folder + "/config.json", {
        "architectures": ["BertForPreTraining"], "attention_probs_dropout_prob": 0.1,
        "classifier_dropout": None, "gradient_checkpointing": False, "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1, "hidden_size": bert.M, "initializer_range": 0.02,
        "intermediate_size": bert.FF, "layer_norm_eps": 1e-12,
        "max_position_embeddings": bert.POSITIONS, "model_type": "bert",
        "num_attention_heads": bert.HEADS, "num_hidden_layers": bert.LAYERS, "pad_token_id": 0,
        "position_embedding_type": "absolute", "transformers_version": "4.35.2",
        "type_vocab_size": bert.SEGMENTS, "use_cache": True, "vocab_size": bert.V})
    values = as_f32(bert.parameters(5))
    tensors = {}
    for name, value in values.items():
        if "LayerNorm" in name:
            name = name.replace(".weight", ".gamma").replace(".bias", ".beta")
        tensors[name] = value.numpy().astype("<f4")
    tensors["bert.embeddings.position_ids"] = np.arange(bert.POSITIONS)[None]
    tensors["cls.predictions.decoder.weight"] = tensors["bert.embeddings.word_embeddings.weight"]
    tensors["cls.predictions.decoder.bias"] = tensors["cls.predictions.bias"]
    save(folder, tensors)
    generator = torch.Generator().manual_seed(9)
    batch = {"ids": torch.randint(0, len(words), (bert.B, bert.S), generator=generator),
             "segments": torch.tensor([[0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 0],
                                       [0, 0, 0, 0, 1, 1, 0]]),
             "lengths": torch.tensor(bert.LENGTHS), "rows": torch.tensor(bert.ROWS),
             "labels": torch.zeros(len(bert.ROWS), dtype=torch.int64),
             "next": torch.zeros(bert.B, dtype=torch.int64)}
    outputs, _ = bert.Bert(values)(batch)
    np.savez_compressed(folder + "/expected.npz",
                        **{name: batch[name].numpy().astype("<i4")
                           for name in ("ids", "segments", "lengths", "rows")},
                        **{name: value.numpy() for name, value in outputs.items()})


if __name__ == "__main__":
    write_marian("huggingface_marian")
    write_bert("huggingface_bert")
