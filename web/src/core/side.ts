import type { ExplainWishes } from "./api";
import type { Chosen } from "./address";
import {
  addTo,
  headName,
  Part,
  weightsOf,
  type Attribution,
  type AttentionMap,
  type AxisView,
  type Explanation,
  type Head,
  type Panel,
  type Rows,
  type Target,
} from "./explanation";
import { isolate } from "./dom";
import { shortNumber } from "./numbers";
import { colouring, strengthOf, type Scale } from "./scale";

/** Asks for more about the same text, or one part of it. */
export type Load = (wishes: ExplainWishes) => Promise<Explanation>;

/** A row, a column, or both: a cell. `target`: of the attention that speaks for a target
 * of the part, where that is not the one on show. */
export interface Focus {
  row: number | null;
  column: number | null;
  target?: number;
}

/** One attention as it is drawn. */
export interface Shown {
  map: AttentionMap;
  head: Head;
  weights: Rows;
  query: AxisView;
  key: AxisView;
  name: string;
  byWord: boolean;
}

/** What stands at one item of an axis while something is in focus. */
export interface ItemState {
  weight?: number;
  /** Share of full colour. */
  strength: number;
  chosen: boolean;
}

/** A pair of answers of which the difference is explained. */
export interface Contrast {
  target: number;
  label: string;
}

function same(a: Focus | null, b: Focus | null): boolean {
  return a?.row === b?.row && a?.column === b?.column && a?.target === b?.target;
}

/** One explained answer, what of it is looked at, and who wants to know of changes. */
export class Side {
  part: Part;
  index = 0;
  choice: Chosen | null = null;
  shown: Shown | null = null;
  byWord = false;
  scale: Scale = "auto";
  /** The other side of a comparison. */
  twin: Side | null = null;
  /** The row that the frames show. */
  step = 0;
  /** The target, by its place in the part, whose probabilities are shown. */
  target: number | null = null;
  contrast: Contrast | null = null;
  /** Another part, map or head is shown, or the same otherwise. */
  readonly choiceListeners: (() => void)[] = [];
  readonly focusListeners: (() => void)[] = [];
  readonly targetListeners: (() => void)[] = [];
  private readonly parts: Part[];
  private readonly asked = new Map<string, Promise<Explanation>>();
  private hovered: Focus | null = null;
  private base: Focus | null = null;
  private pinned: Focus | null = null;

  constructor(
    readonly name: string,
    readonly explanation: Explanation,
    readonly load: Load,
    part = 0,
    wanted: Chosen | null = null,
    /** Whether more can be asked: there is a server. */
    readonly canAsk = true,
  ) {
    this.parts = explanation.segments.map((segment) => new Part(explanation, segment));
    this.index = Math.min(part, this.parts.length - 1);
    this.part = this.parts[this.index];
    this.choose(wanted);
    this.target = this.firstTarget();
  }

  get allParts(): Part[] {
    return this.parts;
  }

  get hasWords(): boolean {
    return this.part.maps.some((map) => map.by_word !== undefined);
  }

  // ---- What is chosen

  /** The attention that speaks for a target. */
  ownChoice(target: Target | undefined): Chosen | null {
    const map = target ? this.part.mapOf(target) : -1;
    return map < 0 ? null : { map, head: target?.head ?? "mean" };
  }

  /** The attention that a reader most likely wants first. */
  firstChoice(): Chosen | null {
    const { targets, maps } = this.part;
    const votes = targets.map((target) => this.ownChoice(target)).filter((one) => one);
    const most = votes.find((one) => votes.filter((v) => v?.map === one?.map).length > 1);
    return (
      most ??
      votes[0] ??
      (maps.length > 0 ? { map: maps.length - 1, head: "mean" } : null)
    );
  }

  private choose(wanted: Chosen | null): void {
    const map = wanted ? this.part.maps[wanted.map] : undefined;
    this.choice = wanted && map ? wanted : this.firstChoice();
    const { choice } = this;
    if (
      choice &&
      choice.head !== "mean" &&
      choice.head >= this.part.maps[choice.map].heads
    ) {
      this.choice = { map: choice.map, head: "mean" };
    }
    this.shown = this.choice && this.shownOf(this.choice);
  }

  shownOf({ map: at, head }: Chosen): Shown {
    const map = this.part.maps[at];
    const merged = this.byWord ? map.by_word : undefined;
    const weights = merged
      ? head === "mean"
        ? (merged.mean ?? merged.weights[0])
        : merged.weights[head]
      : weightsOf(this.explanation, map, head);
    return {
      map,
      head,
      weights,
      query: this.part.axis(map.query, !!merged),
      key: this.part.axis(map.key, !!merged),
      name: map.heads === 1 ? map.title : `${map.title}, ${headName(head)}`,
      byWord: !!merged,
    };
  }

