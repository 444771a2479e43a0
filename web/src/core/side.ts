import type { Chosen, Question } from "./address";
import type { ExplainOptions } from "./api";
import { isolate } from "./dom";
import {
  addTo,
  cellOf,
  headName,
  outsideOf,
  Part,
  weightsOf,
  type Attribution,
  type AttentionMap,
  type AxisView,
  type Explanation,
  type Head,
  type MadePicture,
  type Panel,
  type Rows,
  type Target,
} from "./explanation";
import { shortNumber } from "./numbers";
import { colouring, strengthOf, type Scale } from "./scale";

/** Requests more explanations of a text or of one part of it. */
export type Load = (options: ExplainOptions) => Promise<Explanation>;

/** A row, a column, or both: a cell. `target`: index of a target whose attention is
 * meant, if it is not the displayed one. */
export interface Focus {
  row: number | null;
  column: number | null;
  target?: number;
}

/** One displayed attention map. */
export interface Shown {
  map: AttentionMap;
  head: Head;
  weights: Rows;
  query: AxisView;
  key: AxisView;
  name: string;
  byWord: boolean;
}

/** State of an item of an axis for the current focus. */
export interface ItemState {
  weight?: number;
  /** Share of full colour. */
  strength: number;
  chosen: boolean;
}

/** A target and an alternative label whose difference is explained. */
export interface Contrast {
  target: number;
  label: string;
}

function same(a: Focus | null, b: Focus | null): boolean {
  return a?.row === b?.row && a?.column === b?.column && a?.target === b?.target;
}

/** Kinds of changes. choice: displayed part, map, head or options; focus: pointed item;
 * pin: pinned item; target: target of the probabilities, or contrast. */
type Change = "choice" | "focus" | "pin" | "target";

/** One explained answer with its selection, and the listeners to changes. */
export class Side {
  readonly allParts: Part[];
  part: Part;
  index: number;
  choice: Chosen | null = null;
  shown: Shown | null = null;
  byWord = false;
  scale: Scale = "auto";
  /** The other side of a comparison. */
  twin: Side | null = null;
  /** Explains another answer and replaces this one; null without a server. */
  askFor: ((answer: string) => void) | null = null;
  /** Row displayed by the frames. */
  step = 0;
  /** Index in the part of the target whose probabilities are displayed. */
  target: number | null;
  contrast: Contrast | null = null;
  private readonly listeners: [Change, () => void][] = [];
  private readonly requests = new Map<string, Promise<Explanation>>();
  private hovered: Focus | null = null;
  private base: Focus | null = null;
  pinned: Focus | null = null;

  /** Without `load` there is no server for further requests. */
  constructor(
    readonly name: string,
    readonly explanation: Explanation,
    private readonly load: Load | null,
    { part, chosen }: Question,
  ) {
    this.allParts = explanation.segments.map((segment) => new Part(explanation, segment));
    this.index = Math.min(part, this.allParts.length - 1);
    this.part = this.allParts[this.index];
    this.choose(chosen);
    this.target = this.firstTarget();
  }

  /** True if further requests are possible: there is a server. */
  get canAsk(): boolean {
    return this.load !== null;
  }

  on(change: Change, listener: () => void): void {
    this.listeners.push([change, listener]);
  }

  private tell(...changes: Change[]): void {
    for (const change of changes) {
      for (const [heard, listener] of this.listeners) if (heard === change) listener();
    }
  }

  /** Returns the displayed attention map. Throws an Error if there is none. */
  get attention(): Shown {
    if (!this.shown) throw new Error("no attention is shown");
    return this.shown;
  }

  get hasWords(): boolean {
    return this.part.maps.some((map) => map.by_word !== undefined);
  }

  // ---- Selection

  /** Returns the attention map and head of a target. */
  ownChoice(target: Target | undefined): Chosen | null {
    const map = target ? this.part.mapOf(target) : -1;
    return map < 0 ? null : { map, head: target?.head ?? "mean" };
  }

