#!/usr/bin/env python3
"""Checks the size limits of files, functions and parameter lists. Also finds colours, shapes and
sentences that both C++ and TypeScript define, and symbols that two headers define. limits.txt
lists what exceeded a limit when the limits were introduced. An entry may shrink and must be
removed once it is within the limit; no entry may be added. Prints production and test lines
of each folder beside those of lines.txt, which limits.py --write-lines rewrites for a
release.

limits.py --self-test plants mistakes in temporary files."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MOST = {"lines": 600, "function": 60, "parameters": 8}
CODE = (".cc", ".h", ".ts", ".css", ".js", ".py")
# A definition in the style of clang-format: its first line begins with a name or a type.
HEAD = re.compile(r"^((?:  )?)(?:template|[A-Za-z_:~][\w:<>,&*~ ]*\()")
NO_FUNCTION = re.compile(r"\s*(?:namespace|class|struct|enum|using|return|if|for|while|switch|"
                         r"static_assert|TEST\w*|INSTANTIATE\w*)\b")
# A class or a constant at the top level of a namespace.
SYMBOL = re.compile(r"^(?:(?:enum )?(?:class|struct) (\w+)(?: final)?(?: :.*)?(?: \{.*|:|$)|"
                    r"inline const(?:expr)? [\w:<>, ]+ (\w+)(?: =|\{|$))", re.MULTILINE)
NAME = re.compile(r"([\w:~]+|operator\W+)\s*\($")


def sources(root):
    listed = subprocess.run(["git", "-c", f"safe.directory={root}", "ls-files"], cwd=root,
                            stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    return [name for name in listed if name.endswith(CODE)]


def is_test(name):
    return name.startswith("tests/") or "/tests/" in name or bool(
        re.search(r"_test\.|testing\.h$", name))


def signature(lines, begin):
    """Returns the text before the body that begins at or below a line, and the line of its
    brace; None if there is no body."""
    text = ""
    for i in range(begin, min(begin + 20, len(lines))):
        text += " " + lines[i].split("//")[0].strip()
        if lines[i].endswith("{"):
            return text.strip(), i
        if lines[i].endswith(("}", ";")):
            return None
    return None


def parameters(text):
    """Returns the number of parameters in the first parentheses."""
    depth, angles, count, some = 0, 0, 0, False
    for c in text[text.index("("):]:
        depth += (c in "([{") - (c in ")]}")
        angles = max(0, angles + (c == "<") - (c == ">"))
        if depth == 0:
            break
        count += c == "," and depth == 1 and angles == 0
        some = some or not (c.isspace() or c == "(")
    return count + 1 if some else 0


def functions(lines):
    """Yields name, body lines and number of parameters of each function of a C++ file."""
    for i, line in enumerate(lines):
        match = HEAD.match(line)
        if not match or NO_FUNCTION.match(line) or line.lstrip().startswith("template"):
            continue
        found = signature(lines, i)
        if not found or "=" in found[0].split("(")[0]:
            continue
        text, brace = found
        name = NAME.search(text[:text.index("(") + 1])
        end = next((k for k in range(brace + 1, len(lines))
                    if lines[k].startswith(match[1] + "}")), None)
        if name and end and lines[end].strip() in ("}", "};"):
            yield name[1].strip(), end - brace - 1, parameters(text)


def measured(root, names):
    """Returns all values that exceed a limit: {"kind place": value}."""
    over = {}
    for name in names:
        lines = (root / name).read_text(errors="replace").split("\n")
        if len(lines) - 1 > MOST["lines"]:
            over[f"lines {name}"] = len(lines) - 1
        if not name.endswith((".cc", ".h")) or is_test(name):
            continue
        for function, length, count in functions(lines):
            for kind, value in (("function", length), ("parameters", count)):
                if value > MOST[kind]:
                    place = f"{kind} {name}:{function}"
                    over[place] = max(value, over.get(place, 0))
    return over


def literals(text):
    """Returns the colours, shapes and sentences of a source."""
    joined = re.sub(r'"( \+)?\s*\n\s*"', "", text)
    found = {one.lower() for one in re.findall(r"#[0-9a-fA-F]{6}\b", joined)}
    for one in re.findall(r'"((?:[^"\\\n]|\\.)*)"', joined):
        if len(one) >= 16 and " " in one:
            found.add(one)
    return found


def twice(root, names):
    """Returns the literals that both C++ and the page define."""
    cpp, page = set(), set()
    for name in names:
        if is_test(name):
            continue
        if name.startswith(("heed/", "apps/")):
            cpp |= literals((root / name).read_text(errors="replace"))
        elif name.startswith("web/src/"):
            page |= literals((root / name).read_text(errors="replace"))
    return {f"twice {one}": 1 for one in cpp & page}


def symbols(root, names):
    """Returns classes and constants that two headers define in one namespace, which violates the
    one-definition rule."""
    places = collections.defaultdict(set)
    for name in names:
        if name.startswith(("heed/", "apps/")) and name.endswith(".h"):
            text = (root / name).read_text(errors="replace")
            space = re.search(r"^namespace ([\w:]+) \{", text, re.MULTILINE)
            for match in SYMBOL.finditer(text) if space else ():
                places[f"{space[1]}::{match[1] or match[2]}"].add(name)
    return {f"symbol {symbol} in {' and '.join(sorted(files))}": len(files)
            for symbol, files in places.items() if len(files) > 1}


def everything(root, names):
    return measured(root, names) | twice(root, names) | symbols(root, names)


def problems(over, known):
    """Returns messages about entries that are new, have grown or can be removed."""
    said = []
    for place, value in sorted(over.items()):
        if place not in known:
            kind = place.split()[0]
            limit = f" (at most {MOST[kind]})" if kind in MOST else ""
            said.append(f"{place}: {value}{limit}")
        elif value > known[place]:
            said.append(f"{place}: has grown from {known[place]} to {value}")
    gone = [place for place in known if place not in over]
    return said + [f"{place}: keeps to its limit; remove it from limits.txt" for place in gone]


def lines_of(root, names):
    """Counts lines other than blanks and comments per folder: [production, test]."""
    counts = collections.defaultdict(lambda: [0, 0])
    for name in names:
        folder = "/".join(name.split("/")[:-1][:2]) or "."
        for line in (root / name).read_text(errors="replace").split("\n"):
            if line.strip() and not line.strip().startswith(("//", "#!", "/*", "* ", "*/")):
                counts[folder][is_test(name)] += 1
    return dict(counts)


def read_known(path):
    rows = (line.rsplit(" ", 1) for line in path.read_text().split("\n") if line)
    return {place: int(value) for place, value in rows}


def show_lines(now, then):
    for folder in sorted(now | then):
        a, b = now.get(folder, [0, 0]), then.get(folder, [0, 0])
        if a != b:
            print(f"{folder:24} production {a[0]:6} ({a[0] - b[0]:+}), test {a[1]:6} "
                  f"({a[1] - b[1]:+})")
    for i, what in enumerate(("production", "test")):
        total = sum(one[i] for one in now.values())
        print(f"{what} lines: {total} ({total - sum(one[i] for one in then.values()):+})")


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        body = "  x();\n" * 61
        many = ", ".join(f"std::pair<int, int> a{i}" for i in range(9))
        planted = {
            "heed/a.cc": f"void A::Long(int a) {{\n{body}}}\n",
            "heed/b.h": f"class B {{\n  int Many({many}) {{\n    return 0;\n  }}\n}};\n",
            "heed/c.cc": "// x\n" * 601 + 'auto c = "the colour of a cell";\n',
            "web/src/d.ts": 'const d = "the colour " +\n  "of a cell";\n',
            "heed/e_test.cc": f"void Test() {{\n{body}}}\n",
            "heed/f.h": "namespace heed {\ninline constexpr int kNone = -1;\nclass F;\n}\n",
            "heed/g.h": "namespace heed {\ninline constexpr size_t kNone =\n    -1;\nclass F {\n};\n}\n"}
        for name, text in planted.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        over = everything(root, planted)
        expected = {"function heed/a.cc:A::Long": 61, "parameters heed/b.h:Many": 9,
                    "lines heed/c.cc": 602, "twice the colour of a cell": 1,
                    "symbol heed::kNone in heed/f.h and heed/g.h": 2}
        if over != expected:
            sys.exit(f"expected {expected}, found {over}")
        grown = problems({"lines x.cc": 700}, {"lines x.cc": 650, "lines y.cc": 601})
        if len(grown) != 2:
            sys.exit(f"expected what grew and what is gone, found {grown}")


def main():
    if "--self-test" in sys.argv:
        self_test()
        return
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        print("skipped: this is no checkout of git")
        return
    names = sources(ROOT)
    now = lines_of(ROOT, names)
    if "--write-lines" in sys.argv:
        rows = (f"{folder} {a} {b}\n" for folder, (a, b) in sorted(now.items()))
        (HERE / "lines.txt").write_text("".join(rows))
        return
    rows = (line.split(" ") for line in (HERE / "lines.txt").read_text().split("\n") if line)
    show_lines(now, {folder: [int(a), int(b)] for folder, a, b in rows})
    over = everything(ROOT, names)
    if "--list" in sys.argv:
        print("".join(f"{place} {value}\n" for place, value in sorted(over.items())), end="")
        return
    said = problems(over, read_known(HERE / "limits.txt"))
    if said:
        sys.exit("\n".join(said))


if __name__ == "__main__":
    main()
