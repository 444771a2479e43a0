#!/usr/bin/env python3
"""Checks that CMake and the docs agree with the includes between folders of heed/.

- DEPS of a module equals the folders that its sources include. TEST_DEPS equals the folders
  that only its tests include. A folder includes no folder that heed/CMakeLists.txt names after
  it, and nothing of the programs above the library. Only tests may include course/data, whose
  library is heed_generators.
- CONTRIBUTING.md and docs/explanation/engine.md list the folders in the order of heed/CMakeLists.txt, and
  the table of docs/api/mainpage.md has each folder once, in that order.

ladder.py prints differences and fails. ladder.py --self-test plants differences in a copy and
expects to find them."""
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATORS = "generators"
CHAINS = ("CONTRIBUTING.md", "docs/explanation/engine.md")
TABLE = "docs/api/mainpage.md"
FILES = ("heed/**/*.cc", "heed/**/*.h", "heed/**/CMakeLists.txt", *CHAINS, TABLE)


def order_of(root):
    """Returns the folders; each may include only those before it."""
    return re.findall(r"^add_subdirectory\((\w+)\)",
                      (root / "heed/CMakeLists.txt").read_text(encoding="utf-8"), re.M)


def declared(root, module):
    """Returns DEPS and TEST_DEPS of a module."""
    text = (root / "heed" / module / "CMakeLists.txt").read_text(encoding="utf-8")
    words = re.search(rf"heed_module\({module}\b([^)]*)\)", text)[1].split()
    lists, current = {"DEPS": [], "TEST_DEPS": []}, None
    for word in words:
        if word.isupper() and not "::" in word:
            current = word
        elif current in lists:
            lists[current].append(word)
    return lists["DEPS"], lists["TEST_DEPS"]


def included(root, module):
    """Returns the folders that a module's sources include, and those that its tests include."""
    of_sources, of_tests = set(), set()
    for path in sorted((root / "heed" / module).rglob("*")):
        if path.suffix not in (".cc", ".h"):
            continue
        is_test = path.name.endswith(("_test.cc", "testing.h"))
        for top, folder in re.findall(r'^#include "(\w+)/(\w+)', path.read_text(encoding="utf-8"),
                                      re.M):
            generator = is_test and (top, folder) == ("course", "data")
            (of_tests if is_test else of_sources).add(
                folder if top == "heed" else GENERATORS if generator else top)
    return of_sources - {module}, of_tests - of_sources - {module}


def compare(what, said, done):
    if len(said) != len(set(said)):
        yield f"{what} names a folder twice"
    if more := set(said) - done:
        yield f"{what} names what is not included: {' '.join(sorted(more))}"
    if fewer := done - set(said):
        yield f"{what} lacks what is included: {' '.join(sorted(fewer))}"


def problems(root):
    order = order_of(root)
    for module in order:
        deps, test_deps = declared(root, module)
        of_sources, of_tests = included(root, module)
        line = f"heed/{module}/CMakeLists.txt"
        yield from compare(f"{line}: DEPS", deps, of_sources)
        yield from compare(f"{line}: TEST_DEPS", test_deps, of_tests)
        later = (of_sources | of_tests) - {GENERATORS} - set(order[:order.index(module)])
        if later:
            yield f"heed/{module} includes what stands above it: {' '.join(sorted(later))}"
    folders = {path.parent.name for path in (root / "heed").glob("*/CMakeLists.txt")}
    yield from compare("heed/CMakeLists.txt", order, folders)

    chain = " ← ".join([*order, "apps"])
    for page in CHAINS:
        text = " ".join((root / page).read_text(encoding="utf-8").split())
        if chain not in text:
            yield f"{page}: the ladder of heed/CMakeLists.txt is not there: {chain}"
    rows = re.findall(r"^\| (`[^|]*`) \|", (root / TABLE).read_text(encoding="utf-8"), re.M)
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    if listed != order:
        yield f"{TABLE}: folders are {' '.join(listed)}, in CMake {' '.join(order)}"


def self_test():
    """Plants every kind of difference and expects to find it."""
    planted = {
        "heed/ops/planted.cc": ('#include "heed/metrics/bleu.h"\n', "DEPS lacks"),
        "heed/ops/planted_test.cc": ('#include "heed/io/npz.h"\n', "TEST_DEPS lacks"),
        "heed/base/planted.cc": ('#include "heed/serve/api.h"\n', "above it: serve"),
        "heed/tensor/planted.cc": ('#include "apps/heed/options.h"\n', "above it: apps"),
        "heed/io/planted.cc": ('#include "course/data/scenes.h"\n', "above it: course"),
        "heed/text/planted_test.cc": ('#include "course/data/scenes.h"\n',
                                      "TEST_DEPS lacks what is included: generators"),
        "heed/base/CMakeLists.txt": ("heed_module(base DEPS tensor)\n", "not included: tensor"),
        "heed/more/CMakeLists.txt": ("heed_module(more)\n", "heed/CMakeLists.txt lacks"),
        "docs/explanation/engine.md": ("base ← tensor", "docs/explanation/engine.md: the ladder"),
        TABLE: ("| `base` | errors |\n", "folders are base,"),
    }
    for file, (text, expected) in planted.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for pattern in FILES:
                for path in ROOT.glob(pattern):
                    copy = root / path.relative_to(ROOT)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, copy)
            (root / file).parent.mkdir(exist_ok=True)
            (root / file).write_text(text, encoding="utf-8")
            found = list(problems(root))
            if not any(expected in problem for problem in found):
                sys.exit(f"{file} with '{text.strip()}' was not found; but {found}")


def main():
    if "--self-test" in sys.argv:
        self_test()
        return
    found = list(problems(ROOT))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
