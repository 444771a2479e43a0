import type { Chosen, Question } from "./address";
import type { ExplainOptions } from "./api";
import { isolate } from "./dom";
import {
  addTo,
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

/** Asks for more about the same text, or one part of it. */
export type Load = (options: ExplainOptions) => Promise<Explanation>;

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

/** What listeners hear of: another part, map or head is shown, or the same otherwise; what is
 * pointed at; what is kept; the target whose probabilities are shown, or a contrast. */
type Change = "choice" | "focus" | "pin" | "target";

/** One explained answer, what of it is looked at, and who wants to know of changes. */
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
  /** Explains another answer and shows it instead of this one; null: there is no server. */
  askFor: ((answer: string) => void) | null = null;
  /** The row that the frames show. */
  step = 0;
  /** The target, by its place in the part, whose probabilities are shown. */
  target: number | null;
  contrast: Contrast | null = null;
  private readonly listeners: [Change, () => void][] = [];
  private readonly asked = new Map<string, Promise<Explanation>>();
  private hovered: Focus | null = null;
  private base: Focus | null = null;
  private pinned: Focus | null = null;

  /** Without `load` there is no server to ask. */
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

  /** Whether more can be asked: there is a server. */
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

  /** The attention on show; only where there is one. */
  get attention(): Shown {
    if (!this.shown) throw new Error("no attention is shown");
    return this.shown;
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
    this.choice = map ? wanted : this.firstChoice();
    if (map && typeof wanted?.head === "number" && wanted.head >= map.heads) {
      this.choice = { map: wanted.map, head: "mean" };
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

  /** Where few things are said, their probabilities are what one came for. */
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
    this.tell("focus");
  }

  hover(focus: Focus | null): void {
    if (same(this.hovered, focus)) return;
    this.hovered = focus;
    this.tell("focus");
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
    this.tell("focus");
  }

  /** Keeps the focus when the pointer leaves; the same again lets go of it. */
  pin(focus: Focus | null): void {
    this.pinned = same(this.pinned, focus) ? null : focus;
    this.tell("focus", "pin");
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
  private rowOf(shown: Shown | null, { map, row }: Target): number | null {
    const own = map === undefined ? null : this.explanation.maps[map];
    return shown && own === shown.map && row !== undefined ? shown.query.at(row) : null;
  }

  /** What was said at a place of an axis, or beneath it. */
  private saidAt(view: AxisView, place: number): number[] {
    return [...this.targetsAt(view, place), ...(this.beneath(view)?.[place] ?? [])];
  }

  /** What pointing at a place of an axis means. */
  focusAt(view: AxisView, place: number): Focus | null {
    const { shown, part } = this;
    if (shown?.query.id === view.id) return { row: place, column: null };
    const said = this.saidAt(view, place);
    const rows = said.map((k) => this.rowOf(shown, part.targets[k]));
    const row = rows.find((one) => one !== null);
    if (row !== undefined) return { row, column: null };
    if (shown?.key.id === view.id) return { row: null, column: place };
    if (said.length === 0) return null;
    const target = part.targets[said[0]];
    const own = this.ownChoice(target);
    const ownRow = this.rowOf(own && this.shownOf(own), target);
    return { row: ownRow, column: null, target: said[0] };
  }

  pinAt(view: AxisView, place: number): void {
    const [said] = this.saidAt(view, place);
    const focus = this.focusAt(view, place);
    const own = focus?.target === undefined ? null : this.part.targets[focus.target];
    const choice = own && this.ownChoice(own);
    if (choice) this.setChoice(choice);
    if (focus && (choice || !own)) this.pin({ row: focus.row, column: focus.column });
    if (said !== undefined) this.setTarget(said);
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
    labels.forEach((_, row) => {
      const outside = outsideOf(shown.map, shown.head, row);
      if (outside > 0) labels[row] += ` (outside ${shortNumber(outside)})`;
    });
    return labels;
  }

  /** Names of targets, as words where the attention on show is; tags stand behind what
   * they are said of. */
  targetLabels(targets: Target[]): string[] {
    return targets.map((target) => {
      const anchor = this.part.anchorOf(target);
      if (!anchor) {
        const said = this.part.axis(target.axis, this.shown?.byWord);
        return said.labels[said.at(target.item)] ?? "";
      }
      const said = this.part.label(target);
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

  // ---- What is asked for later

  /** Asks once; what there is to keep goes into the explanation. */
  private ask(
    key: string,
    options: ExplainOptions,
    keep = (more: Explanation) => addTo(this.explanation, more),
  ): Promise<Explanation> {
    let answer = this.asked.get(key);
    if (!answer) {
      if (!this.load) throw new Error("This page has no server to ask.");
      answer = this.load({ pictures: [], ...options }).then((more) => {
        keep(more);
        return more;
      });
      answer.catch(() => this.asked.delete(key));
      this.asked.set(key, answer);
    }
    return answer;
  }

  /** Attributions of the part by these methods; those that are there are not asked for. */
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

  /** One head of a map in numbers. */
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

  /** Pictures of these views, drawn where the explanation was made; of a scale that one
   * chose, or of these methods, drawn for them alone. */
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
    let asked: MadePicture[] = [];
    if (missing.length > 0 && this.canAsk) {
      const keep = (more: Explanation) => {
        if (isKept) kept.push(...(more.pictures ?? []));
        if (methods) addTo(explanation, more);
      };
      const options = { pictures: missing, scale, ...(methods && { methods }) };
      const more = await this.ask(`pictures ${JSON.stringify(options)}`, options, keep);
      asked = more.pictures ?? [];
    }
    const all = [...asked, ...kept.filter(({ view }) => !has(asked, view))];
    return all.filter(({ view, segment }) => segment === index && views.includes(view));
  }

  /** The part explained against another answer that has `contrast.label` in the place of
   * the target. */
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

  /** The part's answer with another word in one place. */
  private answerWith({ target, label }: Contrast): string {
    const { part } = this;
    const { answer, targets } = part;
    if (targets.length === 1) return label;
    const { axis, item } = targets[target];
    const alike = targets.filter((one) => one.axis === axis);
    const all = alike.map((one) => part.label(one));
    const bare = (text: string) => text.replace(/\s/g, "");
    const isAll = bare(answer).includes(bare(all.join("")));
    // What has columns is a list of completions, and not made of the words explained.
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
