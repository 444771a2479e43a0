"""Patients as JSON lines, in files and on standard input."""

import json

from harness import UsersBuild, strict_json
from server import Server


def patient(label, *visits):
    return json.dumps({"visits": [list(codes) for codes in visits], "label": label}) + "\n"


SICK = patient(1, ["E11"], ["I50", "N18"])
WELL = patient(0, ["I10"], ["Z00"])


class Visits(UsersBuild):
    def setUp(self):
        super().setUp()
        self.train = self.put("train.jsonl", (SICK + WELL) * 10)
        self.model = self.folder / "model"
        self.runs("train", "--task", "visits", "--patients", self.train, "--valid-patients",
                  self.train, "--embedding", 4, "--units", 4, "--epochs", 30, "--quiet",
                  "--threads", 1, "--out", self.model)

    def test_lines_of_a_file_are_patients(self):
        patients = self.put("q.jsonl", SICK + WELL)
        said = self.runs("explain", self.model, "--file", patients)
        self.assertEqual(said.count("Probability of label 1"), 2)
        self.assertEqual(said.count("log-odds of"), 2)
        plain = self.runs("predict", self.model, stdin=patients.read_bytes())
        self.assertEqual(self.runs("predict", self.model, "--input-format", "jsonl",
                                   stdin=patients.read_bytes()), plain)
        self.assertEqual(plain.count("\n"), 2)
        self.fails(1, "--unknown-codes skip", "predict", self.model,
                   stdin=patient(0, ["X99"]).encode())

    def test_sum_of_contributions_and_b_are_the_log_odds(self):
        e = strict_json(self.runs("explain", self.model, "--text", SICK.strip(), "--answer", "0",
                                  "--json"))
        answer = strict_json(self.runs("predict", self.model, "--output", "json",
                                       stdin=SICK.encode()))
        total = sum(e["attributions"][0]["scores"][0]) + e["axes"]["source"]["payload"]["bias"]
        self.assertGreater(abs(answer["log_odds"]), 0.01)
        self.assertAlmostEqual(total, -answer["log_odds"], 3)

    def test_one_label_alone_has_no_auc(self):
        sick = self.put("sick.jsonl", SICK * 3)
        figures = strict_json(self.runs("evaluate", self.model, "--patients", sick, "--json"))
        self.assertNotIn("auc", figures)
        self.assertGreater(figures["nll"], 0)
        self.assertIn("AUC needs both", self.runs("evaluate", self.model, "--patients", sick))
        both = strict_json(self.runs("evaluate", self.model, "--patients", self.train, "--json"))
        self.assertIn("auc", both)

    def test_a_summary_has_no_row_without_targets(self):
        said = strict_json(self.runs("explain", self.model, "--file", self.train, "--summary",
                                     "--json"))
        self.assertNotIn(0, [row["targets"] for row in said["agreements"]])

    def test_the_page_has_a_patient_to_begin_with(self):
        with Server(models=[self.model]) as server:
            row = server.get("/models").json()["models"][0]
            text = row["examples"][0]["text"]
            self.assertEqual(json.loads(text)["visits"], [["E11"], ["I10"], ["I50"]])
            self.assertEqual(server.post("/explain", {"text": text}).status, 200)
