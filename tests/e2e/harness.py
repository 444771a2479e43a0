"""Common code of the end-to-end tests: the command, a tiny text and a tiny model."""

import functools
import hashlib
import json
import pathlib
import random
import resource
import shutil
import subprocess
import tempfile
import unittest

TIMEOUT = 120  # seconds, for calls that should take one


class World:
    """Paths of the test run, set by run.py."""
    heed = ""
    work = pathlib.Path()
    model = ""  # trained once, read by all tests


WORLD = World()


def heed(*args, stdin=b"", **options):
    return subprocess.run([WORLD.heed, *map(str, args)], input=stdin, capture_output=True,
                          timeout=TIMEOUT, check=False, **options)


@functools.cache
def is_sanitized():
    """True if the command is built with AddressSanitizer. Each start is slow, and it reserves
    terabytes of address space, which excludes address limits."""
    return b"__asan_init" in pathlib.Path(WORLD.heed).read_bytes()


def with_memory(mib):
    """Returns options of heed() that limit the address space of the command."""
    limit = mib << 20
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))}


def reversed_digits(pairs, seed):
    """Returns lines of two to six digits, and the reversed lines."""
    draw = random.Random(seed)
    source = [[draw.choice("0123456789") for _ in range(draw.randint(2, 6))]
              for _ in range(pairs)]
    lines = lambda rows: "".join(" ".join(row) + "\n" for row in rows)
    return lines(source), lines(row[::-1] for row in source)


def write_text(folder, seed=1):
    for name, pairs in (("train", 240), ("valid", 24)):
        source, target = reversed_digits(pairs, seed)
        (folder / f"{name}.source").write_text(source)
        (folder / f"{name}.target").write_text(target)


def train_args(out, **changes):
    """Returns the arguments of a training of some milliseconds; None removes an argument."""
    settings = {
        "source": WORLD.work / "train.source", "target": WORLD.work / "train.target",
        "valid_source": WORLD.work / "valid.source", "valid_target": WORLD.work / "valid.target",
        "out": out, "vocabulary": "words", "units": 16, "embedding": 16,
        "batch_sentences": 40, "epochs": 3, "metric": "loss", "threads": 1,
    } | changes
    args = ["train"]
    for key, value in settings.items():
        if value is not None:
            args += ["--" + key.replace("_", "-"), value]
    return args


def strict_json(text):
    def refuse(name):
        raise ValueError(f"{name} in JSON")
    return json.loads(text, parse_constant=refuse)


def contents(folder):
    folder = pathlib.Path(folder)
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def weights(folder):
    """Returns hashes of the files that must not depend on the time of an interruption."""
    return {name: hashlib.sha256(data).hexdigest()
            for name, data in contents(folder).items() if name.endswith(".safetensors")}


class EndToEnd(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=WORLD.work))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def put(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def runs(self, *args, **options):
        result = heed(*args, **options)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout.decode()

    def fails(self, status, says, *args, **options):
        """Checks the exit status and a single line on standard error that contains the texts."""
        result = heed(*args, **options)
        error = result.stderr.decode()
        self.assertEqual(result.returncode, status, error)
        self.assertEqual(error.count("\n"), 1, error)
        self.assertTrue(error.startswith("heed: "), error)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, error)
        return result


def users_build(test):
    """Marks a test of many short runs, whose code unit tests run under sanitizers."""
    @functools.wraps(test)
    def run(self):
        if is_sanitized():
            self.skipTest("checked in the build of users")
        test(self)
    return run


class UsersBuild(EndToEnd):
    """Tests of wording, figures and speed, and of readers that unit tests run under sanitizers.
    Skipped with sanitizers, where the command starts slowly."""

    @classmethod
    def setUpClass(cls):
        if is_sanitized():
            raise unittest.SkipTest("checked in the build of users")
        super().setUpClass()
