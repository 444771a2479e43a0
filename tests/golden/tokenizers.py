#!/usr/bin/env python3
"""Writes tokenizers.json: small tokenizers of every kind and their tokens.

A case of a tokenizer is [ids, begins and ends of ranges, segments (none if all
are 0), decoded text], in the order of the samples.

The tokenizers are made here. Ids, ranges, segments and texts come from Hugging
Face's own library: npm install tokenizers@0.23.2, needs Node 20.

Run it in this folder: python3 tokenizers.py PATH/node_modules/tokenizers
"""

import base64
import itertools
import json
import math
import struct
import subprocess
import sys
from collections import Counter

CORPUS = ("the theme of the hall is that they'll sing there; she sells shells "
          "in 1234 shops, hello there hello world the world is small and the "
          "shell isn't small Hello World THE END caf\u00e9 caf\u00e9s na\u00efve "
          "\u4e2d\u6587 \u4e2d\u6587 \u00fcber \u00fcber ") * 3

TEXTS = [
    "", " ", "hello world", " Hello  there,\n\n the world's   end! ",
    "they'll sing THEY'LL DON'T isn't 1234567 12.5 \u0662\u0663 \u00bd",
    "caf\u00e9 cafe\u0301 \u00fcber u\u0308ber \u00c5ngstr\u00f6m \ufb01ne na\u00efve",
    "\u4e2d\u6587\u3001\u65e5\u672c\u8a9e \U0001f44d\u200d\U0001f469 \u2581x\u2581\u2581",
    "HelloWorld aBC fooBAR/baz\r\n\r\n\t x\u00a0\u3000y \u0130 \u0391\u03a3",
    "shells<s>hello </s> the <mask> end[SEP] <|end|>x <|end|> wordxword word Word",
    "tab\there\x00nul\x7f \u200bzero\ufeff x\ue000y\u0378z \u0e01\u0e47 \u0939\u093f a--b-c",
    "the the the hello hello shells in the hall there she sells small small world",
    "\uff28\uff45\u0301l \u2460\r\n \ufb01\u0301 "
    "\u30ab\u3099\u30fc\u6587a\u0416 s\u0323\u0307 llll<0x41>q",
]
PAIRS = [("hello world", "the end"), ("", "hello"), (" the <s>", " end ")]

GPT2 = (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+"
        r"|\s+(?!\S)|\s+")
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
FRONT = r"[^\r\n\p{L}\p{N}]?"
ENDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
GPT4O = (FRONT + UPPER + "*" + LOWER + "+" + ENDS + FRONT + UPPER + "+" + LOWER
         + "*" + ENDS + r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+"
         r"|\s+(?!\S)|\s+")
