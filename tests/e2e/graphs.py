"""Graphs, also without edges, and explanations of classes and nodes."""

from harness import EndToEnd, strict_json


class Graphs(EndToEnd):
    def test_a_graph_without_edges(self):
        colours = ["red", "blue"] * 6
        files = {"edges": "", "features": "".join(f"{i % 2} {2 + i % 3}\n" for i in range(12)),
                 "labels": "".join(f"{colour}\n" for colour in colours),
                 "train": "0\n1\n2\n3\n", "valid": "4\n5\n"}
        options = []
        for name, text in files.items():
            options += [f"--{name}", self.put(name, text)]
        out = self.folder / "model"
        self.runs("train", "--task", "nodes", *options, "--units", 2, "--heads", 2, "--steps", 2,
                  "--quiet", "--threads", 1, "--out", out)
        nodes = self.put("test", "6\n7\n8\n")
        figures = strict_json(self.runs("evaluate", out, "--nodes", nodes, "--json"))
        self.assertEqual({row["class"] for row in figures["classes"]}, {"red", "blue"})
        said = self.runs("predict", out, stdin=b"7\n").strip()
        self.assertIn(f"7 → {said}", self.runs("explain", out, "--text", "7", "--view",
                                               "alignment"))
        empty = self.put("labels", "")
        self.fails(1, [str(empty), "is empty"], "train", "--task", "nodes", *options, "--out",
                   self.folder / "none")
