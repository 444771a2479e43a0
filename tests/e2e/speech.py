"""Speech: user recordings, digit strings of synthetic voices, valid and invalid sounds."""

import base64
import json
import math
import struct

from harness import UsersBuild, heed, strict_json, weights
from server import Server


def wav(samples, rate=8000, channels=1, length=None):
    """Returns a 16-bit WAV file. `length`: size of the samples in the header, if it is wrong."""
    data = struct.pack(f"<{len(samples)}h", *samples)
    size = len(data) if length is None else length
    return (b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " +
            struct.pack("<IHHIIHH", 16, 1, channels, rate, 2 * rate * channels, 2 * channels, 16) +
            b"data" + struct.pack("<I", size) + data)


def sweep(rises, rate=8000, seconds=0.4):
    """Returns a sweep from 300 Hz to 2000 Hz, or back. A constant tone would vanish in
    normalisation."""
    samples = []
    for t in range(int(seconds * rate)):
        at = t / rate
        low, change = (300, 1700) if rises else (2000, -1700)
        samples.append(int(9000 * math.sin(2 * math.pi * (low + change * at / seconds / 2) * at)))
    return wav(samples, rate)


def float_wav(values):
    data = struct.pack(f"<{len(values)}f", *values)
    return (b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " +
            struct.pack("<IHHIIHH", 16, 3, 1, 8000, 32000, 4, 32) + b"data" +
            struct.pack("<I", len(data)) + data)


BAD = {
    "none.wav": (wav([]), "no samples"),
    "nan.wav": (float_wav([0.1, math.nan]), "sample 2 is not a finite number"),
    "huge.wav": (float_wav([0.1, 3e38]), "sample 2 is 3e+38"),
    "many.wav": (wav([5] * 3200, channels=32), "32 channels"),
    "rate.wav": (wav([5] * 3200, rate=5), "a rate of 5 Hz"),
    "fast.wav": (wav([5] * 3200, rate=2_000_000_000), "a rate of 2000000000 Hz"),
    "cut.wav": (sweep(True)[:40], "truncated WAV"),
    "text.wav": (b"hello", "neither a WAV"),
    "empty.wav": (b"", "neither a WAV"),
}


