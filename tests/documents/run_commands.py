#!/usr/bin/env python3
"""Runs the commands of documents as their readers would: run_commands.py HEED PAGE...

Every block of ```sh runs in its own shell, in one new folder for all pages, and must succeed.
A block of ```text directly after it is the expected output: the program must print its lines
in that order, with any numbers; "..." stands for omitted lines. Drawn lines are not compared,
nor are blocks of ```text time, which depend on the clock. --write replaces the blocks of text
by the output. Prints the wall time and the processor time of each block and page.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

BLOCK = re.compile(r"^```sh\n(?P<commands>.*?)^```\n(?:\n?```text(?P<time> time)?\n"
                   r"(?P<shown>.*?)^```\n)?", re.DOTALL | re.MULTILINE)
LONGEST = 30  # maximum lines of a block that --write shows
FIRST, LAST = 18, 8  # shown first and last lines of a longer block
LEFT_OUT = "..."


def run(commands, folder, heed):
    """Runs commands as in a terminal of 80 columns without colours."""
    programs = folder / ".bin"
    programs.mkdir(exist_ok=True)
    if not (programs / "heed").exists():
        (programs / "heed").symlink_to(heed)
    environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", NO_COLOR="1",
                       COLUMNS="80", LC_ALL="C.UTF-8")
    return subprocess.run(["bash", "-e", "-c", commands], cwd=folder,
                          env=environment, capture_output=True, text=True, check=False)


class Clock:
    """Measures the wall time and the processor time of child processes."""

    def __init__(self):
        self.begin = self.now()

    @staticmethod
    def now():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.monotonic(), usage.ru_utime + usage.ru_stime

    def report(self, what):
        wall, processor = (now - begin for now, begin in zip(self.now(), self.begin))
        print(f"{wall:6.1f} s, {processor:6.1f} s of processor  {what}", flush=True)


def comparable(text):
    """Yields lines of words with numbers replaced by #, without drawings and empty lines."""
    lines = []
    for line in text.splitlines():
        line = " ".join(re.sub(r"[-−+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?", "#", line).split())
        line = re.sub(r"#[hms]( #[hms])*(?!\w)", "# s", line).replace("# ms", "# s")
        drawn = re.search(r"[\u2500-\u25ff\u2800-\u28ff]", line)
        if line and not drawn and re.search(r"[a-z]{3}", line):
            lines.append(line)
    return lines


def missing(shown, printed):
    """Returns the first shown line that is missing or out of order in the output, or None."""
    rest = iter(comparable(printed))
    for line in comparable(shown):
        if line not in rest:
            return line
    return None


def excerpt(printed):
    lines = [line.rstrip() for line in printed.rstrip("\n").split("\n")]
    if len(lines) > LONGEST:
        lines = [*lines[:FIRST], LEFT_OUT, *lines[-LAST:]]
    return "\n".join(lines) + "\n"


def run_page(page, folder, heed, write=False):
    """Returns the errors. With `write` and without errors, writes the page anew."""
    text = page.read_text(encoding="utf-8")
    errors, made, end, clock = [], [], 0, Clock()
    for block in BLOCK.finditer(text):
        block_clock = Clock()
        done = run(block["commands"], folder, heed)
        first = block["commands"].split("\n")[0]
        block_clock.report(f"{page.name}: {first}")
        if done.returncode != 0:
            errors.append(f"{page.name}: {first}: status {done.returncode}\n{done.stderr[-800:]}")
        elif block["shown"] is not None and not write and not block["time"]:
            line = missing(block["shown"], done.stdout)
            if line is not None:
                errors.append(f"{page.name}: {first}: does not print\n    {line}\n"
                              f"but\n{done.stdout[-1500:]}")
        made.append(text[end:block.start()])
        if block["shown"] is None:
            made.append(block[0])
        else:
            made.append(f"```sh\n{block['commands']}```\n\n```text{block['time'] or ''}\n"
                        f"{excerpt(done.stdout)}```\n")
        end = block.end()
    if write and not errors:
        page.write_text("".join(made) + text[end:], encoding="utf-8")
    clock.report(page.name)
    return errors


def run_pages(pages, heed, folder=None, write=False):
    """Runs pages in one folder (default: a new one that is removed). Returns the errors."""
    if folder is None:
        with tempfile.TemporaryDirectory() as name:
            return run_pages(pages, heed, pathlib.Path(name), write)
    folder.mkdir(parents=True, exist_ok=True)
    return [error for page in pages for error in run_page(page, folder, heed.resolve(), write)]


def self_test():
    assert missing("a word 1.5\n...\nlast 3\n", "a word 2\nmore\nlast 4\n") is None
    assert missing("a word 1.5\n", "another word 2\n") == "a word #"
    assert missing("last 3\nfirst\n", "first\nlast 3\n") == "first"
    assert comparable("trained in 4s") == comparable("trained in 1m 05s")
    match = BLOCK.search("```sh\nls\n```\n\n```text time\nx\n```\n")
    assert (match["commands"], match["time"], match["shown"]) == ("ls\n", " time", "x\n")
    assert BLOCK.search("```sh\nls\n```\nwords\n")["shown"] is None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed", type=pathlib.Path)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="write the outputs into the pages")
    parser.add_argument("--folder", type=pathlib.Path, metavar="DIR",
                        help="run there and keep the files, for a page that needs those of another")
    arguments = parser.parse_args()
    self_test()
    errors = run_pages(arguments.pages, arguments.heed, arguments.folder, arguments.write)
    sys.exit("\n".join(errors) if errors else 0)


if __name__ == "__main__":
    main()
