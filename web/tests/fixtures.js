// Explanations of version 3 as docs/reference/file_formats.md describes them, made up: what a server says
// of models that need not be trained.
const round = (value) => Number(value.toPrecision(7));
const range = (count) => Array.from({ length: count }, (_, i) => i);
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Rows that sum to 1, the largest where `peak(t)` says. */
function rowsOf(T, S, peak, width = 1.2) {
  return range(T).map((t) => {
    const raw = range(S).map((s) => Math.exp(-(((s - peak(t)) / width) ** 2)) + 1e-3);
    const total = sum(raw);
    return raw.map((value) => round(value / total));
  });
}

function meanOf(heads) {
  return heads[0].map((row, t) =>
    row.map((_, s) => round(sum(heads.map((head) => head[t][s])) / heads.length)),
  );
}

const entropyOf = (rows) =>
  sum(rows.map((row) => -sum(row.map((a) => (a > 0 ? a * Math.log2(a) : 0))))) /
  rows.length;

function distanceOf(rows, share) {
  const [T, S] = [Math.max(rows.length - 1, 1), Math.max(rows[0].length - 1, 1)];
  const far = (t, s) => (share ? Math.abs(t / T - s / S) : Math.abs(t - s));
  return sum(rows.map((row, t) => sum(row.map((a, s) => a * far(t, s))))) / rows.length;
}

/** Keys of a word summed, queries of a word averaged. */
function merged(rows, queryWords, keyWords) {
  const keys = keyWords ?? range(rows[0].length).map((s) => [s, s + 1]);
  const queries = queryWords ?? range(rows.length).map((t) => [t, t + 1]);
  return queries.map(([from, to]) =>
    keys.map(([begin, end]) =>
      round(
        sum(rows.slice(from, to).map((row) => sum(row.slice(begin, end)))) / (to - from),
      ),
    ),
  );
}

/** Collects the flat lists of an explanation, part by part. */
class Writer {
  constructor(task, model, text, answer) {
    this.whole = {
      ...{ version: 3, task, model, text, answer },
      ...{ axes: {}, maps: [], targets: [], attributions: [] },
      ...{ agreements: [], panels: [], segments: [] },
    };
  }

  part(text, answer) {
    this.end = this.whole.segments.length === 0 ? "" : `.${this.whole.segments.length}`;
    const lists = { axes: [], maps: [], targets: [] };
    const more = { attributions: [], agreements: [], panels: [] };
    this.now = { text, answer, ...lists, ...more };
    this.whole.segments.push(this.now);
  }

  axis(name, label, items, more = {}) {
    const id = name + this.end;
    const of = more.of ? { of: more.of + this.end } : {};
    this.whole.axes[id] = { kind: "text", label, items, ...more, ...of };
    this.now.axes.push(id);
    return id;
  }

  add(list, value) {
    this.now[list].push(this.whole[list].length);
    this.whole[list].push(value);
    return this.whole[list].length - 1;
  }

  map(name, title, query, key, weights, more = {}) {
    const share = query !== key;
    const { words: queryWords } = this.whole.axes[query];
    const { words: keyWords } = this.whole.axes[key];
    const mean = weights.length > 1 ? meanOf(weights) : undefined;
    const noteOf = (rows) =>
      rows[0].length > 1 && entropyOf(rows) >= 0.97 * Math.log2(rows[0].length)
        ? `nearly uniform: 1/${rows[0].length}`
        : "";
    const statistics = {
      entropy: weights.map(entropyOf),
      distance: weights.map((rows) => distanceOf(rows, share)),
      note: weights.map(noteOf),
      unit: share ? "share" : "items",
    };
    if (mean)
      statistics.mean = { entropy: entropyOf(mean), distance: distanceOf(mean, share) };
    const by_word =
      queryWords || keyWords
        ? {
            weights: weights.map((rows) => merged(rows, queryWords, keyWords)),
            ...(mean && { mean: merged(mean, queryWords, keyWords) }),
          }
        : undefined;
    const info = { score: "scaled_dot", normalizer: "softmax" };
    const map = { name, title, query, key, heads: weights.length, weights, mean };
    return this.add("maps", { ...map, info, statistics, by_word, ...more });
  }

