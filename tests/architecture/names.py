#!/usr/bin/env python3
"""The rule of the house: names.py HEED prints each quoted name of a task or a model
that stands outside the place that it comes from, as FILE:LINE: NAME, and fails.

The names are those that HEED lists. A name may stand

- in the folder of its task (the one with the row), or of its model's family
  (heed/models/recurrent if its row stands in recurrent_roles.cc there);
- in a file that is named after it (apps/heed/command_NAME.cc, course/demo_NAME.cc);
- in a row of another table that begins with it (verbs and demos of the command);
- in the words of an enum (WordsOf), which are a registry of their own;
- in the registries, tests and docs;
- where ALLOWED says why.

names.py HEED --self-test plants offenders in a copy and expects to find them.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("heed", "apps", "course", "bench", "web/src")
SOURCES = {".cc", ".h", ".ts", ".css", ".py", ".mjs", ".sh", ".lua"}
REGISTRIES = re.compile(r"heed/(tasks|models)/registry\.(cc|h)")
TABLES = re.compile(r"((apps/heed|bench)/command\w*|course/registry)\.cc")  # of verbs, demos and benches
TESTS = re.compile(r"_test\.cc$|testing\.h$")

# Other uses of names that are also tasks or models: (files, names, reason).
ALLOWED = [
    (r"heed/convert/.*", {"transformer"}, "what Marian calls the type of its models"),
    (r"heed/text/markup/html_tokens\.cc", {"translate"}, "an attribute of HTML"),
    (r"web/src/core/api\.ts", {"translate"}, "a path of the API, which is LibreTranslate's"),
    (r"heed/ops/rnn\.cc|heed/models/recurrent/.*|heed/convert/marian_\w*\.cc", {"gru"},
     "the cell, not the model that is but one of them"),
    (r"heed/convert/marian_transformer\.cc", {"rnn"}, "what Marian calls a recurrent decoder"),
    (r"web/src/kinds/graph\.ts", {"nodes"}, "what the items of a graph are called"),
    (r"web/src/kinds/series\.ts", {"patches"}, "what the items of a series are called"),
    (r"web/src/kinds/memory\.ts", {"slots"}, "those of a memory"),
    (r"heed/(nn/word_features|ops/rnn)\.cc", {"lstm"}, "a cell, as options and errors call it"),
    (r"heed/models/image/foveal\.cc|heed/tasks/explain_summary\.cc|apps/heed/command_explain\.cc", {"order"},
     "that of looks, of tokens and of heads"),
    (r".*", {"bias", "factors", "mean"}, "words of the field: models of ratings are called so, and what "
     "a layer adds, what a product has and an average are"),
    (r".*", {"sum", "read"}, "words of the field: a reader is called so, and what a product adds up to and "
     "what a memory gives are"),
    (r"heed/data/header\.cc", {"caption", "tag"}, "usual names of columns"),
    (r"heed/data/(time_axis|series_time)\.cc", {"tag"}, "a day, in German names of columns"),
    (r"heed/data/time_names\.cc", {"sat"}, "Saturday"),
    (r"heed/tasks/caption/.*", {"images"}, "the option that lists them, and how many there are"),
    (r"course/data/\w*generators\.cc", None, "the task that made-up files are for"),
    (r"heed/data/caption_list\.cc", {"caption"}, "what a line of a list has"),
    (r"heed/data/caption(s\.h|_list\.cc)", {"images"}, "a member of Karpathy's JSON"),
    (r"apps/heed/distillation\w*\.(cc|h)", {"translate", "student-tiny"}, "a step, and the usual student"),
    (r"apps/libheed/operations\.cc", {"rnn", "gru", "lstm", "cho", "bahdanau"}, "cells and their kinds"),
    (r"apps/libheed/heed\.h", {"classify", "translate"}, "examples, and a path of the API"),
    (r"bench/attention_maps\.cc", {"transformer"}, "the model whose maps are measured"),
    (r"course/demo_images\.cc", {"ram"}, "its policy learns in more epochs than the other models"),
    (r"bench/(?!cancellation)[^/]*\.(py|sh)", None, "what an experiment of docs/explanation/performance.md measures"),
]


def listed(heed, what):
    """Returns the rows that `heed list` prints."""
    printed = subprocess.run([heed, "list", what, "--json"], stdout=subprocess.PIPE,
                             text=True, check=True).stdout
    return json.loads(printed)[what]


def names_of(heed):
    tasks = {row["task"] for row in listed(heed, "tasks")}
    models = {row[key] for row in listed(heed, "models") for key in ("model", "variant")}
    return tasks, models - {""}


def sources(root):
    """Yields paths in the folders, such as "heed/base/json.h"."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if (path.suffix in SOURCES and "node_modules" not in path.parts
                    and not REGISTRIES.fullmatch(name) and not TESTS.search(name)):
                yield name, path.read_text(encoding="utf-8")


