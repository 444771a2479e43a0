/** Colours of the pictures: those of `heed explain`'s files, for light and dark. */
export interface Palette {
  paper: string;
  field: string;
  ink: string;
  negative: string;
  text: string;
  title: string;
  quiet: string;
  line: string;
  moved: string;
  /** One for each kind of attention in a plot, or each line of a series. */
  kinds: string[];
}

const light: Palette = {
  paper: "#ffffff",
  field: "#edf1f6",
  ink: "#0b4a94",
  negative: "#b63a06",
  text: "#24292f",
  title: "#101418",
  quiet: "#56606b",
  line: "#c9d1db",
  moved: "#c2410c",
  kinds: ["#0b4a94", "#a84a04", "#2a7541", "#7b3fa0", "#7a6000"],
};

const dark: Palette = {
  paper: "#10151d",
  field: "#1b2431",
  ink: "#8ccbff",
  negative: "#ff9f5a",
  text: "#d5dce6",
  title: "#f2f5f9",
  quiet: "#9aa7b7",
  line: "#364152",
  moved: "#ff9f5a",
  kinds: ["#8ccbff", "#ffb273", "#7fd39a", "#d3a6f2", "#e6cf6a"],
};

export type Theme = "auto" | "light" | "dark";

const storedTheme = "heed-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const paper = matchMedia("print");
const listeners: (() => void)[] = [];

/** A page without storage, as from some files, forgets. */
function stored(value?: Theme): Theme | null {
  try {
    if (value === "auto") localStorage.removeItem(storedTheme);
    else if (value) localStorage.setItem(storedTheme, value);
    return localStorage.getItem(storedTheme) as Theme | null;
  } catch {
    return null;
  }
}

let chosen = stored() ?? "auto";

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

/** Paper is light. */
export function isDark(): boolean {
  if (paper.matches) return false;
  return chosen === "auto" ? system.matches : chosen === "dark";
}

apply();
system.addEventListener("change", apply);
paper.addEventListener("change", apply);

export function palette(): Palette {
  return isDark() ? dark : light;
}

/** Light becomes dark and back; the system's own choice is not stored. */
export function switchTheme(): void {
  const next = isDark() ? "light" : "dark";
  chosen = (next === "dark") === system.matches ? "auto" : next;
  stored(chosen);
  apply();
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** `strength` of one colour on another, from 0 to 1: red, green, blue. */
export function blend(on: string, colour: string, strength: number): number[] {
  const [below, above] = [channels(on), channels(colour)];
  return below.map((value, c) => value + (above[c] - value) * strength);
}

function luminance(rgb: number[]): number {
  const [r, g, b] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** WCAG's contrast, 1 to 21. */
export function contrast(a: number[], b: number[]): number {
  const [x, y] = [luminance(a), luminance(b)].sort((one, other) => other - one);
  return (x + 0.05) / (y + 0.05);
}

/** A colour of text that can be read on this strength of a colour: the usual one as long
 * as that can. */
export function textOn(
  p: Palette,
  strength: number,
  colour = p.ink,
  on = p.field,
): string {
  const below = blend(on, colour, Math.min(1, Math.max(0, strength)));
  const usual = contrast(channels(p.text), below) >= 4.6;
  if (usual) return p.text;
  const [white, black] = ["#ffffff", "#000000"];
  return contrast(channels(white), below) > contrast(channels(black), below)
    ? white
    : black;
}
