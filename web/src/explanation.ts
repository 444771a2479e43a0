/** What `heed explain` and the server's `/explain` tell about one answer of a model. */

export type Axis = "source" | "target";

/** Rows of numbers: a matrix, row by row. */
export type Rows = number[][];

export interface AttentionLayer {
  layer: string;
  queries: Axis;
  keys: Axis;
  heads: number;
  /** [H][T][S]; each row sums to at most 1. */
  weights: Rows[];
  /** Of each head, mean over queries, in bits. */
  entropy: number[];
  /** Of each head, mean over queries: in positions where an axis looks at itself, else as
   * a share of the length, 0 to 1. */
  distance: number[];
}

export interface Attribution {
  method: string;
  /** [targets][source tokens], of the log-probability of each target. */
  scores: Rows;
}

export interface Panel {
  layer: string;
  head: number;
  query: Rows;
  key: Rows;
  scores: Rows;
  weights: Rows;
  value: Rows;
  context: Rows;
}

export interface Explanation {
  version: number;
  task: string;
  model: string;
  text: string;
  answer: string;
  source: string[];
  target: string[];
  /** What stands at the writer's positions: row t of a "target" query wrote target[t]. */
  target_inputs?: string[];
  layers: AttentionLayer[];
  /** Index of the attention that says which source token a target token comes from. */
  alignment: number | null;
  /** Its head; -1: the mean of all. */
  alignment_head?: number;
  /** The row of that attention that belongs to each target; -1: none. */
  alignment_rows?: number[];
  attributions?: Attribution[];
  panels?: Panel[];
}

/** One attention of the model: a layer and one of its heads, or the mean of all. */
export interface Choice {
  layer: number;
  head: number | "mean";
}

/** The weights of a choice, and what stands beside its rows and columns. */
export interface AttentionMap {
  weights: Rows;
  queries: Axis;
  keys: Axis;
  rowTokens: string[];
  columnTokens: string[];
}

function isRows(value: unknown): value is Rows {
  return Array.isArray(value) && value.every((row) => Array.isArray(row));
}

/** Throws an Error unless `value` has the parts of an explanation that are read here. */
export function checkExplanation(value: unknown): Explanation {
  const e = value as Explanation;
  const complete =
    typeof e === "object" &&
    e !== null &&
    Array.isArray(e.source) &&
    Array.isArray(e.target) &&
    Array.isArray(e.layers) &&
    e.layers.every(
      (layer) =>
        Array.isArray(layer.weights) &&
        layer.weights.length === layer.heads &&
        layer.weights.every(isRows),
    );
  if (!complete) {
    throw new Error("The server's answer is not an explanation that this page can read.");
  }
  return e;
}

const means = new WeakMap<AttentionLayer, Rows>();

/** The mean of the heads' weights. */
export function meanOfHeads(layer: AttentionLayer): Rows {
  let mean = means.get(layer);
  if (!mean) {
    mean = layer.weights[0].map((row, t) =>
      row.map(
        (_, s) =>
          layer.weights.reduce((sum, head) => sum + (head[t][s] ?? 0), 0) / layer.heads,
      ),
    );
    means.set(layer, mean);
  }
  return mean;
}

export function weightsOf(layer: AttentionLayer, head: number | "mean"): Rows {
  return head === "mean" ? meanOfHeads(layer) : layer.weights[head];
}

/** The choice that a reader most likely wants first. */
export function firstChoice(explanation: Explanation): Choice | null {
  if (explanation.layers.length === 0) return null;
  const last = explanation.layers.length - 1;
  return alignmentOf(explanation) ?? { layer: last, head: "mean" };
}

/** The attention that aligns, if there is one. */
export function alignmentOf(explanation: Explanation): Choice | null {
  if (explanation.alignment === null) return null;
  const head = explanation.alignment_head ?? -1;
  return { layer: explanation.alignment, head: head < 0 ? "mean" : head };
}

/** The same attention in another explanation, or else its first choice. */
export function sameChoice(
  explanation: Explanation,
  wanted: Choice | null,
): Choice | null {
  const layer = wanted ? explanation.layers[wanted.layer] : undefined;
  if (!wanted || !layer) return firstChoice(explanation);
  if (wanted.head !== "mean" && wanted.head >= layer.heads) {
    return { layer: wanted.layer, head: "mean" };
  }
  return wanted;
}

/** The tokens beside `count` rows or columns. A row of the writer is named by what it
 * wrote, a column by what it had written and looked back at. */
function tokensOf(e: Explanation, axis: Axis, count: number, asKeys: boolean): string[] {
  const inputs = e.target_inputs?.length ? e.target_inputs : e.target;
  const target = asKeys || e.target.length !== count ? inputs : e.target;
  const tokens = axis === "source" ? e.source : target;
  return Array.from({ length: count }, (_, i) => tokens[i] ?? `#${i}`);
}

