"""Terminology of all help texts and pages."""

import pathlib
import re
import shlex

from harness import UsersBuild, heed

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Private words for which the field has standard terms.
FORBIDDEN = [
    r"hangs? on", r"as bytes", r"taken apart", r"given vectors?", r"at will", r"\bor so\b",
    r"foretold", r"levelled", r"gold prefix", r"short wins", r"\bdraws derive",
    r"comes again", r"held back", r"ever other", r"1 threads", r": , ", r"\bgreatest\b",
    r"led along", r"\bwith marks\b", r"factors of (matrix )?products", r"\bpieces of words\b",
    r"\bpieces?\b", r"\btold\b", r"\btells?\b", r"looked at most",
    r"examples that are in no file", r"\bstep size\b", r"keep.bias", r"\bheeded\b",
    r"which model of the literature", r"the samples depend on", r"\bso many (words|rows|stacked|likeliest)",
    r"counts? beside", r"shown beside", r"norms? (behind|before)\b", r"\bmarks\b",
    r"what a model of any task says", r"under LibreTranslate's API, and a page",
    r"what lets a shell", r"its company", r"likeliest", r"\bperhaps\b", r"files add up",
    r"\bleast (probability|level)",
]
# Standard terms that contain such words.
ALLOWED = [r"pieces? of an answer", r"quotation marks", r"Show, Attend and Tell"]


def offences(text):
    flat = " ".join(text.split())
    for allowed in ALLOWED:
        flat = re.sub(allowed, "", flat)
    return [flat[max(0, m.start() - 40):m.end() + 40]
            for word in FORBIDDEN for m in re.finditer(word, flat, re.IGNORECASE)]


OPENING = re.compile(r"(the same|of|that|those|as|what|whether\b.*\bit|likewise)\b", re.IGNORECASE)
LONGEST_SENTENCE = 35


def options_in(text):
    """Yields (option, its text) of a help page: two columns, the second from column 28."""
    option, lines = None, []
    for line in [*text.splitlines(), ""]:
        begin = re.match(r"  (-\S.*?)(?:  +(\S.*))?$", line)
        if line.startswith(" " * 26):
            lines.append(line.strip())
        elif option:
            yield option, " ".join(lines)
            option = None
        if begin:
            option, lines = begin[1], [begin[2] or ""]


def unclear_options(text):
    """Returns options whose text begins with a reference or has a sentence that is too long."""
    found = []
    for option, words in options_in(text):
        if OPENING.match(words):
            found.append(f"{option}: begins with '{OPENING.match(words)[1]}': {words[:60]}")
        prose = re.sub(r"\([^)]*\)|: [a-z0-9_-]+(, [a-z0-9_-]+)+", "", words)
        found += [f"{option}: {len(sentence.split())} words: {sentence[:60]}"
                  for sentence in re.split(r"[.;:] ", prose) if len(sentence.split()) > LONGEST_SENTENCE]
    return found


def commands_in(page):
    """Returns the words after "heed" of every command line in a document."""
    text = page.read_text()
    blocks = re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    lines = re.sub(r"\\\n\s*", " ", "\n".join(blocks)).splitlines()
    lines += re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    for line in lines:
        for words in re.findall(r"(?:^|[|;&(\s])heed ([a-z]+\b[^|;&)>]*)", line):
            yield shlex.split(words.replace("'", '"').replace('"', ""))


class Wording(UsersBuild):
    def words(self, *command):
        lines = heed("__complete", *command).stdout.decode().splitlines()
        return [line.split("\t")[0] for line in lines[1:]]

    def check(self, *command):
        result = heed(*command)
        self.assertEqual(result.returncode, 0, command)
        text = result.stdout.decode()
        self.assertTrue(text, command)
        self.assertEqual(offences(text), [], command)
        self.assertEqual(unclear_options(text), [], command)

    def test_unclear_options_are_found(self):
        text = ("Options\n  --out DIR                 of the model\n"
                "  --verbose-option-name NAME\n" + " " * 28 + "loss to minimise\n"
                "  --long N                  " + "word " * 36 + "\n")
        self.assertEqual([option for option, _ in options_in(text)],
                         ["--out DIR", "--verbose-option-name NAME", "--long N"])
        self.assertEqual(len(unclear_options(text)), 2)

    def test_helps_of_all_commands(self):
        commands = [[name] for name in self.words("") if not name.startswith("-")]
        for name in ("bench", "demo", "generate"):
            commands += [[name, part] for part in self.words(name, "")]
        self.check("--help")
        for command in commands:
            with self.subTest(command=command):
                if command != ["help"]:
                    self.check(*command, "--help")
        self.assertGreater(len(commands), 20)

    def test_helps_of_all_tasks_and_models(self):
        for task in self.words("train", "--task", ""):
            for model in self.words("train", "--task", task, "--model", ""):
                with self.subTest(task=task, model=model):
                    self.check("train", "--task", task, "--model", model, "--help")

    def test_manual_pages_and_lists(self):
        folder = self.folder / "man"
        self.runs("manual", "--out", folder)
        pages = sorted(folder.iterdir())
        self.assertGreater(len(pages), 15)
        for page in pages:
            self.assertEqual(offences(page.read_text().replace("\\-", "-")), [], page)
        for what in ("tasks", "models", "attentions", "scores"):
            self.check("list", what)

    def test_documentation(self):
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            with self.subTest(page=page.name):
                text = re.sub(r"```.*?```|`[^`]*`", "code", page.read_text(), flags=re.DOTALL)
                self.assertEqual(offences(text), [])

    def options_of(self, words, chosen):
        """Returns the options of a command for any task."""
        command = words[:1]
        if command[0] in ("bench", "demo", "generate") and len(words) > 1 and words[1].isalpha():
            command = words[:2]
        for option in ("--task", "--model", "--prune"):
            if option in words[:-1] and (option != "--prune" or command == ["explain"]):
                value = words[words.index(option) + 1]
                if not value.isupper() and "/" not in value:
                    command += [option, value]
        tasks = self.words("train", "--task", "")
        each = [command]
        if command[0] in ("train", "predict", "evaluate") and "--task" not in command:
            each = [command] if "--model" in command else [
                [*command, "--task", task] for task in tasks]
        options = set()
        for line in each:
            key = tuple(line)
            if key not in chosen:
                chosen[key] = set(re.findall(r"--(?:\[no-\])?([a-z][a-z0-9-]*)",
                                             self.runs(*line, "--help")))
            options |= chosen[key]
        return options

    def test_documents_name_options_that_there_are(self):
        commands = {name for name in self.words("") if not name.startswith("-")}
        chosen = {}
        checked = 0
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            for words in commands_in(page):
                if words[0] not in commands:
                    continue
                options = self.options_of(words, chosen)
                for word in words[1:]:
                    if word == "--":  # options of the training of a distillation
                        options = self.options_of(["train"], chosen)
                    if not re.match(r"--[a-z]", word):
                        continue
                    name = word.removeprefix("--").split("=")[0]
                    known = {name, name.removeprefix("no-")} & options
                    self.assertTrue(known or name == "version", (page.name, words))
                    checked += 1
        self.assertGreater(checked, 100)
