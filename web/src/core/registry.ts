import type { Axis, AxisView } from "./explanation";
import type { Scale } from "./scale";
import type { Side } from "./side";
import type { Palette } from "./theme";

/** Input of a model. `text` names it on the page and in links; `request` is part of the
 * requests. */
export interface Input {
  text: string;
  request: Record<string, unknown>;
}

/** Part of the form for inputs of a kind. */
export interface InputField {
  element: HTMLElement;
  /** True if the field holds a file, which a link cannot contain. */
  holdsFile?: boolean;
  /** Null if nothing was entered. */
  read(): Input | null;
  /** Sets a text from a link or an example. */
  write(text: string): void;
  /** Sets an example file as if chosen by the user. */
  give?(input: Input): void;
  focus(): void;
}

export interface InputOptions {
  prompt: string;
  /** Media types that the task reads besides text. */
  mediaTypes: string[];
  id: string;
  /** Runs the complete input. */
  submit(): void;
}

/** Axes of a kind, displayed above the views. */
export interface AxesOnShow {
  element: HTMLElement;
  /** Updates the display to `side.stateOf` of each axis. */
  paint(): void;
  /** Returns separate pictures for a download. */
  pictures?(): SVGSVGElement[];
}

/** A kind of axis and of input. */
export interface KindRow {
  name: string;
  input(options: InputOptions): InputField;
  /** True if item names are words of the answer. */
  isWords?: boolean;
  /** Returns the plural name of the items of an axis; absent: "items". */
  items?(axis: Axis): string;
  /** True if item contents change at each step, so that a table cannot show their
   * values. */
  changes?(axis: Axis): boolean;
  /** Returns a short description of an input whose text is not readable. */
  title?(text: string): string;
  /** True if item names are not meaningful: attributions are then shown by a picture of
   * heed/render instead of a table. */
  isPictured?: boolean;
  /** Shows all axes of this kind in a part of the answer. */
  show(side: Side, axes: AxisView[]): AxesOnShow;
}

export interface ViewOptions {
  palette: Palette;
  /** Width available for pictures. Units: pixels. */
  width: number;
  numbers: boolean;
  moved: boolean;
  scale: Scale;
  /** Attribution methods; null: the defaults. */
  methods: string[] | null;
  setMethods(methods: string[]): void;
}

/** A view of a side's selection. A new one is created when the selection changes. */
export interface View {
  element: HTMLElement;
  /** Returns the displayed pictures for a download. */
  pictures(): SVGSVGElement[];
  /** Updates the display to the side's focus. */
  paint?(): void;
  /** Handles a key; returns true if the view uses it. */
  key?(event: KeyboardEvent): boolean;
  close?(): void;
}

/** Switches of the tool bar that a view may support. */
export type Switch = "numbers" | "moved" | "words" | "scale";

export interface ViewRow {
  name: string;
  title: string;
  switches: Switch[];
  /** View of heed/render whose picture is requested with the explanation. */
  picture?: string;
  /** True if the view shows contrastive explanations. */
  contrasts?: boolean;
  /** Kinds of axes that the view supports; without them it has no tab; absent: all. */
  kinds?: string[];
  /** True if `accepts` depends on the selected attention; the tab then always remains. */
  byChoice?: boolean;
  /** True if the view is the default where it accepts, regardless of the order of tabs. */
  leads?: boolean;
  /** Returns null if the view can show the selection, or else the reason why not. */
  accepts(side: Side): string | null;
  make(side: Side, options: ViewOptions): View;
}

const kinds = new Map<string, KindRow>();
const views = new Map<string, ViewRow>();

export function registerKind(row: KindRow): void {
  kinds.set(row.name, row);
}

export function registerView(row: ViewRow): void {
  views.set(row.name, row);
}

export function hasKind(name: string): boolean {
  return kinds.has(name);
}

/** Returns the kind of this name, or the first kind, which shows any axis by its item
 * names. */
export function kindNamed(name: string): KindRow {
  const row = kinds.get(name) ?? [...kinds.values()][0];
  if (!row) throw new Error("no kind is registered");
  return row;
}

/** Returns an input of a kind in one line. */
export function titleOf(kind: string, text: string, length = 160): string {
  const line = (kindNamed(kind).title?.(text) ?? text).replace(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

export function allViews(): ViewRow[] {
  return [...views.values()];
}

/** True if a view can show one of the answers; without answers, if it supports all
 * kinds. */
export function canShow(view: ViewRow, sides: Side[]): boolean {
  if (sides.length === 0) return !view.kinds;
  const kinds = sides.flatMap(({ explanation }) =>
    Object.values(explanation.axes).map(({ kind }) => kind),
  );
  if (view.kinds && !view.kinds.some((kind) => kinds.includes(kind))) return false;
  return sides.some(
    (side) => view.accepts(side) === null || (view.byChoice && side.shown !== null),
  );
}

/** Returns the views of heed/render whose pictures are requested with an explanation. */
export function picturesOfViews(): string[] {
  return [...new Set(allViews().flatMap(({ picture }) => picture ?? []))];
}

/** Default of `accepts`: requires an attention map. */
export function needsAttention(side: Side): string | null {
  return side.shown
    ? null
    : "This model has no attention to show. Saliency shows what its answer depended on.";
}