export function attentionMap(explanation: Explanation, choice: Choice): AttentionMap {
  const layer = explanation.layers[choice.layer];
  const weights = weightsOf(layer, choice.head);
  const columns = weights[0]?.length ?? 0;
  return {
    weights,
    queries: layer.queries,
    keys: layer.keys,
    rowTokens: tokensOf(explanation, layer.queries, weights.length, false),
    columnTokens: tokensOf(explanation, layer.keys, columns, true),
  };
}

/** The rows that the targets belong to, of weights that have the alignment's shape. */
export function rowsOfTargets(explanation: Explanation, weights: Rows): Rows {
  const none = new Array<number>(explanation.source.length).fill(0);
  return (explanation.alignment_rows ?? []).map((row) => weights[row] ?? none);
}

/** What the model said of each source token, where it says something of single tokens:
 * tags, next tokens. Null where it does not. */
export function tagsOfSource(e: Explanation): (string | undefined)[] | null {
  if (["translate", "classify"].includes(e.task) || e.target.length === 0) return null;
  const layer = e.alignment === null ? undefined : e.layers[e.alignment];
  if (layer?.queries === "source" && e.alignment_rows?.length === e.target.length) {
    const tags = new Array<string | undefined>(e.source.length).fill(undefined);
    e.alignment_rows.forEach((row, t) => {
      if (row >= 0) tags[row] = e.target[t];
    });
    return tags;
  }
  return e.source.length === e.target.length && e.target.length > 1 ? e.target : null;
}

/** For each row the column of its largest weight, or -1 where none is above zero. */
export function hardAlignment(weights: Rows): number[] {
  return weights.map((row) => {
    let best = -1;
    row.forEach((weight, s) => {
      if (weight > (best < 0 ? 0 : row[best])) best = s;
    });
    return best;
  });
}

/** The links of the hard alignment that lie more than a cell off the diagonal, as
 * `heed explain` marks them: [row, column]. */
export function movedCells(weights: Rows): [number, number][] {
  const slope = (weights[0]?.length ?? 0) / Math.max(weights.length, 1);
  return hardAlignment(weights).flatMap((s, t): [number, number][] =>
    s >= 0 && Math.abs(s - ((t + 0.5) * slope - 0.5)) > 1 ? [[t, s]] : [],
  );
}

/** "encoder.layers.0.self_attention" as "Encoder 0 · self". */
export function layerName(path: string): string {
  const parts = path
    .split(".")
    .filter((part) => part !== "layers")
    .map((part) => part.replace(/_attention$/, "").replaceAll("_", " "));
  let name = "";
  for (const part of parts) {
    const joint = name === "" ? "" : /^\d+$/.test(part) ? " " : " · ";
    name += joint + part;
  }
  return name.charAt(0).toUpperCase() + name.slice(1);
}

export function headName(head: number | "mean"): string {
  return head === "mean" ? "mean of heads" : `head ${head}`;
}

export function choiceName(explanation: Explanation, choice: Choice): string {
  const layer = explanation.layers[choice.layer];
  const name = layerName(layer.layer);
  return layer.heads === 1 ? name : `${name}, ${headName(choice.head)}`;
}

/** Entropy or distance of a head, or their mean. */
export function headFigure(
  layer: AttentionLayer,
  figure: "entropy" | "distance",
  head: number | "mean",
): number {
  const values = layer[figure] ?? [];
  if (head !== "mean") return values[head] ?? NaN;
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

/** A token as it is shown: spaces and control characters made visible, SentencePiece's
 * mark of a word's beginning left out. `joined` tells that it goes on the word before. */
export function showToken(
  token: string,
  all: string[],
): { text: string; joined: boolean } {
  if (token !== "" && /^ +$/.test(token)) return { text: "␣", joined: false };
  const clean = token.replace(/[\u0000-\u001f]/g, (c) =>
    String.fromCodePoint(0x2400 + c.charCodeAt(0)),
  );
  if (clean.startsWith("▁")) return { text: clean.slice(1) || "␣", joined: false };
  if (clean.startsWith("##")) return { text: clean.slice(2), joined: true };
  const pieces = all.some((other) => other.startsWith("▁"));
  return { text: clean, joined: pieces && !/^<.*>$/.test(clean) };
}

/** showToken as one string; a piece that goes on a word begins with a dot. */
export function tokenLabel(token: string, all: string[]): string {
  const { text, joined } = showToken(token, all);
  return joined && /^[\p{L}\p{N}]/u.test(text) ? `·${text}` : text;
}
