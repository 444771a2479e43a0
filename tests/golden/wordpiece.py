#!/usr/bin/env python3
"""Writes wordpiece.json: what BERT's tokenisation makes of odd strings.

Written from the description of the algorithm (google-research/bert, class
FullTokenizer, with the limit of 100 characters a word that Hugging Face's
BertTokenizer has) on Python's Unicode data; nothing is taken from Heed. Special
tokens are kept whole wherever they stand, as Hugging Face does.

Python 3.11 knows Unicode 14, ICU 72 knows Unicode 15: no case holds a character
that came with 15. Hugging Face's Python class also drops private and unassigned
characters, which the original keeps; its Rust class lower-cases a final capital
sigma to the middle form. Cases follow the original in both.

Run it in this folder: python3 wordpiece.py
"""

import json
import unicodedata

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# Special tokens are separate, as in published vocabularies.
VOCABULARY = (
    ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    + list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    + list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    + ["##" + c for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"]
    + ["un", "##aff", "##able", "##ffable", "una", "want", "##want", "##ed", "runn", "##ing",
       "the", "The", "cafe", "caf\u00e9", "na", "##ive", "hello", "world", "##world",
       "strasse", "stra", "##\u00df", "##\u00dfe", "\u00df", "\u00e9", "##\u00e9",
       "\u4e2d", "\u6587", "\u65e5", "\u672c", "##\u672c", "\u8c48", "\u304b", "##\u306a", "##\u304b",
       "\u1112", "##\u1161", "##\u11ab", "\u3131", "\u03c3", "##\u03c3", "##\u03c2", "\u03bf", "##\u03bf",
       "\u03b4", "##\u03b4", "\u0434", "##\u0430", "\u0438", "##\u0438", "##\u0439",
       "\u2014", "\u2026", "\u201c", "\u201d", "\u00ab", "\u00bb", "\u00bf", "\u3002", "\u060c", "\u00b7",
       "\u20ac", "\u00b0", "##\u00b0", "\u00b4", "\u00a8", "\u2122", "##\u2122", "\ufb01", "##\ufb01",
       "\U0001f600", "##\U0001f600", "\U00020000", "\u05d0", "##\u05d1", "\u0627", "##\u0628",
       "##\u00ad", "\u0131", "##\u0131", "\u0e01", "##\u0e33", "\ue000", "##\ue000",
       "10", "##00", "###", "##"]
)

CASES = [
    "", " ", "hello world", "Hello, World!", "unaffable", "UNwant\u00c9d,running",
    "unaffableness", "unaffable\u9fff", "the The THE", "caf\u00e9", "cafe\u0301", "CAF\u00c9", "na\u00efve",
    "Stra\u00dfe", "STRASSE", "stra\u1e9ee",
    # White space of all sorts.
    "hello\tworld\nthe\r\nend", "hello\u00a0world", "hello\u3000world\u2003the", "hello\u2028world\u2029the",
    "hello\u200bworld", "hello\u0085world", "hello\x0bworld\x0cthe", "hello\x1cworld\x1dthe",
    "  lead  and  trail  ",
    # Control and invalid characters.
    "he\x00llo", "he\ufffdllo", "\u202ehello\u202c", "he\u00adllo", "\ufeffhello", "\x7fthe\x1b",
    "\ue000a\ue000", "a\u0378b", "\u200d",
    # Punctuation.
    "don't", "...", "a.b.c", "(a)[b]{c}", "$5^2`~", "a_b", "#hash ##a", "\u201chello\u201d\u2014world\u2026",
    "\u00abthe\u00bb \u00bfthe?", "1,000.50", "\u20ac5 5\u20ac", "20\u00b0C", "\u060cthe\u3002", "a\u00b7b",
    "\u0387", "\u037e", "\u1fef", "\u00b4a", "\u00a8a",
    # Chinese characters and neighbours.
    "\u4e2d\u6587", "a\u4e2db", "\u65e5\u672c\u8a9e", "\u304b\u306a\u65e5\u304b", "\uf900",
    "\U00020000\U0002f800", "\uff0ca\uff21", "\u3131\u4e2d",
    # Case, accents and compositions of other scripts.
    "\ud55c", "\u1112\u1161\u11ab", "\u0130a", "\u0049\u0307a", "\u0131I", "\u212a\u2126\u212b",
    "\u039f\u0394\u039f\u03a3", "\u039f\u0394\u039f\u03a3. \u03a3", "\u039f\u03a3\u0301\u0394", "\u0414\u0430\u0419",
    "\u05d0\u05b7\u05d1", "\u0627\u064e\u0628", "\u0e01\u0e33", "\ufb01", "\u01c5", "\u1e69",
    "a\u0301\u0323\u0308b", "\u0301", "\u0301 the", "a \u0308 b",
    # Symbols beyond the basic plane.
    "\U0001f600", "the\U0001f600", "\U0001f600\U0001f600", "a\u2122", "\U0001d400",
    # Length limit: 100 characters of one word, counted after composition is undone.
    "a" * 100, "a" * 101, "\u00e9" * 100, "\u00e9" * 101, "\ud55c" * 34, "a" * 101 + ",b", "x" * 99 + "\u4e2d" + "y" * 100,
    # Special tokens.
    "[MASK]", "the [MASK] world", "a[MASK]b", "[CLS]the[SEP][SEP]", "[mask]", "[MASK", "[[MASK]]", "[PAD][UNK]",
    "[unused0]", "caf\u00e9[MASK]\u00e9",
]


def is_dropped(c):
    if c in "\t\n\r":
        return False
    return c in "\x00\ufffd" or unicodedata.category(c) in ("Cc", "Cf")


def is_chinese(c):
    return any(
        low <= ord(c) <= high
        for low, high in [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
                          (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)])


def is_punctuation(c):
    if ord(c) < 128:
        return 33 <= ord(c) < 127 and not c.isalnum()
    return unicodedata.category(c)[0] == "P"


def words(text, lowercase):
    text = "".join(c for c in text if not is_dropped(c))
    text = "".join(" " if c in "\t\n\r" or unicodedata.category(c) == "Zs" else c for c in text)
    text = "".join(f" {c} " if is_chinese(c) else c for c in text)
    result = []
    for word in text.split():
        if lowercase:
            word = unicodedata.normalize("NFD", word.lower())
            word = "".join(c for c in word if unicodedata.category(c) != "Mn")
        result += "".join(f" {c} " if is_punctuation(c) else c for c in word).split()
    return result


def pieces(word):
    if len(word) > 100:
        return ["[UNK]"]
    result, rest, mark = [], word, ""
    while rest:
        ends = [n for n in range(len(rest), 0, -1) if mark + rest[:n] in VOCABULARY]
        if not ends:
            return ["[UNK]"]
        result.append(mark + rest[:ends[0]])
        rest, mark = rest[ends[0]:], "##"
    return result


def tokens(text, lowercase):
    places = sorted((text.find(s), s) for s in SPECIALS if s in text)
    if places:
        begin, special = places[0]
        return (tokens(text[:begin], lowercase) + [special]
                + tokens(text[begin + len(special):], lowercase))
    return [piece for word in words(text, lowercase) for piece in pieces(word)]


def main():
    assert len(set(VOCABULARY)) == len(VOCABULARY)
    cases = [{"text": text, "uncased": tokens(text, True), "cased": tokens(text, False)} for text in CASES]
    with open("wordpiece.json", "w", encoding="ascii") as file:
        lines = ",\n".join("  " + json.dumps(case) for case in cases)
        file.write('{"vocabulary": %s,\n "cases": [\n%s\n]}\n' % (json.dumps(VOCABULARY), lines))


if __name__ == "__main__":
    main()
