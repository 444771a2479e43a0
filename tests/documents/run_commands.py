#!/usr/bin/env python3
"""Runs the commands of documents as their readers would: run_commands.py HEED PAGE...

Every block of ```sh runs by itself, in one new folder for all pages, and has to succeed.
A block of ```text right behind it is what it printed: its lines have to come again in
that order, whatever numbers they hold; "..." stands for what the document leaves out. Lines that
draw are not compared, nor is a block of ```text time, of which the clock decides.
With --write the blocks of text are made anew. Prints how long each block took.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

BLOCK = re.compile(r"^```sh\n(?P<commands>.*?)^```\n(?:\n?```text(?P<time> time)?\n"
                   r"(?P<shown>.*?)^```\n)?", re.DOTALL | re.MULTILINE)
LONGEST = 30  # maximum lines of a block that --write shows
FIRST, LAST = 18, 8  # shown first and last lines of a longer block
LEFT_OUT = "..."


def run(commands, folder, heed, timeout=1200):
    """Runs commands as in a terminal of 80 columns without colours. Returns the output and the
    time."""
    programs = folder / ".bin"
    programs.mkdir(exist_ok=True)
    if not (programs / "heed").exists():
        (programs / "heed").symlink_to(heed)
    environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", NO_COLOR="1",
                       COLUMNS="80", LC_ALL="C.UTF-8")
    begin = time.monotonic()
    done = subprocess.run(["bash", "-e", "-c", commands], cwd=folder,
                          env=environment, capture_output=True, text=True, timeout=timeout,
                          check=False)
    return done, time.monotonic() - begin


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


def run_page(page, folder, heed, write):
    """Returns the errors, and with `write` also the new text of the page."""
    text = page.read_text(encoding="utf-8")
    errors, made, end = [], [], 0
    for block in BLOCK.finditer(text):
        done, seconds = run(block["commands"], folder, heed)
        first = block["commands"].split("\n")[0]
        print(f"{seconds:6.1f} s  {page.name}: {first}", flush=True)
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
    return errors


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
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    self_test()
    with tempfile.TemporaryDirectory() as name:
        errors = [error for page in arguments.pages
                  for error in run_page(page, pathlib.Path(name), arguments.heed.resolve(),
                                        arguments.write)]
    sys.exit("\n".join(errors) if errors else 0)


if __name__ == "__main__":
    main()
