#!/usr/bin/env python3
"""Makes the figures of the documents again, and compares.

    bench/figures.py HEED --list                      what there is, and how long it takes
    bench/figures.py HEED --only graphs/cora          one figure, with all its seeds
    bench/figures.py HEED --document docs/images.md --seeds 1 --out figures
    bench/figures.py HEED --under 5 --jobs 2          what takes at most five minutes
    bench/figures.py HEED --check                     the documents hold what is listed here

Each figure is an entry of a file in bench/figures, one file for each document: its
commands, seeds, data, and what the document says. For each row of a figure and each
seed the commands run in a folder of their own; then a table has what is documented,
what was measured, and whether the one is within the spread of the other:

    same      the figures of the document, to its last digit
    within    a mean not farther from the documented one than two of its deviations,
              or than the tolerance that the entry gives and explains
    OUTSIDE   anything else; the exit status is then 1, as where a command fails
    new       the document has no such figure yet
    part      the document has a mean of several seeds and no deviation, and not all ran

A figure without deviation is that of its seeds: the same seeds give the same bits, so
it has to be the same. Figures whose data are not there are skipped, by a line that
names what is missing. With --out DIR everything is kept there, and what has run is
not run again; without, it goes. Ctrl-C loses the commands at hand and no others.

An entry, in TOML (bench/figures/README.md explains each key):

    document = "docs/order.md"

    [[figure]]
    name = "order/frames"
    what = "Frames in order, drawn clips: accuracy"
    seeds = [1]
    minutes = 1.6
    [figure.commands]
    train = "{heed} train --task order --epochs {epochs} --seed {seed} --out {out}/model"
    test = "{heed} evaluate {out}/model --clips 1000 --json"
    [figure.values]
    test = { json = "model.accuracy" }
    [[figure.rows]]
    name = "20 epochs"
    epochs = 20
    documented = { test = "99.6" }
"""

import argparse
import concurrent.futures
import dataclasses
import difflib
import fnmatch
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
NUMBER = re.compile(r"[-−+]?(?:\d[\d,]*\d|\d)?(?:\.\d+|(?<=\d))(?:e[-+−]?\d+)?")
PLACES = ("heed", "data", "out", "shared", "bench", "seed")  # what templates may name
FILE_KEYS = {"document": str, "figure": list}
FIGURE_KEYS = {"name": str, "what": str, "data": list, "needs": str, "hint": str, "seeds": (list, str),
               "minutes": (int, float), "prepare": str, "commands": dict, "values": dict, "rows": list, "documented": dict,
               "beside": str, "tolerance": (int, float), "why": str, "unsaid": list, "options": str}
ROW_KEYS = {"name": str, "column": str, "options": str, "seeds": (list, str), "minutes": (int, float), "documented": dict,
            "beside": str, "tolerance": (int, float), "why": str, "data": list, "values": list}
VALUE_KEYS = {"from": str, "json": (str, list), "text": str, "scale": (int, float), "offset": (int, float),
              "digits": int}
# Options of a template that a document need not say: where files are, and what changes no figure.
UNSAID = {"--seed", "--out", "--threads", "--quiet", "--json", "--overwrite"}


class Mistake(Exception):
    """Of an entry or of an option: one line."""


def number_of(text):
    return float(text.replace(",", "").replace("−", "-"))


def digits_of(text):
    """Behind the point, and of "5e-05" those of its mantissa, with the power."""
    mantissa, _, power = text.partition("e")
    return len(mantissa.partition(".")[2]), power


@dataclasses.dataclass
class Documented:
    """What a document says of a value: "0.66", "83.22 ± 0.66", or a figure for each seed,
    "95.5, 95.4" or "0 | 3.16" or ["95.5", "95.4"]. `texts` have to stand there as they are."""
    texts: list
    numbers: list
    deviation: float | None = None

    @staticmethod
    def of(where, said):
        texts = said if isinstance(said, list) else [said]
        if not texts or not all(isinstance(text, str) for text in texts):
            raise Mistake(f"{where}: has to be a text such as \"83.22 ± 0.66\", as the document has it")
        if len(texts) == 1 and "±" in texts[0]:
            both = [part.strip() for part in texts[0].split("±")]
            if len(both) != 2 or not all(NUMBER.fullmatch(part) for part in both):
                raise Mistake(f"{where}: '{texts[0]}' is no mean ± deviation")
            return Documented(texts, both[:1], number_of(both[1]))
        numbers = [part for text in texts for part in re.split(r", | \| ", text)]
        for part in numbers:
            if not NUMBER.fullmatch(part):
                raise Mistake(f"{where}: '{part}' is no number")
        return Documented(texts, numbers)

    def __str__(self):
        return self.texts[0] if len(self.texts) == 1 else ", ".join(self.texts)


