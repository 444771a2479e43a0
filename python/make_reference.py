#!/usr/bin/env python3
"""Writes the reference of `import heed` from its docstrings: make_reference.py FILE.html"""

import html
import inspect
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import heed  # noqa: E402

STYLE = """body { font: 16px/1.5 sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em }
pre { background: #f4f4f4; padding: .6em; overflow-x: auto } h2 { border-top: 1px solid #ccc }
code { background: #f4f4f4 }"""


def signature(name, value):
    try:
        return f"{name}{inspect.signature(value)}"
    except (TypeError, ValueError):
        return name


def members(value):
    """Yields the public methods and properties of a class, or functions of a module."""
    for name, member in sorted(vars(value).items()):
        if name.startswith("_") and name != "__call__":
            continue
        if inspect.ismodule(value) and getattr(member, "__module__", "") != value.__name__:
            continue
        member = getattr(member, "fget", None) or member
        if inspect.isfunction(member) or inspect.isclass(member):
            yield name, member


def entry(level, name, value):
    text = inspect.getdoc(value)
    if not text:
        sys.exit(f"{name} has no docstring")
    title = f"<h{level} id='{html.escape(name)}'><code>{html.escape(signature(name, value))}</code>"
    return f"{title}</h{level}>\n<pre>{html.escape(text)}</pre>\n"


def main(path):
    body = f"<h1>heed</h1>\n<pre>{html.escape(inspect.getdoc(heed))}</pre>\n"
    names = [name for name in heed.__all__ if name != "__version__"]
    body += "<p>" + ", ".join(f"<a href='#{name}'>{name}</a>" for name in sorted(names)) + "</p>\n"
    for name in sorted(names):
        value = getattr(heed, name)
        body += entry(2, name, value)
        if inspect.isclass(value) or inspect.ismodule(value):
            for member, function in members(value):
                body += entry(3, f"{name}.{member}", function)
    target = pathlib.Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"<!doctype html><meta charset=utf-8><title>import heed</title>\n"
                      f"<style>{STYLE}</style>\n{body}", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
