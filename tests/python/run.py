#!/usr/bin/env python3
"""Runs the tests of the Python package: run.py LIBRARY HEED [PYTEST ARGS]

Takes a Python that has pytest: this one, or Debian's. Exits with 77 if neither has it."""

import os
import pathlib
import signal
import subprocess
import sys

# Programs started in the background ignore Ctrl-C, which the tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)
HERE = pathlib.Path(__file__).resolve().parent
library, heed = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
arguments = sys.argv[3:]
for python in (sys.executable, "/usr/bin/python3"):
    found = subprocess.run([python, "-c", "import pytest"], capture_output=True, check=False)
    if found.returncode == 0:
        environment = os.environ | {"HEED_LIBRARY": library, "HEED_COMMAND": heed,
                                    "PYTHONPATH": str(HERE.parents[1] / "python"),
                                    "PYTHONDONTWRITEBYTECODE": "1"}
        sys.exit(subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE),
                                 *arguments], env=environment, check=False).returncode)
print("skipped: the tests of the Python package need python3-pytest")
sys.exit(77)
