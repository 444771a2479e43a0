#!/usr/bin/env python3
"""Heed as a subproject of another project: run.py CMAKE

Configures a project with add_subdirectory(heed) and a program with its own page, and checks
the paths of Heed's files in the build rules."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HEED = pathlib.Path(__file__).resolve().parents[2]
CMAKE = "cmake"
PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(other LANGUAGES CXX)
add_subdirectory({HEED} heed)
add_executable(other main.cc)
target_link_libraries(other PRIVATE heed_cli)
heed_embed_page(other ENTRY page.ts)
"""


def run(*args):
    result = subprocess.run(list(map(str, args)), capture_output=True, check=False)
    assert result.returncode == 0, (result.stdout + result.stderr).decode()
    return result.stdout.decode()


class PartOfAProject(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="heed-part-")
        self.addCleanup(scratch.cleanup)
        self.source = pathlib.Path(scratch.name).resolve() / "other"
        self.build = self.source / "build"
        self.source.mkdir()
        (self.source / "CMakeLists.txt").write_text(PROJECT)
        (self.source / "main.cc").write_text("int main() {}\n")
        (self.source / "page.ts").write_text("")

    def configure(self, *options):
        run(CMAKE, "-G", "Ninja", "-S", self.source, "-B", self.build, *options)

    def test_the_page_is_built_of_heeds_sources(self):
        # The fake Node only prints its version; nothing is built.
        node = self.source / "node"
        node.write_text("#!/bin/sh\necho v18.0.0\n")
        node.chmod(0o755)
        self.configure(f"-DHEED_NODE={node}", f"-DHEED_NPM={node}")
        [rule] = [line for line in (self.build / "build.ninja").read_text().splitlines()
                  if "-DOUT=" in line and "other_page_files.cc" in line]
        for part in (f"-DWEB={HEED}/web ", f"-DENTRY={self.source}/page.ts ",
                     f"-DSCRATCH={self.build}/heed/page ", f"-P {HEED}/cmake/HeedPage.cmake"):
            self.assertIn(part, rule)

    def test_without_the_page_there_is_an_empty_one(self):
        self.configure("-DHEED_PAGE=OFF")
        self.assertIn("PageFiles() { return {}; }",
                      (self.build / "other_page_files.cc").read_text())

    def test_the_command_is_not_where_its_folder_is(self):
        self.configure("-DHEED_PAGE=OFF")
        targets = run("ninja", "-C", self.build, "-t", "targets", "all")
        self.assertIn("\nheed/heed: CXX_EXECUTABLE_LINKER", targets)


def main():
    global CMAKE
    CMAKE = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])


if __name__ == "__main__":
    main()
