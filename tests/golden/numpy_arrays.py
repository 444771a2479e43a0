#!/usr/bin/env python3
"""Writes numpy_stored.npz and numpy_deflated.npz: arrays as NumPy saves them.

Both hold the same: every element type and memory order that Heed reads. The
values are told by index in heed/io/npz_test.cc.

Run it in this folder: python3 numpy_arrays.py
"""

import numpy as np

ramp = np.arange(24).reshape(2, 3, 4)
arrays = {
    "f2": (ramp - 12).astype("<f2") / 8,
    "f2_special": np.array([np.inf, -np.inf, 2.0**-24, -0.0, 65504.0], "<f2"),
    "f4": ramp.astype("<f4") / 3,
    "f8": ramp.astype("<f8") / 3,
    "i1": (ramp - 12).astype("i1"),
    "u1": (ramp + 230).astype("u1"),
    "i4": (ramp - 12).astype("<i4") * 100000,
    "i8": (ramp - 12).astype("<i8") * 100000,
    "fortran": np.asfortranarray(ramp.astype("<f4")),
    "fortran_matrix": np.asfortranarray(ramp[0].astype("<f4")),
    "scalar": np.array(7, "<f4"),
    "none": np.zeros((0, 4), "<f4"),
}
np.savez("numpy_stored.npz", **arrays)
np.savez_compressed("numpy_deflated.npz", **arrays)
