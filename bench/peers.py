"""Common code of the comparisons with other programs.

Machines are shared and noisy. Therefore each round runs every case of all programs in turn,
and medians over the rounds count. The fastest variant of a program counts (number of threads,
for example). Missing programs are skipped and reported.

PyTorch is tuned by expert knowledge: OpenBLAS with OpenMP (its own threads would compete with
a second pool), passive waiting (spinning barriers collapse on shared cores), freed pages kept
by glibc, AVX-512 in ATen and in OpenBLAS. OpenBLAS falls back to AVX2 on unknown processors;
the better of its kernels for SkylakeX and SapphireRapids counts, as does the better of one
and two threads. torch.compile made none of the models faster. Debian 12 has PyTorch 1.13,
Debian 13 has 2.6: `--peer-root DIR` uses PyTorch of another system in DIR, made by
debootstrap, by chroot (as root).

CTranslate2 gets equal waiting and page settings, which make it a third faster, and its
AVX-512 code, which it uses only on request. Its GEMM is MKL on Intel processors, if built
with MKL, and oneDNN otherwise, which is fastest where MKL does not know the processor."""
import argparse
import dataclasses
import datetime
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
PAGE = ROOT / "docs" / "explanation" / "performance.md"
PYTHON = "/usr/bin/python3"  # Debian's interpreter, for python3-torch
OPENBLAS = "/usr/lib/x86_64-linux-gnu/openblas-openmp"
FAIR = {"OMP_WAIT_POLICY": "passive", "MALLOC_MMAP_MAX_": "0",
        "MALLOC_TRIM_THRESHOLD_": str(2**40)}  # for every peer, see above


@dataclasses.dataclass
class Contender:
    """A program that takes a case as options and prints JSON on its last line. A variant is
    environment settings, NAME=VALUE, and further options."""
    name: str
    command: list
    variants: list = dataclasses.field(default_factory=lambda: [[]])
    environment: dict = dataclasses.field(default_factory=dict)
    missing: str = ""


def parts(variant):
    """Splits a variant into environment settings and options."""
    settings = [word for word in variant if re.match(r"[A-Z_]+=", word)]
    return settings, variant[len(settings):]


def in_root(root, folder=BENCH):
    """Returns the command prefix that runs a program in the system below a folder, with another
    folder as /mnt, and /tmp. The mounts end with the command."""
    script = """mount -t proc proc "$0/proc" && mount --bind /tmp "$0/tmp" &&
                mount --bind "$1" "$0/mnt" || exit; shift; exec chroot "$0" "$@\""""
    return ["unshare", "--mount", "sh", "-c", script, root, str(folder)]


def processor():
    """Returns the name and the flags of the processor."""
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii")
    name = re.search(r"model name\s*: (.*)", text)
    flags = re.search(r"flags\s*: (.*)", text)
    return name[1] if name else os.uname().machine, flags[1].split() if flags else []


def pytorch(options, script, variants, name="PyTorch"):
    """Returns PyTorch with the tuning described above. Variants use all OpenBLAS kernels that
    this processor supports."""
    flags = processor()[1]
    environment = {"LD_LIBRARY_PATH": OPENBLAS, **FAIR}
    kernels = [[]]
    if "avx512bw" in flags:
        environment["ATEN_CPU_CAPABILITY"] = "avx512"
        kernels = [["OPENBLAS_CORETYPE=SKYLAKEX"]]
    if "avx512_bf16" in flags:
        kernels.append(["OPENBLAS_CORETYPE=SAPPHIRERAPIDS"])
    command = [PYTHON, str(BENCH / script)]
    if options.peer_root:
        command = in_root(options.peer_root) + [PYTHON, f"/mnt/{script}"]
    there = os.path.isdir(f"{options.peer_root}{OPENBLAS}")
    return Contender(name, command, [more + variant for more in kernels for variant in variants],
                     environment, "" if there else "libopenblas0-openmp is not installed")


def pytorch_version(options):
    """Returns "2.6.0 with AVX512 and oneDNN v3.5.3", or the reason why there is none."""
    asking = pytorch(options, "", [])
    code = """import re, torch
dnn = re.search(r"(?:MKL-DNN|oneDNN) (\S+)", torch.__config__.show())
print(torch.__version__, "with", torch.backends.cpu.get_cpu_capability(), "and",
      f"oneDNN {dnn[1]}" if dnn else "no oneDNN")"""
    try:
        return output(asking.command[:-1] + ["-c", code], asking.environment,
                      stderr=subprocess.DEVNULL).strip()
    except (subprocess.CalledProcessError, FileNotFoundError):
        return "missing"


def ctranslate2(options, model, variants):
    """Returns CTranslate2 with a model from ctranslate2_model.py."""
    if not options.ctranslate2:
        return Contender("CTranslate2", [], missing="it takes --ctranslate2 DIR")
    environment = dict(FAIR)
    if "avx512bw" in processor()[1]:
        environment["CT2_FORCE_CPU_ISA"] = "AVX512"
    command = [f"{options.ctranslate2}/heed_decoding"]
    if options.peer_root:
        command = in_root(options.peer_root, options.ctranslate2) + ["/mnt/heed_decoding"]
    return Contender("CTranslate2", command + ["--model", model], variants, environment)


def ctranslate2_version(options):
    text = pathlib.Path(options.ctranslate2, "python/ctranslate2/version.py").read_text("utf-8")
    return re.search(r'__version__ = "(.*)"', text)[1]


