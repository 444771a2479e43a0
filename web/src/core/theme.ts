/** Colours of the page and its pictures, light and dark, equal to those of files of
 * `heed explain`. Style sheets use them as "--name". */
const colours = {
  page: ["#f4f6f9", "#0a0e14"],
  paper: ["#ffffff", "#10151d"],
  field: ["#edf1f6", "#1b2431"],
  tint: ["#e7edf4", "#1c2734"],
  line: ["#c9d1db", "#364152"],
  edge: ["#7c8795", "#6d7a8b"],
  text: ["#24292f", "#d5dce6"],
  title: ["#101418", "#f2f5f9"],
  quiet: ["#56606b", "#9aa7b7"],
  ink: ["#0b4a94", "#8ccbff"],
  "on-ink": ["#ffffff", "#06121f"],
  negative: ["#b63a06", "#ff9f5a"],
  moved: ["#c2410c", "#ff9f5a"],
  warn: ["#983303", "#ffb37d"],
  "warn-field": ["#fff4ec", "#2a1a10"],
};

/** Seven colours. With five shapes they give 35 distinct marks. */
const kinds = [
  ["#0b4a94", "#a84a04", "#2a7541", "#7b3fa0", "#7a6000", "#56606b", "#b0286b"],
  ["#8ccbff", "#ffb273", "#7fd39a", "#d3a6f2", "#e6cf6a", "#9aa7b7", "#ff8fb8"],
];

/** `kinds`: colours of the kinds of attention in a plot, or of the lines of a series. */
export type Palette = Record<keyof typeof colours, string> & { kinds: string[] };

const palettes = kinds.map((ofKinds, i) => {
  const pairs = Object.entries(colours).map(([name, both]) => [name, both[i]]);
  return { ...Object.fromEntries(pairs), kinds: ofKinds } as Palette;
});

type Theme = "auto" | "light" | "dark";

const storedTheme = "heed-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const paper = matchMedia("print");
const listeners: (() => void)[] = [];

/** Reads or writes the stored theme; without storage (some local files) returns null. */
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

/** True if the page is dark; printed pages are light. */
export function isDark(): boolean {
  if (paper.matches) return false;
  return chosen === "auto" ? system.matches : chosen === "dark";
}

export function palette(): Palette {
  return palettes[isDark() ? 1 : 0];
}

function apply(): void {
  const { style } = document.documentElement;
  style.colorScheme = isDark() ? "dark" : "light";
  const now = palette();
  for (const name of Object.keys(colours) as (keyof typeof colours)[]) {
    style.setProperty(`--${name}`, now[name]);
  }
  for (const listener of listeners) listener();
}

apply();
system.addEventListener("change", apply);
paper.addEventListener("change", apply);

/** Switches between light and dark. The system's own choice is not stored. */
export function switchTheme(): void {
  const next = isDark() ? "light" : "dark";
  chosen = (next === "dark") === system.matches ? "auto" : next;
  stored(chosen);
  apply();
}

/** Registers a listener to colour changes. */
export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** Blends `strength` (0 to 1) of one colour with another; returns red, green, blue. */
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

/** WCAG contrast ratio, 1 to 21. */
function contrast(a: number[], b: number[]): number {
  const [x, y] = [luminance(a), luminance(b)].sort((one, other) => other - one);
  return (x + 0.05) / (y + 0.05);
}

/** Returns a readable text colour on this strength of a colour: the default colour if
 * its contrast is sufficient, or else white or black. */
export function textOn(
  p: Palette,
  strength: number,
  colour = p.ink,
  on = p.field,
): string {
  const below = blend(on, colour, Math.min(1, Math.max(0, strength)));
  const isReadable = (one: string) => contrast(channels(one), below) >= 4.55;
  return [p.text, "#ffffff"].find(isReadable) ?? "#000000";
}
