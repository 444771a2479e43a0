"""Corrupted models with valid checksums, read by the command and by a running server, which must
keep its current model."""

import json
import os
import shutil
import signal
import struct
import subprocess
import zlib

from harness import (TIMEOUT, WORLD, EndToEnd, UsersBuild, heed, train_args, with_memory)
from server import Server

DEEP = "[" * 100000 + "]" * 100000


class Weights:
    """A safetensors file of Heed."""

    def __init__(self, path):
        self.path = path
        data = path.read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        self.header = json.loads(data[8:8 + size])
        self.elements = bytearray(data[8 + size:])

    def tensors(self):
        named = [(name, t) for name, t in self.header.items()
                 if name != "__metadata__" and t["data_offsets"] != "DEEP"]
        return sorted(named, key=lambda item: item[1]["data_offsets"])

    def check_sum(self):
        text = ""
        for name, t in self.tensors():
            begin, end = t["data_offsets"]
            crc = zlib.crc32(self.elements[begin:end])
            text += f"{name} {t['dtype'].lower()} {t['shape']} {crc:08x}\n"
        for key, value in sorted(self.header["__metadata__"].items()):
            if key != "heed.crc32":
                text += f"{key}={value}\n"
        return f"{zlib.crc32(text.encode()):08x}"

    def write(self, replace=("", "")):
        self.header["__metadata__"]["heed.crc32"] = self.check_sum()
        header = json.dumps(self.header).replace(*replace).encode()
        self.path.write_bytes(struct.pack("<Q", len(header)) + header + self.elements)


class Settings:
    """A config.json of Heed."""

    def __init__(self, path):
        self.path = path
        self.json = json.loads(path.read_text())

    def check_sum(self):
        own = {key: value for key, value in self.json["heed"].items() if key != "checksum"}
        text = json.dumps(self.json | {"heed": own}, separators=(",", ":"), ensure_ascii=False)
        return f"{zlib.crc32(text.encode()):08x}"

    def write(self):
        self.json["heed"]["checksum"] = self.check_sum()
        self.path.write_text(json.dumps(self.json))


def weights_with(change, **write):
    def damage(folder):
        weights = Weights(folder / "model.safetensors")
        change(weights)
        weights.write(**write)
    return damage


def settings_with(change):
    def damage(folder):
        settings = Settings(folder / "config.json")
        change(settings.json)
        settings.write()
    return damage


def matrix(weights):
    """Returns the entry of the first non-square matrix."""
    return next(t for _, t in weights.tensors()
                if len(t["shape"]) == 2 and t["shape"][0] != t["shape"][1])


def set_number(weights, pattern):
    begin = matrix(weights)["data_offsets"][0]
    weights.elements[begin:begin + 4] = pattern