def unit_in_last_place(text):
    digits, power = digits_of(text)
    return 10.0 ** (-digits + (int(power.replace("−", "-")) if power else 0))


def rounded(value, like):
    """A number with the digits of another, as documents write it."""
    digits, power = digits_of(like)
    if power:
        return f"{value:.{digits}e}"
    text = f"{value:,.{digits}f}" if "," in like else f"{value:.{digits}f}"
    if like.lstrip("-−+").startswith("."):
        text = text.replace("0.", ".", 1)
    return text.replace("-", "−") if "−" in like or value < 0 else text


def equal(value, text):
    """To the last digit of what is written; half of its unit, as rounding has it."""
    return abs(value - number_of(text)) <= unit_in_last_place(text) * (0.5 + 1e-6)


@dataclasses.dataclass
class Value:
    name: str
    command: str  # whose output has it
    path: list | None  # in JSON
    pattern: str | None  # in text
    scale: float
    offset: float
    digits: int

    def read(self, outputs, fields):
        output = outputs[self.command]
        if self.pattern is not None:
            pattern = filled(self.pattern, {name: re.escape(value) for name, value in fields.items()})
            found = re.search(pattern, output, re.MULTILINE)
            if not found:
                raise Mistake(f"'{pattern}' is not in the output of '{self.command}'")
            return number_of(found[1]) * self.scale + self.offset
        at = json.loads(output)
        for step in [filled(step, fields) for step in self.path]:
            try:
                at = at[int(step)] if isinstance(at, list) else at[step]
            except (KeyError, IndexError, TypeError, ValueError):
                known = ", ".join(at) if isinstance(at, dict) else f"a {type(at).__name__}"
                raise Mistake(f"'{step}' of {'.'.join(map(str, self.path))} is not in the JSON of "
                              f"'{self.command}' (there: {known})") from None
        if not isinstance(at, (int, float)):
            raise Mistake(f"{'.'.join(map(str, self.path))} of '{self.command}' is no number")
        return at * self.scale + self.offset


@dataclasses.dataclass
class Row:
    line: str  # of the table
    column: str  # where a line has several
    fields: dict
    seeds: list
    minutes: float
    documented: dict
    beside: str
    tolerance: float | None
    data: list
    values: list  # their names

    @property
    def name(self):
        return f"{self.line}, {self.column}" if self.column else self.line


@dataclasses.dataclass
class Figure:
    file: str
    document: str
    name: str
    what: str
    needs: str
    hint: str
    prepare: str
    commands: dict
    values: dict
    rows: list
    unsaid: list

    def minutes(self, seeds=None):
        return sum({self.commands_of(row, seed): row.minutes
                    for row in self.rows for seed in chosen(row.seeds, seeds)}.values())

    def commands_of(self, row, seed):
        """Rows whose commands are the same are lines of what one run prints."""
        return tuple(expand("", command, row, seed) for command in self.commands.values())


def chosen(own, asked):
    return own if asked is None else [seed for seed in own if seed in asked]


def checked(where, table, keys, more=False):
    for key, value in table.items():
        if key not in keys:
            if more and isinstance(value, (str, int, float)) and re.fullmatch(r"[a-z_]+", key):
                continue
            near = difflib.get_close_matches(key, keys, 1)
            raise Mistake(f"{where}: key '{key}' is not known" + (f"; '{near[0]}'?" if near else ""))
        if not isinstance(value, keys[key]) or isinstance(value, bool):
            kinds = keys[key] if isinstance(keys[key], tuple) else (keys[key],)
            names = {str: "text", list: "a list", dict: "a table", int: "a number", float: "a number"}
            raise Mistake(f"{where}: key '{key}' has to be {' or '.join(dict.fromkeys(names[k] for k in kinds))}")


