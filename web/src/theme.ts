/** Colours of the pictures: those of `heed explain`'s files, for light and dark. */
export interface Palette {
  paper: string;
  field: string;
  ink: string;
  negative: string;
  onInk: string;
  text: string;
  title: string;
  quiet: string;
  line: string;
  moved: string;
  /** One for each kind of attention in a plot. */
  kinds: string[];
}

const light: Palette = {
  paper: "#ffffff",
  field: "#edf1f6",
  ink: "#0b4a94",
  negative: "#c2410c",
  onInk: "#ffffff",
  text: "#24292f",
  title: "#101418",
  quiet: "#5b6570",
  line: "#c9d1db",
  moved: "#d9480f",
  kinds: ["#0b4a94", "#b4530a", "#2d7d46", "#7b3fa0", "#8a6d00"],
};

const dark: Palette = {
  paper: "#10151d",
  field: "#1b2431",
  ink: "#8ccbff",
  negative: "#ff9f5a",
  onInk: "#06121f",
  text: "#d5dce6",
  title: "#f2f5f9",
  quiet: "#93a0b0",
  line: "#364152",
  moved: "#ff9f5a",
  kinds: ["#8ccbff", "#ffb273", "#7fd39a", "#d3a6f2", "#e6cf6a"],
};

export type Theme = "auto" | "light" | "dark";

const storedTheme = "heed-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let chosen = (localStorage.getItem(storedTheme) as Theme | null) ?? "auto";

function apply(): void {
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  for (const listener of listeners) listener();
}

apply();
system.addEventListener("change", () => apply());

export function isDark(): boolean {
  return chosen === "auto" ? system.matches : chosen === "dark";
}

export function palette(): Palette {
  return isDark() ? dark : light;
}

/** Light becomes dark and back; the system's own choice is not stored. */
export function switchTheme(): void {
  const next = isDark() ? "light" : "dark";
  chosen = (next === "dark") === system.matches ? "auto" : next;
  if (chosen === "auto") localStorage.removeItem(storedTheme);
  else localStorage.setItem(storedTheme, chosen);
  apply();
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}