def release(root="/"):
    """Returns the name of the system, such as "Debian GNU/Linux 12 (bookworm)"."""
    text = pathlib.Path(root, "etc/os-release").read_text(encoding="utf-8")
    return re.search(r'PRETTY_NAME="(.*)"', text)[1]


def about(options):
    """Returns the environment of all runs: processor, systems, versions."""
    name, flags = processor()
    special = [flag for flag in ("avx2", "avx512bw", "avx512_bf16", "amx_bf16") if flag in flags]
    heed = output([options.heed, "--version"]).strip() if shutil.which(options.heed) else "no Heed"
    there = release(options.peer_root or "/")
    facts = {"processor": f"{name} ({', '.join(special)})",
             "cores": len(os.sched_getaffinity(0)), "heed": f"{heed}, {release()}",
             "pytorch": f"{pytorch_version(options)}, {there}"}
    if options.ctranslate2:
        facts["ctranslate2"] = f"{ctranslate2_version(options)}, {there}"
    return facts


def parser(doc, page=""):
    """Returns the options of a comparison. `page`: name of its tables in
    docs/explanation/performance.md, if it can write them."""
    result = argparse.ArgumentParser(description=doc.splitlines()[0])
    result.set_defaults(page=page, write=False, ctranslate2="")
    result.add_argument("--rounds", type=int, default=5)
    result.add_argument("--only", default="", metavar="REGEX",
                        help="run only cases whose names match")
    result.add_argument("--heed", default=str(ROOT / "build" / "release" / "heed"))
    result.add_argument("--peer-root", metavar="DIR", default="",
                        help="run PyTorch of the system below this folder")
    result.add_argument("--json", metavar="FILE",
                        help="append each run to this file, one JSON line each")
    if page:
        result.add_argument("--write", action="store_true",
                            help="write the tables into docs/explanation/performance.md")
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
    """Returns the options of a case, after `what`, an optional sub-command of heed bench."""
    words = [case["what"], "--json"] if "what" in case else []
    for name, value in case.items():
        if name == "what":
            continue
        words += ["--" + name] if value is True else ["--" + name, str(value)]
    return words


def output(command, environment=None, **more):
    """Returns the output of a command. Raises CalledProcessError, FileNotFoundError."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True,
                          env=dict(os.environ, **(environment or {})), **more).stdout


def measure(contender, case, variant):
    """Returns the program's result, or {"skipped": reason}."""
    if contender.missing:
        return {"skipped": contender.missing}
    settings, options = parts(variant)
    environment = contender.environment | dict(word.split("=", 1) for word in settings)
    try:
        printed = output(contender.command + arguments(case) + options, environment)
        return json.loads(printed.splitlines()[-1])
    except FileNotFoundError:
        return {"skipped": f"{contender.command[0]} is not there"}
    except subprocess.CalledProcessError as error:
        return {"skipped": f"exit status {error.returncode}"}


def keep(file, record):
    if file:
        with open(file, "a", encoding="utf-8") as out:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


def promising(records, case, contender):
    """Returns the variants to run. After the first round, slow environment settings are dropped
    in favour of others with equal options."""
    def seconds(variant):
        runs = [record for record in records if record["case"] == case and
                record["contender"] == contender.name and record["variant"] == variant]
        return median(runs, lambda run: run["ms"] if "ms" in run else seconds_per_token(run))

    best = {}
    for variant in contender.variants:
        options = tuple(parts(variant)[1])
        best[options] = min(best.get(options, math.inf), seconds(variant) or math.inf)
    return [variant for variant in contender.variants
            if (seconds(variant) or 0) <= 1.2 * best[tuple(parts(variant)[1])]]


def run_in_turn(cases, contenders, options):
    """Returns one record per run: case, contender, variant and the program's output."""
    names = [name for name in cases if re.search(options.only, name)]
    records, skipped = [], set()
    keep(options.json, {"about": about(options)})
    for number in range(options.rounds):
        for name in names:
            print(f"round {number + 1}: {name}", file=sys.stderr)
            for contender in contenders:
                if (contender.name, name) in skipped:
                    continue
                for variant in promising(records, name, contender):
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
    """Returns the median of record[key] or key(record); None without records."""
    of = key if callable(key) else lambda record: record[key]
    return statistics.median(map(of, records)) if records else None


def fastest(records, case, contender, time="ms"):
    """Returns the records of the variant with the smallest median time; time as in median."""
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
    """Prints the tables, and writes them if requested."""
    facts = about(options)
    rounds = "one round" if options.rounds == 1 else f"medians of {options.rounds} rounds"
    line = (f"{facts['processor']}, {facts['cores']} cores, {datetime.date.today()}, {rounds}. "
            f"Heed: {facts['heed']}.")
    for name in ("PyTorch", "CTranslate2"):
        if any(record["contender"].startswith(name) for record in records):
            line += f" {name}: {facts[name.lower()]}."
    text = f"{line}\n\n{text}"
    print(text)
    if not any(record["contender"].startswith("Heed") for record in records):
        sys.exit(f"{options.heed} gave no figures, so there is nothing to compare")
    if options.write:
        begin, end = marks(options.page)
        before, rest = PAGE.read_text(encoding="utf-8").split(begin)
        PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}",
                        encoding="utf-8")