class Speech(UsersBuild):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model"
        (self.folder / "rise.wav").write_bytes(sweep(True))
        (self.folder / "fall.wav").write_bytes(sweep(False, rate=44100))
        self.list = self.put("list.tsv", "".join(
            f"{name}.wav\t{name} tone\tanna\n" for name in ("rise", "fall") * 8))
        self.train = ["train", "--task", "speech", "--quiet", "--threads", 1, "--bands", 16,
                      "--units", 16, "--embedding", 16]

    def trained(self, epochs=40):
        self.runs(*self.train, "--recordings", self.list, "--epochs", epochs, "--lr", 0.01, "--dropout", 0,
                  "--batch-sounds", 4, "--out", self.model)

    def test_recordings_are_learned_measured_and_explained(self):
        self.trained()
        paths = "".join(f"{self.folder}/{name}.wav\n" for name in ("fall", "rise"))
        self.assertEqual(self.runs("predict", self.model, stdin=paths.encode()),
                         "fall tone\nrise tone\n")
        timed = self.runs("predict", self.model, "--times", stdin=paths.encode()).splitlines()
        self.assertEqual([line.split("\t")[-1] for line in timed],
                         ["fall tone", "fall", "tone", "rise tone", "rise", "tone"])
        figures = json.loads(self.runs("evaluate", self.model, "--recordings", self.list, "--json"))
        self.assertEqual(figures["wer"], 0)
        self.assertEqual(figures["sounds"], 16)
        drawn = self.runs("explain", self.model, "--text", f"{self.folder}/rise.wav")
        self.assertIn("rise tone", drawn)
        self.assertRegex(drawn, r"(?m)^ +rise \d\.\d\d .*[█▓]")
        out = self.folder / "x.svg"
        self.runs("explain", self.model, "--text", f"{self.folder}/rise.wav", "--out", out)
        self.assertIn("<image ", out.read_text())

    def test_streamed_sounds_are_read_to_their_end(self):
        self.trained()
        whole = sweep(True)
        odd = b"LIST" + struct.pack("<I", 5) + b"INFO1"
        streams = {f"{size:x}": whole[:40] + struct.pack("<I", size) + whole[44:]
                   for size in (0, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFF000, 0x80000000)}
        streams["odd"] = whole[:36] + odd + whole[36:]
        streams["before and behind"] = whole[:36] + odd + b"\0" + whole[36:] + b"LIST\4\0\0\0INFO"
        for name, content in streams.items():
            with self.subTest(name):
                path = self.put("stream.wav", content)
                self.assertEqual(self.runs("predict", self.model, stdin=f"{path}\n".encode()), "rise tone\n")
        path = self.put("cut.wav", whole[:-100])
        cut = heed("predict", self.model, stdin=f"{path}\n".encode())
        self.assertEqual(cut.stdout, b"rise tone\n")
        self.assertIn("cut.wav: a truncated WAV file: its header states 6400 bytes", cut.stderr.decode())

    def test_strings_resume_to_the_same_bits(self):
        voices = self.folder / "voices"
        self.runs("generate", "voices", "--count", 2, "--valid", 1, "--test", 1, "--out", voices)
        options = [*self.train, "--recordings", voices / "train.tsv", "--strings", 24, "--longest", 3,
                   "--valid-recordings", voices / "valid.tsv", "--valid-strings", 4, "--schedule", "constant"]
        self.runs(*options, "--epochs", 2, "--out", self.folder / "whole")
        self.runs(*options, "--epochs", 1, "--out", self.folder / "parts")
        self.runs("train", "--resume", self.folder / "parts", "--epochs", 2, "--threads", 2)
        self.assertEqual(weights(self.folder / "whole"), weights(self.folder / "parts"))
        figures = json.loads(self.runs(
            "evaluate", self.folder / "whole", "--recordings", voices / "test.tsv", "--strings", 3,
            "--repeat", 4, "--beam", 1, "--json"))
        self.assertEqual(figures["sounds"], 3)
        self.assertGreater(figures["seconds_of_sound"], 3 * 4 * 3 * 0.2)

    def test_bad_sounds_are_refused_in_a_line(self):
        self.trained(1)
        for name, (content, said) in BAD.items():
            with self.subTest(name):
                (self.folder / name).write_bytes(content)
                self.fails(1, [name, said], "predict", self.model,
                           stdin=f"{self.folder}/{name}\n".encode())
                self.fails(1, ["list.tsv:1", name], *self.train, "--recordings",
                           self.put("list.tsv", f"{name}\tsomething\n"), "--out", self.folder / "y")
        large = self.folder / "large.wav"
        with large.open("wb") as file:
            file.truncate(600_000_000)
        self.fails(1, ["large.wav: 600 MB; at most"], "predict", self.model,
                   stdin=f"{large}\n".encode())
        self.assertFalse((self.folder / "y").exists())

    def test_lists_that_do_not_fit_are_refused_by_their_line(self):
        out = ["--out", self.folder / "x"]
        for lines, named in (("rise.wav\n", "list.tsv:1"), ("rise.wav\t \n", "list.tsv:1"),
                             ("rise.wav\trise\ngone.wav\tfall\n", "list.tsv:2")):
            with self.subTest(lines):
                self.fails(1, [named], *self.train, "--recordings", self.put("list.tsv", lines), *out)
        train = [*self.train, "--recordings", self.list]
        self.fails(2, ["heed generate voices"], *train, "--speakers", 1, *out)
        self.fails(2, ["shortest"], *train, "--strings", 4, "--shortest", 9, *out)
        self.fails(2, ["bands"], *self.train, "--recordings", self.list, "--bands", 200, *out)
        self.assertFalse((self.folder / "x").exists())

    def test_a_server_recognises_and_explains(self):
        self.trained()

        def asked(content, target, media_type="audio/wav"):
            file = {"name": "x.wav", "media_type": media_type,
                    "base64": base64.b64encode(content).decode()}
            return server.post(target, {"file": file})

        with Server(models=[self.model]) as server:
            answer = asked(sweep(True), "/predict")
            self.assertEqual(answer.status, 200)
            self.assertIn("rise tone", answer.body.decode())
            seen = strict_json(asked(sweep(False), "/explain").body.decode())
            self.assertEqual(seen["answer"], "fall tone")
            self.assertEqual(seen["axes"]["source"]["kind"], "audio")
            self.assertTrue(seen["axes"]["source"]["payload"]["wav"])
            self.assertEqual(asked(sweep(True), "/predict", "image/png").status, 415)
            # curl sends this type for an unknown file; the name decides.
            self.assertEqual(asked(sweep(True), "/predict", "application/octet-stream").status, 200)
            for name, (content, _) in BAD.items():
                with self.subTest(name):
                    self.assertIn(asked(content, "/predict").status, (400, 415))
            self.assertEqual(asked(bytes(30_000_000), "/predict").status, 413)
            self.assertEqual(asked(sweep(True), "/predict").status, 200)
        # The log of the model contains no bytes of the examples.
        self.assertIn(b'"task":"speech"', server.log.replace(b" ", b""))
        self.assertNotIn(b"base64", server.log)
