"""What the comparisons with other programs share.

Machines are shared and noisy, so in each round all programs run every case in
turn, and medians over the rounds count. Of a program's variants (how many
threads, say) the fastest counts. What is missing is left out, and said.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
PAGE = ROOT / "docs" / "performance.md"
PYTHON = "/usr/bin/python3"  # Debian's, which python3-torch is for
OPENBLAS = "/usr/lib/x86_64-linux-gnu/openblas-openmp"


@dataclasses.dataclass
class Contender:
    """A program that takes a case as options and prints JSON on its last line."""
    name: str
    command: list
    variants: list = dataclasses.field(default_factory=lambda: [[]])
    environment: dict = dataclasses.field(default_factory=dict)


def pytorch(script, variants, tuned=False):
    """PyTorch with what is fair to it: the OpenMP build of OpenBLAS and passive
    waiting. Tuned: glibc keeps freed pages, and OpenBLAS and ATen use AVX-512,
    which they don't on their own on every machine that has it."""
    environment = {"LD_LIBRARY_PATH": OPENBLAS, "OMP_WAIT_POLICY": "passive"}
    if tuned:
        environment.update(MALLOC_MMAP_MAX_="0", MALLOC_TRIM_THRESHOLD_=str(2**40))
        if "avx512bw" in pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii"):
            environment.update(OPENBLAS_CORETYPE="SkylakeX", ATEN_CPU_CAPABILITY="avx512")
    return Contender("PyTorch, tuned" if tuned else "PyTorch", [PYTHON, str(BENCH / script)],
                     variants, environment)


def parser(doc, page=""):
    """Options of every comparison; `page`: what its tables in docs/performance.md
    are called, if it can write them."""
    result = argparse.ArgumentParser(description=doc.splitlines()[0])
    result.set_defaults(page=page, write=False)
    result.add_argument("--rounds", type=int, default=5)
    result.add_argument("--only", default="", metavar="REGEX", help="the cases whose names match")
    result.add_argument("--heed", default=str(ROOT / "build" / "release" / "heed"))
    result.add_argument("--json", metavar="FILE", help="adds every run to it, a line each")
    if page:
        result.add_argument("--write", action="store_true", help="into docs/performance.md")
    return result


def marks(page):
    return f"<!-- {page} figures: begin -->", f"<!-- {page} figures: end -->"


def parse(parser_of_all):
    options = parser_of_all.parse_args()
    if options.write and options.only:
        parser_of_all.error("--write needs all cases, so no --only")
    begin, end = marks(options.page)
    page = PAGE.read_text(encoding="utf-8")
    if options.write and not 0 <= page.find(begin) < page.find(end):
        parser_of_all.error(f"{PAGE} has no lines '{begin}' and '{end}'")
    return options


def arguments(case):
    words = []
    for name, value in case.items():
        words += ["--" + name] if value is True else ["--" + name, str(value)]
    return words


def output(command, environment=None, **more):
    """What the command prints. Raises CalledProcessError, FileNotFoundError."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True,
                          env=dict(os.environ, **(environment or {})), **more).stdout


def measure(contender, case, variant):
    """The program's result, or {"skipped": why there is none}."""
    if contender.environment and not os.path.isdir(OPENBLAS):
        return {"skipped": "libopenblas0-openmp is not installed"}
    try:
        printed = output(contender.command + arguments(case) + variant, contender.environment)
        return json.loads(printed.splitlines()[-1])
    except FileNotFoundError:
        return {"skipped": f"{contender.command[0]} is not there"}
    except subprocess.CalledProcessError as error:
        return {"skipped": f"exit status {error.returncode}"}


def keep(file, record):
    if file:
        with open(file, "a", encoding="utf-8") as out:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


def run_in_turn(cases, contenders, options):
    """One record per run: case, contender, variant and what the program printed."""
    names = [name for name in cases if re.search(options.only, name)]
    records, skipped = [], set()
    for number in range(options.rounds):
        for name in names:
            print(f"round {number + 1}: {name}", file=sys.stderr)
            for contender in contenders:
                if (contender.name, name) in skipped:
                    continue
                for variant in contender.variants:
                    result = measure(contender, cases[name], variant)
                    if "skipped" in result:
                        skipped.add((contender.name, name))
                        print(f"  {contender.name} left out: {result['skipped']}",
                              file=sys.stderr)
                        break
                    records.append({"case": name, "contender": contender.name,
                                    "variant": variant, **result})
                    keep(options.json, records[-1])
    return records


def ran(cases, records):
    return [name for name in cases if any(record["case"] == name for record in records)]


def median(records, key):
    """Of record[key] or key(record); None if there are no records."""
    of = key if callable(key) else lambda record: record[key]
    return statistics.median(map(of, records)) if records else None


def fastest(records, case, contender, time="ms"):
    """The records of the variant whose median time is least; time as in median."""
    variants = {}
    for record in records:
        if (record["case"], record["contender"]) == (case, contender):
            variants.setdefault(tuple(record["variant"]), []).append(record)
    return min(variants.values(), key=lambda rounds: median(rounds, time), default=[])


def seconds_per_token(record):
    return 1 / record["tokens_per_second"]


def cell(form, *values):
    return "–" if None in values else form.format(*values)


def ratio(many, few):
    return many / few if many and few else None


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def finish(options, records, text):
    """Prints the tables, and writes them if so asked."""
    print(text)
    if not any(record["contender"].startswith("Heed") for record in records):
        sys.exit(f"{options.heed} gave no figures, so there is nothing to compare")
    if options.write:
        begin, end = marks(options.page)
        before, rest = PAGE.read_text(encoding="utf-8").split(begin)
        PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}",
                        encoding="utf-8")