  /** Returns the default attention map. */
  firstChoice(): Chosen | null {
    const { targets, maps } = this.part;
    const votes = targets.map((target) => this.ownChoice(target)).filter((one) => one);
    const majority = votes.find(
      (one) => votes.filter((v) => v?.map === one?.map).length > 1,
    );
    return (
      majority ??
      votes[0] ??
      (maps.length > 0 ? { map: maps.length - 1, head: "mean" } : null)
    );
  }

  private choose(wanted: Chosen | null): void {
    const map = wanted ? this.part.maps[wanted.map] : undefined;
    this.choice = map ? wanted : this.firstChoice();
    if (map && typeof wanted?.head === "number" && wanted.head >= map.heads) {
      this.choice = { map: wanted.map, head: "mean" };
    }
    const chosen = this.choice && this.part.maps[this.choice.map];
    if (this.choice && chosen?.pooled && this.choice.head === "mean") {
      this.choice = { map: this.choice.map, head: 0 };
    }
    this.shown = this.choice && this.shownOf(this.choice);
  }

  shownOf({ map: at, head }: Chosen): Shown {
    const map = this.part.maps[at];
    const { pooled } = map;
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
      query: pooled
        ? this.part.pooledAxis(map.query, pooled.rows)
        : this.part.axis(map.query, !!merged),
      key: pooled
        ? this.part.pooledAxis(map.key, pooled.columns)
        : this.part.axis(map.key, !!merged),
      name: map.heads === 1 ? map.title : `${map.title}, ${headName(head)}`,
      byWord: !!merged,
    };
  }

  setChoice(choice: Chosen | null): void {
    const before = this.shown;
    this.choose(choice);
    const after = this.shown;
    const isOther = before?.query !== after?.query || before?.key !== after?.key;
    if (isOther || this.pinned?.target !== undefined) this.hovered = this.pinned = null;
    this.step = Math.min(this.step, Math.max(0, (after?.weights.length ?? 0) - 1));
    this.tell("choice", "focus");
  }

  setPart(index: number): void {
    if (!this.allParts[index] || index === this.index) return;
    this.index = index;
    this.part = this.allParts[index];
    this.contrast = null;
    this.step = 0;
    this.hovered = this.pinned = null;
    this.target = this.firstTarget();
    this.setChoice(this.choice);
    this.tell("target");
  }

  setByWord(byWord: boolean): void {
    this.byWord = byWord;
    this.hovered = this.pinned = null;
    this.setChoice(this.choice);
  }

  /** With few targets, the probabilities of the first one are shown by default. */
  private firstTarget(): number | null {
    const { targets } = this.part;
    const few = targets.length > 0 && targets.length <= 3;
    return few && targets.some((one) => one.alternatives?.length) ? 0 : null;
  }

  setTarget(target: number | null): void {
    this.target = target;
    this.tell("target");
  }

  setContrast(contrast: Contrast | null): void {
    this.contrast = contrast;
    this.tell("target", "choice");
  }

  // ---- Focus

  get focus(): Focus | null {
    return this.hovered ?? this.pinned ?? this.base;
  }

  get isPinned(): boolean {
    return this.pinned !== null;
  }

  /** Sets the focus that applies while nothing is hovered or pinned. */
  rest(focus: Focus | null): void {
    this.base = focus;
    this.tell("focus");
  }

  hover(focus: Focus | null): void {
    if (same(this.hovered, focus)) return;
    this.hovered = focus;
    this.tell("focus");
    this.twin?.follow(focus, this);
  }

  /** Follows the focus of the twin if both have equal tokens there. */
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
    this.tell("focus");
  }

  /** Keeps the focus when the pointer leaves; a second call with it releases it. */
  pin(focus: Focus | null): void {
    this.pinned = same(this.pinned, focus) ? null : focus;
    this.tell("focus", "pin");
  }

  readonly events = {
    hover: (focus: Focus | null) => this.hover(focus),
    pin: (focus: Focus | null) => this.pin(focus),
  };

  // ---- Axes

  /** Returns the axes of the part, at item or word level like the displayed attention. */
  axes(): AxisView[] {
    const byWord = this.shown?.byWord ?? false;
    return this.part.segment.axes.map((id) => this.part.axis(id, byWord));
  }

  /** True if an axis is displayed above the views. Decoder inputs and pooled states are
   * displayed only as rows or columns. */
  isVisible(id: string): boolean {
    const { part, shown } = this;
    const predicted = part.targets.filter((target) => target.axis === id);
    if (predicted.length > 0) return predicted.some((target) => !part.anchorOf(target));
    if (!["target_inputs", "answer"].includes(id.split(".")[0])) return true;
    const isOfMap = shown?.query.id === id || shown?.key.id === id;
    return isOfMap && this.explanation.axes[id].items.length > 1;
  }

  /** Returns, for each position of an axis, the targets displayed beneath it. */
  beneath(view: AxisView): number[][] | null {
    const { part } = this;
    const all = view.labels.map((): number[] => []);
    part.targets.forEach((target, k) => {
      const anchor = part.anchorOf(target);
      if (anchor?.[0] === view.id) all[view.at(anchor[1])]?.push(k);
    });
    return all.some((list) => list.length > 0) ? all : null;
  }

  /** Returns the targets at a position of an axis. */
  targetsAt(view: AxisView, place: number): number[] {
    return this.part.targets.flatMap(({ axis, item }, k) =>
      axis === view.id && view.at(item) === place ? [k] : [],
    );
  }

  /** True if the targets at a position are displayed beneath other items. */
  isBeneath(view: AxisView, place: number): boolean {
    const predicted = this.targetsAt(view, place).map((k) => this.part.targets[k]);
    return (
      predicted.length > 0 && predicted.every((target) => this.part.anchorOf(target))
    );
  }

  /** Returns the attention map of a focus. */
  private shownFor(focus: Focus): Shown | null {
    if (focus.target === undefined) return this.shown;
    const own = this.ownChoice(this.part.targets[focus.target]);
    return own && this.shownOf(own);
  }

  /** Returns the row of an attention map that belongs to a target; null: none. */
  private rowOf(shown: Shown | null, { map, row }: Target): number | null {
    const own = map === undefined ? null : this.explanation.maps[map];
    return shown && own === shown.map && row !== undefined ? shown.query.at(row) : null;
  }

  /** Returns the targets at a position of an axis or beneath it. */
  private targetsUnder(view: AxisView, place: number): number[] {
    return [...this.targetsAt(view, place), ...(this.beneath(view)?.[place] ?? [])];
  }

  /** Returns the focus for pointing at a position of an axis. */
  focusAt(view: AxisView, place: number): Focus | null {
    const { shown, part } = this;
    if (shown?.query.id === view.id) {
      return { row: cellOf(shown.query, view, place), column: null };
    }
    const predicted = this.targetsUnder(view, place);
    const rows = predicted.map((k) => this.rowOf(shown, part.targets[k]));
    const row = rows.find((one) => one !== null);
    if (row !== undefined) return { row, column: null };
    if (shown?.key.id === view.id) {
      return { row: null, column: cellOf(shown.key, view, place) };
    }
    if (predicted.length === 0) return null;
    const target = part.targets[predicted[0]];
    const own = this.ownChoice(target);
    const ownRow = this.rowOf(own && this.shownOf(own), target);
    return { row: ownRow, column: null, target: predicted[0] };
  }

  pinAt(view: AxisView, place: number): void {
    const [predicted] = this.targetsUnder(view, place);
    const focus = this.focusAt(view, place);
    const own = focus?.target === undefined ? null : this.part.targets[focus.target];
    const choice = own && this.ownChoice(own);
    if (choice) this.setChoice(choice);
    if (focus && (choice || !own)) this.pin({ row: focus.row, column: focus.column });
    if (predicted !== undefined) this.setTarget(predicted);
  }

  /** Returns the current state of the items of an axis. */
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
      if (shown.query.id === view.id) {
        states.forEach((_, t) => work(t, cellOf(shown.query, view, t)));
      } else {
        this.part.targets.forEach((target) => {
          const row = target.axis === view.id ? this.rowOf(shown, target) : null;
          if (row !== null) work(view.at(target.item), row);
        });
      }
    };
    const { row, column } = focus;
    if (row !== null) {
      if (shown.key.id === view.id) {
        states.forEach((_, s) =>
          put(s, shown.weights[row]?.[cellOf(shown.key, view, s)], row),
        );
      }
      rowsHere((place, t) => (states[place].chosen ||= t === row));
    } else if (column !== null) {
      rowsHere((place, t) => put(place, shown.weights[t]?.[column], t));
    }
    if (column !== null && shown.key.id === view.id) {
      states.forEach((state, s) => {
        state.chosen ||= cellOf(shown.key, view, s) === column;
      });
    }
    return states;
  }

  /** Returns labels of the displayed rows, extended by the targets of a row. */
  rowLabels(shown: Shown): string[] {
    const labels = [...shown.query.labels];
    const rows = this.part.targets.map((target) => this.rowOf(shown, target));
    this.part.targets.forEach((target, k) => {
      const row = rows[k];
      const isOnly = rows.indexOf(row) === k && rows.lastIndexOf(row) === k;
      if (row === null || !isOnly || target.axis === shown.query.id) return;
      const predicted = this.part.label(target);
      const anchored = this.part.anchorOf(target) !== null;
      labels[row] = anchored ? `${labels[row]} ${predicted}`.trim() : predicted;
    });
    labels.forEach((_, row) => {
      const outside = outsideOf(shown.map, shown.head, row);
      if (outside > 0) labels[row] += ` (outside ${shortNumber(outside)})`;
    });
    return labels;
  }

  /** Returns labels of targets, at the level of the displayed attention. Tags follow
   * the words that they label. */
  targetLabels(targets: Target[]): string[] {
    return targets.map((target) => {
      const anchor = this.part.anchorOf(target);
      if (!anchor) {
        const predicted = this.part.axis(target.axis, this.shown?.byWord);
        return predicted.labels[predicted.at(target.item)] ?? "";
      }
      const predicted = this.part.label(target);
      const words = this.part.axis(anchor[0]).labels.slice(anchor[1], anchor[2]);
      return `${words.join(" ")} ${predicted}`;
    });
  }

  /** Describes the focus in one line: the largest weights of a word, or one cell. */
  describeFocus(): string {
    const { focus } = this;
    if (!focus) return "";
    const shown = this.shownFor(focus);
    if (focus.target !== undefined && (!shown || focus.row === null)) {
      const predicted = isolate(this.part.label(this.part.targets[focus.target]));
      return `No attention of this model speaks for ${predicted}.`;
    }
    if (!shown) return "";
    const [rows, columns] = [this.rowLabels(shown), shown.key.labels];
    const { row, column } = focus;
    if (row !== null && column !== null) {
      const weight = shown.weights[row]?.[column] ?? 0;
      return `${isolate(rows[row])} ← ${isolate(columns[column])} ${weight.toFixed(3)}`;
    }
    const isRow = row !== null;
    const at = column ?? 0;
    const values = isRow
      ? (shown.weights[row] ?? [])
      : shown.weights.map((weights) => weights[at] ?? 0);
    const others = isRow ? columns : rows;
    const top = values
      .map((value, i): [number, number] => [value, i])
      .sort((a, b) => b[0] - a[0])
      .filter(([value], i) => value >= 0.005 || (i === 0 && value > 0))
      .slice(0, 4)
      .map(([value, i]) => `${isolate(others[i])} ${shortNumber(value)}`);
    const list = top.join(", ") || "nothing";
    const through = focus.target === undefined ? "" : ` (${shown.name})`;
    return isRow
      ? `${isolate(rows[row])} attends to ${list}${through}`
      : `${isolate(columns[at])} is attended to by ${list}`;
  }

  // ---- Further requests

  /** Sends a request once; `keep` stores its result in the explanation. */
  private ask(
    key: string,
    options: ExplainOptions,
    keep = (more: Explanation) => addTo(this.explanation, more),
  ): Promise<Explanation> {
    let answer = this.requests.get(key);
    if (!answer) {
      if (!this.load) throw new Error("This page has no server.");
      answer = this.load({ pictures: [], ...options }).then((more) => {
        keep(more);
        return more;
      });
      answer.catch(() => this.requests.delete(key));
      this.requests.set(key, answer);
    }
    return answer;
  }

  /** Returns attributions of the part by these methods; only missing ones are requested. */
  async attributions(methods: string[]): Promise<Attribution[]> {
    const { part } = this;
    const known = part.attributions.map(({ method }) => method);
    const missing = methods.filter((method) => !known.includes(method));
    if (missing.length > 0 && this.canAsk) {
      await this.ask(`methods ${missing.join()}`, { methods: missing });
    }
    return part.attributions
      .filter(({ method }) => methods.includes(method))
      .sort((a, b) => methods.indexOf(a.method) - methods.indexOf(b.method));
  }

  /** Returns the numeric values of one head of a map. */
  async panel(map: number, head: number): Promise<Panel> {
    const { part, canAsk } = this;
    const at = part.segment.maps[map];
    const find = () => part.panels.find((one) => one.map === at && one.head === head);
    const { name } = part.maps[map];
    if (!find() && canAsk) await this.ask(`panel ${name} ${head}`, { layer: name, head });
    const panel = find();
    if (panel) return panel;
    throw new Error(
      canAsk
        ? "The server sent no queries and keys for this head."
        : "This file holds no queries and keys of this head; heed serve shows those of all.",
    );
  }

  /** Returns pictures of these views, drawn by the server or with the explanation.
   * Pictures with a chosen scale or methods are requested separately. */
  async madePictures(
    views: string[],
    scale: Scale = "auto",
    methods?: string[],
  ): Promise<MadePicture[]> {
    const { explanation, index } = this;
    const kept = (explanation.pictures ??= []);
    const isKept = scale === "auto" && !methods;
    const has = (all: MadePicture[], view: string) =>
      all.some((one) => one.view === view && one.segment === index);
    const missing = views.filter((view) => !isKept || !has(kept, view));
    let received: MadePicture[] = [];
    if (missing.length > 0 && this.canAsk) {
      const keep = (more: Explanation) => {
        if (isKept) kept.push(...(more.pictures ?? []));
        if (methods) addTo(explanation, more);
      };
      const options = { pictures: missing, scale, ...(methods && { methods }) };
      const more = await this.ask(`pictures ${JSON.stringify(options)}`, options, keep);
      received = more.pictures ?? [];
    }
    const all = [...received, ...kept.filter(({ view }) => !has(received, view))];
    return all.filter(({ view, segment }) => segment === index && views.includes(view));
  }

  /** Explains the part against an answer with `contrast.label` instead of the target. */
  contrasted(
    contrast: Contrast,
    methods: string[],
    pictures: string[],
  ): Promise<Explanation> {
    const { target, label } = contrast;
    const key = `contrast ${this.index} ${target} ${label} ${methods.join()}`;
    const other = { text: this.part.text, contrast: this.answerWith(contrast) };
    return this.ask(key, { ...other, methods, pictures }, () => {});
  }

  /** Returns the part's answer with another word at one position. */
  private answerWith({ target, label }: Contrast): string {
    const { part } = this;
    const { answer, targets } = part;
    if (targets.length === 1) return label;
    const { axis, item } = targets[target];
    const alike = targets.filter((one) => one.axis === axis);
    const all = alike.map((one) => part.label(one));
    const bare = (text: string) => text.replace(/\s/g, "");
    const isAll = bare(answer).includes(bare(all.join("")));
    // An answer with columns is a list of completions, not made of the explained words.
    const isList = answer.includes("\t");
    if (isList || (isAll && part.anchorOf(targets[target]))) {
      return all.with(alike.indexOf(targets[target]), label).join(" ");
    }
    const view = part.axis(axis, true);
    const words = view.labels.slice(0, view.at(item) + 1);
    let [begin, end] = [-1, 0];
    for (const word of words) {
      begin = answer.indexOf(word, end);
      if (begin >= 0) end = begin + word.length;
    }
    return begin < 0 ? label : answer.slice(0, begin) + label + answer.slice(end);
  }
}
