import type { Rows } from "./explanation";

/** Returns ranks from 1; equal values share the mean of their ranks. */
function ranks(values: number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  const rank = new Array<number>(values.length);
  for (let begin = 0; begin < order.length; ) {
    let end = begin;
    while (end < order.length && values[order[end]] === values[order[begin]]) ++end;
    for (let i = begin; i < end; ++i) rank[order[i]] = (begin + end + 1) / 2;
    begin = end;
  }
  return rank;
}

/** Spearman's rank correlation; NaN for constant values or fewer than two values. */
function rankCorrelation(a: number[], b: number[]): number {
  if (a.length < 2 || a.length !== b.length) return NaN;
  const [x, y] = [ranks(a), ranks(b)];
  const mean = (a.length + 1) / 2;
  let xy = 0;
  let xx = 0;
  let yy = 0;
  for (let i = 0; i < a.length; ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) ** 2;
    yy += (y[i] - mean) ** 2;
  }
  return xx === 0 || yy === 0 ? NaN : xy / Math.sqrt(xx * yy);
}

/** Returns the rank correlation of each pair of rows. */
export function rowCorrelations(a: Rows, b: Rows): number[] {
  return a.map((row, t) => rankCorrelation(row, b[t] ?? []));
}

/** Returns the mean of all values except NaN; NaN if there are none. */
export function mean(values: number[]): number {
  const numbers = values.filter((value) => !Number.isNaN(value));
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

/** Returns the largest finite absolute value; 0 if there are none. */
export function largest(rows: Rows): number {
  let max = 0;
  for (const row of rows) {
    for (const value of row) {
      if (Number.isFinite(value)) max = Math.max(max, Math.abs(value));
    }
  }
  return max;
}

/** Formats a number for a line of text: two decimals, or the first significant one. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value < 0 ? "−∞" : "∞";
  const size = Math.abs(value);
  const text =
    size >= 100
      ? value.toFixed(0)
      : size >= 10
        ? value.toFixed(1)
        : size >= 0.01 || size < 5e-7
          ? value.toFixed(2)
          : size >= 1e-4
            ? value.toPrecision(1)
            : value.toExponential(0);
  return text.replaceAll("-", "−");
}

/** Formats a number for a cell of a matrix whose maximum is `top`. */
export function cellNumber(value: number, top: number): string {
  if (!Number.isFinite(value) || top < 0.1) return shortNumber(value);
  return value.toFixed(top >= 100 ? 0 : top >= 10 ? 1 : 2).replace("-", "−");
}
