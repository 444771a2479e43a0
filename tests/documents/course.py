#!/usr/bin/env python3
"""Runs a sixth of the course, another one each day: course.py HEED [--turn 0|...|5|all]

Six days in a row run every chapter. The turn is the day since 1970 (UTC) modulo 6; --turn
repeats one. A turn takes at most 90 seconds on two idle cores.
"""

import argparse
import pathlib
import sys
import time

from run_commands import Clock, run_pages

CHAPTERS = pathlib.Path(__file__).resolve().parents[2] / "docs/tutorials"
# A chapter follows those whose files it uses: 5 and 12 use a model of 3, 9 uses data of 1.
TURNS = ((2, 4), (10,), (1, 9), (11,), (3, 5, 12), (6, 7, 8))
SECONDS_OF_A_DAY = 24 * 60 * 60


def pages_of(turn):
    return [next(CHAPTERS.glob(f"{chapter:02}-*.md")) for chapter in TURNS[turn]]


def self_test():
    numbers = sorted(int(page.name[:2]) for page in CHAPTERS.glob("[0-9]*.md"))
    if sorted(chapter for turn in TURNS for chapter in turn) != numbers:
        sys.exit(f"{__file__}: TURNS must hold each chapter of {CHAPTERS} once")
    for before, after in ((3, 5), (5, 12), (1, 9)):
        assert any(before in turn and after in turn[turn.index(before):] for turn in TURNS)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed", type=pathlib.Path)
    parser.add_argument("--turn", choices=(*map(str, range(len(TURNS))), "all"))
    arguments = parser.parse_args()
    self_test()
    today = int(time.time()) // SECONDS_OF_A_DAY % len(TURNS)
    turn = arguments.turn or str(today)
    turns = range(len(TURNS)) if turn == "all" else [int(turn)]
    errors = []
    for index in turns:
        clock = Clock()
        errors += run_pages(pages_of(index), arguments.heed)
        clock.report(f"turn {index}: chapters {', '.join(map(str, TURNS[index]))}")
    if errors:
        sys.exit("\n".join([*errors, f"again: {__file__} {arguments.heed} --turn {turn}"]))


if __name__ == "__main__":
    main()
