"""Memory-augmented networks: long inputs, and short inputs that expand to long ones."""

from harness import EndToEnd, heed, strict_json, with_memory, is_sanitized
from server import Server

SMALL = ["--units", 8, "--memory-slots", 8, "--memory-features", 4, "--epoch-sequences", 4,
         "--valid-sequences", 2, "--epochs", 1, "--quiet", "--threads", 1]


class Memories(EndToEnd):
    def trained(self, problem, *options):
        out = self.folder / problem
        self.runs("train", "--task", "algorithm", "--problem", problem, "--out", out, *SMALL,
                  *options)
        return out

    def test_a_short_request_is_not_explained_at_any_length(self):
        recall = self.trained("recall", "--read-heads", 4, "--write-heads", 4)
        with Server(models=[recall]) as server:
            row = server.get("/models").json()["models"][0]
            self.assertIn("items of 3 vectors of 6 bits", row["input"]["prompt"])
            self.assertEqual(server.post("/explain", {"text": row["examples"][0]["text"]}).status,
                             200)
            for text in ("random 10000", "random 200", "random 40\n" * 3):
                answer = server.post("/explain", {"text": text})
                self.assertEqual(answer.status, 400)
                self.assertIn("at most 1000 are explained: ask for fewer vectors",
                              answer.json()["error"])
            self.assertLess(server.metric("process_resident_memory_bytes"), 400 << 20)

    def test_an_explanation_has_a_bound_without_a_server_too(self):
        copy = self.trained("copy")
        for text in ("random 10000", "random 4000"):
            self.fails(1, ["at most 5 million are explained", "fewer vectors"], "explain", copy,
                       "--text", text, **({} if is_sanitized() else with_memory(2048)))
        self.runs("explain", copy, "--text", "random 100", "--json")

    def test_what_is_longer_than_the_memory_is_said(self):
        copy = self.trained("copy", "--max-length", 5)
        result = heed("predict", copy, "--output", "json",
                      stdin=b"random 5\nrandom 7\nrandom 9\nrandom 20\n")
        notes = [strict_json(line).get("note") for line in result.stdout.decode().splitlines()]
        self.assertEqual(notes, [
            None, "7 vectors; training had at most 5",
            "9 vectors; the memory has 8 slots, training had at most 5",
            "20 vectors; the memory has 8 slots, training had at most 5"])
        warnings = result.stderr.decode().splitlines()
        self.assertEqual(len(warnings), 2, warnings)
        self.assertIn(f"warning: standard input:3: {notes[2]}", warnings[0])

    def test_a_plot_is_what_its_name_says(self):
        copy = self.trained("copy")
        measured = ["evaluate", copy, "--lengths", "2,3", "--sequences", 2]
        for name, start in (("e.png", b"\x89PNG"), ("e.svg", b"<svg")):
            self.runs(*measured, "--plot", self.folder / name)
            self.assertTrue((self.folder / name).read_bytes().startswith(start), name)
        self.fails(2, ".svg or .png", *measured, "--plot", self.folder / "e.pdf")
        self.fails(2, "min_repeats: problem copy has none", "train", "--task", "algorithm",
                   "--problem", "copy", "--min-repeats", 3, "--out", self.folder / "none")
