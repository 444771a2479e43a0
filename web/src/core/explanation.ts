/** Explanation of one prediction, from `heed explain` and the server's `/explain`:
 * version 3 of the JSON in docs/reference/file_formats.md. */

import { mean, shortNumber } from "./numbers";
import { kindNamed } from "./registry";

/** A matrix, row by row. */
export type Rows = number[][];

/** Items from the first to before the second. */
export type Span = [number, number];

export interface Axis {
  kind: string;
  label: string;
  items: string[];
  /** Display names of the items; absent: the items. */
  labels?: string[];
  /** Ranges of items that form words; absent: each item is a word. */
  words?: Span[];
  /** Id of another axis; `spans`: its items that each item covers. */
  of?: string;
  spans?: Span[];
  payload?: unknown;
}

/** A large map in few cells, each with the largest weight w of those it stands for. */
export interface Pooled {
  rows: number;
  columns: number;
  /** Of each head, base64 of a byte 255 √w per cell. */
  cells: string[];
}

export interface AttentionMap {
  name: string;
  title: string;
  query: string;
  key: string;
  heads: number;
  /** [H][T][S]; with edges: [H][E]. Each row sums to at most 1. A large map has `pooled`
   * instead. */
  weights?: Rows[] | Rows;
  pooled?: Pooled;
  /** Address of parts of a large map, without its head, rows and columns. */
  tile?: string;
  edges?: Span[];
  mean?: Rows;
  info?: Record<string, string>;
  /** False if queries, keys and scores are not available. */
  numbers?: boolean;
  /** [H][T]: for a part of a graph, the weight of each query outside of it. */
  outside?: Rows;
  statistics?: Record<"entropy" | "distance", number[]> &
    Partial<Record<HeadStatistic, (number | null)[]>> & {
      /** A remark on each head for the reader. */
      note?: string[];
      unit: "items" | "share";
      mean?: Record<"entropy" | "distance", number> & { note?: string };
    };
  /** Phrases with changed order, in the targets' attention: [t, s, t end, s end]. */
  moved?: [number, number, number, number][];
  by_word?: { weights: Rows[]; mean?: Rows };
}

/** Statistics of heads, see docs/reference/file_formats.md. */
export type HeadStatistic =
  | "words"
  | "step"
  | "largest"
  | "first"
  | "own"
  | "previous"
  | "repeated"
  | "induction";

export interface Choice {
  label: string;
  probability?: number | null;
}

/** A predicted item and, if available, its attention map. */
export interface Target {
  axis: string;
  item: number;
  probability?: number;
  map?: number;
  head?: number | null;
  row?: number;
  alternatives?: Choice[];
  contrast?: Choice;
}

export interface Attribution {
  method: string;
  axis: string;
  targets?: number[];
  scores: Rows;
  differences?: number[];
}

export interface Agreement {
  method: string;
  spearman: number | null;
  kendall: number | null;
  targets: number;
}

export interface Panel {
  map: number;
  head: number;
  query: Rows;
  key: Rows;
  scores: (number | null)[][];
  weights: Rows;
  value: Rows;
  context: Rows;
  /** Lengths of weighted values behind the output matrix. */
  norms?: Rows;
}

/** A unit that was run at once. Members are indices into the explanation's lists. */
export interface Segment {
  text: string;
  answer: string;
  axes: string[];
  maps: number[];
  targets: number[];
  attributions: number[];
  agreements: number[];
  panels: number[];
  /** Views of heed/render that can draw the segment. */
  views?: string[];
}

/** A picture drawn together with the explanation. */
export interface MadePicture {
  view: string;
  segment: number;
  svg: string;
  /** Map whose head weights are drawn into the picture; `words`: true for word level. */
  map?: string;
  words?: boolean;
}

export interface Explanation {
  version: number;
  task: string;
  model: string;
  text: string;
  answer: string;
  axes: Record<string, Axis>;
  maps: AttentionMap[];
  targets: Target[];
  attributions: Attribution[];
  agreements: Agreement[];
  panels: Panel[];
  segments: Segment[];
  pictures?: MadePicture[];
}

