import type { Rows } from "./explanation";
import { largest, shortNumber } from "./numbers";

/** Meaning of full colour. */
export type Scale = "auto" | "absolute" | "row" | "picture";

export const scaleNames: Record<Scale, string> = {
  auto: "Colours: automatic",
  absolute: "Colours: absolute",
  row: "Colours: by row",
  picture: "Colours: by picture",
};

export interface Colouring {
  /** Value of full colour, for all rows or per row. */
  top: number | number[];
  /** Text of the legend. */
  legend: string;
}

/** Returns the colour scale. By default, weights without any above 0.3 are scaled to
 * their maximum, others to 1. */
export function colouring(scale: Scale, rows: Rows, what: string): Colouring {
  const max = largest(rows) || 1;
  const chosen = scale === "auto" ? (max < 0.3 ? "picture" : "absolute") : scale;
  if (chosen === "row") {
    return {
      top: rows.map((row) => largest([row]) || 1),
      legend: `${what}, of the row's largest`,
    };
  }
  if (chosen === "absolute") return { top: 1, legend: `${what}, 0 to 1` };
  return { top: max, legend: `${what}, up to this picture's ${shortNumber(max)}` };
}

/** Returns the share of full colour of a value in a row, -1 to 1. */
export function strengthOf({ top }: Colouring, value: number, row: number): number {
  const max = typeof top === "number" ? top : (top[row] ?? 1);
  return Number.isFinite(value) ? Math.max(-1, Math.min(1, value / max)) : 0;
}
