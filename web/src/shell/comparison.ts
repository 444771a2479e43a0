import { h, MatrixFigure, mean, rowCorrelations, sameShape, shortNumber } from "../core";
import type { Palette, Side } from "../core";

/** Two sides set against each other: how far apart their weights are, and where. */
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
  const isSame =
    sameShape(x.weights, y.weights) &&
    x.key.labels.every((token, s) => token === y.key.labels[s]);
  if (!isSame) {
    const words =
      "The two attentions have other rows or columns (another text, or another length of the " +
      "answer), so they cannot be subtracted. Compare them by eye above.";
    element.append(h("p.note", words));
    return { element, pictures: [] };
  }
  const values = x.weights.map((row, t) =>
    row.map((weight, s) => weight - y.weights[t][s]),
  );
  const half = (row: number[]) => row.reduce((sum, one) => sum + Math.abs(one), 0) / 2;
  const distance = shortNumber(100 * mean(values.map(half)));
  const correlation = shortNumber(mean(rowCorrelations(x.weights, y.weights)));
  const [rowLabels, others] = [a.rowLabels(x), b.rowLabels(y)];
  const sameWords = rowLabels.every((token, t) => token === others[t]);
  const figure = new MatrixFigure(
    {
      label: "Difference of the two attentions",
      rowLabels,
      columnLabels: x.key.labels,
      values,
      top: 1,
      signed: true,
      legend: "difference of weights",
      width: Math.min(width, 900),
      largestCell: 24,
    },
    palette,
    {
      hover: (focus) => [a, b].forEach((side) => side.hover(focus)),
      pin: (focus) => [a, b].forEach((side) => side.pin(focus)),
    },
  );
  a.on("focus", () => figure.picture.mark(a.focus));
  const words =
    `On average ${distance} % of a row's weight lies elsewhere; mean rank correlation of the ` +
    `rows ${correlation}.` +
    (sameWords ? "" : " The answers differ: rows are compared by their position.");
  element.append(h("p.note.top", words), figure.element);
  return { element, pictures: [figure.picture.svg] };
}