  setChoice(choice: Chosen | null): void {
    const before = this.shown;
    this.choose(choice);
    const after = this.shown;
    if (
      before?.query !== after?.query ||
      before?.key !== after?.key ||
      this.pinned?.target !== undefined
    ) {
      this.hovered = this.pinned = null;
    }
    this.step = Math.min(this.step, Math.max(0, (after?.weights.length ?? 0) - 1));
    for (const listener of this.choiceListeners) listener();
    this.tellFocus();
  }

  setPart(index: number): void {
    if (!this.parts[index] || index === this.index) return;
    this.index = index;
    this.part = this.parts[index];
    this.contrast = null;
    this.step = 0;
    this.hovered = this.pinned = null;
    this.target = this.firstTarget();
    this.setChoice(this.choice);
    for (const listener of this.targetListeners) listener();
  }

  setByWord(byWord: boolean): void {
    this.byWord = byWord;
    this.hovered = this.pinned = null;
    this.setChoice(this.choice);
  }

  /** Where few things are said, their probabilities are what one came for. */
  private firstTarget(): number | null {
    const { targets } = this.part;
    const few = targets.length > 0 && targets.length <= 3;
    return few && targets.some((one) => one.alternatives?.length) ? 0 : null;
  }

  setTarget(target: number | null): void {
    this.target = target;
    for (const listener of this.targetListeners) listener();
  }

  setContrast(contrast: Contrast | null): void {
    this.contrast = contrast;
    for (const listener of this.targetListeners) listener();
    for (const listener of this.choiceListeners) listener();
  }

  // ---- What is pointed at

  get focus(): Focus | null {
    return this.hovered ?? this.pinned ?? this.base;
  }

  get isPinned(): boolean {
    return this.pinned !== null;
  }

  /** What is in focus while nothing is pointed at and nothing pinned. */
  rest(focus: Focus | null): void {
    this.base = focus;
    this.tellFocus();
  }

  hover(focus: Focus | null): void {
    if (same(this.hovered, focus)) return;
    this.hovered = focus;
    this.tellFocus();
    this.twin?.follow(focus, this);
  }