/** Throws an Error unless `value` has the parts of an explanation that the page reads. */
export function checkExplanation(value: unknown): Explanation {
  const e = value as Explanation | null;
  const lists = ["maps", "targets", "attributions", "agreements", "panels", "segments"];
  const complete =
    typeof e === "object" &&
    e?.version === 3 &&
    typeof e.axes === "object" &&
    lists.every((name) => Array.isArray(e[name as keyof Explanation])) &&
    e.segments.length > 0 &&
    e.maps.every(({ query, key }) => e.axes[query] && e.axes[key]);
  if (!complete) {
    throw new Error("This is not an explanation that the page can read (version 3).");
  }
  return e;
}

/** One head, or the mean of all heads. */
export type Head = number | "mean";

const dense = new WeakMap<object, Rows>();
const decoded = new WeakMap<Pooled, Map<number, Rows>>();

/** Returns the cells of a head of a large map. */
function cellsOf(pooled: Pooled, head: number): Rows {
  let heads = decoded.get(pooled);
  if (!heads) decoded.set(pooled, (heads = new Map<number, Rows>()));
  let rows = heads.get(head);
  if (!rows) {
    const bytes = atob(pooled.cells[head]);
    rows = Array.from({ length: pooled.rows }, (_, t) =>
      Array.from(
        { length: pooled.columns },
        (_, s) => (bytes.charCodeAt(t * pooled.columns + s) / 255) ** 2,
      ),
    );
    heads.set(head, rows);
  }
  return rows;
}

/** Returns the weights of a head [T, S]; of a large map its cells. */
export function weightsOf(e: Explanation, map: AttentionMap, head: Head): Rows {
  if (head === "mean") return map.mean ?? weightsOf(e, map, 0);
  if (map.pooled) return cellsOf(map.pooled, head);
  const own = (map.weights ?? [])[head];
  if (!map.edges) return own as Rows;
  let rows = dense.get(own);
  if (!rows) {
    const columns = e.axes[map.key].items.length;
    rows = e.axes[map.query].items.map(() => new Array<number>(columns).fill(0));
    map.edges.forEach(([t, s], i) => (rows![t][s] = (own as number[])[i]));
    dense.set(own, rows);
  }
  return rows;
}

/** Returns the weight of a query of a head outside of the displayed part. */
export function outsideOf({ outside }: AttentionMap, head: Head, row: number): number {
  if (!outside) return 0;
  return head === "mean" ? mean(outside.map((own) => own[row])) : outside[head][row];
}

/** True if a map has a single query, as in pooling. */
function isOneRow({ edges, weights, pooled }: AttentionMap): boolean {
  if (pooled) return pooled.rows === 1;
  return edges ? edges.every(([t]) => t === 0) : weights?.[0].length === 1;
}

/** Returns entropy or distance of a head, or of the mean of heads; NaN if unknown. The
 * distance of a single query is unknown, because it has no position. */
export function headFigure(
  map: AttentionMap,
  figure: "entropy" | "distance",
  head: Head,
): number {
  const all = map.statistics;
  if (figure === "distance" && isOneRow(map)) return NaN;
  if (head === "mean" && map.heads > 1) return all?.mean?.[figure] ?? NaN;
  return all?.[figure][head === "mean" ? 0 : head] ?? NaN;
}

/** Returns the heads of a map, the mean of several first. Large maps have no mean. */
export function headsOf({ heads, pooled }: AttentionMap): Head[] {
  const all = Array.from({ length: heads }, (_, head) => head);
  return heads > 1 && !pooled ? ["mean", ...all] : all;
}

export function headName(head: Head): string {
  return head === "mean" ? "mean of heads" : `head ${head}`;
}

export const shareOfLength = "share of the length";

/** Returns the unit of a map's distances: name of the key items, or share of the length. */
export function unitOf({ axes }: Explanation, map: AttentionMap): string {
  const key = axes[map.key];
  const items = () => kindNamed(key.kind).items?.(key) ?? "items";
  return map.statistics?.unit === "share" ? shareOfLength : items();
}

