import {
  addText,
  button,
  h,
  headFigure,
  headName,
  linear,
  needsAttention,
  newPicture,
  round,
  shortNumber,
  type Chosen,
  type Palette,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

type Unit = "items" | "share";

interface Head {
  choice: Chosen;
  layer: string;
  name: string;
  kind: string;
  unit: Unit;
  entropy: number;
  distance: number;
}

/** "Encoder 1 · self" is of the kind "Encoder · self". */
function headsOf(side: Side): Head[] {
  return side.part.maps.flatMap((map, m) =>
    Array.from(
      { length: map.heads },
      (_, head): Head => ({
        choice: { map: m, head },
        layer: map.title,
        name: headName(head),
        kind: map.title.replace(/ \d+/g, ""),
        unit: map.statistics?.unit ?? "items",
        entropy: headFigure(map, "entropy", head),
        distance: headFigure(map, "distance", head),
      }),
    ),
  );
}

function isChosen({ choice, part }: Side, head: Head): boolean {
  if (!choice || choice.map !== head.choice.map) return false;
  return choice.head === head.choice.head || part.maps[choice.map].heads === 1;
}

const unitNames: Record<Unit, string> = { items: "tokens", share: "share of the length" };

/** Where an axis attends to itself, distance is counted in tokens; else it is a share of
 * the length. Each has its own plot. */
function drawPlot(
  side: Side,
  heads: Head[],
  unit: Unit,
  width: number,
  p: Palette,
): SVGSVGElement {
  const kinds = [...new Set(heads.map((head) => head.kind))];
  const [left, right] = [44, width - 14];
  const top = 16 + 18 * kinds.length;
  const bottom = top + Math.min(240, width * 0.6);
  const most = (values: number[]) =>
    Math.max(...values.filter(Number.isFinite), 0.2) * 1.06;
  const x = linear([0, most(heads.map((head) => head.distance))], [left, right], 5);
  const y = linear([0, most(heads.map((head) => head.entropy))], [bottom, top], 5);
  const picture = newPicture(
    width,
    bottom + 40,
    `Entropy of heads against distance, ${unitNames[unit]}`,
  );
  const quiet = { size: 11, fill: p.quiet };
  let grid = "";
  for (const tick of x.ticks) {
    grid += `M${round(x(tick))} ${top}V${bottom}`;
    addText(picture, x(tick), bottom + 16, String(tick), { ...quiet, anchor: "middle" });
  }
  for (const tick of y.ticks) {
    grid += `M${left} ${round(y(tick))}H${right}`;
    addText(picture, left - 8, y(tick) + 4, String(tick), { ...quiet, anchor: "end" });
  }
  picture.append("path").attr("d", grid).attr("stroke", p.field).attr("fill", "none");
  addText(picture, (left + right) / 2, bottom + 34, `mean distance, ${unitNames[unit]}`, {
    ...quiet,
    anchor: "middle",
  });
  addText(picture, 0, 0, "entropy, bits", { ...quiet, anchor: "middle" }).attr(
    "transform",
    `translate(11 ${round((top + bottom) / 2)}) rotate(-90)`,
  );
  const colourOf = (kind: string) =>
    p.kinds[(kinds.indexOf(kind) + (unit === "share" ? 2 : 0)) % p.kinds.length];
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

type Column = "layer" | "entropy" | Unit;
let sortedBy: Column = "layer";

function valueOf(head: Head, column: Column): number {
  if (column === "entropy") return head.entropy;
  return column === head.unit ? head.distance : NaN;
}

function drawTable(side: Side, heads: Head[], onSort: () => void): HTMLElement {
  const units = (["items", "share"] as const).filter((unit) =>
    heads.some((head) => head.unit === unit),
  );
  const columns: [Column, string][] = [
    ["layer", "Head"],
    ["entropy", "Entropy, bits"],
    ...units.map((unit): [Column, string] => [unit, `Distance, ${unitNames[unit]}`]),
  ];
  const sorted = [...heads];
  if (columns.some(([column]) => column === sortedBy) && sortedBy !== "layer") {
    const by = (head: Head) => {
      const value = valueOf(head, sortedBy);
      return Number.isNaN(value) ? -1 : value;
    };
    sorted.sort((a, b) => by(b) - by(a));
  }
  const titles = columns.map(([column, name]) => {
    const sort = button(name, { "data-sort": column }, () => {
      sortedBy = column;
      onSort();
    });
    const order = column === "layer" ? "ascending" : "descending";
    return h(
      "th",
      { scope: "col", "aria-sort": sortedBy === column ? order : "none" },
      sort,
    );
  });
  const rows = sorted.map((head) => {
    const choose = () => side.setChoice(head.choice);
    return h(
      "tr",
      { "aria-current": isChosen(side, head) ? "true" : null },
      h("th", { scope: "row" }, button(`${head.layer}, ${head.name}`, {}, choose)),
      ...columns.slice(1).map(([column]) => {
        const value = valueOf(head, column);
        return h("td", {}, Number.isNaN(value) ? "" : shortNumber(value));
      }),
    );
  });
  return h(
    "div",
    { class: "table", tabindex: -1 },
    h("table", {}, h("thead", {}, h("tr", {}, ...titles)), h("tbody", {}, ...rows)),
  );
}

/** How widely and how far each head attends in this text. */
function headsView(side: Side, options: ViewOptions): View {
  const heads = headsOf(side);
  const width = Math.min(options.width > 760 ? options.width * 0.42 : options.width, 440);
  const plots = (["items", "share"] as const).flatMap((unit) => {
    const some = heads.filter((head) => head.unit === unit);
    return some.length > 0 ? [drawPlot(side, some, unit, width, options.palette)] : [];
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
          "alike: log₂ n). Distance says how far from itself a token attends: in tokens, or, " +
          "from one text to another, as a share of the length; the two are never on one " +
          "scale. Both are means over this text. Click a dot or a row to choose the head.",
      ),
    ),
    pictures: () => plots,
  };
}

export const heads: ViewRow = {
  name: "heads",
  title: "Heads",
  switches: [],
  accepts: needsAttention,
  make: headsView,
};
