"""Tables of documented and measured figures, for bench/figures.py."""

import dataclasses
import re
import statistics

from figures_entries import (Figure, Row, Value, equal, number_of, ranges, rounded,
                             unit_in_last_place)


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
        """Formats the measured value like the document."""
        values = list(self.measured.values())
        like = max(self.said.numbers, key=lambda text: len(text.partition(".")[2])) if self.said \
            else f"{0:.{self.value.digits}f}"
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
    """Returns a table per figure, with lines and columns in the order of the document."""
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


def columns_of(row, figure):
    """Returns the cells of a row in the document by columns: values, fields, or the row's own column."""
    cells = {field: text for field, text in row.fields.items() if field in figure.columns}
    for value, said in row.documented.items():
        several = len(figure.values) > 1 or not row.column
        name = value if several else row.column
        cells[f"{row.column}: {value}" if row.column and several else name] = str(said)
    return cells


def page_table(figure):
    """Returns the documented figures as the table that stands in the document between markers."""
    lines = {}
    for row in figure.rows:
        label, cells = lines.setdefault(row.line, (row.label, {}))
        cells.update(columns_of(row, figure))
    columns = figure.columns or list(dict.fromkeys(name for _, cells in lines.values() for name in cells))
    headings = [figure.headings.get(name, name) for name in ["row", *columns]]
    if "row" not in figure.headings:
        headings[0] = ""
    made = ["| " + " | ".join(headings) + " |", "| --- |" + " --- |" * len(columns)]
    made += ["| " + " | ".join([label, *(cells.get(name, "") for name in columns)]) + " |"
             for label, cells in lines.values()]
    return "\n".join(re.sub(" +", " ", line) for line in made)
