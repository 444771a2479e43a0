"""Tables of other programs: delimiters, decimal commas, headers, times."""

import csv
import datetime
import io
import json
import signal
import subprocess
import time

from harness import TIMEOUT, WORLD, UsersBuild, heed, train_args

ROWS = 160
START = datetime.datetime(2024, 3, 1)


def level(row):
    return 12345600 + 8 * (row % 7) + row / 4


def hours(rows=ROWS, value=level, form="%Y-%m-%d %H:%M:%S"):
    return [(START + datetime.timedelta(hours=i)).strftime(form) + f",{value(i):.3f}"
            for i in range(rows)]


class Series(UsersBuild):
    """Forecasts of tables in common formats."""

    def learn(self, name, text, *options):
        out = self.folder / f"model-{name}"
        done = heed("train", "--task", "forecast", "--series", self.put(name, text),
                    "--model", "patchtst", "--lookback", 24, "--horizon", 6, "--patch", 8,
                    "--patch-stride", 4, "--epochs", 1, "--threads", 1, "--quiet",
                    "--out", out, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, done.stderr.decode()

    def rows(self, text):
        return list(csv.reader(io.StringIO(text)))

    def test_delimiters_and_decimal_commas(self):
        plain = "\n".join(["date,value", *hours()])
        weights = None
        german = plain.replace(",", ";").replace(".", ",")
        grouped = "date;value\n" + "\n".join(
            line.split(",")[0] + ";" + f"{level(i):,.3f}".translate(str.maketrans(",.", ".,"))
            for i, line in enumerate(hours()))
        for name, text, says in (
                ("comma.csv", plain, ""),
                ("semicolon.csv", plain.replace(",", ";"), "reads a semicolon table"),
                ("german.csv", german, "reads a semicolon table with decimal commas"),
                ("grouped.csv", grouped, "reads a semicolon table with decimal commas"),
                ("bom.csv", "\ufeff" + german, "reads a semicolon table with decimal commas"),
                ("excel.csv", "sep=;\n" + german, "reads a semicolon table with decimal commas"),
                ("tab.csv", plain.replace(",", "\t"), "reads a tab table"),
                ("pipe.csv", plain.replace(",", "|"), "reads a pipe table")):
            out, said = self.learn(name, text)
            self.assertIn(says, said)
            learned = (out / "model.safetensors").read_bytes()
            weights = weights or learned
            self.assertEqual(learned, weights, name)

    def test_a_form_that_is_forced(self):
        text = "date\tvalue\n" + "\n".join(line.replace(",", "\t").replace(".", ",")
                                           for line in hours(value=lambda i: 10 + i % 9))
        said = self.learn("doubt.csv", text)[1]
        self.assertIn("could be", said)
        self.assertIn("--decimal point", said)
        said = self.learn("forced.csv", text, "--delimiter", "tab", "--decimal", "comma")[1]
        self.assertNotIn("could be", said)

    def test_forecasts_tell_times_and_keep_digits(self):
        out, _ = self.learn("sales.csv", "\n".join(["date,sales", *hours()]))
        window = "\n".join(["date,sales", *hours()[-24:]]).encode()
        table = self.rows(self.runs("predict", out, stdin=window))
        self.assertEqual(table[0], ["step", "date", "sales"])
        self.assertEqual(table[1][1], "2024-03-07 16:00:00")
        self.assertEqual(table[6][1], "2024-03-07 21:00:00")
        self.assertNotIn("e+", table[1][2])
        answer = json.loads(self.runs("predict", out, "--output", "json", stdin=window))
        self.assertEqual(answer["columns"], ["step", "date", "sales"])
        for printed, exact in zip(table[1:], answer["rows"]):
            self.assertEqual(printed[1], exact[1])
            # 12,345,678 has all digits of an f32.
            self.assertEqual(float(printed[2]), exact[2])

    def test_months_business_days_and_other_clocks_go_on(self):
        days = [START + datetime.timedelta(days=i) for i in range(300)]
        work = [day for day in days if day.weekday() < 5]
        months = [datetime.date(2005 + i // 12, i % 12 + 1, 1) for i in range(ROWS)]
        quarters = [f"{1960 + i // 4}Q{i % 4 + 1}" for i in range(ROWS)]
        for name, times, ahead in (
                ("months", [f"{m:%Y-%m}" for m in months], ["2018-05", "2018-10"]),
                ("firsts", [f"{m:%d.%m.%Y}" for m in months], ["01.05.2018", "01.10.2018"]),
                ("names", [f"{m:%b %d, %Y}" for m in months], ["May 01, 2018", "Oct 01, 2018"]),
                ("quarters", quarters, ["2000Q1", "2001Q2"]),
                ("work", [f"{d:%m/%d/%Y}" for d in work[:ROWS]], ["10/11/2024", "10/18/2024"]),
                ("seconds", [str(1706706000 + 60 * i) for i in range(ROWS)],
                 ["1706715600", "1706715900"]),
                ("years", [str(1850 + i) for i in range(ROWS)], ["2010", "2015"]),
                ("zone", [f"{START + datetime.timedelta(minutes=15 * i):%Y-%m-%dT%H:%M:%SZ}"
                          for i in range(ROWS)],
                 ["2024-03-02T16:00:00Z", "2024-03-02T17:15:00Z"])):
            lines = ["time;value"] + [f"{t};{i % 7}.5" for i, t in enumerate(times)]
            out, _ = self.learn(name + ".csv", "\n".join(lines))
            window = "\n".join([lines[0], *lines[-24:]]).encode()
            table = self.rows(self.runs("predict", out, stdin=window))
            self.assertEqual([table[1][1], table[6][1]], ahead, name)

    def test_the_newest_row_may_stand_first(self):
        oldest_first, said = self.learn("asc.csv", "\n".join(["date,value", *hours()]))
        self.assertNotIn("sorted", said)
        newest_first, said = self.learn("desc.csv", "\n".join(["date,value", *hours()[::-1]]))
        self.assertIn("rows are sorted by 'date'", said)
        for name in ("model.safetensors", "series.json"):
            self.assertEqual((oldest_first / name).read_bytes(),
                             (newest_first / name).read_bytes())
        window = hours()[-40:]
        told = [self.runs("predict", oldest_first,
                          stdin="\n".join(["date,value", *rows]).encode())
                for rows in (window, window[::-1], window[20:] + window[:20])]
        self.assertEqual(told[0], told[1])
        self.assertEqual(told[0], told[2])

    def test_times_that_stand_twice_and_gaps(self):
        rows = hours()
        said = self.learn("dup.csv", "\n".join(["date,value", *rows[:50], *rows[49:]]))[1]
        self.assertIn("tells a time twice", said)
        self.assertIn("line 51 and line 52", said)
        said = self.learn("gap.csv", "\n".join(["date,value", *rows[:50], *rows[55:]]))[1]
        self.assertIn("5 missing between 2024-03-03 01:00:00 and 2024-03-03 07:00:00", said)

    def test_a_table_without_a_header(self):
        out, said = self.learn("bare.csv", "\n".join(hours()))
        self.assertIn("line 1 is a row, not a header", said)
        table = self.rows(self.runs("predict", out, stdin="\n".join(hours()[-24:]).encode()))
        self.assertEqual(table[0], ["step", "1", "2"])
        self.assertEqual(table[1][1], "2024-03-07 16:00:00")

    def test_evaluation_reads_what_training_reads(self):
        out, _ = self.learn("plain.csv", "\n".join(["date,value", *hours()]))
        german = self.put("german.csv", "\n".join(
            ["date;value", *hours()[::-1]]).replace(",", ";").replace(".", ","))
        figures = [json.loads(self.runs("evaluate", out, "--json", *more))
                   for more in ([], ["--series", german])]
        self.assertEqual(figures[0]["mse"], figures[1]["mse"])


class Headers(UsersBuild):
    """Header lines in formats that define none."""

    GOOD = ["fine", "warm", "lovely", "great"]
    BAD = ["bad", "poor", "dull", "weak"]

    def reviews(self, row, header=None):
        lines = [header] if header else []
        for word in range(4):
            for noun in ("film", "cast", "plot"):
                lines.append(row(f"the {noun} is {self.GOOD[word]}", 1))
                lines.append(row(f"the {noun} is {self.BAD[word]}", 0))
        return "".join(line + "\n" for line in lines)

    def labels(self, name, text, *options):
        out = self.folder / f"model-{name}"
        path = self.put(name, text)
        done = heed("train", "--task", "classify", "--model", "rnn", "--texts", path,
                    "--valid-texts", path, "--vocabulary", "words", "--units", 8,
                    "--epochs", 1, "--threads", 1, "--quiet", "--out", out, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        evaluated = heed("evaluate", out, "--texts", path, "--json", *options)
        self.assertEqual(evaluated.returncode, 0, evaluated.stderr)
        return (out / "labels.txt").read_text().split(), done.stderr.decode()

    def test_labels_of_a_header_are_no_class(self):
        columns = ["--label-column", 2, "--text-column", 1]
        tsv = lambda text, label: f"{text}\t{label}"
        words = lambda text, label: f"{text}\t{('down', 'up')[label]}"
        three = lambda text, label: f"7\t{text}\t{label}"
        for name, row, header, options, expected in (
                ("glue.tsv", tsv, "sentence\tlabel", columns, ["0", "1"]),
                ("other.tsv", words, "Satz\tStimmung", columns, ["down", "up"]),
                ("cola.tsv", three, "id\ttext\tgold", ["--label-column", 3], ["0", "1"]),
                ("none.tsv", tsv, None, columns, ["0", "1"])):
            found, said = self.labels(name, self.reviews(row, header), *options)
            self.assertEqual(found, expected, name)
            self.assertEqual("line 1 is a header" in said, header is not None, said)

    def test_files_that_were_put_together_have_several(self):
        text = self.reviews(lambda text, label: f"{label}\t{text}", "label\ttext")
        self.assertEqual(self.labels("two.tsv", text + text)[0], ["0", "1"])

    def test_a_header_can_be_kept_or_left_out(self):
        text = self.reviews(lambda text, label: f"{label}\t{text}", "label\ttext")
        self.assertEqual(self.labels("kept.tsv", text, "--header", "no")[0],
                         ["0", "1", "label"])
        rest = text.split("\n", 2)[2]
        found, _ = self.labels("out.tsv", "2\todd\n" + rest, "--header", "yes")
        self.assertEqual(found, ["0", "1"])

    def test_a_table_without_the_header_that_its_name_promises(self):
        row = lambda text, label: f"{label},{text}"
        found, _ = self.labels("bare.csv", self.reviews(row), "--columns", "1,2")
        self.assertEqual(found, ["0", "1"])
        found, _ = self.labels("head.csv", self.reviews(row, "y,words"), "--columns", "1,2")
        self.assertEqual(found, ["0", "1"])
        self.fails(2, "by number where there is no header", "train", "--task", "classify",
                   "--texts", self.put("no.csv", self.reviews(row)), "--out",
                   self.folder / "none")

    def test_other_delimiters(self):
        row = lambda text, label: f"{label};{text}"
        for name in ("semicolon.csv", "semicolon.tsv"):
            found, said = self.labels(name, self.reviews(row, "label;text"))
            self.assertEqual(found, ["0", "1"])
            self.assertIn("reads a semicolon table", said)

    def test_pairs_of_sentences(self):
        source = (WORLD.work / "train.source").read_text().splitlines()
        target = (WORLD.work / "train.target").read_text().splitlines()
        lines = [f"{s}\t{t}" for s, t in zip(source, target)]
        plain = self.put("plain.tsv", "\n".join(lines))
        weights = []
        for name, path in (
                ("plain", plain),
                ("named", self.put("named.tsv", "\n".join(["source\ttarget", *lines]))),
                ("codes", self.put("codes.tsv", "\n".join(["en\tde", *lines]))),
                ("pipes", self.put("pipes.tsv", "\n".join(lines).replace("\t", "|")))):
            out = self.folder / name
            self.runs(*train_args(out, source=None, target=None, tsv=path, epochs=1))
            weights.append((out / "model.safetensors").read_bytes())
        self.assertEqual(len(set(weights)), 1)


class Unvalidated(UsersBuild):
    """A run that stopped before its first validation is reported by every command."""

    def begin(self, out, stop):
        args = train_args(out, epochs=5000, validate_every=10**8, checkpoint_every=5)
        with subprocess.Popen([WORLD.heed, *map(str, args)], stderr=subprocess.PIPE) as run:
            until = time.monotonic() + TIMEOUT
            log = out / "metrics.jsonl"
            while time.monotonic() < until and not (
                    log.exists() and log.read_text().count("\n") > 2):
                time.sleep(0.002)
            run.send_signal(stop)
            return run.communicate(timeout=TIMEOUT)[1].decode()

    def commands(self, out):
        valid = ["--source", WORLD.work / "valid.source", "--target", WORLD.work / "valid.target"]
        return (["translate", out], ["predict", out], ["evaluate", out, *valid],
                ["explain", out, "--out", self.folder / "look.html"], ["info", out],
                ["quantize", out, "--out", self.folder / "small"],
                ["align", out, *valid])

    def test_a_killed_run_is_explained(self):
        out = self.folder / "killed"
        self.begin(out, signal.SIGKILL)
        self.assertFalse((out / "model.safetensors").exists())
        for command in self.commands(out):
            done = heed(*command, stdin=b"1 2\n")
            self.assertEqual(done.returncode, 1, command)
            self.assertRegex(done.stderr.decode(),
                             f"^heed: {out} has no validated weights yet \\(stopped at step "
                             rf"\d+ of \d+\); continue with heed train --resume {out}\n$")
        self.fails(1, "has no validated weights yet", "serve", out, "--port", 0)
        self.fails(1, "has no validated weights yet",
                   *train_args(self.folder / "next", pretrained=out))
        self.runs("plot", out)

    def test_ctrl_c_leaves_weights_that_can_be_tried(self):
        out = self.folder / "stopped"
        said = self.begin(out, signal.SIGINT)
        self.assertRegex(said.splitlines()[-1], "holds unvalidated weights; continue with: "
                                                f"heed train --resume {out}$")
        for command in self.commands(out)[:6]:
            done = heed(*command, stdin=b"1 2\n")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr.decode(),
                             f"warning: {out} has no validated weights yet "
                             rf"\(stopped at step \d+ of \d+\); continue with")
        self.assertFalse(json.loads(self.runs("info", out, "--json"))["validated"])
        # A copy of the model has no run to resume.
        self.assertNotIn("--resume", heed("info", self.folder / "small").stderr.decode())
        steps = json.loads(self.runs("info", out, "--json"))["step"]
        self.runs("train", "--resume", out, "--steps", int(steps) + 10, "--quiet")
        self.assertEqual(heed("info", out).stderr, b"")
        self.assertTrue(json.loads(self.runs("info", out, "--json"))["validated"])

    def test_a_run_that_was_stopped_at_its_start(self):
        out = self.folder / "begun"
        self.runs(*train_args(out, epochs=1))
        (out / ".next").mkdir()
        for name in ("config.json",):
            (out / name).rename(out / ".next" / name)
        self.fails(1, "has no validated weights yet (stopped at its start)", "info", out)
