type Child = Node | string | null | undefined;
type Listeners = {
  [E in keyof HTMLElementEventMap as `on${E}`]?: (event: HTMLElementEventMap[E]) => void;
};
export interface Attributes extends Listeners {
  [name: string]: string | number | boolean | null | undefined | ((event: never) => void);
}

function isChild(value: Attributes | Child): value is Child {
  return value == null || typeof value === "string" || value instanceof Node;
}

/** Creates an element from its tag and classes ("p.note"), optional attributes and
 * children. False and null attributes are omitted, true ones are empty, functions are
 * listeners ("onclick"). */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K | `${K}.${string}`,
  ...rest: [Attributes, ...Child[]] | Child[]
): HTMLElementTagNameMap[K] {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag as K);
  if (classes.length > 0) element.className = classes.join(" ");
  const [first] = rest;
  const children = (isChild(first) ? rest : rest.slice(1)) as Child[];
  for (const [key, value] of Object.entries(isChild(first) ? {} : first)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") {
      element.addEventListener(key.slice(2), value as EventListener);
    } else {
      element.setAttribute(key, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function button(
  name: string,
  attributes: Attributes,
  work: () => void,
): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: "plain", onclick: work, ...attributes },
    name,
  );
}

/** Returns the element of index.html with this id. Throws an Error if it is missing. */
export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element #${id}`);
  return element as T;
}

/** Makes only the current element reachable by Tab; arrow keys move among the others. */
export function rove(elements: HTMLElement[], current: number): void {
  elements.forEach((element, i) => (element.tabIndex = i === current ? 0 : -1));
}

export function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(value, max));
}

/** Returns the rows and columns by which an arrow key moves; null for other keys. */
export function arrowStep(event: KeyboardEvent): [number, number] | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const steps: Record<string, [number, number]> = {
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    Home: [0, -Infinity],
    End: [0, Infinity],
  };
  return steps[event.key] ?? null;
}

/** Calls `look` with the result of `find` when the pointer is over an element or it
 * gets keyboard focus (no event). Calls it with null when pointer or focus leaves. */
export function onLook<T>(
  element: Element,
  look: (at: T | null) => void,
  find: (event?: PointerEvent) => T | null,
): void {
  const point = (event: Event) => {
    const pointer = event as PointerEvent;
    if (pointer.pointerType === "mouse") look(find(pointer));
  };
  element.addEventListener("pointerenter", point);
  element.addEventListener("pointermove", point);
  element.addEventListener("pointerleave", () => look(null));
  element.addEventListener("focus", () => {
    if (element.matches(":focus-visible")) look(find());
  });
  element.addEventListener("blur", () => look(null));
}

/** Returns the message of an error. */
export function errorWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const fontFamily =
  'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif';

const pen = document.createElement("canvas").getContext("2d");
const widths = new Map<string, number>();

/** Returns the width of a text in the pictures' font. Units: pixels. */
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

/** Truncates a text to `width` pixels, with an ellipsis. */
export function fitText(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && textWidth(`${characters.join("")}…`, size) > width) {
    characters.pop();
  }
  return `${characters.join("")}…`;
}

/** Isolates the text direction of a name within a sentence. */
export function isolate(text = ""): string {
  return `\u2068${text}\u2069`;
}

/** Returns the text direction of a line of words, from its first letter. */
export function directionOf(words: string[]): "ltr" | "rtl" {
  const line = words.filter((word) => !/^<.*>$/.test(word)).join("");
  const [letter] = /\p{L}/u.exec(line) ?? [""];
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(letter) ? "rtl" : "ltr";
}
