import { h, MatrixFigure, mean, rowCorrelations, shortNumber } from "../core";
import type { Palette, Rows, Side } from "../core";

/** Pairs of aligned positions of two lists. */
type Pairs = [number, number][];

/** Above this number of pairs, lists are aligned only by position. */
const mostPairs = 4_000_000;

/** Aligns lists by position if equally long, or else by longest common subsequence. */
function alignLists(a: string[], b: string[]): Pairs {
  if (a.length === b.length || a.length * b.length > mostPairs) {
    return a.slice(0, b.length).map((_, i) => [i, i]);
  }
  const lengths = Array.from({ length: a.length + 1 }, () =>
    new Array<number>(b.length + 1).fill(0),
  );
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j) {
      lengths[i][j] =
        a[i] === b[j]
          ? lengths[i + 1][j + 1] + 1
          : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const pairs: Pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (lengths[i + 1][j] >= lengths[i][j + 1]) ++i;
    else ++j;
  }
  return pairs;
}

/** Returns one name, or both names if they differ. */
function namesOf(pairs: Pairs, a: string[], b: string[]): string[] {
  return pairs.map(([i, j]) => (a[i] === b[j] ? a[i] : `${a[i]} / ${b[j]}`));
}

/** Shows targets of both sides with their probabilities side by side; null: none. */
function probabilities(a: Side, b: Side): HTMLElement | null {
  const [x, y] = [a.part, b.part].map((part) =>
    part.targets.filter(({ probability }) => probability != null),
  );
  const [left, right] = [
    x.map((one) => a.part.label(one)),
    y.map((one) => b.part.label(one)),
  ];
  const rows = alignLists(left, right).map(([i, j]) =>
    h(
      "tr",
      h("th", { scope: "row" }, namesOf([[i, j]], left, right)[0]),
      h("td", (x[i].probability ?? 0).toFixed(3)),
      h("td", (y[j].probability ?? 0).toFixed(3)),
    ),
  );
  if (rows.length === 0) return null;
  const head = ["Answer", "First", "Second"].map((name) =>
    h("th", { scope: "col" }, name),
  );
  return h("table.probabilities", h("thead", h("tr", ...head)), h("tbody", ...rows));
}

/** Compares two sides: size and place of the differences between their weights. */
export function compareSides(
  a: Side,
  b: Side,
  palette: Palette,
  width: number,
): { element: HTMLElement; pictures: SVGSVGElement[] } | null {
  const [x, y] = [a.shown, b.shown];
  if (!x || !y) return null;
  const title = h("h2", "First minus second");
  const element = h("section.card.comparison", { "aria-label": "Difference" }, title);
  const [rowLabels, others] = [a.rowLabels(x), b.rowLabels(y)];
  const rows = alignLists(rowLabels, others);
  const columns = alignLists(x.key.labels, y.key.labels);
  const beside = probabilities(a, b);
  if (rows.length === 0 || columns.length === 0) {
    const words =
      "The two attentions have no row or no column in common. Compare them above.";
    element.append(h("p.note", words), ...(beside ? [beside] : []));
    return { element, pictures: [] };
  }
  const chosen = (weights: Rows, k: 0 | 1) =>
    rows.map((row) => columns.map((column) => weights[row[k]][column[k]] ?? 0));
  const [first, second] = [chosen(x.weights, 0), chosen(y.weights, 1)];
  const values = first.map((row, t) => row.map((weight, s) => weight - second[t][s]));
  const half = (row: number[]) => row.reduce((sum, one) => sum + Math.abs(one), 0) / 2;
  const distance = shortNumber(100 * mean(values.map(half)));
  const correlation = shortNumber(mean(rowCorrelations(first, second)));
  const figure = new MatrixFigure(
    {
      label: "Difference of the two attentions",
      rowLabels: namesOf(rows, rowLabels, others),
      columnLabels: namesOf(columns, x.key.labels, y.key.labels),
      values,
      top: 1,
      signed: true,
      legend: "difference of weights",
      width: Math.min(width, 900),
      largestCell: 24,
    },
    palette,
    {
      hover: (focus) => at(focus, (side, place) => side.hover(place)),
      pin: (focus) => at(focus, (side, place) => side.pin(place)),
    },
  );
  type Focus = Side["focus"];
  /** Applies an action to both sides, each at its own positions. */
  const at = (focus: Focus, work: (side: Side, place: Focus) => void) =>
    [a, b].forEach((side, k) =>
      work(
        side,
        focus && {
          row: focus.row === null ? null : rows[focus.row][k],
          column: focus.column === null ? null : columns[focus.column][k],
        },
      ),
    );
  a.on("focus", () => {
    const { row = null, column = null } = a.focus ?? {};
    const find = (pairs: Pairs, place: number | null) =>
      place === null ? null : pairs.findIndex(([i]) => i === place);
    const place = { row: find(rows, row), column: find(columns, column) };
    const isShown = place.row !== -1 && place.column !== -1;
    figure.picture.mark(a.focus && isShown ? place : null);
  });
  const isWhole =
    rows.length === Math.max(rowLabels.length, others.length) &&
    columns.length === Math.max(x.key.labels.length, y.key.labels.length);
  const differs = rows.some(([i, j]) => rowLabels[i] !== others[j]);
  const words =
    `On average ${distance} % of a row's weight differs; mean rank correlation of the ` +
    `rows ${correlation}.` +
    (differs ? " The answers differ: rows are compared by their position." : "") +
    (isWhole ? "" : " Parts that only one text has are left out.");
  element.append(h("p.note.top", words), figure.element, ...(beside ? [beside] : []));
  return { element, pictures: [figure.picture.svg] };
}