def homes_of(root, tasks, models):
    """Returns, for each name, a regular expression of the files in which it may occur."""
    homes = {}
    for name in tasks:
        row = re.compile(rf'\bname = "{name}"')
        folders = {path.parent.relative_to(root).as_posix()
                   for path in (root / "heed/tasks").glob("*/*.cc")
                   if row.search(path.read_text(encoding="utf-8"))}
        if len(folders) != 1:
            sys.exit(f"task '{name}' has its row in {sorted(folders) or 'no folder'}, not in one")
        homes[name] = [re.escape(folders.pop()) + "/.*"]
    for path in sorted((root / "heed/models").rglob("*_roles.cc")):
        text = path.read_text(encoding="utf-8")
        folder = path.parent.relative_to(root).as_posix()
        for name in models:
            if f'"{name}"' in text:
                homes.setdefault(name, []).append(rf"{folder}/.*")
    for name in tasks | models:
        if name not in homes:
            sys.exit(f"model '{name}' has its row in no heed/models/*/*_roles.cc")
        homes[name].append(rf".*[/_]{re.escape(name)}\.(cc|h|ts)")
    return {name: re.compile("|".join(all_of_it)) for name, all_of_it in homes.items()}


def without_words(text):
    """Blanks the words of enums and keeps the line numbers."""
    return re.sub(r"\bWordsOf\([^)]*\)[^;{]*\{[^}]*\{[^}]*\}[^}]*\}",
                  lambda found: "\n" * found[0].count("\n"), text)


def patterns_of(names):
    """Yields patterns of a name: quoted, or as the value of an option. A name with a hyphen that
    is not ordinary English also matches anywhere in quotes."""
    for name in sorted(names):
        word = re.escape(name)
        either = [rf"""(["'`]){word}\1""", rf"""--(?:task|model)[ =]{word}(?![\w-])"""]
        if "-" in name:
            either.append(rf"""["'`].*(?<![\w-]){word}(?![\w-])""")
        yield name, re.compile("|".join(f"(?:{one})" for one in either).replace(r"\1", r"(?:[\"'`])"))


def offenders(root, tasks, models, used):
    """Yields (file, line, name) in the order of files. Adds the allowed uses to `used`."""
    homes = homes_of(root, tasks, models)
    patterns = list(patterns_of(tasks | models))
    for file, text in sources(root):
        for number, line in enumerate(without_words(text).split("\n"), 1):
            if file.endswith((".cc", ".h")):
                line = re.sub("`[^`]*`", "", line)  # an identifier in a comment
            for name, pattern in patterns:
                if not pattern.search(line) or homes[name].fullmatch(file):
                    continue
                if TABLES.fullmatch(file) and re.match(rf'\s*\{{"{re.escape(name)}", ', line):
                    continue
                allowed = [row for row in ALLOWED
                           if re.fullmatch(row[0], file) and name in (row[1] or {name})]
                used.update(row[0] for row in allowed)
                if not allowed:
                    yield file, number, name


def self_test(tasks, models):
    """Plants offenders and expects to find exactly them."""
    task, other = sorted(tasks)[:2]
    model = max(models, key=lambda name: "-" in name)
    planted = {
        "heed/serve/planted.cc": [f'if (task == "{task}") Answer();', f"// heed train --task {task}"],
        "apps/heed/planted.cc": [f'fmt::print("heed train --model {model}");'],
        "web/src/shell/planted.ts": [f"const asked = '{task}';", f"if (model.name === `{model}`) {{"],
        f"heed/tasks/{task}/planted.cc": [f'const char* other = "{other}";'],
        "bench/planted.cc": [f'for (const char* model : {{"{model}"}}) {{'],
    }
    fine = {f"heed/tasks/{task}/own.cc": f'const char* own = "{task}";',
            "heed/ops/words.h": f'constexpr auto WordsOf(X) {{\n return std::array{{"{model}"}}; }}',
            "heed/serve/comment.cc": f"/// `{task}` is a parameter; it may {task} what it reads."}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in sorted(tasks):
            (root / f"heed/tasks/{name}").mkdir(parents=True)
            (root / f"heed/tasks/{name}/settings.cc").write_text(f'row.name = "{name}";\n')
        (root / "heed/models/toy").mkdir(parents=True)
        (root / "heed/models/toy/toy_roles.cc").write_text(
            "".join(f'"{name}"\n' for name in sorted(models)))
        for file, text in ({file: "\n".join(lines) for file, lines in planted.items()} | fine).items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text + "\n")
        found = {(file, line) for file, line, _ in offenders(root, tasks, models, set())}
    expected = {(file, line) for file, lines in planted.items() for line in range(1, len(lines) + 1)}
    if found != expected:
        sys.exit(f"missed: {sorted(expected - found)}; no offenders: {sorted(found - expected)}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tasks, models = names_of(sys.argv[1])
    if "--self-test" in sys.argv:
        self_test(tasks, models)
        return
    used = set()
    found = list(offenders(ROOT, tasks, models, used))
    for file, line, name in found:
        print(f"{file}:{line}: {name}")
    needless = [files for files, _, _ in ALLOWED if files not in used]
    if needless:
        sys.exit(f"ALLOWED, but not needed: {needless}")
    if found:
        sys.exit(f"{len(found)} names outside their own places: ask the registries (docs/how-to/adding.md)")


if __name__ == "__main__":
    main()