/** Describes entropy and distance of a head. */
export function statisticsOf(e: Explanation, map: AttentionMap, head: Head): string {
  const all = map.statistics;
  const isMean = head === "mean" && map.heads > 1;
  const note = isMean ? all?.mean?.note : all?.note?.[head === "mean" ? 0 : head];
  const entropy = shortNumber(headFigure(map, "entropy", head));
  const words = `entropy ${entropy} bits${note ? `, ${note}` : ""}`;
  const distance = headFigure(map, "distance", head);
  if (Number.isNaN(distance)) return words;
  const unit = unitOf(e, map).replace(/^share /, "");
  return `${words}, distance ${shortNumber(distance)} ${unit}`;
}

/** An axis at item level or word level. */
export interface AxisView {
  id: string;
  axis: Axis;
  kind: string;
  name: string;
  labels: string[];
  /** True for labels that are joined to the word before them. */
  joined: boolean[];
  /** Returns the index in `labels` of an item. */
  at(item: number): number;
}

/** Returns the row or column of a displayed attention map for an item of `view`. */
export function cellOf(shown: AxisView, view: AxisView, item: number): number {
  return shown.labels.length === view.labels.length ? item : shown.at(item);
}

function viewOf(id: string, axis: Axis, byWord: boolean): AxisView {
  const { kind, label, items, words } = axis;
  const labels = axis.labels ?? items;
  const base = { id, axis, kind, name: label };
  const word = new Array<number>(items.length).fill(-1);
  words?.forEach(([begin, end], w) => word.fill(w, begin, end));
  if (!byWord || !words) {
    const joined = items.map((_, i) => i > 0 && word[i] >= 0 && word[i] === word[i - 1]);
    return { ...base, labels, joined, at: (item) => item };
  }
  const merged = words.map(([begin, end]) => labels.slice(begin, end).join(""));
  return { ...base, labels: merged, joined: merged.map(() => false), at: (i) => word[i] };
}

/** Returns an axis in `cells` groups of consecutive items, named "120–123 word". */
function pooledView(id: string, axis: Axis, cells: number): AxisView {
  const whole = viewOf(id, axis, false);
  const size = axis.items.length;
  if (cells >= size) return whole;
  const first = (cell: number) => Math.ceil((cell * size) / cells);
  const labels = Array.from({ length: cells }, (_, cell) => {
    const [begin, last] = [first(cell), first(cell + 1) - 1];
    return `${last > begin ? `${begin}–${last}` : begin} ${whole.labels[begin]}`;
  });
  const at = (item: number) => Math.floor((item * cells) / size);
  return { ...whole, labels, joined: labels.map(() => false), at };
}

/** Items of an axis: its id, the first, the end. */
export type Anchor = [string, number, number];

/** A segment with its members instead of their indices. */
export class Part {
  readonly text: string;
  readonly answer: string;
  readonly maps: AttentionMap[];
  readonly targets: Target[];
  private readonly views = new Map<string, AxisView>();
  private readonly anchors = new Map<Target, Anchor | null>();

  constructor(
    readonly whole: Explanation,
    readonly segment: Segment,
  ) {
    this.text = segment.text;
    this.answer = segment.answer;
    this.maps = segment.maps.map((m) => whole.maps[m]);
    this.targets = segment.targets.map((t) => whole.targets[t]);
  }

  axis(id: string, byWord = false): AxisView {
    const key = `${byWord} ${id}`;
    let view = this.views.get(key);
    if (!view) this.views.set(key, (view = viewOf(id, this.whole.axes[id], byWord)));
    return view;
  }

  /** Returns an axis of a large map. */
  pooledAxis(id: string, cells: number): AxisView {
    const key = `${cells} ${id}`;
    let view = this.views.get(key);
    if (!view) {
      this.views.set(key, (view = pooledView(id, this.whole.axes[id], cells)));
    }
    return view;
  }

  /** Returns the index of a target's map in this part, or -1 if it has none. */
  mapOf(target: Target): number {
    return target.map === undefined ? -1 : this.segment.maps.indexOf(target.map);
  }

  get attributions(): Attribution[] {
    return this.segment.attributions.map((a) => this.whole.attributions[a]);
  }

  get agreements(): Agreement[] {
    return this.segment.agreements.map((a) => this.whole.agreements[a]);
  }

  get panels(): Panel[] {
    return this.segment.panels.map((p) => this.whole.panels[p]);
  }

