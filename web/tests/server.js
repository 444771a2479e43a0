// A heed serve with small models that it trains first, for the tests of the page.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const english = {
  der: "the",
  mann: "man",
  frau: "woman",
  hund: "dog",
  kind: "child",
  kleine: "small",
  rote: "red",
  große: "big",
  schläft: "sleeps",
  läuft: "runs",
  isst: "eats",
  liest: "reads",
  heute: "today",
  hier: "here",
  und: "and",
};

/** Pairs of sentences in which verbs and adverbs change their places. */
export function sentencePairs(count) {
  let seed = 7;
  const next = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const pick = (...words) => words[next(words.length)];
  const toEnglish = (words) => words.map((word) => english[word]);
  return Array.from({ length: count }, () => {
    const [source, target] = [[], []];
    for (let clauses = 1 + next(3); clauses > 0; --clauses) {
      const noun = pick("mann", "frau", "hund", "kind");
      const subject = ["der", pick("kleine", "rote", "große", ""), noun].filter(Boolean);
      const verb = pick("schläft", "läuft", "isst", "liest");
      const adverb = pick("heute", "hier");
      source.push(...(next(2) ? [adverb, verb, ...subject] : [...subject, verb, adverb]));
      target.push(...toEnglish([...subject, verb, adverb]));
      if (clauses > 1) {
        source.push("und");
        target.push("and");
      }
    }
    return [source.join(" "), target.join(" ")];
  });
}

function tagOf(word) {
  if (["der", "und"].includes(word)) return word === "und" ? "CCONJ" : "DET";
  if (/^(schläft|läuft|isst|liest)$/.test(word)) return "VERB";
  if (/^(heute|hier)$/.test(word)) return "ADV";
  return /^(kleine|rote|große)$/.test(word) ? "ADJ" : "NOUN";
}

function train(command, folder, options) {
  const done = spawnSync(command, ["train", "--quiet", "--out", folder, ...options], {
    encoding: "utf8",
  });
  if (done.status !== 0)
    throw new Error(`heed train ${options.join(" ")}:\n${done.stderr}`);
}

/** Trains what is not there yet, or older than the command. */
function trainModels(command, place) {
  const names = ["transformer", "luong", "tagger", "slots", "forecast", "language"];
  const models = names.map((name) => join(place, name));
  const built = statSync(command).mtimeMs;
  const isFresh = (folder) =>
    existsSync(join(folder, "model.safetensors")) &&
    statSync(join(folder, "model.safetensors")).mtimeMs > built;
  if (models.every(isFresh)) return models;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const pairs = sentencePairs(2600);
  const file = (name, lines) => {
    writeFileSync(join(place, name), `${lines.join("\n")}\n`);
    return join(place, name);
  };
  const tsv = pairs.map((pair) => pair.join("\t"));
  const tagged = pairs
    .slice(0, 300)
    .map(([source]) => [...source.split(" ").map((word) => `${word} ${tagOf(word)}`), ""])
    .map((lines) => lines.join("\n"));
  const translation = ["--vocabulary", "words", "--batch-tokens", "2048"]
    .concat(["--tsv", file("train.tsv", tsv.slice(100))])
    .concat(["--valid-tsv", file("valid.tsv", tsv.slice(0, 100))]);
  const small = ["--layers", "2", "--width", "64", "--ff", "128", "--heads", "4"];
  train(command, models[0], [
    ...["--model", "transformer", ...small, "--dropout", "0", "--learning-rate", "0.003"],
    ...["--label-smoothing", "0", "--epochs", "8", ...translation],
  ]);
  train(command, models[1], [
    ...["--model", "luong", "--score", "dot", "--embedding", "48", "--units", "48"],
    ...["--learning-rate", "0.005", "--epochs", "2", ...translation],
  ]);
  train(command, models[2], [
    ...["--task", "tag", "--units", "24", "--word-embedding", "24", "--epochs", "2"],
    ...["--texts", file("train.conll", tagged.slice(30))],
    ...["--valid-texts", file("valid.conll", tagged.slice(0, 30))],
  ]);
  const lines = pairs.slice(0, 300).map(([source]) => source);
  file("data.seq.in", lines);
  file(
    "data.seq.out",
    lines.map((line) => line.split(" ").map(tagOf).join(" ")),
  );
  file(
    "data.label",
    lines.map((line) => (line.includes("und") ? "many" : "one")),
  );
  train(command, models[3], [
    "--task",
    "slots",
    "--texts",
    join(place, "data"),
    ...short,
  ]);
  train(command, models[4], [
    ...["--task", "forecast", "--series", file("series.csv", seriesLines(300)), ...short],
    ...["--lookback", "48", "--horizon", "12", "--patch", "8", "--patch-stride", "4"],
  ]);
  train(command, models[5], ["--task", "lm", "--texts", file("lines", lines), ...short]);
  return models;
}

const short = ["--epochs", "2"];

/** A CSV file of hours with two waves. */
export function seriesLines(count) {
  const wave = (i, period) => (10 * Math.sin((2 * Math.PI * i) / period) + 20).toFixed(3);
  const rows = Array.from(
    { length: count },
    (_, i) => `${i},${wave(i, 24)},${wave(i, 12)}`,
  );
  return ["hour,load,heat", ...rows];
}

/** Starts heed serve on a free port; `url` is where it answers. */
export async function startServer(command, place) {
  const [transformer, luong, ...others] = trainModels(command, place);
  const server = spawn(
    command,
    ["serve", `de-en=${transformer}`, `de-en=${luong}`, ...others, "--port", "0"],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let log = "";
  server.stderr.on("data", (text) => (log += text));
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).on("line", (line) => {
      const found = /http:\/\/\S+/.exec(line);
      if (found) resolve(found[0]);
    });
    server.on("exit", () => reject(new Error(`heed serve ended:\n${log}`)));
  });
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        server.on("exit", resolve);
        server.kill("SIGTERM");
      }),
  };
}
