"""Checks of bench/figures.py --check: documents agree with entries, and the command has the
options of the entries. Runs no command."""

import functools
import re
import shlex
import subprocess

from figures_entries import expand
from figures_tables import page_table

# Options that a document may omit: paths, and options without effect on figures.
UNDOCUMENTED = {"--seed", "--out", "--threads", "--quiet", "--json", "--overwrite"}


def places_of(text):
    """Yields rows of tables, and paragraphs as one line each."""
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.split("\n")
        yield from (line for line in lines if line.startswith("|"))
        yield " ".join(" ".join(line for line in lines if not line.startswith("|")).split())


def stands_in(text, place):
    return re.search(rf"(?<![\d.,]){re.escape(text)}(?!\d|[.,]\d)", place) is not None


def calls_of(command):
    """Yields the words after each {heed} of a shell command; those after -- of distill are of train."""
    flat = command.replace("\\\n", " ")
    for call in re.findall(r"""\{heed\}((?:"[^"]*"|'[^']*'|[^|;&\n<>()"'])*)""", flat):
        try:
            words = shlex.split(call)
        except ValueError:
            words = call.split()
        if words and re.fullmatch("[a-z]+", words[0]):
            border = words.index("--") if words[0] == "distill" and "--" in words else len(words)
            yield words[:border]
            if border < len(words):
                model = dict(with_values(words[:border])).get("--student", "student-tiny")
                yield ["train", "--model", model, *words[border + 1:]]


def verb_of(words):
    """Returns the command of a call: ["demo", "luong"], or ["train"]."""
    return words[:2] if words[0] in ("demo", "bench", "generate") and len(words) > 1 and words[1].isalpha() else words[:1]


def with_values(words):
    """Yields (option, its value or "") of the words of a call."""
    for i, word in enumerate(words):
        if re.match(r"--[a-z]", word):
            follows = words[i + 1] if i + 1 < len(words) and not re.match(r"--[a-z]", words[i + 1]) else ""
            yield word, follows


def block_of(figure):
    """Pattern of a figure's table in its document: <!-- figure NAME --> TABLE <!-- end -->."""
    return re.compile(rf"(?P<begin><!-- figure {re.escape(figure.name)} -->\n)(?P<table>.*?)(?P<end><!-- end -->)",
                      re.DOTALL)


def unknown_blocks(figures, root):
    """Yields markers of tables that no figure has."""
    known = {(figure.document, figure.name) for figure in figures}
    for page in sorted([root / "README.md", *root.glob("docs/**/*.md")]):
        if page.exists():
            document = str(page.relative_to(root))
            for name in re.findall(r"<!-- figure (\S+) -->", page.read_text(encoding="utf-8")):
                if (document, name) not in known:
                    yield f"{document}: there is no figure '{name}' of this document"


def write(figures, root):
    """Writes the tables of the figures between their markers. Returns the changed documents."""
    changed = []
    for figure in figures:
        path = root / figure.document
        text = path.read_text(encoding="utf-8")
        made = block_of(figure).sub(lambda found: f"{found['begin']}{page_table(figure)}\n{found['end']}", text)
        if made != text:
            path.write_text(made, encoding="utf-8")
            changed.append(figure.document)
    return list(dict.fromkeys(changed))


def missing_in(figure, root):
    """Yields figures and options that the document of a figure lacks."""
    path = root / figure.document
    if not path.exists():
        yield f"{figure.document} is not there"
        return
    text = path.read_text(encoding="utf-8")
    places = list(places_of(text))
    block = block_of(figure).search(text)
    if block and block["table"].strip() != page_table(figure):
        yield f"the table of {figure.document} differs; bench/figures.py HEED --write makes it"
    code = " ".join(re.sub(r"\\\n\s*", " ", text).split()).replace("`", " ")
    for row in figure.rows:
        said = [one for documented in row.documented.values() for one in documented.texts]
        where = f"row '{row.name}'"
        if said and not block and not any(row.beside in place and all(stands_in(one, place) for one in said)
                            for place in places):
            beside = f", beside '{row.beside}'" if row.beside else ""
            yield f"{where}: no line of {figure.document} has {' and '.join(said)}{beside}"
        for command in [figure.prepare, *figure.commands.values()]:
            for words in calls_of(expand("", command, row, row.seeds[0])):
                verb = "heed " + " ".join(verb_of(words))
                if verb.startswith("heed demo") and not re.search(rf"{verb}\b", code):
                    yield f"{where}: {figure.document} does not have '{verb}'"
                for option, value in with_values(words):
                    if option in UNDOCUMENTED or option in figure.undocumented or "{" in value:
                        continue
                    one = f"{option} {value}".strip()
                    if option == "--epochs" and re.search(rf"\b{value} epochs", code):
                        continue
                    if not re.search(rf"{re.escape(one)}(?![\w.-]*\w)", code.replace('"', "").replace("'", "")):
                        yield f"{where}: {figure.document} does not have '{one}'"


@functools.cache
def options_of(heed, call):
    done = subprocess.run([heed, *call, "--help"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None
    return set(re.findall(r"--(?:\[no-\])?([a-z][a-z0-9-]*)", done.stdout))


def unknown_to(figure, heed):
    """Yields options that the command does not have. Evaluations use the model trained before."""
    for row in figure.rows:
        trained = []
        for command in [figure.prepare, *figure.commands.values()]:
            for words in calls_of(expand("", command, row, row.seeds[0])):
                call = verb_of(words)
                options = dict(with_values(words))
                own = [word for option in ("--task", "--model") if options.get(option, "{")[0] != "{"
                       for word in (option, options[option])]
                if call == ["train"]:
                    trained = own[:2] if own[:1] == ["--task"] else []
                if call[0] in ("evaluate", "predict"):
                    own = trained
                known = options_of(heed, (*call, *own)) if call[0] != "train" or "--pretrained" not in options \
                    else options_of(heed, (*call, *own[:2]))
                if known is None:
                    yield f"row '{row.name}': heed {' '.join([*call, *own])} --help fails"
                    continue
                for option in options:
                    name = option.removeprefix("--").split("=")[0]
                    if not {name, name.removeprefix("no-")} & known:
                        yield f"row '{row.name}': heed {' '.join([*call, *own])} has no option {option}"


def check(figures, heed, root, whole):
    problems = list(unknown_blocks(figures, root)) if whole else []
    for figure in figures:
        for problem in dict.fromkeys([*missing_in(figure, root), *unknown_to(figure, heed)]):
            problems.append(f"{figure.file}: figure '{figure.name}': {problem}")
    return problems