  /** Returns the targets of the rows of an attribution. */
  targetsOf({ targets }: Attribution): Target[] {
    return targets ? targets.map((t) => this.whole.targets[t]) : this.targets;
  }

  /** Returns the items of another axis under which a target is displayed; null: on its
   * own line. If the axis does not specify them, this is the input row whose attention
   * explains only this target. */
  anchorOf(target: Target): Anchor | null {
    const known = this.anchors.get(target);
    if (known !== undefined) return known;
    const anchor = this.findAnchor(target);
    this.anchors.set(target, anchor);
    return anchor;
  }

  private findAnchor(target: Target): Anchor | null {
    const { axes } = this.whole;
    const { of, spans, kind, payload } = axes[target.axis];
    const span = spans?.[target.item];
    if (of && span && axes[of].kind === kind) {
      return span[1] > span[0] ? [of, ...span] : null;
    }
    const { map, row } = target;
    // "answer" is a prediction for the whole input.
    const isWhole = target.axis.split(".")[0] === "answer";
    if (isWhole || of || payload || map === undefined || row === undefined) return null;
    const [read] = this.segment.axes;
    const isRow = this.whole.maps[map].query === read && axes[read].items.length > 1;
    const isOnly = this.targets.every(
      (other) => other === target || other.map !== map || other.row !== row,
    );
    return isRow && isOnly && target.axis !== read ? [read, row, row + 1] : null;
  }

  /** Returns the label of a target; beneath a word, without the word. */
  label(target: Target): string {
    const { labels, axis } = this.axis(target.axis);
    const [label, item] = [labels[target.item] ?? "", axis.items[target.item] ?? ""];
    return label.endsWith(item) && this.anchorOf(target) ? item : label;
  }

  /** Returns the kind of the input. */
  get kind(): string {
    return this.whole.axes[this.segment.axes[0]]?.kind ?? "";
  }
}

/** Rows of targets over the items of an axis, as displayed. */
export interface TargetRows {
  targets: Target[];
  columns: string[];
  /** Converts rows of all targets to rows of the displayed targets. */
  merge(rows: Rows): Rows;
}

/** Returns the rows to display. At word level, scores of a word's items are summed, and
 * its rows averaged. */
export function targetRows(
  part: Part,
  targets: Target[],
  axis: string,
  byWord: boolean,
): TargetRows {
  const keys = part.axis(axis, byWord);
  if (!byWord) return { targets, columns: keys.labels, merge: (rows) => rows };
  const words = new Map<string, number[]>();
  targets.forEach(({ axis: own, item }, t) => {
    const word = `${own} ${part.axis(own, true).at(item)}`;
    words.set(word, [...(words.get(word) ?? []), t]);
  });
  const places = [...words.values()];
  const merge = (rows: Rows) =>
    places.map((members) => {
      const sums = keys.labels.map(() => 0);
      for (const t of members) {
        rows[t].forEach((score, s) => (sums[keys.at(s)] += score / members.length));
      }
      return sums;
    });
  const shown = places.map(([first]) => targets[first]);
  return { targets: shown, columns: keys.labels, merge };
}

/** Adds results of later requests for the same text, for a download. */
export function addTo(whole: Explanation, more: Explanation): void {
  whole.segments.forEach((segment, k) => {
    const other = more.segments[k];
    if (!other) return;
    const target = (t: number) => segment.targets[other.targets.indexOf(t)];
    for (const { targets, ...rest } of other.attributions.map(
      (a) => more.attributions[a],
    )) {
      const ours = targets && { targets: targets.map(target) };
      // Attributions computed by the model itself come with every answer.
      const isKnown = segment.attributions
        .map((k) => whole.attributions[k])
        .some(({ method, axis }) => method === rest.method && axis === rest.axis);
      if (isKnown) continue;
      segment.attributions.push(whole.attributions.push({ ...rest, ...ours }) - 1);
    }
    for (const a of other.agreements) {
      segment.agreements.push(whole.agreements.push(more.agreements[a]) - 1);
    }
    for (const panel of other.panels.map((p) => more.panels[p])) {
      const map = segment.maps[other.maps.indexOf(panel.map)];
      segment.panels.push(whole.panels.push({ ...panel, map }) - 1);
    }
  });
}
