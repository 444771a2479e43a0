import {
  colouring,
  h,
  MatrixFigure,
  needsAttention,
  type Shown,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";
import { Tile } from "./tile";

/** Returns blocks of reordered phrases, if they belong to the displayed attention. */
function movedBlocks(side: Side, shown: Shown): [number, number, number, number][] {
  const own = side.part.targets.find(
    ({ map }) => map !== undefined && side.explanation.maps[map] === shown.map,
  );
  if (!shown.map.moved || (own?.head ?? "mean") !== shown.head) return [];
  const { query, key } = shown;
  return shown.map.moved.map(([t, s, tEnd, sEnd]) => [
    query.at(t),
    key.at(s),
    query.at(tEnd - 1) + 1,
    key.at(sEnd - 1) + 1,
  ]);
}

/** Shows queries as rows and keys as columns; blocks of reordered phrases can be framed. */
function heatmapView(side: Side, options: ViewOptions): View {
  const shown = side.attention;
  const moved = options.moved ? movedBlocks(side, shown) : [];
  const figure = new MatrixFigure(
    {
      label: `Attention weights, ${shown.name}`,
      rowLabels: side.rowLabels(shown),
      columnLabels: shown.key.labels,
      values: shown.weights,
      ...colouring(options.scale, shown.weights, "attention weight"),
      framed: moved,
      numbers: options.numbers,
      width: options.width,
    },
    options.palette,
    side.events,
  );
  const phrases = moved.length === 1 ? "a phrase" : `${moved.length} phrases`;
  const frames = moved.length > 0 ? ` Framed: ${phrases} that changed place.` : "";
  const note =
    `Rows: ${shown.query.name}. Columns: ${shown.key.name}. A row's weights say how much it ` +
    `attends to each column.${frames}`;
  const tile = shown.map.pooled ? new Tile(side, shown, options) : null;
  return {
    element: h("div", figure.element, h("p.note", note), tile?.element),
    pictures: () => [figure.picture.svg],
    paint: () => {
      figure.picture.mark(side.focus);
      tile?.update();
    },
  };
}

export const heatmap: ViewRow = {
  name: "heatmap",
  title: "Heatmap",
  switches: ["numbers", "moved", "words", "scale"],
  accepts: needsAttention,
  make: heatmapView,
};
