import {
  add,
  addText,
  button,
  change,
  h,
  headFigure,
  headName,
  linear,
  needsAttention,
  newPicture,
  round,
  shareOfLength,
  shortNumber,
  unitOf,
  type AttentionMap,
  type Chosen,
  type HeadStatistic,
  type Palette,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

/** Columns of further statistics and their titles. */
const furtherColumns: [HeadStatistic, string][] = [
  ["largest", "Largest weight"],
  ["first", "On the first"],
  ["own", "On itself"],
  ["previous", "On the previous"],
  ["repeated", "On equal earlier ones"],
  ["induction", "On the ones behind these"],
];

interface Head {
  choice: Chosen;
  layer: string;
  name: string;
  kind: string;
  unit: string;
  entropy: number;
  distance: number;
  further: Partial<Record<string, number>>;
}

/** Returns further statistics of a head that are known; none of a single query. */
function furtherOf(map: AttentionMap, head: number): Head["further"] {
  if (Number.isNaN(headFigure(map, "distance", head))) return {};
  const known = furtherColumns.flatMap(([name]): [string, number][] => {
    const value = map.statistics?.[name]?.[head];
    return typeof value === "number" ? [[name, value]] : [];
  });
  return Object.fromEntries(known);
}

/** Returns the heads of a part; "Encoder 1 · self" has the kind "Encoder · self". */
function headsOf(side: Side): Head[] {
  return side.part.maps.flatMap((map, m) =>
    Array.from(
      { length: map.heads },
      (_, head): Head => ({
        choice: { map: m, head },
        layer: map.title,
        name: headName(head),
        kind: map.title.replace(/ \d+/g, ""),
        unit: unitOf(side.explanation, map),
        entropy: headFigure(map, "entropy", head),
        distance: headFigure(map, "distance", head),
        further: furtherOf(map, head),
      }),
    ),
  );
}

function isChosen({ choice, part }: Side, head: Head): boolean {
  if (!choice || choice.map !== head.choice.map) return false;
  return choice.head === head.choice.head || part.maps[choice.map].heads === 1;
}

/** Returns the units of distances, each with its own plot and column: items for
 * self-attention, or else share of the length. */
function unitsOf(heads: Head[]): string[] {
  const units = heads.filter((head) => valueOf(head, head.unit) !== null);
  const all = [...new Set(units.map(({ unit }) => unit))];
  return all.sort((a, b) => Number(a === shareOfLength) - Number(b === shareOfLength));
}

function drawPlot(
  side: Side,
  heads: Head[],
  unit: string,
  width: number,
  p: Palette,
): SVGSVGElement {
  const kinds = [...new Set(heads.map((head) => head.kind))];
  const [left, right] = [44, width - 14];
  const top = 16 + 18 * kinds.length;
  const bottom = top + Math.min(240, width * 0.6);
  const max = (values: number[]) =>
    Math.max(...values.filter(Number.isFinite), 0.2) * 1.06;
  const x = linear([0, max(heads.map((head) => head.distance))], [left, right], 5);
  const y = linear([0, max(heads.map((head) => head.entropy))], [bottom, top], 5);
  const label = `Entropy of heads against distance, ${unit}`;
  const picture = newPicture(width, bottom + 40, label);
  const quiet = { size: 11, fill: p.quiet };
  const centred = { ...quiet, anchor: "middle" } as const;
  let d = "";
  for (const tick of x.ticks) {
    d += `M${round(x(tick))} ${top}V${bottom}`;
    addText(picture, x(tick), bottom + 16, String(tick), centred);
  }
  for (const tick of y.ticks) {
    d += `M${left} ${round(y(tick))}H${right}`;
    addText(picture, left - 8, y(tick) + 4, String(tick), { ...quiet, anchor: "end" });
  }
  add(picture, "path", { d, stroke: p.field, fill: "none" });
  const under = `mean distance, ${unit}`;
  addText(picture, (left + right) / 2, bottom + 34, under, centred);
  const beside = addText(picture, 0, 0, "entropy, bits", centred);
  change(beside, { transform: `translate(11 ${round((top + bottom) / 2)}) rotate(-90)` });
  const colourOf = (kind: string) =>
    p.kinds[(kinds.indexOf(kind) + (unit === shareOfLength ? 2 : 0)) % p.kinds.length];
  kinds.forEach((kind, i) => {
    add(picture, "circle", { cx: left + 6, cy: 12 + 18 * i, r: 5, fill: colourOf(kind) });
    addText(picture, left + 17, 16 + 18 * i, kind, { fill: p.text });
  });
  for (const head of heads) {
    if (!Number.isFinite(head.entropy) || !Number.isFinite(head.distance)) continue;
    const chosen = isChosen(side, head);
    const dot = add(picture, "circle", {
      cx: x(head.distance),
      cy: y(head.entropy),
      r: chosen ? 7 : 5,
      fill: colourOf(head.kind),
      "fill-opacity": 0.8,
      stroke: chosen ? p.title : p.paper,
      "stroke-width": chosen ? 2.5 : 1,
      style: "cursor: pointer",
    });
    add(dot, "title", {}, `${head.layer}, ${head.name}`);
    dot.addEventListener("click", () => side.setChoice(head.choice));
  }
  return picture;
}

/** Column of the sort order: "layer", "entropy", a unit of distances, or one of
 * furtherColumns. */
let sortedBy = "layer";

function valueOf(head: Head, column: string): number | null {
  if (furtherColumns.some(([name]) => name === column)) {
    return head.further[column] ?? null;
  }
  const value = column === "entropy" ? head.entropy : head.distance;
  const isThere = column === "entropy" || column === head.unit;
  return isThere && !Number.isNaN(value) ? value : null;
}

function drawTable(side: Side, heads: Head[], onSort: () => void): HTMLElement {
  const columns: [string, string][] = [
    ["layer", "Head"],
    ["entropy", "Entropy, bits"],
    ...unitsOf(heads).map((unit): [string, string] => [unit, `Distance, ${unit}`]),
    ...furtherColumns.filter(([name]) => heads.some(({ further }) => name in further)),
  ];
  const sorted = [...heads];
  if (columns.some(([column]) => column === sortedBy) && sortedBy !== "layer") {
    const by = (head: Head) => valueOf(head, sortedBy) ?? -1;
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
        return h("td", value === null ? "" : shortNumber(value));
      }),
    );
  });
  return h(
    "div.table",
    { tabindex: -1 },
    h("table", h("thead", h("tr", ...titles)), h("tbody", ...rows)),
  );
}

/** Shows entropy and distance of each head for this text. */
function headsView(side: Side, options: ViewOptions): View {
  const heads = headsOf(side);
  const width = Math.min(options.width > 760 ? options.width * 0.42 : options.width, 440);
  const plots = unitsOf(heads).map((unit) => {
    const some = heads.filter((head) => valueOf(head, unit) !== null);
    return drawPlot(side, some, unit, width, options.palette);
  });
  const holder = h("div.heads-table");
  const fill = (focus: boolean) => {
    holder.replaceChildren(drawTable(side, heads, () => fill(true)));
    if (focus) holder.querySelector<HTMLElement>(`[data-sort="${sortedBy}"]`)?.focus();
  };
  fill(false);
  const note =
    "Entropy says how widely a head spreads its weights (0: one key alone; n keys alike: " +
    "log₂ n). Distance says how far from its own place a query attends, or, from one axis to " +
    "another, how far as a share of the length; the two are never on one scale. Further " +
    "columns are weights. All are means over this input. Click a dot or a row to choose the head.";
  const view = h("div.heads-view", h("div.plots", ...plots), holder);
  return {
    element: h("div", view, h("p.note", note)),
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
