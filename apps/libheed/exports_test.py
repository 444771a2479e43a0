#!/usr/bin/env python3
"""Checks that a library exports the functions of heed.h alone: exports_test.py HEADER LIBRARY"""

import pathlib
import re
import subprocess
import sys

header, library = sys.argv[1:]
declared = set(re.findall(r"^HEED_API[^;(]*?(heed_\w+)\(", pathlib.Path(header).read_text(), re.M))
symbols = subprocess.run(["nm", "--dynamic", "--defined-only", library], capture_output=True,
                         text=True, check=True).stdout
exported = {line.split()[-1].split("@")[0] for line in symbols.splitlines()} - {"HEED_0.2"}
if not declared or declared != exported:
    sys.exit(f"missing: {sorted(declared - exported)}; not in heed.h: {sorted(exported - declared)}")
print(f"{len(exported)} functions")
