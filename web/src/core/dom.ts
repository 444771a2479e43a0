type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined>;

/** An element with attributes and children; attributes that are false or null are left
 * out, true ones are empty. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The element with this id, which index.html has. */
export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element #${id}`);
  return element as T;
}

/** Of elements among which arrow keys move, only one is on the way of Tab. */
export function rove(elements: HTMLElement[], current: number): void {
  elements.forEach((element, i) => (element.tabIndex = i === current ? 0 : -1));
}

/** The place that a key leads to in rows of `columns`, or null if it leads nowhere. */
export function stepInGrid(
  key: string,
  at: number,
  count: number,
  columns: number,
): number | null {
  const steps: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at - columns,
    ArrowDown: at + columns,
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined || to < 0 || to >= count ? null : to;
}

export const fontFamily =
  'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif';

const pen = document.createElement("canvas").getContext("2d");
const widths = new Map<string, number>();

/** Width of a text in the pictures' font. Units: pixels. */
export function textWidth(text: string, size: number, weight = 400): number {
  if (!pen) return text.length * size * 0.6;
  const key = `${weight} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20_000) widths.clear();
    pen.font = `${weight} 16px ${fontFamily}`;
    widths.set(key, (width = pen.measureText(text).width / 16));
  }
  return width * size;
}

/** A name inside a sentence keeps its own direction and leaves the sentence its own. */
export function isolate(text: string): string {
  return `\u2068${text}\u2069`;
}

/** The direction in which a line of these words runs: that of the first letter. */
export function directionOf(words: string[]): "ltr" | "rtl" {
  const [letter] = /\p{L}/u.exec(
    words.filter((word) => !/^<.*>$/.test(word)).join(""),
  ) ?? [""];
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(letter) ? "rtl" : "ltr";
}

export function button(
  name: string,
  attributes: Attributes,
  work: () => void,
): HTMLButtonElement {
  const element = h("button", { type: "button", class: "plain", ...attributes }, name);
  element.addEventListener("click", work);
  return element;
}

/** The text cut to `width` pixels, with an ellipsis. */
export function fitText(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && textWidth(`${characters.join("")}…`, size) > width) {
    characters.pop();
  }
  return `${characters.join("")}…`;
}
