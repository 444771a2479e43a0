#!/usr/bin/python3
"""Writes boxes of NLVR as images with captions for `heed evaluate`, to see where a captioner
that learned from drawn scenes looks on others.

    bench/scenes_of_nlvr.py DATA OUT

DATA is a folder with the data set: nlvr_mini/{dev,testp}.tsv and {dev,testp}-images-idx3-
ubyte.gz, whose pixels are numbers of colours and whose columns 0-99, 150-249 and 300-399 are
boxes. OUT gets a PNG file for each box of one to three objects that do not touch, and
{dev,testp}.tsv: path, caption in the words of Heed's scenes, and the boxes of its nouns:

    heed evaluate MODEL --images OUT/testp.tsv

What counts there is `pointing`: the model is made to write the captions. An object of 10
pixels is small, others are large; row by row of a grid of 4 x 4, from the left.
"""
import argparse
import gzip
import json
import pathlib
import struct
import sys
import zlib

SIDE = 100  # of a box
BEGINS = (0, 150, 300)
PALETTE = {0: (128, 128, 128), 1: (224, 224, 224), 2: (20, 20, 20), 3: (26, 90, 217),
           4: (235, 199, 26)}
COLOURS = {"Black": "black", "#0099ff": "blue", "Yellow": "yellow"}
MOST = 3


def png(rows):
    """Returns a PNG file of rows of (r, g, b)."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))

    data = zlib.compress(b"".join(b"\0" + bytes(v for pixel in row for v in pixel)
                                  for row in rows))
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) +
            chunk(b"IEND", b""))


def touches(a, b):
    return all(abs((a[k] + a["size"] / 2) - (b[k] + b["size"] / 2)) <= (a["size"] + b["size"]) / 2
               for k in ("x_loc", "y_loc"))


def described(objects):
    """Returns the caption, and [word, left, top, right, bottom] of each noun."""
    row = lambda o: int((o["y_loc"] + o["size"] / 2) * 4 / SIDE)
    objects = sorted(objects, key=lambda o: (row(o), o["x_loc"]))
    words, boxes = [], []
    for i, o in enumerate(objects):
        if i > 0:
            words += ["left", "of"] if row(objects[i - 1]) == row(o) else ["above"]
        words += ["a", "small" if o["size"] <= 10 else "large", COLOURS[o["color"]], o["type"]]
        left, top = max(0, o["x_loc"]), max(0, o["y_loc"])
        boxes.append([len(words) - 1, left, top, min(SIDE, left + o["size"]),
                      min(SIDE, top + o["size"])])
    return " ".join(words), boxes


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    chosen = parser.parse_args()
    folder = chosen.data / "nlvr_mini" if (chosen.data / "nlvr_mini").is_dir() else chosen.data
    for part in ("dev", "testp"):
        table = folder / f"{part}.tsv"
        if not table.exists():
            sys.exit(f"{table} is not there")
        with gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as file:
            count, height, width = struct.unpack(">4xIII", file.read(16))
            images = file.read()
        (chosen.out / part).mkdir(parents=True, exist_ok=True)
        lines, seen = [], set()
        rows = table.read_text(encoding="utf-8").rstrip("\n").split("\n")
        if len(rows) != count:
            sys.exit(f"{table}: {len(rows)} lines for {count} images")
        for number, line in enumerate(rows):
            for box, objects in enumerate(json.loads(line.split("\t")[-1])):
                apart = not any(touches(a, b) for i, a in enumerate(objects)
                                for b in objects[:i])
                key = json.dumps(objects, sort_keys=True)
                if not 1 <= len(objects) <= MOST or not apart or key in seen:
                    continue
                seen.add(key)
                begin = number * height * width + BEGINS[box]
                starts = range(begin, begin + SIDE * width, width)
                pixels = [[PALETTE[p] for p in images[at:at + SIDE]] for at in starts]
                name = f"{part}/{number}-{box}.png"
                (chosen.out / name).write_bytes(png(pixels))
                caption, boxes = described(objects)
                lines.append(f"{name}\t{caption}\t{json.dumps(boxes)}\n")
        (chosen.out / f"{part}.tsv").write_text("".join(lines), encoding="utf-8")
        print(f"{chosen.out / part}.tsv: {len(lines)} images")


if __name__ == "__main__":
    main()