  /** One head along edges, whose weights stand in their order. */
  edges(name, title, query, key, edges, weights) {
    const statistics = {
      entropy: [entropyOf([weights])],
      distance: [0.1],
      unit: "share",
    };
    const info = { score: "learned_query", normalizer: "softmax" };
    const map = { name, title, query, key, heads: 1, edges, weights: [weights] };
    return this.add("maps", { ...map, info, statistics });
  }
}

const heads = (count, T, S, peak) =>
  range(count).map((head) => rowsOf(T, S, (t) => peak(t) + head * 0.7, 0.8 + head));

const sentences = {
  "Ein Mann liest.": {
    source: ["▁Ein", "▁Mann", "▁li", "est", ".", "</s>"],
    target: ["▁a", "▁man", "▁read", "s", ".", "</s>"],
    aligned: [0, 1, 2, 3, 4, 5],
    answer: "a man reads.",
  },
  "Heute schläft der Hund.": {
    source: ["▁Heute", "▁schl", "äft", "▁der", "▁Hund", ".", "</s>"],
    target: ["▁the", "▁dog", "▁sleep", "s", "▁today", ".", "</s>"],
    aligned: [3, 4, 1, 2, 0, 5, 6],
    moved: [[0, 3, 2, 5]],
    answer: "the dog sleeps today.",
  },
};

function wordsOf(items) {
  const words = [];
  items.forEach((item, i) => {
    if (item.startsWith("▁") || /^<|^\p{P}$/u.test(item)) words.push([i, i + 1]);
    else words[words.length - 1][1] = i + 1;
  });
  return words;
}

const labelsOf = (items) => items.map((item) => item.replace("▁", ""));

function translate({ text, answer, contrast, methods = [], layer, head }) {
  const parts = text.split("\n").map((line) => [line, sentences[line]]);
  const said = answer ?? parts.map(([, one]) => one.answer).join("\n");
  const e = new Writer("translate", "de-en", text, said);
  for (const [line, { source, target, aligned, moved, answer: own }] of parts) {
    e.part(line, answer ?? own);
    const pieces = (items) => ({ labels: labelsOf(items), words: wordsOf(items) });
    const from = e.axis("source", "Source", source, pieces(source));
    const inputs = ["<s>", ...target.slice(0, -1)];
    const so = e.axis("target_inputs", "Translation so far", inputs, pieces(inputs));
    const to = e.axis("target", "Translation", target, pieces(target));
    const [S, T] = [source.length, target.length];
    e.map(
      "encoder.layers.0.self_attention",
      "Encoder 0 · self",
      from,
      from,
      heads(2, S, S, (t) => t),
    );
    e.map(
      "decoder.layers.0.self_attention",
      "Decoder 0 · self",
      so,
      so,
      heads(2, T, T, (t) => t - 1),
    );
    const cross = e.map(
      ...["decoder.layers.0.cross_attention", "Decoder 0 · cross", to, from],
      heads(2, T, S, (t) => aligned[t]),
      { moved: moved?.map(([t, s, tEnd, sEnd]) => [t, s, tEnd, sEnd]) ?? [] },
    );
    target.forEach((item, i) =>
      e.add("targets", {
        ...{ axis: to, item: i, probability: round(0.97 - i / 100) },
        ...{ map: cross, head: null, row: i },
        alternatives: [
          { label: "cat", probability: 0.013 },
          { label: "child", probability: 0.004 },
        ],
      }),
    );
    if (contrast) {
      const words = contrast.split(" ");
      const at = own.split(" ").findIndex((word, i) => word !== words[i]);
      const t = e.now.targets[at];
      e.whole.targets[t].contrast = {
        label: words[at].replace(/\W/g, ""),
        probability: 0.01,
      };
      for (const method of methods) {
        const scores = [range(S).map((s) => round(s === aligned[at] ? 0.9 : -0.1))];
        e.add("attributions", { method, axis: from, targets: [t], scores });
      }
      continue;
    }
    for (const method of methods) {
      const scores = rowsOf(T, S, (t) => aligned[t]);
      e.add("attributions", { method, axis: from, targets: [...e.now.targets], scores });
      e.add("agreements", { method, spearman: 0.61, kendall: 0.5, targets: T });
    }
    const at = e.now.maps.find((m) => e.whole.maps[m].name === layer);
    if (at !== undefined) {
      const { weights } = e.whole.maps[at];
      const vectors = (rows) => rows.map((row) => row.slice(0, 4));
      const numbers = { scores: weights[head], weights: weights[head] };
      const rows = {
        query: vectors(weights[head]),
        key: range(weights[head][0].length).map(() => [1, 0, 2, 0]),
      };
      const read = { value: rows.key, context: rows.query };
      e.add("panels", { map: at, head, ...rows, ...numbers, ...read });
    }
  }
  return e.whole;
}

