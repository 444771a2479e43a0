import type { Axis, AxisView } from "./explanation";
import type { Scale } from "./scale";
import type { Side } from "./side";
import type { Palette } from "./theme";

/** What a model is asked about: `text` names it on the page and in links, `request` goes
 * into the requests as it is. */
export interface Input {
  text: string;
  request: Record<string, unknown>;
}

/** The part of the form in which an input of a kind is entered. */
export interface InputField {
  element: HTMLElement;
  /** It holds a file, which no link can give. */
  holdsFile?: boolean;
  /** Null while nothing was entered. */
  read(): Input | null;
  /** Puts in what a link or an example gives. */
  write(text: string): void;
  /** Takes a file that an example is, as if it were chosen. */
  give?(input: Input): void;
  focus(): void;
}

export interface InputOptions {
  prompt: string;
  /** Media types that the task reads besides text. */
  mediaTypes: string[];
  id: string;
  /** The input is complete: run it. */
  submit(): void;
}

/** The axes of a kind as they stand above the views. */
export interface AxesOnShow {
  element: HTMLElement;
  /** Shows `side.stateOf` of each axis. */
  paint(): void;
  /** Pictures of their own, for a download. */
  pictures?(): SVGSVGElement[];
}

/** A kind of axis, and of input. */
export interface KindRow {
  name: string;
  input(options: InputOptions): InputField;
  /** Names of its items are words of the answer. */
  isWords?: boolean;
  /** What the items of an axis are called, in the plural; absent: items. */
  items?(axis: Axis): string;
  /** What the items of an axis hold changes at each step, so that no table has their values. */
  changes?(axis: Axis): boolean;
  /** An input in a few words, where its text is not fit to be read. */
  title?(text: string): string;
  /** Names of its items say little: attributions of them are the picture of heed/render,
   * not a table of cells. */
  isPictured?: boolean;
  /** All axes of this kind that a part of the answer has. */
  show(side: Side, axes: AxisView[]): AxesOnShow;
}

export interface ViewOptions {
  palette: Palette;
  /** Room for pictures. Units: pixels. */
  width: number;
  numbers: boolean;
  moved: boolean;
  scale: Scale;
  /** Methods of attribution; null: the usual ones. */
  methods: string[] | null;
  setMethods(methods: string[]): void;
}

/** A way to show what a side has chosen. It is made anew when the choice changes. */
export interface View {
  element: HTMLElement;
  /** The pictures on show, for a download. */
  pictures(): SVGSVGElement[];
  /** Shows the side's focus. */
  paint?(): void;
  /** What the keys of this view do; true if it was one of them. */
  key?(event: KeyboardEvent): boolean;
  close?(): void;
}

/** Switches of the tool bar that a view may heed. */
export type Switch = "numbers" | "moved" | "words" | "scale";

export interface ViewRow {
  name: string;
  title: string;
  switches: Switch[];
  /** The view of heed/render whose picture it shows, which is asked for at once. */
  picture?: string;
  /** It shows why an answer is not another. */
  contrasts?: boolean;
  /** Kinds of axes that it is made for, without which it has no tab; absent: any. */
  kinds?: string[];
  /** Whether it accepts depends on the attention on show, so that its tab stays. */
  byChoice?: boolean;
  /** It is shown first where it accepts, wherever its tab stands. */
  leads?: boolean;
  /** Null if it can show what is chosen, or else why it cannot. */
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

/** The kind of this name, or the first, which shows any axis by the names of its items. */
export function kindNamed(name: string): KindRow {
  const row = kinds.get(name) ?? [...kinds.values()][0];
  if (!row) throw new Error("no kind is registered");
  return row;
}

/** An input of a kind in one line. */
export function titleOf(kind: string, text: string, length = 160): string {
  const line = (kindNamed(kind).title?.(text) ?? text).replace(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

export function allViews(): ViewRow[] {
  return [...views.values()];
}

/** Whether a view can show an answer of these; before any is there, of any kind. */
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

/** Views of heed/render whose pictures are asked for with an explanation. */
export function picturesOfViews(): string[] {
  return [...new Set(allViews().flatMap(({ picture }) => picture ?? []))];
}

/** What most views need: an attention to show. */
export function needsAttention(side: Side): string | null {
  return side.shown
    ? null
    : "This model has no attention to show. Saliency shows what its answer depended on.";
}
