#!/usr/bin/env python3
"""Checks links of the documents. docs.py prints each link to a file, each source path and each
C++ name (heed::Name) that does not exist, as FILE:LINE: PATH or NAME, and fails.

docs.py --self-test plants such links and names in a copy and expects to find them."""
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = "heed|apps|course|bench|tests|web|cmake|docs|examples"
PAGES = ("*.md", "docs/**/*.md")
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
PATH = re.compile(rf"(?<![\w/.])(?:{TOPS})/[\w./-]*\.(?:h|cc|ts|css|py|sh|js|md)\b(?!\.)")
CODE = re.compile(r"^```cpp\n.*?^```", re.DOTALL | re.MULTILINE)
NAME = re.compile(r"\bheed::(\w+)")


def without_code(text):
    """Blanks code blocks and keeps the line numbers, because calls look like links."""
    return re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text,
                  flags=re.DOTALL | re.MULTILINE)


def stale(root):
    for pattern in PAGES:
        for page in sorted(root.glob(pattern)):
            for number, line in enumerate(
                    without_code(page.read_text(encoding="utf-8")).split("\n"), 1):
                links = [(link, page.parent) for link in LINK.findall(line) if "://" not in link]
                links += [(path, root) for path in PATH.findall(line) if "NAME" not in path]
                for link, folder in links:
                    if not (folder / link).exists():
                        yield f"{page.relative_to(root)}:{number}: {link}"


def unknown_names(root):
    """Yields C++ names in the documents' code that no header contains."""
    known = {word for top in TOPS.split("|") for header in root.glob(f"{top}/**/*.h")
             for word in re.findall(r"\w+", header.read_text(encoding="utf-8"))}
    for pattern in PAGES:
        for page in sorted(root.glob(pattern)):
            text = page.read_text(encoding="utf-8")
            for block in CODE.finditer(text):
                for name in NAME.finditer(text, block.start(), block.end()):
                    if name[1] not in known:
                        number = text.count("\n", 0, name.start()) + 1
                        yield f"{page.relative_to(root)}:{number}: {name[0]}"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "docs/a.md").write_text(
            "[b](b.md) [a](a.md#top) [x](https://x/y.md) `docs/a.md` `docs/NAME.md`\n"
            "```\nf[x](y)\n```\n`docs/gone.h`, [up](../gone.md)\n", encoding="utf-8")
        found = list(stale(root))
        expected = ["docs/a.md:1: b.md", "docs/a.md:5: ../gone.md", "docs/a.md:5: docs/gone.h"]
        (root / "heed").mkdir()
        (root / "heed/a.h").write_text("struct Here {};\n", encoding="utf-8")
        (root / "docs/a.md").write_text("heed::Gone\n```cpp\nheed::Here a;\nheed::Gone b;\n```\n",
                                        encoding="utf-8")
        found += unknown_names(root)
        expected.append("docs/a.md:4: heed::Gone")
        if found != expected:
            sys.exit(f"expected {expected}, found {found}")


def main():
    if "--self-test" in sys.argv:
        self_test()
        return
    found = [*stale(ROOT), *unknown_names(ROOT)]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
