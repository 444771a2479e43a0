"""Bit-identical results on processors of different kinds."""

import json
import os

from each_task import Sample
from harness import UsersBuild, heed, strict_json

# Settings that emulate a processor without AVX-512, also in oneDNN.
WITH_AVX2 = {**os.environ, "HEED_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"}
SAME = "--same-on-every-cpu"


class Processors(UsersBuild):
    def needs_two_sets(self):
        """Skips the test if only one instruction set is available."""
        if heed("list", "tasks", env=WITH_AVX2).returncode != 0:
            self.skipTest("no kernels for AVX2 beside others here")

    def weights_of(self, sample, *options, env=None):
        out = self.folder / "model"
        heed(*sample.train, *options, "--steps", 3, "--out", out, "--overwrite",
             env=env).check_returncode()
        return (out / "model.safetensors").read_bytes(), json.loads((out / "run.json").read_text())

    def test_every_task_ends_at_the_same_weights(self):
        """Compares the weights of every task. The tasks order and caption use convolutions."""
        self.needs_two_sets()
        best = None
        for row in strict_json(heed("list", "tasks", "--json").stdout.decode())["tasks"]:
            sample = Sample(row["task"], self.folder / row["task"])
            with self.subTest(task=row["task"]):
                weights, run = self.weights_of(sample, SAME)
                narrow, narrow_run = self.weights_of(sample, SAME, env=WITH_AVX2)
                best = run["instructions"]
                self.assertEqual(narrow_run["instructions"], "AVX2")
                self.assertEqual(weights, narrow)
        if best == "AVX2":
            self.skipTest("this processor has nothing better than AVX2")

    def test_a_run_on_one_is_verified_on_the_other(self):
        self.needs_two_sets()
        sample = Sample("translate", self.folder / "translate")
        self.weights_of(sample)
        verdict = self.runs("verify", self.folder / "model", env=WITH_AVX2)
        self.assertIn("equal: 3 steps", verdict)

    def test_what_cannot_have_them_says_so(self):
        sample = Sample("translate", self.folder / "translate")
        out = self.folder / "none"
        bf16 = [*sample.train, SAME, "--precision", "bf16", "--steps", 1, "--out", out]
        if b"products are f32" not in heed(*bf16).stderr:  # on a processor without bf16
            self.fails(2, "--same-on-every-cpu goes with --precision f32", *bf16)
            self.assertFalse(out.exists())
        self.fails(2, "HEED_INSTRUCTIONS: no kernels for instruction set 'AVX9'", "--version",
                   env={**os.environ, "HEED_INSTRUCTIONS": "AVX9"})

    def test_a_processor_that_rounds_twice_says_so(self):
        scalar = {**os.environ, "HEED_INSTRUCTIONS": "SCALAR"}
        if heed("--version", env=scalar).returncode != 0:
            self.skipTest("no kernels without vectors here")
        sample = Sample("translate", self.folder / "translate")
        out = self.folder / "none"
        self.fails(2, "leave --same-on-every-cpu out", *sample.train, SAME, "--steps", 1,
                   "--out", out, env=scalar)
        self.assertFalse(out.exists())
