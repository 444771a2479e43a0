#!/usr/bin/env python3
"""Writes sounds/: a tone of 440 Hz, 0.1 s at 8 kHz, in formats that libsndfile writes.

The sound fuzzer starts from these files.
Run it in this folder: python3 make_sound_samples.py"""

import ctypes
import ctypes.util
import math
import pathlib

FLAC_16, OGG_VORBIS, OGG_OPUS, WAV_ADPCM = 0x170002, 0x200060, 0x200064, 0x010012


class Info(ctypes.Structure):
    _fields_ = [("frames", ctypes.c_int64), ("samplerate", ctypes.c_int), ("channels", ctypes.c_int),
                ("format", ctypes.c_int), ("sections", ctypes.c_int), ("seekable", ctypes.c_int)]


def main():
    sndfile = ctypes.CDLL(ctypes.util.find_library("sndfile"))
    sndfile.sf_open.restype = ctypes.c_void_p
    folder = pathlib.Path("sounds")
    folder.mkdir(exist_ok=True)
    tone = [0.4 * math.sin(2 * math.pi * 440 * t / 8000) for t in range(800)]
    samples = (ctypes.c_float * len(tone))(*tone)
    for name, kind in (("tone.flac", FLAC_16), ("vorbis.ogg", OGG_VORBIS), ("opus.ogg", OGG_OPUS),
                       ("adpcm.wav", WAV_ADPCM)):
        info = Info(samplerate=8000, channels=1, format=kind)
        file = sndfile.sf_open(str(folder / name).encode(), 0x20, ctypes.byref(info))
        assert file, name
        file = ctypes.c_void_p(file)
        sndfile.sf_writef_float(file, samples, ctypes.c_int64(len(tone)))
        sndfile.sf_close(file)


if __name__ == "__main__":
    main()