/** An intent, of which pooling tells, tags of words, and one word of which nothing tells. */
function slots({ text }) {
  const words = text.split(" ");
  const tags = words.map((word) => (word === "jazz" ? "B-genre" : "O"));
  const e = new Writer("slots", "assistant", text, `PlayMusic ${tags.join(" ")}`);
  e.part(text, e.whole.answer);
  const source = e.axis("source", "Text", words);
  const pooled = e.axis("answer", "Pooled", ["text"]);
  const said = e.axis("target", "Answer", ["PlayMusic", ...tags], {
    of: "source",
    spans: [[0, 0], ...words.map((_, i) => [i, i + 1])],
  });
  const S = words.length;
  const self = e.map("encoder.attention", "Encoder · self", source, source, [
    rowsOf(S, S, (t) => t),
  ]);
  const pooling = e.map("pooling", "Pooling", pooled, source, [rowsOf(1, S, () => 2)]);
  const others = [{ label: "GetWeather", probability: 0.06 }];
  const intent = { axis: said, item: 0, probability: 0.91, alternatives: others };
  e.add("targets", { ...intent, map: pooling, head: null, row: 0 });
  words.forEach((_, i) => {
    const tag = { axis: said, item: i + 1, probability: 0.8 };
    e.add("targets", i === S - 1 ? tag : { ...tag, map: self, head: null, row: i });
  });
  return e.whole;
}

/** Many tokens that are pooled: no weight is above a twentieth. */
function classify({ text, methods = [] }) {
  const words = text.split(" ");
  const e = new Writer("classify", "sentiment", text, "positive");
  e.part(text, "positive");
  const source = e.axis("source", "Text", words);
  const pooled = e.axis("answer", "Label", ["positive"]);
  const pooling = e.map("pooling", "Pooling", pooled, source, [
    rowsOf(1, words.length, () => 7, 40),
  ]);
  const others = [{ label: "negative", probability: 0.03 }];
  const target = { axis: pooled, item: 0, probability: 0.97, alternatives: others };
  e.add("targets", { ...target, map: pooling, head: null, row: 0 });
  for (const method of methods) {
    const scores = rowsOf(1, words.length, () => 7, 3);
    e.add("attributions", { method, axis: source, targets: [0], scores });
  }
  return e.whole;
}

function mask({ text }) {
  const words = text.split(" ");
  const at = words.indexOf("[MASK]");
  const e = new Writer("pretrain", "cloze", text, "sleeping");
  e.part(text, "sleeping");
  const source = e.axis("source", "Text", words);
  const said = e.axis("target", "Answer", ["sleeping"], {
    of: "source",
    spans: [[at, at + 1]],
  });
  const S = words.length;
  const map = e.map(
    "layers.0.attention",
    "Layer 0 · self",
    source,
    source,
    heads(2, S, S, (t) => t),
  );
  const names = ["sitting", "standing", "lying", "seated", "waiting"];
  const alternatives = names.map((label, i) => ({
    label,
    probability: round(0.2 / (i + 1)),
  }));
  e.add("targets", {
    ...{ axis: said, item: 0, probability: 0.41, alternatives },
    ...{ map, head: null, row: at },
  });
  return e.whole;
}

