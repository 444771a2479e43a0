import {
  colouring,
  h,
  labelRoom,
  largest,
  MatrixFigure,
  needsAttention,
  shortNumber,
  type Focus,
  type Panel,
  type Rows,
  type Shown,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

/** JSON has no infinity: a score that a mask took away comes as null. */
function withInfinities(rows: (number | null)[][]): Rows {
  return rows.map((row) => row.map((value) => value ?? -Infinity));
}

/** Names of rows and columns, item by item: a head reads no whole words. */
function namesOf(side: Side): [string[], string[]] {
  const { query, key } = (side.shown as Shown).map;
  return [side.part.axis(query).labels, side.part.axis(key).labels];
}

function vector(values: number[] | undefined): string {
  if (!values) return "";
  const shown = values.slice(0, 6).map(shortNumber).join(", ");
  return `(${shown}${values.length > 6 ? ", …" : ""})`;
}

/** The numbers of a focus: from query and key to score, weight and context. */
function formula(side: Side, panel: Panel, focus: Focus | null): HTMLElement {
  const [rows, columns] = namesOf(side);
  if (focus?.row == null) {
    return h(
      "p",
      { class: "formula quiet" },
      "Point at a row or a cell to follow its numbers.",
    );
  }
  const t = focus.row;
  const s = focus.column;
  const scores = withInfinities([panel.scores[t] ?? []])[0];
  const line = (name: string, value: string) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value));
  const list = h("dl", { class: "formula" });
  list.append(line(`query of ${rows[t]}`, vector(panel.query[t])));
  if (s !== null) {
    list.append(
      line(`key of ${columns[s]}`, vector(panel.key[s])),
      line("score of the two", shortNumber(scores[s])),
      line("weight after normalising the row", (panel.weights[t]?.[s] ?? 0).toFixed(4)),
      line(`value of ${columns[s]}`, vector(panel.value[s])),
    );
  } else {
    list.append(line("scores with all keys", vector(scores)));
    const sum = (panel.weights[t] ?? []).reduce((total, weight) => total + weight, 0);
    list.append(line(`weights, their sum ${sum.toFixed(3)}`, vector(panel.weights[t])));
  }
  list.append(line(`context of ${rows[t]}: Σ weight · value`, vector(panel.context[t])));
  return list;
}

function fill(
  side: Side,
  options: ViewOptions,
  panel: Panel,
  holder: HTMLElement,
): { figures: MatrixFigure[]; paint: () => void } {
  const [rows, columns] = namesOf(side);
  const scores = withInfinities(panel.scores);
  const features = (panel.context[0] ?? []).map((_, d) => String(d));
  const name = side.shown?.name ?? "";
  const labels = labelRoom(rows, 13) + 10;
  // Side by side if cells can be wide enough for that, the rows then named once.
  const lean = labelRoom(columns, 13) * 0.62;
  const gaps = 2 * (26 + lean) + 16;
  const cell = (options.width - labels - gaps) / (3 * Math.max(columns.length, 1));
  const beside = cell >= 12;
  const rowHeight = Math.floor(Math.max(12, Math.min(32, beside ? cell : 24)));
  const numbers = beside ? rowHeight >= 27 : options.numbers;
  const room = columns.length * rowHeight;
  const draw = (title: string, values: Rows, top: number | number[], legend: string) => {
    const ofKeys = !title.startsWith("3");
    const columnLabels = ofKeys ? columns : features;
    const cw = ofKeys
      ? rowHeight
      : Math.max(4, Math.min(rowHeight, Math.floor(room / features.length)));
    // A wide context goes below, with labels of its own.
    const inRow = beside && (ofKeys || cw * features.length <= room + 40);
    return new MatrixFigure(
      {
        label: `${title}, ${name}`,
        title,
        rowLabels: inRow && !title.startsWith("1") ? rows.map(() => "") : rows,
        columnLabels: cw < (ofKeys ? 10 : 18) ? columnLabels.map(() => "") : columnLabels,
        values,
        top: top || 1,
        signed: values.some((row) =>
          row.some((value) => value < 0 && Number.isFinite(value)),
        ),
        numbers: numbers && cw >= 27,
        legend,
        width: options.width,
        smallestCell: cw,
        largestCell: cw,
        rowHeight,
        alignedTo: inRow ? columns : undefined,
      },
      options.palette,
      ofKeys
        ? side.events
        : {
            hover: (focus) => side.hover(focus && { row: focus.row, column: null }),
            pin: (focus) => side.pin(focus && { row: focus.row, column: null }),
          },
    );
  };
  const weights = colouring(options.scale, panel.weights, "weight");
  const figures = [
    draw("1  Scores of queries and keys", scores, largest(scores), "score"),
    draw("2  Weights: rows normalised", panel.weights, weights.top, weights.legend),
    draw("3  Contexts: Σ weight · value", panel.context, largest(panel.context), "value"),
  ];
  const numbersOf = h("div", { "aria-live": "polite" });
  holder.replaceChildren(
    h("div", { class: "figures panels" }, ...figures.map((figure) => figure.element)),
    numbersOf,
  );
  return {
    figures,
    paint() {
      const { focus } = side;
      figures[0].picture.mark(focus);
      figures[1].picture.mark(focus);
      figures[2].picture.mark(focus && { row: focus.row, column: null });
      numbersOf.replaceChildren(formula(side, panel, focus));
    },
  };
}

/** How one head came to its weights and what it read with them: scores of queries and
 * keys, their softmax, and the weighted values. */
function computationView(side: Side, options: ViewOptions): View {
  const { map, head: chosen } = side.shown as Shown;
  const head = chosen === "mean" ? 0 : chosen;
  const holder = h(
    "div",
    { class: "loading", role: "status" },
    "Asking for the numbers…",
  );
  const element = h("div", {});
  if (chosen === "mean" && map.heads > 1) {
    const words = "The mean of heads has no queries and keys of its own: this is head 0.";
    element.append(h("p", { class: "note top" }, words));
  }
  element.append(holder);
  let filled: ReturnType<typeof fill> | null = null;
  side.panel(side.choice?.map ?? 0, head).then(
    (panel) => {
      holder.className = "";
      holder.removeAttribute("role");
      filled = fill(side, options, panel, holder);
      filled.paint();
    },
    (error: unknown) => {
      holder.className = side.canAsk ? "problem" : "note";
      holder.textContent = error instanceof Error ? error.message : String(error);
    },
  );
  return {
    element,
    pictures: () => filled?.figures.map((figure) => figure.picture.svg) ?? [],
    paint: () => filled?.paint(),
  };
}

export const computation: ViewRow = {
  name: "computation",
  title: "Computation",
  switches: ["numbers", "scale"],
  accepts: (side) =>
    side.shown?.byWord
      ? "A head reads tokens, not whole words: switch Whole words off to follow its numbers."
      : needsAttention(side),
  make: computationView,
};