def flip_bit(weights):
    weights.elements[len(weights.elements) // 2] ^= 64


def rename_tensor(weights):
    name = weights.tensors()[0][0]
    weights.header["other"] = weights.header.pop(name)


def turn_round(weights):
    matrix(weights)["shape"].reverse()


def vocabulary_with(text):
    def damage(folder):
        (folder / "source.vocabulary.txt").write_bytes(text)
        settings = Settings(folder / "config.json")
        settings.json["heed"]["files"]["source.vocabulary.txt"] = f"{zlib.crc32(text):08x}"
        settings.write()
    return damage


def in_place_of(name, make):
    def damage(folder):
        (folder / name).unlink()
        make(folder / name)
    return damage


def sparse(path):
    path.touch()
    os.truncate(path, 1 << 40)


def nested(key):
    """Returns a function that makes the value of this key of a tensor a deeply nested list."""
    def damage(folder):
        weights = Weights(folder / "model.safetensors")
        weights.tensors()[0][1][key] = "DEEP"
        weights.write(replace=('"DEEP"', DEEP))
    return damage


# Damages with invalid and with valid checksums.
DAMAGES = {
    "nested dtype": nested("dtype"),
    "nested offsets": nested("data_offsets"),
    "nested shape": nested("shape"),
    "nested settings": lambda folder: (folder / "config.json").write_text('{"heed":' + DEEP + "}"),
    "flipped bit": lambda folder: (lambda w: (flip_bit(w), w.path.write_bytes(
        w.path.read_bytes()[:-len(w.elements)] + w.elements)))(
            Weights(folder / "model.safetensors")),
    "turned shape": weights_with(turn_round),
    "missing tensor": weights_with(rename_tensor),
    "NaN": weights_with(lambda w: set_number(w, struct.pack("<f", float("nan")))),
    "infinity": weights_with(lambda w: set_number(w, struct.pack("<f", float("inf")))),
    "other units": settings_with(lambda s: s.update(units=17)),
    "huge units": settings_with(lambda s: s.update(units=10**6)),
    "impossible units": settings_with(lambda s: s.update(units=10**15)),
    "units that are a text": settings_with(lambda s: s.update(units="16")),
    "unknown setting": settings_with(lambda s: s.update(unit=16)),
    "unknown task": settings_with(lambda s: s.update(task="fly")),
    "no files": settings_with(lambda s: s["heed"].update(files={})),
    "file outside": settings_with(lambda s: s["heed"]["files"].update({"../x": "00000000"})),
    "files that are none": settings_with(lambda s: s["heed"].update(files=[1])),
    "short vocabulary": vocabulary_with(b"a\n"),
    "vocabulary of nothing": vocabulary_with(b""),
    "vocabulary of bytes": vocabulary_with(bytes(range(256)) * 10),
}
for FILE in ("config.json", "model.safetensors", "source.vocabulary.txt"):
    DAMAGES |= {
        f"{FILE} cut short": in_place_of(FILE, lambda path: path.write_bytes(b"{" * 100)),
        f"{FILE} empty": in_place_of(FILE, lambda path: path.touch()),
        f"{FILE} missing": in_place_of(FILE, lambda path: None),
        f"{FILE} a pipe": in_place_of(FILE, os.mkfifo),
        f"{FILE} a folder": in_place_of(FILE, lambda path: path.mkdir()),
        f"{FILE} endless": in_place_of(FILE, lambda path: path.symlink_to("/dev/zero")),
        f"{FILE} in a circle": in_place_of(FILE, lambda path: path.symlink_to(path)),
    }
DAMAGES["model.safetensors a terabyte"] = in_place_of("model.safetensors", sparse)


class Damage(EndToEnd):
    def damaged(self, damage):
        copy = self.folder / "model"
        if copy.exists():
            shutil.rmtree(copy)
        shutil.copytree(WORLD.model, copy)
        damage(copy)
        return copy

    def test_the_sums_of_these_tests_are_those_of_heed(self):
        copy = self.damaged(lambda folder: None)
        weights, settings = Weights(copy / "model.safetensors"), Settings(copy / "config.json")
        self.assertEqual(weights.check_sum(), weights.header["__metadata__"]["heed.crc32"])
        self.assertEqual(settings.check_sum(), settings.json["heed"]["checksum"])
        weights.write()
        settings.write()
        self.runs("translate", copy, stdin=b"1 2\n")

    def test_the_command_says_what_is_wrong_in_a_line(self):
        for name, damage in DAMAGES.items():
            with self.subTest(damage=name):
                copy = self.damaged(damage)
                result = heed("translate", copy, stdin=b"1 2 3\n")
                error = result.stderr.decode()
                self.assertIn(result.returncode, (1, 2), error)
                self.assertRegex(error, r"^heed: [^\n]+\n$")

    def test_the_server_keeps_its_model(self):
        copy = self.damaged(lambda folder: None)
        failed = 'heed_reloads_total{model="model",result="failed"}'
        other = self.folder / "other"
        texts = self.put("texts", "good\ta b\nbad\tc d\n" * 20)
        self.runs("train", "--task", "classify", "--texts", texts, "--out", other, "--epochs", 1,
                  "--quiet")
        damages = DAMAGES | {"another task": lambda folder: (
            shutil.rmtree(folder), shutil.copytree(other, folder))}
        with Server(models=[copy]) as server:
            first = server.translate("1 2 3 4 5").json()
            for times, (name, damage) in enumerate(damages.items(), 1):
                with self.subTest(damage=name):
                    self.damaged(damage)
                    server.process.send_signal(signal.SIGHUP)
                    server.until(lambda: server.metric(failed) == times)
                    self.assertEqual(server.translate("1 2 3 4 5").json(), first)
            self.damaged(lambda folder: None)
            server.process.send_signal(signal.SIGHUP)
            done = 'heed_reloads_total{model="model",result="succeeded"}'
            server.until(lambda: server.metric(done) == 1)
        self.assertEqual(server.log.count(b"not reloaded"), len(damages))


class LittleMemory(UsersBuild):
    """With too little memory, every command prints one line and exits with status 1."""

    def ends_well(self, args, mib, stdin=b""):
        result = heed(*args, stdin=stdin, **with_memory(mib))
        error = result.stderr.decode()
        if result.returncode == 127:  # the loader itself had too little memory
            return False
        self.assertIn(result.returncode, (0, 1), (mib, args, error))
        if result.returncode == 1:
            last = error.splitlines()[-1]
            self.assertRegex(last, "^heed: .*memory", (mib, args, error))
        return result.returncode == 0

    def sweep(self, args, stdin=b""):
        """Yields decreasing memory sizes, from sufficient to refused by the loader."""
        enough = [mib for mib in (2000, 1000, 600, 500, 420, 360, 320, 290, 260, 240, 220, 200,
                                  180, 160) if self.ends_well(args, mib, stdin)]
        self.assertIn(2000, enough)

    def test_commands(self):
        self.sweep(["translate", WORLD.model], b"1 2 3\n")
        self.sweep(["explain", WORLD.model, "--out", self.folder / "x.png"], b"1 2 3\n")

    def test_a_training_that_failed_stands_in_nobodys_way(self):
        out = self.folder / "model"
        args = [*train_args(out, units=512, embedding=512, epochs=1, threads=2), "--quiet"]
        done = False
        for mib in (200, 240, 280, 320, 400, 500, 700, 1000, 4000):
            done = self.ends_well(args, mib)
            if done:
                break
            # Memory is short from the first step on, so no weights are left. Remaining
            # files are replaced by the next training.
            self.assertFalse(list(out.glob("**/*.safetensors")), mib)
        self.assertTrue(done)

    def test_a_server_without_memory_says_so(self):
        for mib in (200, 260, 320, 400):
            run = subprocess.Popen(
                [WORLD.heed, "serve", WORLD.model, "--port", "0", "--threads", "1"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **with_memory(mib))
            with run:
                if run.stdout.readline():
                    run.terminate()
                error = run.communicate(timeout=TIMEOUT)[1].decode()
            if run.returncode not in (0, 127):
                self.assertEqual(run.returncode, 1, (mib, error))
                self.assertRegex(error.splitlines()[-1], "^heed: .*memory", (mib, error))
