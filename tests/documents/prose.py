#!/usr/bin/env python3
"""Checks the English of the documents and of public comments.

    prose.py                  every page, and the comments of all headers
    prose.py --list           also prints words, lines and reading ease of each page
    prose.py --self-test      plants mistakes and expects to find them

Prints each problem as FILE:LINE: and fails. A page has at most 250 lines, a sentence at most 35 words,
a paragraph at most three figures; no sentence of a page and no comment begins with a word that refers to
something else. README and how-to guides have a Flesch reading ease of at least 50."""
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST_PAGE = 250
LONGEST_SENTENCE = 35
MOST_FIGURES = 3
LEAST_EASE = 50
MOST_WORDS = 55000
OPENING = re.compile(r"(The same|Of|That|Those|As|What|Whether\b.*\bit|Likewise)\b")
COMMENT = re.compile(r"\s*///<?\s+(.*)")
FIGURE = re.compile(r"(?<![\w.])\d+[.,]\d+|\d+ ?%|\d+(?= times)")
QUESTION = re.compile(r"What\b[^.!:]*\?$")  # a heading or a question of the reader


def syllables(word):
    word = word.lower()
    if len(word) <= 3:
        return 1
    word = re.sub(r"^y", "", re.sub(r"(?:[^laeiouy]es|ed|[^laeiouy]e)$", "", word))
    return max(1, len(re.findall("[aeiouy]{1,2}", word)))


def without(pattern, text):
    """Blanks what matches and keeps the line numbers."""
    return re.sub(pattern, lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE)


def paragraphs(text):
    """Yields (line, paragraph or list item) of a page, without code, tables, headings and links."""
    text = without("<!--.*?-->", without(r"^ *```.*?^ *```$", text))
    text = re.sub(r"`[^`\n]*(\n[^`\n]*)?`", lambda found: "code" + "\n" * found[0].count("\n"), text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("*", "")
    lines, begin = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        is_prose = line.strip() and not line.startswith(("|", "#", "<", "![", "    "))
        item = re.match(r" *([-+]|\d+\.) ", line)
        if lines and (not is_prose or item):
            yield begin, " ".join(" ".join(lines).split())
            lines = []
        if is_prose:
            begin = begin if lines else number
            lines.append(re.sub(r"^ *([-+]|\d+\.) ", "", line))
    if lines:
        yield begin, " ".join(" ".join(lines).split())


def sentences(paragraph):
    return [one for one in re.split(r"(?<=[.!?:;])[)\"]* +(?=[A-Z(\"])", paragraph)
            if re.search("[A-Za-z]", one)]


def words(sentence):
    return re.findall(r"[A-Za-z][A-Za-z'’-]*", sentence)


def problems_of_page(path, text):
    if text.count("\n") > LONGEST_PAGE:
        yield f"{path}:{LONGEST_PAGE}: {text.count(chr(10))} lines; at most {LONGEST_PAGE}"
    for line, paragraph in paragraphs(text):
        if len(FIGURE.findall(paragraph)) > MOST_FIGURES:
            yield f"{path}:{line}: more than {MOST_FIGURES} figures in a paragraph; make a table"
        for sentence in sentences(paragraph):
            if len(words(sentence)) > LONGEST_SENTENCE:
                yield f"{path}:{line}: a sentence of {len(words(sentence))} words: {sentence[:60]}…"
            if OPENING.match(sentence) and not QUESTION.match(sentence):
                yield f"{path}:{line}: a sentence begins with '{OPENING.match(sentence)[1]}': {sentence[:60]}…"


def reading_ease(text):
    all_sentences = [one for _, paragraph in paragraphs(text) for one in sentences(paragraph)]
    all_words = [word for one in all_sentences for word in words(one)]
    if not all_words:
        return 100
    per_word = sum(map(syllables, all_words)) / len(all_words)
    return 206.835 - 1.015 * len(all_words) / len(all_sentences) - 84.6 * per_word


def problems_of_header(path, text):
    is_comment = False
    for number, line in enumerate(text.split("\n"), 1):
        comment = COMMENT.match(line) or re.search(r"///<\s+(.*)", line)
        if comment and not is_comment and OPENING.match(comment[1]):
            yield f"{path}:{number}: a comment begins with '{OPENING.match(comment[1])[1]}'"
        is_comment = bool(COMMENT.match(line))


def problems(root, listed=False):
    total = 0
    for page in [root / "README.md", *sorted(root.glob("docs/**/*.md"))]:
        path, text = page.relative_to(root), page.read_text(encoding="utf-8")
        total += len(text.split())
        yield from problems_of_page(path, text)
        ease = reading_ease(text)
        if listed:
            print(f"{len(text.split()):6} words {text.count(chr(10)):4} lines, ease {ease:3.0f}  {path}")
        if (page.name == "README.md" or "how-to" in page.parts) and ease < LEAST_EASE:
            yield f"{path}:1: reading ease {ease:.0f}; at least {LEAST_EASE}"
    if listed:
        print(f"{total:6} words")
    if total > MOST_WORDS:
        yield f"README.md:1: README and docs have {total} words; at most {MOST_WORDS}"
    for header in sorted(root.glob("heed/**/*.h")):
        yield from problems_of_header(header.relative_to(root), header.read_text(encoding="utf-8"))


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs/how-to").mkdir(parents=True)
        (root / "heed/base").mkdir(parents=True)
        (root / "README.md").write_text("Short.\n\n```sh\nOf code 1.1 2.2 3.3 4.4\n```\nWhat is new?\n")
        (root / "docs/a.md").write_text(
            "Fine.\nThe same again.\n\n- Of old.\n- It has 1.5, 2.5, 3 % and 4.5.\n\n" + "word " * 36 + ".\n")
        (root / "docs/how-to/b.md").write_text("Incomprehensibilities characteristically materialise.\n" + "\n" * 250)
        (root / "heed/base/a.h").write_text("/// A list.\n/// That is long.\n\nint x;  ///< of x\n/// Those.\n")
        found = [re.sub(r"(:\d+: .{22}).*", r"\1", one) for one in problems(root)]
        expected = ["docs/a.md:1: a sentence begins with", "docs/a.md:4: a sentence begins with",
                    "docs/a.md:5: more than 3 figures in", "docs/a.md:7: a sentence of 36 words",
                    "docs/how-to/b.md:250: 251 lines", "docs/how-to/b.md:1: reading ease",
                    "heed/base/a.h:5: a comment begins with"]
        if len(found) != len(expected) or not all(one[:30].startswith(other[:30]) for one, other in zip(found, expected)):
            sys.exit("expected\n" + "\n".join(expected) + "\nfound\n" + "\n".join(problems(root)))


def main():
    if "--self-test" in sys.argv:
        self_test()
        return
    found = list(problems(ROOT, "--list" in sys.argv))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