CLIP = (r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+")


def alphabet():
    """Characters of the 256 bytes in byte-level vocabularies."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [b for b in range(256) if b not in plain]
    return {**{b: chr(b) for b in plain},
            **{b: chr(256 + i) for i, b in enumerate(rest)}}


BYTES = alphabet()


def merges_of(words, count):
    """Most frequent pairs of a list of lists of symbols."""
    counts = Counter(tuple(word) for word in words)
    merges = []
    for _ in range(count):
        pairs = Counter()
        for word, n in counts.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(list(best))
        merged = Counter()
        for word, n in counts.items():
            out = []
            for symbol in word:
                if out and (out[-1], symbol) == best and not isinstance(out[-1], Joined):
                    out[-1] = Joined(out[-1] + symbol)
                else:
                    out.append(symbol)
            merged[tuple(str(symbol) for symbol in out)] += n
        counts = merged
    return merges


class Joined(str):
    """A symbol that was just merged and cannot be merged again in this pass."""


def vocabulary(tokens):
    return {token: i for i, token in enumerate(dict.fromkeys(tokens))}


def added(token_id, content, **flags):
    return {"id": token_id, "content": content, "single_word": False, "lstrip": False,
            "rstrip": False, "normalized": False, "special": True, **flags}


def byte_level_model(**more):
    words = [[BYTES[b] for b in (" " + word).encode()] for word in CORPUS.split()]
    merges = merges_of(words, 60)
    vocab = vocabulary([*BYTES.values(), *("".join(m) for m in merges)])
    return {"type": "BPE", "dropout": None, "unk_token": None,
            "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "vocab": vocab,
            "merges": merges, **more}


def mark_model(fallback):
    words = [list("\u2581" + word) for word in CORPUS.split()]
    merges = merges_of(words, 60)
    tokens = ["<unk>", "<s>", "</s>"]
    if fallback:
        tokens += [f"<0x{b:02X}>" for b in range(256)]
    characters = sorted({c for word in words for c in word})
    vocab = vocabulary([*tokens, *characters, *("".join(m) for m in merges)])
    return {"type": "BPE", "dropout": None, "unk_token": "<unk>", "fuse_unk": True,
            "byte_fallback": fallback, "vocab": vocab,
            "merges": [" ".join(m) for m in merges]}


def affix_model(prefix, suffix):
    words = [[(prefix if i else "") + c + (suffix if i == len(word) - 1 else "")
              for i, c in enumerate(word)] for word in CORPUS.split()]
    merges = []
    for left, right in merges_of(words, 80):
        merges.append([left, right])
    # Products drop the prefix of their right part.
    fixed, names = [], {}
    for left, right in merges:
        l, r = names.get(left, left), names.get(right, right)
        names[left + right] = l + r[len(prefix):]
        fixed.append([l, r])
    characters = sorted({c for word in words for c in word})
    vocab = vocabulary(["<unk>", *characters, *(l + r[len(prefix):] for l, r in fixed)])
    return {"type": "BPE", "dropout": None, "unk_token": "<unk>",
            "continuing_subword_prefix": prefix or None,
            "end_of_word_suffix": suffix or None, "fuse_unk": False,
            "vocab": vocab, "merges": fixed}


def word_piece(**more):
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    tokens += [*letters, *("##" + c for c in letters), *"!,.-;'[]<>/|", "the", "##ll",
               "hello", "world", "shell", "##s", "cafe", "uber", "\u4e2d", "\u6587", "\u65e5"]
    return {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 20, "vocab": vocabulary(tokens), **more}


def unigram(fallback, **more):
    """Substrings of words by their frequency. Many scores are equal."""
    counts = Counter()
    for word in CORPUS.split():
        marked = "\u2581" + word
        counts.update(marked[i:j] for i in range(len(marked))
                      for j in range(i + 1, min(i + 6, len(marked)) + 1))
    kept = [(piece, n) for piece, n in sorted(counts.items()) if n >= 12 or len(piece) == 1]
    total = sum(n for _, n in kept)
    pieces = [["<s>", 0.0], ["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0]]
    if fallback:
        pieces += [[f"<0x{b:02X}>", 0.0] for b in range(64, 256)]
    pieces += [[piece, round(math.log(n / total), 4)] for piece, n in kept if piece != "q"]
    return {"type": "Unigram", "unk_id": 3, "vocab": pieces, "byte_fallback": fallback, **more}


def precompiled(texts):
    """Returns the normaliser that replaces texts: a double array in Darts-clone's format, then
    the replacements, each with a zero byte at the end."""
    units, bases, forms = {0: 0}, {0}, b""

    def place(node, values):  # values: of the rests of keys
        labels = sorted({key[0] if key else 0 for key in values})
        base = next(b for b in itertools.count(1)
                    if b not in bases and all(b ^ label not in units for label in labels))
        bases.add(base)
        units[node] |= (node ^ base) << 10 | (0x100 if b"" in values else 0)
        units.update({base ^ label: label for label in labels})
        for label in labels:
            if label == 0:
                units[base] = 1 << 31 | values[b""]
            else:
                place(base ^ label, {key[1:]: value for key, value in values.items()
                                     if key[:1] == bytes([label])})

    values = {}
    for key, form in texts.items():
        values[key.encode()] = len(forms)
        forms += form.encode() + b"\0"
    place(0, values)
    array = [units.get(i, 0) for i in range((max(units) | 255) + 1)]
    data = struct.pack(f"<{len(array) + 1}I", 4 * len(array), *array) + forms
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(data).decode()}


FORMS = {"\t": " ", "\n": " ", "\r": " ", "\x7f": "", "\u200b": " ", "\u00a0": " ", "\u3000": " ",
         "\ufb01": "fi", "\uff28": "H", "\uff45": "e", "\u2460": "1", "\u00bd": "1\u20442",
         "e\u0301": "\u00e9", "u\u0308": "\u00fc", "\u212b": "\u00c5", "\u30ab\u3099": "\u30ac",
         "s\u0323": "\u1e63", "s\u0323\u0307": "\u1e69", "\ufeff": "", "\u2581": " "}
WORDS = {"type": "WordLevel", "unk_token": "<unk>",
         "vocab": vocabulary(["<unk>", "hello", "world", "the", "end", " ", "12", "a",
                              "\u2581the", "\u2581", "hello ", "-", "b"])}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
              "use_regex": True}
NO_REGEX = {**BYTE_LEVEL, "use_regex": False}


def sequence(kind, *parts):
    return {"type": "Sequence", kind: list(parts)}


def split(pattern, behavior="Isolated", invert=False):
    pattern = pattern if isinstance(pattern, dict) else {"Regex": pattern}
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


def special(token, type_id=0):
    return {"SpecialToken": {"id": token, "type_id": type_id}}


def text(name, type_id=0):
    return {"Sequence": {"id": name, "type_id": type_id}}


def template(ids, single, pair):
    return {"type": "TemplateProcessing", "single": single, "pair": pair,
            "special_tokens": {token: {"id": token, "ids": [i], "tokens": [token]}
                               for token, i in ids.items()}}


def tokenizer(model, normalizer=None, pre=None, post=None, decoder=None, tokens=()):
    return {"version": "1.0", "truncation": None, "padding": None,
            "added_tokens": list(tokens), "normalizer": normalizer, "pre_tokenizer": pre,
            "post_processor": post, "decoder": decoder, "model": model}


def all_tokenizers():
    n = len(byte_level_model()["vocab"])
    ends = [added(n, "<|end|>"), added(n + 1, "<s>"), added(n + 2, "</s>")]
    mask = added(n + 3, "<mask>", lstrip=True)
    start = template({"<s>": n + 1}, [special("<s>"), text("A")],
                     [special("<s>"), text("A"), special("<s>", 1), text("B", 1)])
    yield "gpt2", tokenizer(byte_level_model(), None, BYTE_LEVEL, BYTE_LEVEL, BYTE_LEVEL, ends)
    yield "roberta", tokenizer(
        byte_level_model(), None, {**BYTE_LEVEL, "add_prefix_space": True},
        {"type": "RobertaProcessing", "sep": ["</s>", n + 2], "cls": ["<s>", n + 1],
         "trim_offsets": True, "add_prefix_space": True}, BYTE_LEVEL, [*ends, mask])
    yield "llama3", tokenizer(
        byte_level_model(ignore_merges=True), None,
        sequence("pretokenizers", split(LLAMA3), NO_REGEX),
        sequence("processors", {**BYTE_LEVEL, "trim_offsets": False}, start), BYTE_LEVEL, ends)
    yield "qwen", tokenizer(byte_level_model(), {"type": "NFC"},
                            sequence("pretokenizers", split(QWEN), NO_REGEX),
                            {**BYTE_LEVEL, "trim_offsets": False}, BYTE_LEVEL, ends)
    yield "gpt4o", tokenizer(byte_level_model(), None,
                             sequence("pretokenizers", split(GPT4O), NO_REGEX), start,
                             BYTE_LEVEL, ends)
    yield "smollm", tokenizer(
        byte_level_model(), None,
        sequence("pretokenizers", {"type": "Digits", "individual_digits": True}, BYTE_LEVEL),
        None, BYTE_LEVEL, ends)
    yield "byte_level_normalizer", tokenizer(
        byte_level_model(), {"type": "ByteLevel"}, split({"String": "\u0120"}, "MergedWithNext"),
        None, BYTE_LEVEL)
    yield "clip", tokenizer(
        affix_model("", "</w>"),
        sequence("normalizers", {"type": "NFC"},
                 {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
                 {"type": "Lowercase"}),
        split(CLIP, "Removed", True), None, {"type": "BPEDecoder", "suffix": "</w>"})
    yield "prefix", tokenizer(affix_model("##", ""), None, {"type": "WhitespaceSplit"}, None,
                              {"type": "WordPiece", "prefix": "##", "cleanup": False})
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
    back = {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}
    marks = template({"<s>": 1}, [special("<s>"), text("A")],
                     [special("<s>"), text("A"), special("<s>", 1), text("B", 1)])
    tokens = [added(0, "<unk>"), added(1, "<s>"), added(2, "</s>")]
    for name, fallback in (("llama2", True), ("llama2_without_bytes", False)):
        yield name, tokenizer(
            mark_model(fallback),
            sequence("normalizers", {"type": "Prepend", "prepend": "\u2581"}, replace), None, marks,
            sequence("decoders", back, {"type": "ByteFallback"}, {"type": "Fuse"},
                     {"type": "Strip", "content": " ", "start": 1, "stop": 0}), tokens)
    yield "gemma", tokenizer(mark_model(True), replace,
                             split({"String": " "}, "MergedWithPrevious"), marks,
                             sequence("decoders", back, {"type": "ByteFallback"},
                                      {"type": "Fuse"}), tokens)
    for scheme in ("always", "first", "never"):
        meta = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme,
                "split": scheme != "first"}
        yield "metaspace_" + scheme, tokenizer(mark_model(True), None, meta, None, meta, tokens)
    frame = template({"[CLS]": 2, "[SEP]": 3}, [special("[CLS]"), text("A"), special("[SEP]")],
                     [special("[CLS]"), text("A"), special("[SEP]"), text("B", 1),
                      special("[SEP]", 1)])
    bert = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
            "strip_accents": None, "lowercase": True}
    names = [added(i, t) for i, t in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])]
    words = {"type": "WordPiece", "prefix": "##", "cleanup": True}
    yield "bert", tokenizer(word_piece(), bert, {"type": "BertPreTokenizer"}, frame, words, names)
    yield "bert_cased", tokenizer(
        word_piece(), {**bert, "lowercase": False, "clean_text": False},
        {"type": "BertPreTokenizer"},
        {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}, words, names)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        yield form, tokenizer(
            mark_model(True),
            sequence("normalizers", {"type": form}, {"type": "StripAccents"},
                     {"type": "Strip", "strip_left": True, "strip_right": form != "NFC"}))
    yield "nmt", tokenizer(mark_model(True), {"type": "Nmt"}, {"type": "WhitespaceSplit"})
    parts = {"whitespace": {"type": "Whitespace"},
             "digits": {"type": "Digits", "individual_digits": False},
             "punctuation": {"type": "Punctuation", "behavior": "Contiguous"},
             "delimiter": {"type": "CharDelimiterSplit", "delimiter": "e"},
             "length": {"type": "FixedLength", "length": 3},
             "scripts": {"type": "UnicodeScripts"},
             "icu": split(r"[\u4e00-\u9fff]+|\d{2}(?=\d)|(?i:hello)\s?|(?<=t)h")}
    for name, part in parts.items():
        yield name, tokenizer(WORDS, None, part)
    yield from unigrams()
    for behavior in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
        for invert in (False, True):
            yield f"{behavior}_{invert}", tokenizer(
                WORDS, None, split({"String": "-"} if invert else "-|l", behavior, invert))
    flags = [added(13, "word", single_word=True, special=False),
             added(14, "Hello", normalized=True, special=False),
             added(15, "<s>", rstrip=True), added(16, "shells", special=False, lstrip=True),
             added(17, "<mask>", lstrip=True, rstrip=True)]
    yield "added", tokenizer(WORDS, {"type": "Lowercase"}, {"type": "Whitespace"}, None, None,
                             flags)
    yield "ctc", tokenizer(WORDS, None, {"type": "Whitespace"}, None,
                           {"type": "CTC", "pad_token": "<unk>", "word_delimiter_token": "|",
                            "cleanup": True})


def unigrams():
    meta = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    names = [added(i, t) for i, t in enumerate(["<s>", "<pad>", "</s>", "<unk>"])]
    size = len(unigram(False)["vocab"])
    yield "xlm_roberta", tokenizer(
        unigram(False),
        sequence("normalizers", precompiled(FORMS),
                 {"type": "Strip", "strip_left": False, "strip_right": True},
                 {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "\u2581"}), meta,
        template({"<s>": 0, "</s>": 2}, [special("<s>"), text("A"), special("</s>")],
                 [special("<s>"), text("A"), special("</s>"), special("</s>"), text("B"),
                  special("</s>")]),
        meta, [*names, added(size, "<mask>", lstrip=True)])
    yield "camembert", tokenizer(
        unigram(False), precompiled(FORMS),
        sequence("pretokenizers", {"type": "WhitespaceSplit"}, meta),
        {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": True,
         "add_prefix_space": True}, meta, names)
    yield "unigram_bytes", tokenizer(
        unigram(True), None, {**meta, "split": False}, None,
        sequence("decoders", {"type": "ByteFallback"}, meta), names)


NODE = r"""
const {Tokenizer} = require(process.argv[1]);
const all = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const places = text => {
  const bytes = [0];
  for (const c of text) bytes.push(bytes[bytes.length - 1] + Buffer.byteLength(c));
  return bytes;
};
(async () => {
  for (const entry of all) {
    const tokenizer = Tokenizer.fromString(JSON.stringify(entry.tokenizer));
    for (const sample of entry.cases) {
      const pair = sample.pair === undefined ? null : sample.pair;
      const found = await tokenizer.encode(sample.text, pair,
                                           {addSpecialTokens: sample.special});
      const bytes = [places(sample.text), places(pair || '')];
      const sources = found.getSequenceIds();
      sample.ids = found.getIds();
      sample.ranges = found.getOffsets().map(
          ([a, b], i) => { const t = bytes[sources[i] || 0]; return [t[a], t[b]]; });
      sample.segments = found.getTypeIds();
      sample.decoded = sample.ids.length ? await tokenizer.decode(sample.ids, true) : '';
    }
  }
  process.stdout.write(JSON.stringify(all));
})();
"""


def main():
    entries = []
    for name, content in all_tokenizers():
        cases = [{"text": t, "special": i % 2 == 0} for i, t in enumerate(TEXTS)]
        cases += [{"text": a, "pair": b, "special": i != 1} for i, (a, b) in enumerate(PAIRS)]
        entries.append({"name": name, "tokenizer": content, "cases": cases})
    result = subprocess.run(["node", "-e", NODE, sys.argv[1]], input=json.dumps(entries),
                            stdout=subprocess.PIPE, text=True, check=True)
    # Models repeat, texts too: each stands once.
    models, lines = [], []
    for entry in json.loads(result.stdout):
        model = entry["tokenizer"]["model"]
        if model not in models:
            models.append(model)
        entry["tokenizer"]["model"] = models.index(model)
        samples = [{key: case[key] for key in ("text", "pair", "special") if key in case}
                   for case in entry["cases"]]
        entry["cases"] = [
            [case["ids"], [x for pair in case["ranges"] for x in pair],
             case["segments"] if any(case["segments"]) else [], case["decoded"]]
            for case in entry["cases"]]
        lines.append(json.dumps(entry, ensure_ascii=False, separators=(",", ":")))
    with open("tokenizers.json", "w", encoding="utf-8") as file:
        file.write('{"models":[\n')
        file.write(",\n".join(json.dumps(m, ensure_ascii=False, separators=(",", ":"))
                              for m in models))
        file.write('],\n"samples":' + json.dumps(samples, ensure_ascii=False, indent=0))
        file.write(',\n"tokenizers":[\n' + ",\n".join(lines) + "]}\n")


if __name__ == "__main__":
    main()
