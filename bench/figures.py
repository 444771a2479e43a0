#!/usr/bin/env python3
"""Makes the figures of the documents again, and compares.

    bench/figures.py HEED --list                      what there is, and how long it takes
    bench/figures.py HEED --only graphs/cora          one figure, with all its seeds
    bench/figures.py HEED --document docs/how-to/images.md --seeds 1 --out figures
    bench/figures.py HEED --under 5 --jobs 2          what takes at most five minutes
    bench/figures.py HEED --check                     the documents hold what is listed here
    bench/figures.py HEED --write                     write the tables of the documents anew

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

    document = "docs/how-to/order.md"

    [[figure]]
    name = "order/frames"
    what = "Frames in order, drawn clips: accuracy"
    seeds = [1]
    minutes = 1.6
    prepare = "{heed} generate sprites --test 1000 --out {out}"
    [figure.commands]
    train = "{heed} train --task order --frames {shared}/train --epochs {epochs} --seed {seed} --out {out}/model"
    test = "{heed} evaluate {out}/model --frames {shared}/test --json"
    [figure.values]
    test = { json = "model.accuracy" }
    [[figure.rows]]
    name = "20 epochs"
    epochs = 20
    documented = { test = "99.6" }
"""

import argparse
import dataclasses
import difflib
import fnmatch
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from figures_check import check, write
from figures_entries import ROOT, Mistake, chosen, ranges, read_figures, seeds_of, slug
from figures_runs import Run, Runner, duration, measure
from figures_tables import aligned, comparisons, markdown, plain_table


def listing(figures, seeds):
    lines = [("figure", "document", "rows", "seeds", "takes about", "what")]
    for figure in figures:
        own = sorted({seed for row in figure.rows for seed in row.seeds})
        lines.append((figure.name, figure.document, str(len(figure.rows)), ranges(own),
                      duration(figure.minutes(seeds)), figure.what))
    return aligned(lines)


def selected(figures, options):
    """Returns the selected figures. --only NAME:ROW selects rows of one figure."""
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
    parser.add_argument("--write", action="store_true",
                        help="write the documented figures into the tables of the documents, between "
                             "<!-- figure NAME --> and <!-- end -->; run nothing")
    parser.add_argument("--only", metavar="NAME", nargs="+",
                        help="figures by name: graphs/cora, graphs (all of them), 'graphs/*', or NAME:ROW for a row")
    parser.add_argument("--document", metavar="FILE", help="the figures of one document, as docs/how-to/graphs.md")
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


def interrupted(*_):
    raise KeyboardInterrupt


def main(arguments):
    options = parse(arguments)
    signal.signal(signal.SIGTERM, interrupted)
    try:
        figures = selected(read_figures(options.figures), options)
        if options.list:
            print(listing(figures, options.seeds))
            return 0
        if options.check:
            whole = not options.only and not options.document and options.under is None
            problems = check(figures, str(options.heed.resolve()), options.root, whole)
            print("\n".join(problems), end="\n" if problems else "")
            return int(bool(problems))
        if options.write:
            for document in write(figures, options.root):
                print(f"wrote {document}")
            return 0
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
