"""Byte-level BPE and WordPiece: tokenizer.json and an encoding of our own.

The format is that of huggingface/tokenizers. Byte-level BPE splits a text by GPT-2's regex. Python
has no \\p{L}, and its classes agree with it on the characters of our lines. A byte without a token
vanishes: the small vocabularies have only the bytes of their corpus.
"""

import collections
import re

import bert_heads

SPLIT = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:_|[^\s\w])+|\s+(?!\S)|\s+")
CORPUS = """the old cat sat on the mat, and the dog's tail was on the old man's hat.
a man ran to the house; the dog sat there. that cat can't stand the heat!
there are 12 cats and 30 dogs in that café, the others ran away_"""


def byte_symbols():
    """Returns the letter that stands for each byte in a vocabulary: itself where it is printable
    in Latin-1, else the next code point from 256 on."""
    symbols, other = {}, 256
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174:
            symbols[byte] = chr(byte)
        else:
            symbols[byte], other = chr(other), other + 1
    return symbols


SYMBOLS = byte_symbols()


def letters_of(text):
    return [SYMBOLS[byte] for byte in text.encode()]


def merge(word, pair):
    result, i = [], 0
    while i < len(word):
        joined = tuple(word[i:i + 2]) == pair
        result.append("".join(pair) if joined else word[i])
        i += 2 if joined else 1
    return result


def learn_merges(corpus, count):
    """Learns merges: the most frequent pair first, of equal ones the first in the alphabet."""
    words = collections.Counter(piece for line in corpus.split("\n") for piece in SPLIT.findall(line))
    words = [(letters_of(word), number) for word, number in words.items()]
    merges = []
    for _ in range(count):
        pairs = collections.Counter()
        for word, number in words:
            for pair in zip(word, word[1:]):
                pairs[pair] += number
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = [(merge(word, best), number) for word, number in words]
    return merges


class ByteBpe:
    """Byte-level BPE: special tokens in front, letters, merges, special tokens at the end."""

    def __init__(self, front, end, merges, **options):
        self.merges = learn_merges(CORPUS, merges)
        letters = sorted(set(letters_of(CORPUS.replace("\n", " "))))
        tokens = front + letters + ["".join(pair) for pair in self.merges] + end
        assert len(set(tokens)) == len(tokens)
        self.ids = {token: i for i, token in enumerate(tokens)}
        self.specials = front + end
        self.add_prefix_space = options.get("add_prefix_space", False)
        self.pairs_as_lists = options.get("pairs_as_lists", False)  # as newer files have them
        self.begin = options.get("begin", [])
        self.finish = options.get("finish", [])

    def pieces(self, text):
        """Returns the tokens of each piece of a text."""
        result = []
        for piece in SPLIT.findall(text):
            word = [c for c in letters_of(piece) if c in self.ids]
            for pair in self.merges:  # by rank
                word = merge(word, pair)
            result.append(word)
        return result

    def encode(self, text):
        """Returns ids. <mask> takes the white space before it."""
        if self.add_prefix_space and not text.startswith(" "):
            text = " " + text
        tokens = list(self.begin)
        for part in re.split(r"(\s*<mask>)", text):
            if part.strip() == "<mask>":
                tokens.append("<mask>")
            else:
                tokens += [token for piece in self.pieces(part) for token in piece]
        return [self.ids[token] for token in tokens + self.finish]

    def first_tokens(self, text):
        """Returns where in encode(text) each word begins: at a piece with a space or at the first."""
        position, result = len(self.begin), []
        for i, piece in enumerate(self.pieces(" " + text)):
            if i == 0 or piece[0].startswith(SYMBOLS[32]):
                result.append(position)
            position += len(piece)
        return result

    def json(self, post_processor):
        added = [{"id": self.ids[token], "content": token, "single_word": False, "lstrip": token == "<mask>",
                  "rstrip": False, "normalized": False, "special": True} for token in self.specials]
        merges = [list(pair) if self.pairs_as_lists else " ".join(pair) for pair in self.merges]
        return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
                "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": self.add_prefix_space,
                                  "trim_offsets": True, "use_regex": True},
                "post_processor": post_processor,
                "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
                "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                          "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False,
                          "ignore_merges": False, "vocab": self.ids, "merges": merges}}


def template(single, pair, ids):
    """Returns a TemplateProcessing; A and B stand for the texts, others are special tokens."""
    def items(tokens):
        return [{"Sequence": {"id": token, "type_id": kind}} if token in "AB" else
                {"SpecialToken": {"id": token, "type_id": kind}} for token, kind in tokens]

    special = sorted({token for token, _ in single + pair if token not in "AB"})
    return {"type": "TemplateProcessing", "single": items(single), "pair": items(pair),
            "special_tokens": {token: {"id": token, "ids": [ids[token]], "tokens": [token]} for token in special}}


class WordPiece:
    """Lower-cased WordPiece without accents, by bert_heads.py."""

    RULES = {"lowercase": True, "strip_accents": True, "split_chinese": True}

    def __init__(self, tokens):
        assert len(set(tokens)) == len(tokens)
        self.tokens = tokens
        self.ids = {token: i for i, token in enumerate(tokens)}

    def encode(self, text):
        """Returns ids; a [MASK] that stands apart is one token."""
        pieces = ["[CLS]"]
        for part in re.split(r"(\[MASK\])", text):
            pieces += [part] if part == "[MASK]" else bert_heads.tokenize(part, self.tokens, self.RULES)
        return [self.ids[piece] for piece in pieces + ["[SEP]"]]

    def json(self):
        added = [{"id": self.ids[token], "content": token, "single_word": False, "lstrip": False, "rstrip": False,
                  "normalized": False, "special": True} for token in self.tokens
                 if token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]
        single = [("[CLS]", 0), ("A", 0), ("[SEP]", 0)]
        return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
                "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                               "strip_accents": None, "lowercase": True},
                "pre_tokenizer": {"type": "BertPreTokenizer"},
                "post_processor": template(single, single + [("B", 1), ("[SEP]", 1)], self.ids),
                "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
                "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                          "max_input_chars_per_word": 100, "vocab": self.ids}}


def padded(rows, pad):
    """Returns rows of ids of one length, and their lengths."""
    length = max(map(len, rows))
    return [row + [pad] * (length - len(row)) for row in rows], [len(row) for row in rows]