def value_of(where, name, table, commands):
    checked(where, table, VALUE_KEYS)
    if ("json" in table) == ("text" in table):
        raise Mistake(f"{where}: needs either key 'json' or key 'text'")
    command = table.get("from", list(commands)[-1])
    if command not in commands:
        raise Mistake(f"{where}: key 'from': there is no command '{command}'")
    path = table.get("json")
    if "text" in table:
        try:
            groups = re.compile(re.sub(r"\{[a-z_]+\}", "x", table["text"])).groups
        except re.error as error:
            raise Mistake(f"{where}: key 'text': {error}") from None
        if groups != 1:
            raise Mistake(f"{where}: key 'text' needs one group, the number; it has {groups}")
    return Value(name, command, path.split(".") if isinstance(path, str) else path, table.get("text"),
                 table.get("scale", 1), table.get("offset", 0), table.get("digits", 2))


def row_of(where, table, figure, values):
    if "name" not in table:
        raise Mistake(f"{where}: key 'name' is missing")
    checked(where, table, ROW_KEYS, more=True)
    where = f"{where} '{', '.join(table[key] for key in ('name', 'column') if key in table)}'"
    both = figure | table
    for key in ("seeds", "minutes"):
        if key not in both:
            raise Mistake(f"{where}: key '{key}' is missing")
    seeds = both["seeds"]
    if isinstance(seeds, str):
        try:
            seeds = sorted(seeds_of(seeds))
        except argparse.ArgumentTypeError as error:
            raise Mistake(f"{where}: key 'seeds': {error}") from None
    if not seeds or not all(isinstance(seed, int) for seed in seeds):
        raise Mistake(f"{where}: key 'seeds' has to be a list of whole numbers")
    documented = {}
    for name, said in table.get("documented", {}).items():
        if name not in values:
            raise Mistake(f"{where}: key 'documented': there is no value '{name}'")
        documented[name] = Documented.of(f"{where}: documented {name}", said)
        if len(documented[name].numbers) not in (1, len(seeds)):
            raise Mistake(f"{where}: documented {name} has {len(documented[name].numbers)} figures for "
                          f"{len(seeds)} seeds")
    shown = table.get("values", list(documented) or list(values))
    for name in [*shown, *documented]:
        if name not in values:
            raise Mistake(f"{where}: key 'values': there is no value '{name}'")
    if "tolerance" in both and not both.get("why"):
        raise Mistake(f"{where}: key 'tolerance' needs key 'why'")
    fields = {key: str(value) for key, value in table.items() if key not in ROW_KEYS}
    fields["options"] = both.get("options", "")
    data = [filled(name, fields) for name in figure.get("data", []) + table.get("data", [])]
    return Row(table["name"], table.get("column", ""), fields, seeds, both["minutes"], documented, both.get("beside", ""),
               both.get("tolerance"), data, shown)


def figure_of(file, document, table, number):
    where = f"{file}: figure '{table.get('name', number)}'"
    checked(where, table, FIGURE_KEYS)
    for key in ("name", "what", "commands", "values"):
        if not table.get(key):
            raise Mistake(f"{where}: key '{key}' is missing")
    for name, command in table["commands"].items():
        if not isinstance(command, str):
            raise Mistake(f"{where}: command '{name}' has to be text")
    values = {}
    for name, value in table["values"].items():
        if not isinstance(value, dict):
            raise Mistake(f"{where}: value '{name}' has to be a table such as {{ json = \"model.accuracy\" }}")
        values[name] = value_of(f"{where}: value '{name}'", name, value, table["commands"])
    given = table.get("rows") or [{"name": table["what"], "documented": table.get("documented", {})}]
    if "rows" in table and "documented" in table:
        raise Mistake(f"{where}: key 'documented' belongs to the rows where there are some")
    inherited = {key: value for key, value in table.items() if key in ROW_KEYS and key not in ("documented", "values")}
    rows = [row_of(f"{where}: row", row, inherited, values) for row in given]
    made = Figure(file, document, table["name"], table["what"], table.get("needs", ""), table.get("hint", ""),
                  table.get("prepare", ""), table["commands"], values, rows, table.get("unsaid", []))
    names = [slug(row.name) for row in rows]
    for name in names:
        if names.count(name) > 1:
            raise Mistake(f"{where}: two rows are called '{name}'")
    for row in rows:
        expand(where, made.prepare, row, row.seeds[0])
        for name, command in made.commands.items():
            expand(f"{where}: command '{name}', row '{row.name}'", command, row, row.seeds[0])
        if len(row.seeds) > 1 and not any("{seed}" in command for command in made.commands.values()):
            raise Mistake(f"{where}: row '{row.name}' has several seeds, and no command has {{seed}}")
    return made


