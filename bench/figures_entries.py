"""Parsed entries of bench/figures, for bench/figures.py."""

import argparse
import dataclasses
import difflib
import json
import os
import pathlib
import re
import shlex
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
NUMBER = re.compile(r"[-−+]?(?:\d[\d,]*\d|\d)?(?:\.\d+|(?<=\d))(?:e[-+−]?\d+)?")
PLACES = ("heed", "data", "out", "shared", "bench", "seed")  # placeholders in templates
FILE_KEYS = {"document": str, "figure": list}
FIGURE_KEYS = {"name": str, "what": str, "data": list, "needs": str, "hint": str, "seeds": (list, str),
               "minutes": (int, float), "prepare": str, "commands": dict, "values": dict, "rows": list, "documented": dict,
               "beside": str, "tolerance": (int, float), "why": str, "undocumented": list, "options": str,
               "headings": dict, "columns": list}
ROW_KEYS = {"name": str, "label": str, "column": str, "options": str, "seeds": (list, str), "minutes": (int, float), "documented": dict,
            "beside": str, "tolerance": (int, float), "why": str, "data": list, "values": list}
VALUE_KEYS = {"from": str, "json": (str, list), "text": str, "scale": (int, float), "offset": (int, float),
              "digits": int}


class Mistake(Exception):
    """One-line error message about an entry or an option."""


def number_of(text):
    return float(text.replace(",", "").replace("−", "-"))


def digits_of(text):
    """Returns the number of decimals; for "5e-05" those of the mantissa, and the power."""
    mantissa, _, power = text.partition("e")
    return len(mantissa.partition(".")[2]), power


@dataclasses.dataclass
class Documented:
    """Documented value: "0.66", "83.22 ± 0.66", or one figure per seed: "95.5, 95.4", "0 | 3.16"
    or ["95.5", "95.4"]. `texts` must occur literally in the document."""
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
    """Formats a number with the digits of another documented number."""
    digits, power = digits_of(like)
    if power:
        return f"{value:.{digits}e}"
    text = f"{value:,.{digits}f}" if "," in like else f"{value:.{digits}f}"
    if like.lstrip("-−+").startswith("."):
        text = text.replace("0.", ".", 1)
    return text.replace("-", "−") if "−" in like or value < 0 else text


def equal(value, text):
    """True if a value equals the documented one after rounding to its last digit."""
    return abs(value - number_of(text)) <= unit_in_last_place(text) * (0.5 + 1e-6)


@dataclasses.dataclass
class Value:
    name: str
    command: str  # command whose output has the value
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
    label: str  # in the first column of the document's table
    column: str  # if a line has several
    fields: dict
    seeds: list
    minutes: float
    documented: dict
    beside: str
    tolerance: float | None
    data: list
    values: list  # names of the values

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
    undocumented: list
    headings: dict  # of columns in the document, by names; "row" is the first column
    columns: list  # names of values or fields of rows, in the order of the document

    def minutes(self, seeds=None):
        return sum({self.commands_of(row, seed): row.minutes
                    for row in self.rows for seed in chosen(row.seeds, seeds)}.values())

    def commands_of(self, row, seed):
        """Key of a run. Rows with equal commands are lines of the output of one run."""
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
    return Row(table["name"], table.get("label", table["name"]), table.get("column", ""), fields, seeds, both["minutes"], documented, both.get("beside", ""),
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
                  table.get("prepare", ""), table["commands"], values, rows, table.get("undocumented", []),
                  table.get("headings", {}), table.get("columns", []))
    known = {*values, *(field for row in rows for field in (*row.fields, row.column) if field)}
    for name in (*made.columns, *made.headings):
        if name != "row" and name not in known:
            raise Mistake(f"{where}: there is no column '{name}': it has to be a value, a field of the rows or their 'column'")
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
    """Fills a template with the fields of a row and a seed. Placeholders for paths remain for
    `placed`."""
    fields = row.fields | {"seed": str(seed)}
    for _ in range(2):  # options may contain fields
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


def ranges(numbers):
    """Formats 1, 2, 3, 7 as "1-3, 7"."""
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
