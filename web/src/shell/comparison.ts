import { h } from "../core/dom";
import { MatrixFigure } from "../core/figure";
import { mean, rowCorrelations, sameShape, shortNumber } from "../core/numbers";
import type { Side } from "../core/side";
import type { Palette } from "../core/theme";

/** Two sides set against each other: how far apart their weights are, and where. */
export function compareSides(
  a: Side,
  b: Side,
  palette: Palette,
  width: number,
): { element: HTMLElement; pictures: SVGSVGElement[] } {
  const element = h(
    "section",
    { class: "card comparison", "aria-label": "Difference" },
    h("h2", {}, "First minus second"),
  );
  const [x, y] = [a.shown, b.shown];
  if (!x || !y) return { element: h("div"), pictures: [] };
  const same =
    sameShape(x.weights, y.weights) &&
    x.key.labels.every((token, s) => token === y.key.labels[s]);
  if (!same) {
    element.append(
      h(
        "p",
        { class: "note" },
        "The two attentions have other rows or columns (another text, or another length of the " +
          "answer), so they cannot be subtracted. Compare them by eye above.",
      ),
    );
    return { element, pictures: [] };
  }
  const differences = x.weights.map((row, t) =>
    row.map((weight, s) => weight - y.weights[t][s]),
  );
  const distance = mean(
    differences.map((row) => row.reduce((sum, value) => sum + Math.abs(value), 0) / 2),
  );
  const correlation = mean(rowCorrelations(x.weights, y.weights));
  const [rows, others] = [a.rowLabels(x), b.rowLabels(y)];
  const sameWords = rows.every((token, t) => token === others[t]);
  const figure = new MatrixFigure(
    {
      label: "Difference of the two attentions",
      rowLabels: rows,
      columnLabels: x.key.labels,
      values: differences,
      top: 1,
      signed: true,
      legend: "difference of weights",
      width: Math.min(width, 900),
      largestCell: 24,
    },
    palette,
    {
      hover: (focus) => {
        a.hover(focus);
        b.hover(focus);
      },
      pin: (focus) => {
        a.pin(focus);
        b.pin(focus);
      },
    },
  );
  const paint = () => figure.picture.mark(a.focus);
  a.focusListeners.push(paint);
  element.append(
    h(
      "p",
      { class: "note top" },
      `On average ${shortNumber(100 * distance)} % of a row's weight lies elsewhere; mean rank ` +
        `correlation of the rows ${shortNumber(correlation)}.` +
        (sameWords ? "" : " The answers differ: rows are compared by their position."),
    ),
    figure.element,
  );
  return { element, pictures: [figure.picture.svg] };
}