/** Several completions, all by the last character. */
function complete({ text }) {
  const words = ["cat", "car", "cap"];
  const e = new Writer("autocomplete", "typist", text, words.join(" "));
  e.part(text, e.whole.answer);
  const characters = [...text].map((one) => (one === " " ? "␣" : one));
  const source = e.axis("source", "Typed", characters);
  const said = e.axis("target", "Completions", words);
  const S = characters.length;
  const map = e.map("attention", "Attention", source, source, [rowsOf(S, S, (t) => t)]);
  words.forEach((_, item) => {
    const target = { axis: said, item, probability: round(0.5 / (item + 1)) };
    e.add("targets", { ...target, map, head: null, row: S - 1 });
  });
  return e.whole;
}

/** A window of a series, patches of it, and a forecast that attends to the patches. */
function forecast({ text }) {
  const lines = text.trim().split("\n").slice(1);
  const values = lines.map((line) => Number(line.split(",")[1]));
  const times = lines.map((line) => line.split(",")[0]);
  const ahead = 12;
  const next = range(ahead).map((i) =>
    round(Math.sin((values.length + i) / 4) * 10 + 20),
  );
  const e = new Writer("forecast", "load", text, next.join(" "));
  e.part(text, e.whole.answer);
  const columns = ["load"];
  const window = e.axis("window", "Window", times, {
    ...{ kind: "series", payload: { columns, values: [values], column: "load" } },
  });
  const spans = range(Math.floor(times.length / 8)).map((i) => [i * 8, i * 8 + 8]);
  const patches = e.axis(
    "patches",
    "Patches",
    spans.map(([b, end]) => `${b}–${end - 1}`),
    {
      ...{ kind: "series", of: "window", spans },
    },
  );
  const steps = range(ahead).map((i) => `+${i + 1}`);
  const to = e.axis("target", "Forecast", steps, {
    ...{ kind: "series", payload: { columns, values: [next], column: "load" } },
  });
  const pooled = e.axis("answer", "Forecast", ["forecast"]);
  const map = e.map("pooling", "Pooling", pooled, patches, [
    rowsOf(1, spans.length, () => spans.length - 2, 3),
  ]);
  const P = spans.length;
  e.map("encoder", "Encoder · self", patches, patches, [rowsOf(P, P, (t) => t)]);
  steps.forEach((_, i) =>
    e.add("targets", { axis: to, item: i, map, head: null, row: 0 }),
  );
  void window;
  return e.whole;
}

/** What the codes of a patient's visits add to the log-odds, and the attention to visits. */
function visits({ text }) {
  const { visits, times } = JSON.parse(text);
  const e = new Writer("visits", "ward", text, "0.7500");
  e.part(text, e.whole.answer);
  const names = visits.map((_, i) => `visit ${i + 1}`);
  const codes = visits.flat();
  let end = 0;
  const spans = visits.map((own) => [end, (end += own.length)]);
  const beta = visits.map((_, j) => [0.5, -0.25 * j, 0.1]);
  const read = e.axis("source", "Visits", names, {
    ...{ kind: "timeline", of: "codes", spans, payload: { times, bias: -0.5, beta } },
  });
  const inside = e.axis("codes", "Codes", codes, { kind: "timeline" });
  const said = e.axis("answer", "Probability of", ["1"], { labels: ["label 1"] });
  const weights = [rowsOf(1, visits.length, () => visits.length - 1, 2)];
  const map = e.map("alpha", "Alpha", said, read, weights);
  const alternatives = [{ label: "0", probability: 0.25 }];
  e.add("targets", {
    ...{ axis: said, item: 0, probability: 0.75, map, head: null, row: 0, alternatives },
  });
  const scores = [codes.map((_, i) => round((i % 3) - 0.6))];
  e.add("attributions", { method: "contributions", axis: inside, targets: [0], scores });
  return e.whole;
}

