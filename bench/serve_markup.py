#!/usr/bin/env python3
"""What tags and placeholders cost a server, and whether they survive.

serve_markup.py HEED MODEL SOURCE REFERENCE [--texts N]

Serves MODEL and sends it N texts (default 10000) made of the lines of SOURCE: as they
are, with random nested tags around and between their words, and with placeholders. Each
tag and placeholder must come back once, and well nested, with the words of the
translation without them (of tags always; a placeholder that joins no word leaves the
words as they are too). Prints times, their ratio, and BLEU of the lines of SOURCE as
plain text and as the words of the marked text, by the same command.
"""

import argparse
import collections
import html.parser
import json
import math
import random
import re
import subprocess
import sys
import time
import urllib.request

MARK = re.compile(r"<[^>]+>|\{\{\w+\}\}|\{\w+\}|%\d+\$s|\[X\d+X\]|https://[\w./]+|\$\{\w+\}")
TAGS = ["b", "i", "em", "strong", "span", "a", "u", "mark", "small"]
BATCH = 50


def placeholder(draw, n):
    return draw.choice(["{{v%d}}", "{%d}", "[X%dX]", "https://x.example/%d", "%%%d$s",
                        "${v%d}", '<img src="%d">', "<code>c %d</code>",
                        '<span translate="no">no %d</span>']) % n


def marked(words, draw, count):
    """Returns the words with elements around some and placeholders between some."""
    parts, open_tags = [], []
    for word in words:
        while draw.random() < 0.25 and len(open_tags) < 8:
            tag = draw.choice(TAGS)
            parts.append(f'<{tag} title="{next(count)}">')
            open_tags.append(tag)
        parts.append(word)
        while open_tags and draw.random() < 0.5:
            parts.append(f"</{open_tags.pop()}>")
        parts.append(" ")
        if draw.random() < 0.1:
            parts.append(placeholder(draw, next(count)) + " ")
    return "".join(parts).rstrip() + "".join(f"</{tag}>" for tag in reversed(open_tags))


class Nesting(html.parser.HTMLParser):
    """Checks that tags are balanced, and collects words outside of kept elements."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.words, self.kept, self.good = [], [], collections.Counter(), True
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        name = (tag, dict(attrs).get("title") or dict(attrs).get("src"))
        self.kept[name] += 1
        if tag != "img":
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        self.good &= bool(self.open) and self.open.pop()[0] == tag

    def handle_data(self, data):
        if any(tag == "code" or "translate" in attrs for tag, attrs in self.open):
            self.kept[data] += 1
        else:
            for mark in MARK.findall(data):
                self.kept[mark] += 1
            self.words += MARK.sub(" ", data).split()


class Server:
    def __init__(self, heed, model, threads):
        self.process = subprocess.Popen(
            [heed, "serve", model, "--port", "0", "--threads", str(threads), "--log-level", "error"],
            stdout=subprocess.PIPE)
        self.url = self.process.stdout.readline().decode().split()[-1]
        with urllib.request.urlopen(self.url + "models") as answer:
            model = json.load(answer)["models"][0]
        self.pair = {"source": model["source"], "target": model["target"]}

    def translate(self, texts, form):
        body = json.dumps({"q": texts, "format": form, **self.pair}).encode()
        request = urllib.request.Request(self.url + "translate", body,
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["translatedText"]


def alternately(server, kinds):
    """Returns the answers and seconds of each kind of text. Batches of all kinds alternate, so
    that other work on the machine affects them equally."""
    answers, seconds = {kind: [] for kind in kinds}, dict.fromkeys(kinds, 0.0)
    for begin in range(0, len(next(iter(kinds.values()))), BATCH):
        for kind, texts in kinds.items():
            start = time.perf_counter()
            answers[kind] += server.translate(texts[begin:begin + BATCH], "html")
            seconds[kind] += time.perf_counter() - start
    return answers, seconds


def bleu(hypotheses, references):
    """Returns the BLEU score of a corpus in percent; words and punctuation marks are tokens."""
    same, all_of, sizes = [0] * 4, [0] * 4, [0, 0]
    for pair in zip(hypotheses, references):
        tokens = [re.findall(r"\w+|[^\w\s]", line) for line in pair]
        for side in range(2):
            sizes[side] += len(tokens[side])
        for n in range(4):
            grams = [collections.Counter(tuple(line[i:i + n + 1]) for i in range(len(line) - n))
                     for line in tokens]
            same[n] += (grams[0] & grams[1]).total()
            all_of[n] += grams[0].total()
    log = sum(math.log(max(s, 1e-9) / max(a, 1)) for s, a in zip(same, all_of)) / 4
    return 100 * math.exp(log + min(0, 1 - sizes[1] / max(sizes[0], 1)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heed")
    parser.add_argument("model")
    parser.add_argument("source")
    parser.add_argument("reference")
    parser.add_argument("--texts", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    draw, count = random.Random(1), iter(range(1, 10**9))
    lines = open(options.source, encoding="utf-8").read().splitlines()
    plain = [re.sub(r"[<>&{}%$\[\]]", "", lines[i % len(lines)]) for i in range(options.texts)]
    kinds = {"plain": plain, "marked": [marked(line.split(), draw, count) for line in plain]}
    server = Server(options.heed, options.model, options.threads)
    try:
        answers, seconds = alternately(server, kinds)
    finally:
        server.process.terminate()
        server.process.wait()
    lost = nested = changed = 0
    words = []
    for text, answer, without in zip(kinds["marked"], answers["marked"], answers["plain"]):
        before, after = Nesting(text), Nesting(answer)
        lost += before.kept != after.kept
        nested += not after.good or bool(after.open)
        words.append(" ".join(after.words))
        changed += re.sub(r"\s", "", words[-1]) != re.sub(r"\s", "", without)
        if before.kept != after.kept or not after.good or after.open:
            print(f"lost or badly nested:\n  {text}\n  {answer}")
    print(f"{options.texts} texts: {lost} with a mark lost or doubled, {nested} badly nested, "
          f"{changed} with other words than without marks")
    print(f"plain {seconds['plain']:.1f} s, marked {seconds['marked']:.1f} s, "
          f"ratio {seconds['marked'] / seconds['plain']:.2f}")
    references = open(options.reference, encoding="utf-8").read().splitlines()
    print(f"BLEU plain {bleu(map(html.unescape, answers['plain']), references):.2f}, "
          f"words of the marked texts {bleu(words, references):.2f}")
    sys.exit(1 if lost or nested else 0)


if __name__ == "__main__":
    main()
