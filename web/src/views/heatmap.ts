import { choiceName, movedCells } from "../explanation";
import { MatrixFigure } from "../figure";
import { axisName, type Side } from "../side";
import { h } from "../dom";
import type { View, ViewOptions } from "./view";

/** Rows look at columns; cells off the diagonal can be framed. */
export function heatmapView(side: Side, options: ViewOptions): View {
  const { map, choice, explanation } = side;
  if (!map || !choice) throw new Error("nothing is chosen");
  const crosses = map.queries !== map.keys && explanation.task === "translate";
  const moved = options.moved && crosses ? movedCells(map.weights) : [];
  const figure = new MatrixFigure(
    {
      label: `Attention weights, ${choiceName(explanation, choice)}`,
      rowLabels: rowLabels(side),
      columnLabels: side.labels(map.columnTokens),
      values: map.weights,
      top: 1,
      framed: moved,
      numbers: options.numbers,
      scale: "attention weight",
      width: options.width,
    },
    options.palette,
    side.events,
  );
  const rows = axisName(map.queries, false, explanation.task);
  const columns = axisName(map.keys, true, explanation.task);
  const note =
    `Each row is a token of the ${rows}; its weights say how much it looks at the columns, ` +
    `the ${columns}.` +
    (moved.length > 0
      ? ` Framed: ${moved.length === 1 ? "a token whose" : `${moved.length} tokens whose`} ` +
        "strongest link lies off the diagonal, where words change their place."
      : "");
  return {
    element: h("div", {}, figure.element, h("p", { class: "note" }, note)),
    pictures: () => [figure.picture.svg],
    paint: () => figure.picture.mark(side.focus),
  };
}

/** Names of the rows of the chosen attention; those of tags stand beside their words. */
export function rowLabels(side: Side): string[] {
  if (!side.map) return [];
  const wrote = side.map.rowTokens.length === side.explanation.target.length;
  if (side.map.queries === "target" && side.tags && wrote) return side.targetLabels();
  return side.labels(side.map.rowTokens);
}
