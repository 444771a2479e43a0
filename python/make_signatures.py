"""Writes the signatures of the C interface for ctypes.

python3 make_signatures.py > heed/_signatures.py
"""

from __future__ import annotations

import pathlib
import re
import sys
import textwrap

HEADER = pathlib.Path(__file__).resolve().parent.parent / "apps" / "libheed" / "heed.h"
NUMBERS = {"int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64",
           "size_t": "c_size_t", "double": "c_double"}
BEGIN = '''"""Functions of heed.h. Made by make_signatures.py: do not edit."""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_int64,
                    c_size_t, c_uint32, c_void_p)
'''


def class_name(name: str) -> str:
    """Python's name of a type: LogFunction for heed_log_function."""
    return "".join(part.title() for part in name.split("_")[1:])


def ctype(declared: str) -> str:
    """The ctypes type of a C type. Texts that are results may hold zero bytes."""
    base, stars = re.fullmatch(r"(\w+)(\**)", re.sub(r"\bconst\b|\s", "", declared)).groups()
    if stars == "*" and base in NUMBERS:
        return f"POINTER({NUMBERS[base]})"
    if not stars:
        return "None" if base == "void" else NUMBERS.get(base) or class_name(base)
    if stars == "*" and base == "char":
        return "c_char_p"
    if stars == "*" and base == "heed_view":
        return "POINTER(View)"
    return "c_void_p" if stars == "*" else "POINTER(c_void_p)"


def parameters(text: str) -> list[str]:
    """The ctypes types of parameters: "const char* folder, size_t size"."""
    if text.strip() == "void":
        return []
    return [ctype(re.sub(r"\w+\s*$", "", one)) for one in text.split(",")]


def signatures(header: str) -> str:
    """The Python module for the text of heed.h."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.DOTALL)
    lines = [BEGIN]
    for name, value in re.findall(r"HEED_(\w+) = (\d+)", text):
        lines.append(f"{name} = {value}")
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, re.DOTALL):
        lines += ["", "", f"class {class_name(name)}(Structure):", "    _fields_ = ["]
        for kind, member in re.findall(r"([\w\s]+?\**)\s*(\w+);", body):
            lines.append(f'        ("{member}", {ctype(kind)}),')
        lines += ["    ]", ""]
    for result, name, given in re.findall(
            r"typedef (\w+) \(\*(\w+)\)\((.*?)\);", text, re.DOTALL):
        types = ", ".join([ctype(result)] + parameters(given))
        lines.append(f"{class_name(name)} = CFUNCTYPE({types})")
    lines.append("\nFUNCTIONS = {")
    for result, name, given in re.findall(
            r"HEED_API\s+([\w\s]+\*?)\s*\b(heed_\w+)\((.*?)\);", text, re.DOTALL):
        line = f'"{name}": ({ctype(result)}, [{", ".join(parameters(given))}]),'
        lines.append(textwrap.fill(line, 95, initial_indent="    ", subsequent_indent=" " * 8))
    return "\n".join(lines + ["}", ""])


if __name__ == "__main__":
    sys.stdout.write(signatures(HEADER.read_text(encoding="utf-8")))
