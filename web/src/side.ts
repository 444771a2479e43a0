import type { ExplainWishes, ModelInfo } from "./api";
import {
  attentionMap,
  firstChoice,
  sameChoice,
  tagsOfSource,
  tokenLabel,
  type AttentionMap,
  type Attribution,
  type Axis,
  type Choice,
  type Explanation,
  type Panel,
} from "./explanation";
import type { Focus } from "./matrix";
import { shortNumber } from "./statistics";

/** Asks the server for more about the same text. */
export type Load = (wishes: ExplainWishes) => Promise<Explanation>;

/** One explained answer, what of it is looked at, and who wants to know of changes. */
export class Side {
  choice: Choice | null;
  map: AttentionMap | null = null;
  /** The other side of a comparison. */
  twin: Side | null = null;
  /** The row that the frames show. */
  step = 0;
  readonly panels = new Map<string, Promise<Panel>>();
  private readonly known = new Map<string, Attribution>();
  readonly choiceListeners: (() => void)[] = [];
  readonly focusListeners: (() => void)[] = [];
  readonly tags: (string | undefined)[] | null;
  private hovered: Focus | null = null;
  private base: Focus | null = null;
  private pinned: Focus | null = null;

  constructor(
    readonly model: ModelInfo,
    readonly explanation: Explanation,
    readonly load: Load,
    wanted: Choice | null,
  ) {
    this.choice = wanted ? sameChoice(explanation, wanted) : firstChoice(explanation);
    this.tags = tagsOfSource(explanation);
    this.readMap();
  }

  private readMap(): void {
    this.map = this.choice ? attentionMap(this.explanation, this.choice) : null;
  }

  setChoice(choice: Choice): void {
    const before = this.map;
    this.choice = choice;
    this.readMap();
    const [a, b] = [before, this.map];
    if (a?.queries !== b?.queries || a?.keys !== b?.keys)
      this.hovered = this.pinned = null;
    this.step = Math.min(this.step, Math.max(0, (b?.weights.length ?? 0) - 1));
    for (const listener of this.choiceListeners) listener();
    this.tellFocus();
  }

  get focus(): Focus | null {
    return this.hovered ?? this.pinned ?? this.base;
  }

  /** What is in focus while nothing is pointed at and nothing pinned. */
  rest(focus: Focus | null): void {
    this.base = focus;
    this.tellFocus();
  }

  get isPinned(): boolean {
    return this.pinned !== null;
  }

  hover(focus: Focus | null): void {
    if (same(this.hovered, focus)) return;
    this.hovered = focus;
    this.tellFocus();
    this.twin?.follow(focus, this);
  }

  /** Looks where its twin looks, if the same tokens stand there. */
  private follow(focus: Focus | null, twin: Side): void {
    const [a, b] = [this.map, twin.map];
    const there =
      focus !== null &&
      a !== null &&
      b !== null &&
      a.queries === b.queries &&
      a.keys === b.keys &&
      (focus.row === null || a.rowTokens[focus.row] === b.rowTokens[focus.row]) &&
      (focus.column === null ||
        a.columnTokens[focus.column] === b.columnTokens[focus.column]);
    this.hovered = there ? focus : null;
    this.tellFocus();
  }

  /** Keeps the focus when the pointer leaves; the same again lets go of it. */
  pin(focus: Focus | null): void {
    this.pinned = same(this.pinned, focus) ? null : focus;
    this.tellFocus();
  }

  private tellFocus(): void {
    for (const listener of this.focusListeners) listener();
  }

  readonly events = {
    hover: (focus: Focus | null) => this.hover(focus),
    pin: (focus: Focus | null) => this.pin(focus),
  };

  /** Attributions by these methods, those that are known already not asked for again. */
  async attributions(methods: string[]): Promise<Attribution[]> {
    const missing = methods.filter((method) => !this.known.has(method));
    if (missing.length > 0) {
      const answer = await this.load({ methods: missing });
      for (const attribution of answer.attributions ?? []) {
        this.known.set(attribution.method, attribution);
      }
    }
    return methods.flatMap((method) => this.known.get(method) ?? []);
  }

  /** Names of tokens as pictures show them. */
  labels(tokens: string[]): string[] {
    return tokens.map((token) => tokenLabel(token, tokens));
  }

  /** Names of the targets; tags and next tokens stand behind their words. */
  targetLabels(): string[] {
    const { source, target, alignment_rows } = this.explanation;
    const labels = this.labels(target);
    if (!this.tags) return labels;
    const words = this.labels(source);
    const rowOf = (t: number) => alignment_rows?.[t] ?? t;
    return labels.map((label, t) => `${words[rowOf(t)] ?? ""} ${label}`.trim());
  }

  /** What the focus says, in one line: the strongest weights of a word or one cell. */
  describeFocus(): string {
    const { focus, map } = this;
    if (!focus || !map) return "";
    const rows = this.labels(map.rowTokens);
    const columns = this.labels(map.columnTokens);
    if (focus.row !== null && focus.column !== null) {
      const weight = map.weights[focus.row]?.[focus.column] ?? 0;
      return `${rows[focus.row]} ← ${columns[focus.column]} ${weight.toFixed(3)}`;
    }
    const row = focus.row;
    const values =
      row !== null
        ? (map.weights[row] ?? [])
        : map.weights.map((weights) => weights[focus.column ?? 0] ?? 0);
    const others = row !== null ? columns : rows;
    const top = values
      .map((value, i): [number, number] => [value, i])
      .filter(([value]) => value >= 0.005)
      .sort((a, b) => b[0] - a[0])
      .slice(0, 4)
      .map(([value, i]) => `${others[i]} ${shortNumber(value)}`);
    const list = top.join(", ") || "nothing";
    return row !== null
      ? `${rows[row]} looks at ${list}`
      : `${columns[focus.column ?? 0]} is looked at by ${list}`;
  }
}

function same(a: Focus | null, b: Focus | null): boolean {
  return a?.row === b?.row && a?.column === b?.column;
}

export function axisName(axis: Axis, asKeys: boolean, task: string): string {
  if (axis === "source") return task === "translate" ? "source" : "text";
  return asKeys ? "output so far" : "output";
}