def filled(template, fields):
    return re.sub(r"\{([a-z_]+)\}", lambda found: fields.get(found[1], found[0]), template)


def expand(where, template, row, seed):
    """A template with the fields of a row and a seed; the places stay for `placed`."""
    fields = row.fields | {"seed": str(seed)}
    for _ in range(2):  # options may have fields themselves
        template = filled(template, fields)
    for name in re.findall(r"\{([a-z_]+)\}", template):
        if name not in PLACES:
            raise Mistake(f"{where}: {{{name}}} is no field; there are {', '.join([*PLACES, *row.fields])}")
    return " ".join(template.split()) if "\n" not in template.strip() else template.strip()


def placed(command, places):
    return filled(command, {name: shlex.quote(str(place)) for name, place in places.items()})


def read_figures(folder):
    figures = []
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise Mistake(f"{folder}: no .toml files")
    for path in files:
        file = os.path.relpath(path, ROOT) if path.is_relative_to(ROOT) else str(path)
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise Mistake(f"{file}: {error}") from None
        checked(file, table, FILE_KEYS)
        if "document" not in table:
            raise Mistake(f"{file}: key 'document' is missing")
        for number, figure in enumerate(table.get("figure", []), 1):
            made = figure_of(file, table["document"], figure, number)
            if any(made.name == other.name for other in figures):
                raise Mistake(f"{file}: figure '{made.name}': the name is taken")
            figures.append(made)
    return figures


def slug(name):
    return re.sub(r"[^\w.=+-]+", "-", name).strip("-")


# What runs.


@dataclasses.dataclass
class Run:
    """The commands of a row with a seed, in a folder."""
    figure: Figure
    row: Row
    seed: int
    folder: pathlib.Path

    def __str__(self):
        own = "" if self.row.name == self.figure.what else f", {self.row.name}"
        return f"{self.figure.name}{own}, seed {self.seed}"