/** A document by its lines: weights of sentences, of the words in each, and of words in all. */
function review({ text }) {
  const lines = text.split("\n");
  const words = lines.map((line) => line.split(" "));
  const e = new Writer("classify", "critic", text, "pos");
  e.part(text, "pos");
  let end = 0;
  const spans = words.map((own) => [end, (end += own.length)]);
  const read = e.axis("source", "Document", words.flat(), { kind: "document" });
  const more = { kind: "document", of: "source", spans };
  const parts = e.axis("sentences", "Sentences", lines, more);
  const said = e.axis("answer", "Label", ["pos"]);
  const inner = words.flatMap((own) => rowsOf(1, own.length, () => own.length - 1, 1)[0]);
  const edges = spans.flatMap(([begin, stop], r) =>
    range(stop - begin).map((s) => [r, begin + s]),
  );
  const outer = rowsOf(1, lines.length, () => 1, 1);
  e.edges("word_attention", "Word", parts, read, edges, inner);
  e.map("sentence_attention", "Sentence", said, parts, [outer]);
  const all = edges.map(([r, s]) => round(outer[0][r] * inner[s]));
  const map = e.map("document_attention", "Words of the document", said, read, [[all]]);
  const alternatives = [{ label: "neg", probability: 0.1 }];
  e.add("targets", {
    ...{ axis: said, item: 0, probability: 0.9, map, head: null, row: 0, alternatives },
  });
  return e.whole;
}

/** A rating from the reviews of both sides: a pointer at one of each, and their words. */
function rated({ text }) {
  const e = new Writer("ratings", "rater", text, "4.21");
  e.part(text, e.whole.answer);
  const sides = [
    [
      "user",
      ["desk (4)", "chair (2)"],
      ["plain", "it", "hurts"],
      [
        [0, 1],
        [1, 3],
      ],
    ],
    [
      "item",
      ["bob (1)", "cat (4)"],
      ["went", "dark", "solid"],
      [
        [0, 2],
        [2, 3],
      ],
    ],
  ].map(([side, names, words, spans]) => {
    const reviews = e.axis(`${side}_reviews`, `Reviews, ${side}`, names, {
      ...{ kind: "reviews", of: `${side}_words`, spans },
    });
    return { side, reviews, words: e.axis(`${side}_words`, `Words of ${side}`, words) };
  });
  const parts = { mean: 3.5, user: 0.5, item: -0.25, reviews: 0.46 };
  const payload = { from: "model", user: "ann", item: "lamp", parts };
  const said = e.axis("answer", "Rating", ["4.21"], { payload });
  const maps = sides.map(({ side, reviews, words }) => {
    const map = e.map(`p.0.${side}_reviews`, `P 0 · ${side}`, said, reviews, [[[0, 1]]]);
    e.map(`p.0.${side}_words`, `P 0 · words ${side}`, said, words, [[[0, 0.25, 0.75]]]);
    return map;
  });
  const [user, item] = sides.map(({ reviews }) => reviews);
  e.map("p.0.affinity", "P 0 · affinity", user, item, [rowsOf(2, 2, (t) => 1 - t)]);
  e.add("targets", { axis: said, item: 0, map: maps[0], head: null, row: 0 });
  return e.whole;
}

/** A word of a passage that answers a question, by two hops. */
function answered({ text }) {
  const [passage, question] = text.split("\t");
  const lines = passage.split("\n").map((line) => line.split(" "));
  const words = lines.flat();
  const e = new Writer("read", "reader", text, words.at(-1));
  e.part(text, words.at(-1));
  let end = 0;
  const spans = lines.map((own) => [end, (end += own.length)]);
  const read = e.axis("source", "Passage", words, { kind: "passage" });
  const names = lines.map((_, i) => `sentence ${i + 1}`);
  e.axis("sentences", "Sentences", names, { kind: "passage", of: "source", spans });
  e.axis("question", "Question", question.split(" "));
  const said = e.axis("answer", "Answer", [words.at(-1)]);
  e.map("hops.0", "Hops 0", said, read, [rowsOf(1, words.length, () => 0, 1)]);
  const last = rowsOf(1, words.length, () => words.length - 1, 1);
  const map = e.map("hops.1", "Hops 1", said, read, [last]);
  const alternatives = [{ label: words[0], probability: 0.1 }];
  e.add("targets", {
    ...{ axis: said, item: 0, probability: 0.9, map, head: null, row: 0, alternatives },
  });
  return e.whole;
}

