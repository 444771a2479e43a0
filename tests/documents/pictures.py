#!/usr/bin/env python3
"""Remakes the pictures of docs/images and compares their data: pictures.py HEED [PART...]

Each part of docs/make_pictures.sh that needs no trained model runs in a copy of docs. The
data of a picture are its texts, its tooltips and its number of shapes; the layout may change.
Pictures of measured times are compared without numbers. Fails if data differ or a picture is
missing in docs/images. --write copies the changed pictures there.
"""

import argparse
import collections
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from xml.etree import ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = pathlib.Path("docs/make_pictures.sh")
IMAGES = pathlib.Path("docs/images")
TIMED = {"attention/cost.svg", "claims/cost-decode.svg"}  # their numbers are times
FIRST_PART = "scores"  # runs without an argument
USAGE = re.compile(r"^#   docs/make_pictures\.sh(?: ([a-z]+))?(?: {2,}|$)", re.MULTILINE)
NUMBER = re.compile(r"[-−]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")


def parts_of(script):
    """Returns the parts that the usage of the script lists without further arguments."""
    return [name or FIRST_PART for name in USAGE.findall(script)]


def data_of(picture, timed=False):
    """Returns the texts of a picture in their order and the count of each kind of shape."""
    texts, shapes = [], collections.Counter()
    for element in ElementTree.fromstring(picture).iter():
        kind = element.tag.rpartition("}")[2]
        if kind in ("text", "title"):
            texts.append(" ".join("".join(element.itertext()).split()))
        elif kind != "style":
            shapes[kind] += 1
    if timed:
        return sorted({NUMBER.sub("", text) for text in texts} - {""}), {}
    return texts, dict(shapes)


def number(text):
    return float(text.replace(",", "").replace("−", "-"))


def same(before, now):
    """True if texts have equal words, and numbers that differ by rounding at most."""
    if NUMBER.sub("#", before) != NUMBER.sub("#", now):
        return False
    return all(math.isclose(number(a), number(b), rel_tol=1e-4, abs_tol=1e-6)
               for a, b in zip(NUMBER.findall(before), NUMBER.findall(now)))


def difference(old, new, timed=False):
    """Returns the first difference of the data of two pictures, or None."""
    (old_texts, old_shapes), (new_texts, new_shapes) = data_of(old, timed), data_of(new, timed)
    for before, now in zip(old_texts, new_texts):
        if not same(before, now):
            return f"'{before}' is now '{now}'"
    if len(old_texts) != len(new_texts):
        return f"{len(old_texts)} texts are now {len(new_texts)}"
    if old_shapes != new_shapes:
        return f"shapes {old_shapes} are now {new_shapes}"
    return None


def remake(part, heed, folder):
    """Runs a part in a copy of docs without pictures. Returns the new pictures by names."""
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("images"))
    (folder / IMAGES).mkdir()
    arguments = [] if part == FIRST_PART else [part]
    begin = time.monotonic()
    done = subprocess.run(["bash", folder / SCRIPT, *arguments], capture_output=True, text=True,
                          env=dict(os.environ, HEED=str(heed)), check=False)
    print(f"{time.monotonic() - begin:6.1f} s  {part}", flush=True)
    if done.returncode != 0:
        raise RuntimeError(f"{part}: status {done.returncode}\n{done.stderr[-800:]}")
    return {str(path.relative_to(folder / IMAGES)): path.read_text(encoding="utf-8")
            for path in sorted((folder / IMAGES).rglob("*.svg"))}


def compare(part, heed, write):
    """Returns a line for each picture of the part whose data differ."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            pictures = remake(part, heed, pathlib.Path(folder))
        except RuntimeError as error:
            return [str(error)]
    found = [] if pictures else [f"{part}: makes no picture"]
    for name, new in pictures.items():
        path = ROOT / IMAGES / name
        what = "is missing"
        if path.is_file():
            what = difference(path.read_text(encoding="utf-8"), new, name in TIMED)
        if what is None:
            continue
        found.append(f"{IMAGES / name}: {what}")
        if write:
            path.write_text(new, encoding="utf-8")
    return found


def self_test():
    usage = "#   docs/make_pictures.sh    scores\n#   docs/make_pictures.sh claims   words\n" \
            "#   docs/make_pictures.sh path MODEL IMAGE where\n#   docs/make_pictures.sh length SRC\n"
    assert parts_of(usage) == ["scores", "claims"]
    svg = "<svg xmlns='http://www.w3.org/2000/svg'><style>.a</style>" \
          "<text x='1'>dot %s</text><rect><title>a ← b: %s</title></rect></svg>"
    assert difference(svg % (1, 2), (svg % (1, 2)).replace("x='1'", "x='2'")) is None
    assert difference(svg % (1, 2), svg % (1, 2.00001)) is None
    assert difference(svg % (1, 2), svg % (1, 3)) == "'a ← b: 2' is now 'a ← b: 3'"
    assert difference(svg % (1, 2), svg % (1, 3), timed=True) is None
    assert difference(svg % (1, 2), (svg % (1, 2)).replace("</svg>", "<path/></svg>"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed", type=pathlib.Path)
    every = parts_of((ROOT / SCRIPT).read_text(encoding="utf-8"))
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"default: {' '.join(every)}")
    parser.add_argument("--write", action="store_true", help="copy changed pictures to docs/images")
    arguments = parser.parse_args()
    self_test()
    unknown = set(arguments.parts) - set(every)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; parts are {' '.join(every)}")
    found = [line for part in arguments.parts or every
             for line in compare(part, arguments.heed.resolve(), arguments.write)]
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
