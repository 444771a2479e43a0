import { scaleLinear } from "d3-scale";

import { h } from "../dom";
import { headFigure, headName, layerName, type Choice } from "../explanation";
import type { Side } from "../side";
import { shortNumber } from "../statistics";
import { addText, newPicture, round } from "../svg";
import type { Palette } from "../theme";
import type { View, ViewOptions } from "./view";

interface Head {
  choice: Choice;
  layer: string;
  name: string;
  kind: string;
  entropy: number;
  distance: number;
}

/** "Encoder 1 · self" is of the kind "Encoder · self". */
function headsOf(side: Side): Head[] {
  return side.explanation.layers.flatMap((layer, l) =>
    layer.weights.map((_, head): Head => {
      const name = layerName(layer.layer);
      return {
        choice: { layer: l, head },
        layer: name,
        name: headName(head),
        kind: name.replace(/ \d+/g, ""),
        entropy: headFigure(layer, "entropy", head),
        distance: headFigure(layer, "distance", head),
      };
    }),
  );
}

function isChosen(side: Side, head: Head): boolean {
  const { choice, explanation } = side;
  if (!choice || choice.layer !== head.choice.layer) return false;
  return choice.head === head.choice.head || explanation.layers[choice.layer].heads === 1;
}

/** Where an axis looks at itself, distance is counted in positions; else it is a share of
 * the length. Each has its own plot. */
function drawPlot(
  side: Side,
  heads: Head[],
  crosses: boolean,
  width: number,
  p: Palette,
): SVGSVGElement {
  const kinds = [...new Set(heads.map((head) => head.kind))];
  const [left, right] = [44, width - 14];
  const top = 16 + 18 * kinds.length;
  const bottom = top + Math.min(240, width * 0.6);
  const most = (values: number[]) =>
    Math.max(...values.filter(Number.isFinite), 0.2) * 1.06;
  const x = scaleLinear(
    [0, most(heads.map((head) => head.distance))],
    [left, right],
  ).nice(5);
  const y = scaleLinear([0, most(heads.map((head) => head.entropy))], [bottom, top]).nice(
    5,
  );
  const unit = crosses ? "share of the length" : "positions";
  const picture = newPicture(
    width,
    bottom + 40,
    `Entropy of heads against distance, ${unit}`,
  );
  const quiet = { size: 11, fill: p.quiet };
  let grid = "";
  for (const tick of x.ticks(5)) {
    grid += `M${round(x(tick))} ${top}V${bottom}`;
    addText(picture, x(tick), bottom + 16, String(tick), { ...quiet, anchor: "middle" });
  }
  for (const tick of y.ticks(5)) {
    grid += `M${left} ${round(y(tick))}H${right}`;
    addText(picture, left - 8, y(tick) + 4, String(tick), { ...quiet, anchor: "end" });
  }
  picture.append("path").attr("d", grid).attr("stroke", p.field).attr("fill", "none");
  addText(picture, (left + right) / 2, bottom + 34, `mean distance, ${unit}`, {
    ...quiet,
    anchor: "middle",
  });
  addText(picture, 0, 0, "entropy, bits", { ...quiet, anchor: "middle" }).attr(
    "transform",
    `translate(11 ${round((top + bottom) / 2)}) rotate(-90)`,
  );
  const colourOf = (kind: string) =>
    p.kinds[(kinds.indexOf(kind) + (crosses ? 2 : 0)) % p.kinds.length];
  kinds.forEach((kind, i) => {
    picture
      .append("circle")
      .attr("cx", left + 6)
      .attr("cy", 12 + 18 * i)
      .attr("r", 5)
      .attr("fill", colourOf(kind));
    addText(picture, left + 17, 16 + 18 * i, kind, { size: 12, fill: p.text });
  });
  for (const head of heads) {
    if (!Number.isFinite(head.entropy) || !Number.isFinite(head.distance)) continue;
    const chosen = isChosen(side, head);
    const dot = picture
      .append("circle")
      .attr("cx", round(x(head.distance)))
      .attr("cy", round(y(head.entropy)))
      .attr("r", chosen ? 7 : 5)
      .attr("fill", colourOf(head.kind))
      .attr("fill-opacity", 0.8)
      .attr("stroke", chosen ? p.title : p.paper)
      .attr("stroke-width", chosen ? 2.5 : 1)
      .style("cursor", "pointer");
    dot.append("title").text(`${head.layer}, ${head.name}`);
    dot.on("click", () => side.setChoice(head.choice));
  }
  return picture.node() as SVGSVGElement;
}

type Column = "layer" | "entropy" | "distance";
let sortedBy: Column = "layer";

function drawTable(side: Side, heads: Head[], onSort: () => void): HTMLElement {
  const columns: [Column, string][] = [
    ["layer", "Head"],
    ["entropy", "Entropy, bits"],
    ["distance", "Distance"],
  ];
  const sorted = [...heads];
  if (sortedBy !== "layer") {
    const by = sortedBy;
    sorted.sort((a, b) => b[by] - a[by]);
  }
  const titles = columns.map(([column, name]) => {
    const button = h(
      "button",
      { type: "button", class: "plain", "data-sort": column },
      name,
    );
    button.addEventListener("click", () => {
      sortedBy = column;
      onSort();
    });
    const order = column === "layer" ? "ascending" : "descending";
    return h(
      "th",
      { scope: "col", "aria-sort": sortedBy === column ? order : "none" },
      button,
    );
  });
  const rows = sorted.map((head) => {
    const text = `${head.layer}, ${head.name}`;
    const button = h("button", { type: "button", class: "plain" }, text);
    button.addEventListener("click", () => side.setChoice(head.choice));
    return h(
      "tr",
      { "aria-current": isChosen(side, head) ? "true" : null },
      h("th", { scope: "row" }, button),
      h("td", {}, shortNumber(head.entropy)),
      h("td", {}, shortNumber(head.distance)),
    );
  });
  return h(
    "div",
    { class: "table", tabindex: -1 },
    h("table", {}, h("thead", {}, h("tr", {}, ...titles)), h("tbody", {}, ...rows)),
  );
}

/** How widely and how far each head looks on this text. */
export function headsView(side: Side, options: ViewOptions): View {
  const heads = headsOf(side);
  const crosses = (head: Head) => {
    const layer = side.explanation.layers[head.choice.layer];
    return layer.queries !== layer.keys;
  };
  const width = Math.min(options.width > 760 ? options.width * 0.48 : options.width, 460);
  const plots = [false, true].flatMap((kind) => {
    const some = heads.filter((head) => crosses(head) === kind);
    return some.length > 0 ? [drawPlot(side, some, kind, width, options.palette)] : [];
  });
  const holder = h("div", { class: "heads-table" });
  const fill = (focus: boolean) => {
    holder.replaceChildren(drawTable(side, heads, () => fill(true)));
    if (focus) holder.querySelector<HTMLElement>(`[data-sort=${sortedBy}]`)?.focus();
  };
  fill(false);
  return {
    element: h(
      "div",
      {},
      h("div", { class: "heads-view" }, h("div", { class: "plots" }, ...plots), holder),
      h(
        "p",
        { class: "note" },
        "Entropy says how widely a head spreads its weights (0: one token alone; n tokens " +
          "alike: log₂ n). Distance says how far from itself a token looks: in positions, or " +
          "from one text to another as a share of the length. Both are means over this text. Click a dot or a row to choose the head.",
      ),
    ),
    pictures: () => plots,
  };
}
