/** A view of its own: how much attention each colour has, however many cells. */
import { h, needsAttention, type View, type ViewRow } from "heed-page/core";

/** What the rows on show attend to, summed by colour. */
function sumsOf(colours: string[], weights: number[][]): Map<string, number> {
  const sums = new Map(colours.map((colour) => [colour, 0]));
  for (const row of weights) {
    row.forEach((weight, i) =>
      sums.set(colours[i], (sums.get(colours[i]) ?? 0) + weight),
    );
  }
  return sums;
}

export const colours: ViewRow = {
  name: "colours",
  title: "Colours",
  switches: [],
  accepts: (side) =>
    needsAttention(side) ??
    (side.shown?.key.axis.kind === "strip" ? null : "Only strips have colours."),
  make(side): View {
    const { key, weights } = side.attention;
    const { colours } = key.axis.payload as { colours: string[] };
    const lines = [...sumsOf(colours, weights)].map(([colour, sum]) =>
      h("li.colour-sum", `${colour} ${sum.toFixed(2)}`),
    );
    return { element: h("ul", ...lines), pictures: () => [] };
  },
};