def write_whole(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(path.name + ".new")
    with open(made, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    made.replace(path)


class Runner:
    """Runs commands by bash, as many at a time as there are threads that ask; remembers
    in result.json of each folder what has run, and what it printed."""

    def __init__(self, heed, data, out, threads, again):
        self.out = out
        self.data = data
        self.build = hashlib.sha256(heed.read_bytes()).hexdigest()[:16]
        self.again = again
        self.other_builds = set()
        self.children = set()
        self.fresh = set()  # folders of this call
        self.stopped = False
        self.guard = threading.Lock()
        self.locks = {}
        # A command that is begun anew finds what it left; threads are those of --threads.
        self.heed = out / "heed"
        out.mkdir(parents=True, exist_ok=True)
        write_whole(self.heed, f"""#!/bin/bash
heed={shlex.quote(str(heed))}
more=()
if [[ " $* " != *" --threads "* ]] && "$heed" "$@" --help 2> /dev/null | grep -q -e --threads; then
  more+=(--threads {threads})
fi
[[ $1 != train || " $* " == *" --overwrite "* ]] || more+=(--overwrite)
exec "$heed" "$@" "${{more[@]}}"
""")
        self.heed.chmod(0o755)

    def stop(self):
        with self.guard:
            self.stopped = True
            for child in self.children:
                try:
                    os.killpg(child.pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass

    def shell(self, command):
        with self.guard:
            if self.stopped:
                raise KeyboardInterrupt
            child = subprocess.Popen(["bash", "-euo", "pipefail", "-c", command], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True, errors="replace",
                                     stdin=subprocess.DEVNULL, start_new_session=True,
                                     env=dict(os.environ, NO_COLOR="1", COLUMNS="200", LC_ALL="C.UTF-8"))
            self.children.add(child)
        try:
            output, errors = child.communicate()
        finally:
            with self.guard:
                self.children.discard(child)
        if self.stopped:
            raise KeyboardInterrupt
        if child.returncode != 0:
            last = "\n    ".join((errors.strip() or output.strip()).splitlines()[-6:])
            raise Mistake(f"status {child.returncode} of\n    {command}\n    {last}")
        return output

    def commands(self, folder, commands, places):
        """What they print, by their names; those that have run, from before. Whoever comes
        first runs what several need."""
        with self.guard:
            lock = self.locks.setdefault(folder, threading.Lock())
        with lock:
            outputs = self.commands_alone(folder, commands, places)
            self.fresh.add(folder)
            return outputs

    def commands_alone(self, folder, commands, places):
        state = folder / "result.json"
        past = {}
        if state.exists() and (not self.again or folder in self.fresh):
            past = json.loads(state.read_text(encoding="utf-8"))
        outputs, seconds, fresh = {}, {}, False
        work = folder / "work"
        if not past.get("outputs"):
            shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True, exist_ok=True)
        for name, command in commands.items():
            if not fresh and past.get("commands", {}).get(name) == command and name in past["outputs"]:
                outputs[name], seconds[name] = past["outputs"][name], past["seconds"][name]
                if past["build"] != self.build:
                    self.other_builds.add(folder)
                continue
            fresh = True
            begin = time.monotonic()
            outputs[name] = self.shell(placed(command, places | {"out": work}))
            seconds[name] = round(time.monotonic() - begin, 2)
            write_whole(state, json.dumps({"build": self.build, "commands": commands, "outputs": outputs,
                                           "seconds": seconds}, indent=1))
        return outputs

    def prepare(self, figure):
        folder = self.out / slug(figure.name) / "shared"
        if figure.prepare:
            self.commands(folder, {"prepare": figure.prepare}, self.places(folder))
        return folder / "work"

    def places(self, shared):
        return {"heed": self.heed, "data": self.data, "shared": shared, "bench": ROOT / "bench", "out": ""}

    def run(self, run):
        shared = self.prepare(run.figure)
        commands = {name: expand("", command, run.row, run.seed) for name, command in run.figure.commands.items()}
        outputs = self.commands(run.folder, commands, self.places(shared))
        return {name: value.read(outputs, run.row.fields) for name, value in run.figure.values.items()
                if name in run.row.values}


class Progress:
    """Lines on standard error: what has run, how long, and what is left by the listed
    minutes, as much faster or slower as this machine has been so far."""

    def __init__(self, runs, jobs):
        self.left = sum({run.folder: run.row.minutes for run in runs}.values())
        self.folders = set()
        self.count, self.done, self.jobs = len(runs), 0, jobs
        self.begin = time.monotonic()
        self.listed = self.took = 0.0
        self.guard = threading.Lock()

    def say(self, run, seconds, what=""):
        with self.guard:
            self.done += 1
            first = run.folder not in self.folders
            self.folders.add(run.folder)
            self.left -= run.row.minutes * first
            if seconds > 0.5 and first:
                self.listed += run.row.minutes
                self.took += seconds / 60
            left = self.left / self.jobs * (self.took / self.listed if self.listed else 1)
            print(f"[{self.done}/{self.count}] {run}: {what or duration(seconds / 60)}; "
                  f"{duration((time.monotonic() - self.begin) / 60)} so far, about {duration(left)} left",
                  file=sys.stderr, flush=True)


def duration(minutes):
    seconds = round(max(minutes, 0) * 60)
    if seconds < 100:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def measure(runner, runs, jobs):
    """Of each run its values, or a text that says what failed."""
    results = {}
    progress = Progress(runs, jobs)

    def one(run):
        begin = time.monotonic()
        try:
            values, problem = runner.run(run), ""
        except (Mistake, json.JSONDecodeError) as error:
            values, problem = None, str(error)
        progress.say(run, time.monotonic() - begin, "failed" if problem else "")
        return values if values is not None else problem

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        asked = {pool.submit(one, run): run for run in runs}
        try:
            for future in concurrent.futures.as_completed(asked):
                run = asked[future]
                results[run.figure.name, run.row.name, run.seed] = future.result()
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.stop()
            raise
    return results


# What is compared.


@dataclasses.dataclass
class Comparison:
    figure: Figure
    row: Row
    value: Value
    measured: dict  # by seed

    @property
    def said(self):
        return self.row.documented.get(self.value.name)

    def text(self):
        """As the document would write it."""
        values = list(self.measured.values())
        like = self.said.numbers[0] if self.said else f"{0:.{self.value.digits}f}"
        if self.said and len(self.said.numbers) > 1:
            return ", ".join(rounded(value, like) for value in values)
        text = rounded(statistics.mean(values), like)
        if len(values) > 1:
            text += f" ± {rounded(statistics.stdev(values), like)}"
        return text

    def verdict(self):
        said, values = self.said, self.measured
        if said is None:
            return "new"
        mean = statistics.mean(values.values())
        tolerance = self.row.tolerance or 0
        if len(said.numbers) > 1:
            pairs = [(values[seed], text) for seed, text in zip(self.row.seeds, said.numbers) if seed in values]
            if all(equal(value, text) for value, text in pairs):
                return "same"
            near = all(abs(value - number_of(text)) <= tolerance for value, text in pairs)
            return "within" if near else "OUTSIDE"
        whole = len(values) == len(self.row.seeds)
        if whole and equal(mean, said.numbers[0]):
            deviation = statistics.stdev(values.values()) if len(values) > 1 else 0
            if said.deviation is None or equal(deviation, said.texts[0].split("±")[1].strip()):
                return "same"
        if said.deviation is None and not whole and not tolerance:
            return "part"
        spread = max(2 * (said.deviation or 0), tolerance) + unit_in_last_place(said.numbers[0]) / 2
        return "within" if (said.deviation or tolerance) and abs(mean - number_of(said.numbers[0])) <= spread \
            else "OUTSIDE"


def comparisons(runs, results):
    made, failures = [], []
    rows = {}
    for run in runs:
        rows.setdefault((run.figure.name, run.row.name), (run.figure, run.row))
    for (name, row_name), (figure, row) in rows.items():
        done = {seed: results[name, row_name, seed] for seed in row.seeds if (name, row_name, seed) in results}
        for seed, result in done.items():
            if isinstance(result, str):
                failures.append(f"{figure.file}: figure '{name}', row '{row_name}', seed {seed}: {result}")
        good = {seed: result for seed, result in done.items() if not isinstance(result, str)}
        if good:
            made += [Comparison(figure, row, value, {seed: result[value.name] for seed, result in good.items()})
                     for value in figure.values.values() if value.name in row.values]
    return made, failures


def aligned(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def plain_table(made):
    lines = [("figure", "row", "value", "documented", "measured", "seeds", "")]
    for one in made:
        seeds = f"{len(one.measured)} of {len(one.row.seeds)}"
        row = "" if one.row.name == one.figure.what else one.row.name
        lines.append((one.figure.name, row, one.value.name, str(one.said or "–"), one.text(), seeds, one.verdict()))
    return aligned(lines)


def cell(one):
    verdict = one.verdict()
    return one.text() + (f" ({verdict}; documented {one.said})" if verdict not in ("same", "new") else "")


def markdown(made):
    """A table for each figure, with lines and columns as the document may have them."""
    text = []
    for figure in {one.figure.name: one.figure for one in made}.values():
        own = [one for one in made if one.figure is figure]
        seeds = sorted({seed for one in own for seed in one.measured})
        text += [f"**{figure.what}** (`{figure.name}`, seed{'s' if len(seeds) > 1 else ''} {ranges(seeds)}; "
                 f"{figure.document})", ""]
        cells = {}
        for one in own:
            several = len(figure.values) > 1 or not one.row.column
            column = ": ".join(filter(None, [one.row.column, one.value.name if several else ""]))
            cells[one.row.line, column] = cell(one)
        columns = list(dict.fromkeys(column for _, column in cells))
        text += ["| | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]
        for line in dict.fromkeys(line for line, _ in cells):
            text.append(f"| {line} | " + " | ".join(cells.get((line, column), "") for column in columns) + " |")
        text.append("")
    return "\n".join(text).rstrip()


# What is checked without running anything.


def places_of(text):
    """Rows of tables, and paragraphs in one line each."""
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.split("\n")
        yield from (line for line in lines if line.startswith("|"))
        yield " ".join(" ".join(line for line in lines if not line.startswith("|")).split())


def stands_in(text, place):
    return re.search(rf"(?<![\d.,]){re.escape(text)}(?!\d|[.,]\d)", place) is not None


def calls_of(command):
    """The words behind each {heed} of a command of the shell."""
    flat = command.replace("\\\n", " ")
    for call in re.findall(r"\{heed\}([^|;&\n<>()]*)", flat):
        try:
            words = shlex.split(call)
        except ValueError:
            words = call.split()
        if words and re.fullmatch("[a-z]+", words[0]):
            yield words


def verb_of(words):
    """ "demo luong" of its words, "train" of others."""
    return words[:2] if words[0] in ("demo", "bench") and len(words) > 1 and words[1].isalpha() else words[:1]


def with_values(words):
    """(option, its value or "") of the words of a call."""
    for i, word in enumerate(words):
        if re.match(r"--[a-z]", word):
            follows = words[i + 1] if i + 1 < len(words) and not re.match(r"--[a-z]", words[i + 1]) else ""
            yield word, follows


def missing_in(figure, root):
    """What the document of a figure does not have: its figures and its options."""
    path = root / figure.document
    if not path.exists():
        yield f"{figure.document} is not there"
        return
    text = path.read_text(encoding="utf-8")
    places = list(places_of(text))
    code = " ".join(re.sub(r"\\\n\s*", " ", text).split()).replace("`", " ")
    for row in figure.rows:
        said = [one for documented in row.documented.values() for one in documented.texts]
        where = f"row '{row.name}'"
        if said and not any(row.beside in place and all(stands_in(one, place) for one in said)
                            for place in places):
            beside = f", beside '{row.beside}'" if row.beside else ""
            yield f"{where}: no line of {figure.document} has {' and '.join(said)}{beside}"
        for command in [figure.prepare, *figure.commands.values()]:
            for words in calls_of(expand("", command, row, row.seeds[0])):
                verb = "heed " + " ".join(verb_of(words))
                if verb.startswith("heed demo") and not re.search(rf"{verb}\b", code):
                    yield f"{where}: {figure.document} does not have '{verb}'"
                for option, value in with_values(words):
                    if option in UNSAID or option in figure.unsaid or "{" in value:
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
    """Options that the command does not have. What is evaluated is what was trained before."""
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


def check(figures, heed, root):
    problems = []
    for figure in figures:
        for problem in dict.fromkeys([*missing_in(figure, root), *unknown_to(figure, heed)]):
            problems.append(f"{figure.file}: figure '{figure.name}': {problem}")
    return problems


def listing(figures, seeds):
    lines = [("figure", "document", "rows", "seeds", "takes about", "what")]
    for figure in figures:
        own = sorted({seed for row in figure.rows for seed in row.seeds})
        lines.append((figure.name, figure.document, str(len(figure.rows)), ranges(own),
                      duration(figure.minutes(seeds)), figure.what))
    return aligned(lines)


def ranges(numbers):
    """1, 2, 3, 7 as "1-3, 7"."""
    groups = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}" for group in groups)


def seeds_of(text):
    seeds = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdigit() or (last and not last.isdigit()):
            raise argparse.ArgumentTypeError(f"'{text}' is no list of seeds such as 1,2 or 1-5")
        seeds |= set(range(int(first), int(last or first) + 1))
    return seeds


def selected(figures, options):
    """Those that are asked for; of --only NAME:ROW the rows of that name alone."""
    if options.document:
        figures = [figure for figure in figures if figure.document == options.document]
        if not figures:
            raise Mistake(f"no figures of {options.document}; --list names the documents")
    if options.only:
        kept = []
        for pattern in options.only:
            name, _, row_pattern = pattern.partition(":")
            found = [figure for figure in figures
                     if fnmatch.fnmatch(figure.name, name) or figure.name.startswith(name + "/")]
            rows = [dataclasses.replace(figure, rows=[row for row in figure.rows if not row_pattern or
                                                      fnmatch.fnmatch(row.name, row_pattern)])
                    for figure in found]
            rows = [figure for figure in rows if figure.rows]
            if not rows:
                near = difflib.get_close_matches(name, [figure.name for figure in figures], 1)
                raise Mistake(f"--only {pattern}: there is none" + (f"; '{near[0]}'?" if near else ""))
            kept += [figure for figure in rows if figure not in kept]
        figures = kept
    if options.under is not None:
        figures = [figure for figure in figures if figure.minutes(options.seeds) <= options.under]
    return figures


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed", type=pathlib.Path, help="the command, as build/release/heed")
    parser.add_argument("--list", action="store_true", help="name the figures and what they take; run nothing")
    parser.add_argument("--check", action="store_true",
                        help="check that documents have these figures and options, and HEED the options; run nothing")
    parser.add_argument("--only", metavar="NAME", nargs="+",
                        help="figures by name: graphs/cora, graphs (all of them), 'graphs/*', or NAME:ROW for a row")
    parser.add_argument("--document", metavar="FILE", help="the figures of one document, as docs/graphs.md")
    parser.add_argument("--seeds", type=seeds_of, metavar="LIST", help="of each figure these seeds alone: 1,2 or 1-5")
    parser.add_argument("--under", type=float, metavar="MINUTES",
                        help="figures that take at most that long, all rows and seeds one after the other")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data", metavar="DIR",
                        help="folder with the data sets (default ../shared/data beside the repository)")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR",
                        help="keep models and results there, and go on from what is there")
    parser.add_argument("--again", action="store_true", help="run what has run in --out once more")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at the same time (default 1)")
    parser.add_argument("--threads", type=int, metavar="N",
                        help="threads of each run (default: the cores divided by --jobs); figures do not depend on it")
    parser.add_argument("--markdown", action="store_true", help="print a table for each figure, in Markdown")
    parser.add_argument("--figures", type=pathlib.Path, default=ROOT / "bench" / "figures", metavar="DIR",
                        help="folder with the entries (default bench/figures)")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, metavar="DIR",
                        help="folder that the documents' paths start at (default: the repository)")
    options = parser.parse_args(arguments)
    if options.jobs < 1 or (options.threads is not None and options.threads < 1):
        parser.error("--jobs and --threads have to be at least 1")
    if not options.heed.is_file():
        parser.error(f"{options.heed} is no file; it has to be the built command")
    options.threads = options.threads or max(1, len(os.sched_getaffinity(0)) // options.jobs)
    return options


def measured(options, figures, out):
    runs = []
    for figure in figures:
        absent, folders = {}, {}
        for row in figure.rows:
            gone = [name for name in row.data if not (options.data / name).exists()]
            if gone:
                absent.setdefault(", ".join(str(options.data / name) for name in gone), []).append(row.name)
                continue
            for seed in chosen(row.seeds, options.seeds):
                own = out / slug(figure.name) / slug(row.name) / f"seed-{seed}"
                runs.append(Run(figure, row, seed, folders.setdefault(figure.commands_of(row, seed), own)))
        if figure.needs and runs and runs[-1].figure is figure and subprocess.run(
                ["bash", "-c", figure.needs], capture_output=True, check=False).returncode != 0:
            runs = [run for run in runs if run.figure is not figure]
            absent = {figure.needs: [row.name for row in figure.rows]}
        for gone, names in absent.items():
            which = "" if len(names) == len(figure.rows) else f" ({', '.join(names)})"
            print(f"skipped: {figure.name}{which} needs {gone}{'; ' + figure.hint if figure.hint else ''}",
                  file=sys.stderr)
    if not runs:
        print("nothing to run", file=sys.stderr)
        return 0
    runner = Runner(options.heed.resolve(), options.data.resolve(), out.resolve(), options.threads, options.again)
    results = measure(runner, runs, options.jobs)
    made, failures = comparisons(runs, results)
    if made:
        print(markdown(made) if options.markdown else plain_table(made))
    for failure in failures:
        print(failure, file=sys.stderr)
    if runner.other_builds:
        print(f"{len(runner.other_builds)} results are of another build of heed; --again makes them anew",
              file=sys.stderr)
    return int(bool(failures) or any(one.verdict() == "OUTSIDE" for one in made))


def main(arguments):
    options = parse(arguments)
    try:
        figures = selected(read_figures(options.figures), options)
        if options.list:
            print(listing(figures, options.seeds))
            return 0
        if options.check:
            problems = check(figures, str(options.heed.resolve()), options.root)
            print("\n".join(problems), end="\n" if problems else "")
            return int(bool(problems))
        if options.out:
            return measured(options, figures, options.out)
        with tempfile.TemporaryDirectory(prefix="heed-figures-") as folder:
            return measured(options, figures, pathlib.Path(folder))
    except Mistake as mistake:
        print(f"figures.py: {mistake}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted" + (f"; --out {options.out} goes on from here" if options.out else ""), file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
