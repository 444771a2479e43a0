#!/usr/bin/env python3
"""Whether what the documents point to is there: docs.py prints each link to a file, and each
path of a source, that names nothing, as FILE:LINE: PATH, and fails.

docs.py --self-test plants such links in a copy and expects to find them.
"""
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = "heed|apps|demos|bench|tests|web|cmake|docs|examples"
PAGES = ("*.md", "docs/**/*.md")
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
PATH = re.compile(rf"(?<![\w/.])(?:{TOPS})/[\w./-]*\.(?:h|cc|ts|css|py|sh|js|md)\b(?!\.)")


def without_code(text):
    """Blocks of code blanked, line by line as before: what they call is not a link."""
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


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "docs/a.md").write_text(
            "[b](b.md) [a](a.md#top) [x](https://x/y.md) `docs/a.md` `docs/NAME.md`\n"
            "```\nf[x](y)\n```\n`docs/gone.h`, [up](../gone.md)\n", encoding="utf-8")
        found = list(stale(root))
        expected = ["docs/a.md:1: b.md", "docs/a.md:5: ../gone.md", "docs/a.md:5: docs/gone.h"]
        if found != expected:
            sys.exit(f"expected {expected}, found {found}")


def main():
    if "--self-test" in sys.argv:
        self_test()
        return
    found = list(stale(ROOT))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