  /** Looks where its twin looks, if the same tokens stand there. */
  private follow(focus: Focus | null, twin: Side): void {
    const [a, b] = [this.shown, twin.shown];
    const alike = (place: number | null, one?: AxisView, other?: AxisView) =>
      place === null || (!!one && one.labels[place] === other?.labels[place]);
    const there =
      focus !== null &&
      focus.target === undefined &&
      alike(focus.row, a?.query, b?.query) &&
      alike(focus.column, a?.key, b?.key);
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

  // ---- Axes

  /** The axes of the part, item by item or word by word as the attention on show. */
  axes(): AxisView[] {
    const byWord = this.shown?.byWord ?? false;
    return this.part.segment.axes.map((id) => this.part.axis(id, byWord));
  }

  /** Whether an axis stands above the views. What a writer had before it, and what was
   * pooled for a label, do so only while they are rows or columns. */
  isVisible(id: string): boolean {
    const { part, shown } = this;
    const said = part.targets.filter((target) => target.axis === id);
    if (said.length > 0) return said.some((target) => !part.anchorOf(target));
    if (!["target_inputs", "answer"].includes(id.split(".")[0])) return true;
    const isOfMap = shown?.query.id === id || shown?.key.id === id;
    return isOfMap && this.explanation.axes[id].items.length > 1;
  }

  /** What was said of the items of an axis: for each place the targets beneath it. */
  beneath(view: AxisView): number[][] | null {
    const { part } = this;
    const all = view.labels.map((): number[] => []);
    part.targets.forEach((target, k) => {
      const anchor = part.anchorOf(target);
      if (anchor?.[0] === view.id) all[view.at(anchor[1])]?.push(k);
    });
    return all.some((list) => list.length > 0) ? all : null;
  }

  /** The targets that stand at a place of an axis themselves. */
  targetsAt(view: AxisView, place: number): number[] {
    return this.part.targets.flatMap(({ axis, item }, k) =>
      axis === view.id && view.at(item) === place ? [k] : [],
    );
  }

  /** Whether what was said at a place stands beneath what it was said of. */
  isBeneath(view: AxisView, place: number): boolean {
    const said = this.targetsAt(view, place).map((k) => this.part.targets[k]);
    return said.length > 0 && said.every((target) => this.part.anchorOf(target));
  }

  /** The attention of a focus. */
  private shownFor(focus: Focus): Shown | null {
    if (focus.target === undefined) return this.shown;
    const own = this.ownChoice(this.part.targets[focus.target]);
    return own && this.shownOf(own);
  }

  /** The row of an attention that speaks for a target; null: none. */
  private rowOf(shown: Shown, target: Target): number | null {
    const own = target.map === undefined ? null : this.explanation.maps[target.map];
    return own === shown.map && target.row !== undefined
      ? shown.query.at(target.row)
      : null;
  }

  /** What pointing at a place of an axis means. */
  focusAt(view: AxisView, place: number): Focus | null {
    const { shown } = this;
    if (shown?.query.id === view.id) return { row: place, column: null };
    const said = [...this.targetsAt(view, place), ...(this.beneath(view)?.[place] ?? [])];
    for (const k of said) {
      const row = shown && this.rowOf(shown, this.part.targets[k]);
      if (row !== null && row !== undefined) return { row, column: null };
    }
    if (shown?.key.id === view.id) return { row: null, column: place };
    if (said.length === 0) return null;
    const target = this.part.targets[said[0]];
    const own = this.ownChoice(target);
    const row = own && this.rowOf(this.shownOf(own), target);
    return { row: row ?? null, column: null, target: said[0] };
  }

  pinAt(view: AxisView, place: number): void {
    const said = [...this.targetsAt(view, place), ...(this.beneath(view)?.[place] ?? [])];
    const focus = this.focusAt(view, place);
    if (focus?.target !== undefined) {
      const own = this.ownChoice(this.part.targets[focus.target]);
      if (own) {
        this.setChoice(own);
        this.pin({ row: focus.row, column: null });
      }
    } else if (focus) {
      this.pin(focus);
    }
    if (said.length > 0) this.setTarget(said[0]);
  }

  /** How the items of an axis are to be shown now. */
  stateOf(view: AxisView): ItemState[] {
    const states = view.labels.map((): ItemState => ({ strength: 0, chosen: false }));
    const { focus } = this;
    const shown = focus && this.shownFor(focus);
    if (!focus || !shown) return states;
    const colours = colouring(this.scale, shown.weights, "");
    const put = (place: number, weight: number | undefined, row: number) => {
      const state = states[place];
      if (!state || weight === undefined) return;
      state.weight = weight;
      state.strength = Math.max(0, strengthOf(colours, weight, row));
    };
    const rowsHere = (work: (place: number, row: number) => void) => {
      if (shown.query.id === view.id) states.forEach((_, t) => work(t, t));
      else {
        this.part.targets.forEach((target) => {
          const row = target.axis === view.id ? this.rowOf(shown, target) : null;
          if (row !== null) work(view.at(target.item), row);
        });
      }
    };
    const { row, column } = focus;
    if (row !== null) {
      if (shown.key.id === view.id) {
        shown.weights[row]?.forEach((weight, s) => put(s, weight, row));
      }
      rowsHere((place, t) => (states[place].chosen ||= t === row));
    } else if (column !== null) {
      rowsHere((place, t) => put(place, shown.weights[t]?.[column], t));
    }
    if (column !== null && shown.key.id === view.id && states[column]) {
      states[column].chosen = true;
    }
    return states;
  }

  /** Names of the rows on show: a row that said something is named by that as well. */
  rowLabels(shown: Shown): string[] {
    const labels = [...shown.query.labels];
    const rows = this.part.targets.map((target) => this.rowOf(shown, target));
    this.part.targets.forEach((target, k) => {
      const row = rows[k];
      const isOnly = rows.indexOf(row) === k && rows.lastIndexOf(row) === k;
      if (row === null || !isOnly || target.axis === shown.query.id) return;
      const said = this.part.label(target);
      const anchored = this.part.anchorOf(target) !== null;
      labels[row] = anchored ? `${labels[row]} ${said}`.trim() : said;
    });
    return labels;
  }

  /** Names of targets; tags stand behind their words. */
  targetLabels(targets: Target[]): string[] {
    return targets.map((target) => {
      const anchor = this.part.anchorOf(target);
      const said = this.part.label(target);
      if (!anchor) return said;
      const words = this.part.axis(anchor[0]).labels.slice(anchor[1], anchor[2]);
      return `${words.join(" ")} ${said}`;
    });
  }

  /** What the focus says, in one line: the strongest weights of a word or one cell. */
  describeFocus(): string {
    const { focus } = this;
    if (!focus) return "";
    const shown = this.shownFor(focus);
    if (focus.target !== undefined && (!shown || focus.row === null)) {
      const said = isolate(this.part.label(this.part.targets[focus.target]));
      return `No attention of this model speaks for ${said}.`;
    }
    if (!shown) return "";
    const name = (label: string | undefined) => isolate(label ?? "");
    const [rows, columns] = [this.rowLabels(shown), shown.key.labels];
    const { row, column } = focus;
    if (row !== null && column !== null) {
      const weight = shown.weights[row]?.[column] ?? 0;
      return `${name(rows[row])} ← ${name(columns[column])} ${weight.toFixed(3)}`;
    }
    const values =
      row !== null
        ? (shown.weights[row] ?? [])
        : shown.weights.map((weights) => weights[column ?? 0] ?? 0);
    const others = row !== null ? columns : rows;
    const top = values
      .map((value, i): [number, number] => [value, i])
      .sort((a, b) => b[0] - a[0])
      .filter(([value], i) => value >= 0.005 || (i === 0 && value > 0))
      .slice(0, 4)
      .map(([value, i]) => `${name(others[i])} ${shortNumber(value)}`);
    const list = top.join(", ") || "nothing";
    const through = focus.target === undefined ? "" : ` (${shown.name})`;
    return row !== null
      ? `${name(rows[row])} attends to ${list}${through}`
      : `${name(columns[column ?? 0])} is attended to by ${list}`;
  }

  // ---- What is asked for later

  private ask(key: string, wishes: ExplainWishes): Promise<Explanation> {
    let answer = this.asked.get(key);
    if (!answer) {
      answer = this.load(wishes);
      answer.catch(() => this.asked.delete(key));
      this.asked.set(key, answer);
    }
    return answer;
  }

  /** Attributions of the part by these methods; those that are there are not asked for. */
  async attributions(methods: string[]): Promise<Attribution[]> {
    const { part } = this;
    const known = () =>
      part.attributions.filter(({ method }) => methods.includes(method));
    const missing = methods.filter(
      (method) => !part.attributions.some((one) => one.method === method),
    );
    if (missing.length > 0 && this.canAsk) {
      const key = `methods ${missing.join()}`;
      const isNew = !this.asked.has(key);
      const more = await this.ask(key, { methods: missing });
      if (isNew) addTo(this.explanation, more);
    }
    return known().sort((a, b) => methods.indexOf(a.method) - methods.indexOf(b.method));
  }

  /** One head of a map in numbers. */
  async panel(map: number, head: number): Promise<Panel> {
    const { part } = this;
    const at = part.segment.maps[map];
    const found = () => part.panels.find((one) => one.map === at && one.head === head);
    if (!found() && this.canAsk) {
      const key = `panel ${part.maps[map].name} ${head}`;
      const isNew = !this.asked.has(key);
      const more = await this.ask(key, { layer: part.maps[map].name, head });
      if (isNew) addTo(this.explanation, more);
    }
    const panel = found();
    if (panel) return panel;
    throw new Error(
      this.canAsk
        ? "The server sent no queries and keys for this head."
        : "This file holds no queries and keys of this head; heed serve shows those of all.",
    );
  }

  /** The part explained against another answer that has `contrast.label` in the place of
   * the target. */
  contrasted(contrast: Contrast, methods: string[]): Promise<Explanation> {
    const { part } = this;
    const key = `contrast ${this.index} ${contrast.target} ${contrast.label} ${methods.join()}`;
    return this.ask(key, {
      text: part.text,
      contrast: this.answerWith(contrast),
      methods,
    });
  }

  /** The part's answer with another word in one place. */
  private answerWith({ target, label }: Contrast): string {
    const { answer, targets } = this.part;
    if (targets.length === 1) return label;
    const { axis, item } = targets[target];
    const all = targets
      .filter((one) => one.axis === axis)
      .map((one) => this.part.label(one));
    const bare = (text: string) => text.replace(/\s/g, "");
    if (
      this.part.anchorOf(targets[target]) &&
      bare(answer).includes(bare(all.join("")))
    ) {
      const at = targets.slice(0, target).filter((one) => one.axis === axis).length;
      return all.with(at, label).join(" ");
    }
    const view = this.part.axis(axis, true);
    const place = view.at(item);
    let begin = 0;
    for (let i = 0; i <= place; ++i) {
      const word = view.labels[i];
      const found = answer.indexOf(word, begin);
      if (i === place && found >= 0) {
        return answer.slice(0, found) + label + answer.slice(found + word.length);
      }
      if (found >= 0) begin = found + word.length;
    }
    return label;
  }
}