/** How near a query and a text are: a score that is no probability, of both. */
function near({ text, contrast, methods = [] }) {
  const e = new Writer("retrieve", "finder", text, "0.18");
  e.part(text, "0.18");
  const sides = ["source", "document"].map((name, i) =>
    e.axis(name, name, text.split("\t")[i].split(" ")),
  );
  const said = e.axis("answer", "Cosine", ["0.18"]);
  sides.forEach((axis, i) => {
    const other =
      i === 0 && contrast ? { label: contrast, probability: null } : undefined;
    const t = e.add("targets", { axis: said, item: 0, contrast: other });
    if (contrast && i > 0) return;
    const items = e.whole.axes[axis].items.length;
    for (const method of methods) {
      const scores = rowsOf(1, items, () => 1);
      e.add("attributions", { method, axis, targets: [t], scores });
    }
  });
  return e.whole;
}

/** One self-attention over all words; what is said needs no attention. */
function plain(task, model, label, answer) {
  return ({ text }) => {
    const words = text.split(" ").map((word) => word || "␣");
    const e = new Writer(task, model, text, answer);
    e.part(text, answer);
    const source = e.axis("source", label, words);
    const S = words.length;
    e.map("attention", "Attention · self", source, source, [rowsOf(S, S, (t) => t, 3)]);
    return e.whole;
  };
}

const table = ["time,load"]
  .concat(range(48).map((i) => `2024-01-01 ${i}:00,${round(Math.sin(i / 4) * 10 + 20)}`))
  .join("\n");

const explained = {
  "de-en": translate,
  assistant: slots,
  sentiment: classify,
  cloze: mask,
  load: forecast,
  ward: visits,
  critic: review,
  rater: rated,
  reader: answered,
  typist: complete,
  writer: plain("lm", "writer", "Text", "bench reads a book"),
  finder: near,
  large: plain("tag", "large", "Text", "done"),
};

const row = (name, task, examples, more = {}) => ({
  ...{ name, task, parameters: 120_000, examples: examples.map((text) => ({ text })) },
  ...{ input: { kind: "text", prompt: "Type a sentence and press Enter" } },
  ...{ labels: { input: "Text", answer: "Answer" }, translates: false, ...more },
});

export const models = [
  row("de-en", "translate", ["Ein Mann liest."], {
    ...{ source: "de", target: "en", labels: { input: "Source", answer: "Translation" } },
    limits: { explain: 1000 },
  }),
  row("assistant", "slots", ["play some jazz now"]),
  row("sentiment", "classify", ["A warm, clever film."]),
  row("cloze", "pretrain", ["A man is [MASK] on a bench"]),
  row("load", "forecast", [table], {
    input: { kind: "series", prompt: "Paste a CSV file", media_types: ["text/csv"] },
  }),
  row("ward", "visits", [], {
    input: { kind: "timeline", prompt: "The codes of a visit", media_types: [] },
  }),
  row("critic", "classify", [], {
    input: { kind: "document", prompt: "Type a sentence", media_types: [] },
  }),
  row("rater", "ratings", [], {
    ...{ input: { kind: "reviews", prompt: "A user and an item", media_types: [] } },
    ...{ labels: { input: "User and item", answer: "Rating" } },
  }),
  row("reader", "read", [], {
    ...{ input: { kind: "passage", prompt: "A passage", media_types: [] } },
    ...{ labels: { input: "Passage and question", answer: "Answer" } },
  }),
  row("writer", "lm", ["The man on the "], {
    labels: { input: "Text", answer: "Continuation" },
  }),
  row("typist", "autocomplete", ["the c"]),
  row("finder", "retrieve", []),
  row("large", "tag", []),
];

/** What POST /explain answers. */
export function explain(body) {
  return explained[body.model](body);
}

/** What POST /predict answers. */
export function predict({ model, text }) {
  const known = model !== "de-en" || text.split("\n").every((line) => sentences[line]);
  const answer = known ? explain({ model, text }).answer : `translated: ${text}`;
  return { model, answer, details: {} };
}

export { table };
