#!/usr/bin/env python3
"""Writes images/: a small picture in every form of PNG and JPEG.

The picture has a red, a green, a blue and a white quarter, 16 × 8 pixels; tests compare
decoded colours. Needs Pillow (Debian: python3-pil).

Run it in this folder: python3 make_image_samples.py"""

import pathlib
import struct
import zlib

from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent / "images"
W, H = 16, 8
COLOURS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)]


def colour(x, y):
    return COLOURS[(x >= W // 2) + 2 * (y >= H // 2)]


def chunk(name, data):
    return (struct.pack(">I", len(data)) + name + data
            + struct.pack(">I", zlib.crc32(name + data)))


def png16():
    """Returns a PNG with 16 bits per channel, which Pillow cannot write."""
    rows = b"".join(
        b"\0" + b"".join(struct.pack(">HHH", *(257 * c for c in colour(x, y)))
                         for x in range(W)) for y in range(H))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", W, H, 16, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def main():
    HERE.mkdir(exist_ok=True)
    rgb = Image.new("RGB", (W, H))
    for y in range(H):
        for x in range(W):
            rgb.putpixel((x, y), colour(x, y))
    rgb.save(HERE / "rgb.png")
    rgb.convert("L").save(HERE / "grey.png")
    rgb.quantize(4).save(HERE / "palette.png")
    (HERE / "deep.png").write_bytes(png16())
    # The white quarter is transparent black.
    clear = rgb.convert("RGBA")
    for y in range(H // 2, H):
        for x in range(W // 2, W):
            clear.putpixel((x, y), (0, 0, 0, 0))
    clear.save(HERE / "clear.png")
    rgb.save(HERE / "animated.png", save_all=True, append_images=[Image.new("RGB", (W, H))])
    rgb.save(HERE / "rgb.jpg", quality=95, subsampling=0)
    rgb.save(HERE / "progressive.jpg", quality=95, subsampling=0, progressive=True)
    rgb.convert("L").save(HERE / "grey.jpg", quality=95)
    rgb.convert("CMYK").save(HERE / "cmyk.jpg", quality=95)
    # A camera rotation: stored upright, to be shown rotated a quarter turn clockwise.
    exif = Image.Exif()
    exif[0x0112] = 8
    rgb.transpose(Image.Transpose.ROTATE_270).save(
        HERE / "turned.jpg", quality=95, subsampling=0, exif=exif)


if __name__ == "__main__":
    main()
