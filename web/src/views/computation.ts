import {
  clamp,
  colouring,
  errorWords,
  h,
  kindNamed,
  labelRoom,
  largest,
  MatrixFigure,
  needsAttention,
  shortNumber,
  type Colouring,
  type Focus,
  type Panel,
  type Rows,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

/** Converts null to -Infinity: JSON has no infinity for masked scores. */
function withInfinities(rows: (number | null)[][]): Rows {
  return rows.map((row) => row.map((value) => value ?? -Infinity));
}

/** Returns names of rows and columns at item level, the level of queries and keys. */
function namesOf(side: Side): [string[], string[]] {
  const { query, key } = side.attention.map;
  return [side.part.axis(query).labels, side.part.axis(key).labels];
}

function vector(values: number[] = []): string {
  const shown = values.slice(0, 6).map(shortNumber).join(", ");
  return `(${shown}${values.length > 6 ? ", …" : ""})`;
}

/** Returns the features that contribute most to the product of a query and a key. */
function largestProducts(query: number[] = [], key: number[] = []): string {
  if (query.length !== key.length) return "";
  return query
    .map((value, at): [number, number] => [at, value * (key[at] ?? 0)])
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, 6)
    .map(([at, value]) => `${at}: ${shortNumber(value)}`)
    .join(", ");
}

/** Returns the numbers of a focus: from query and key to score, weight and context. */
function formula(side: Side, panel: Panel, focus: Focus | null): HTMLElement {
  const [rows, columns] = namesOf(side);
  const { row: t = null, column: s = null } = focus ?? {};
  if (t === null) {
    return h("p.formula.quiet", "Point at a row or a cell to follow its numbers.");
  }
  const [scores] = withInfinities([panel.scores[t] ?? []]);
  const weights = panel.weights[t] ?? [];
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const lines =
    s === null
      ? [
          ["scores with all keys", vector(scores)],
          [`weights, their sum ${sum.toFixed(3)}`, vector(weights)],
        ]
      : [
          [`key of ${columns[s]}`, vector(panel.key[s])],
          [
            "query · key, largest features",
            largestProducts(panel.query[t], panel.key[s]),
          ],
          ["score of the two", shortNumber(scores[s])],
          ["weight after normalising the row", (weights[s] ?? 0).toFixed(4)],
          [`value of ${columns[s]}`, vector(panel.value[s])],
          [
            "length of what it adds to the output",
            shortNumber(panel.norms?.[t]?.[s] ?? NaN),
          ],
        ];
  const all = [
    [`query of ${rows[t]}`, vector(panel.query[t])],
    ...lines,
    [`context of ${rows[t]}: Σ weight · value`, vector(panel.context[t])],
  ];
  const known = all.filter(([, value]) => value !== "" && value !== shortNumber(NaN));
  const pairs = known.map(([name, value]) => h("div", h("dt", name), h("dd", value)));
  return h("dl.formula", ...pairs);
}

/** Returns only the row of a focus, because the columns of contexts are features. */
function rowOf(focus: Focus | null): Focus | null {
  return focus && { row: focus.row, column: null };
}

function drawPanel(side: Side, options: ViewOptions, panel: Panel): MatrixFigure[] {
  const [rows, columns] = namesOf(side);
  const scores = withInfinities(panel.scores);
  const features = (panel.context[0] ?? []).map((_, d) => String(d));
  const labels = labelRoom(rows, 13) + 10;
  // Matrices are side by side if cells are wide enough; rows are then labelled once.
  const lean = labelRoom(columns, 13) * 0.62;
  const gaps = 2 * (26 + lean) + 16;
  const cell = (options.width - labels - gaps) / (3 * Math.max(columns.length, 1));
  const beside = cell >= 12;
  const rowHeight = Math.floor(beside ? Math.min(cell, 32) : 24);
  const numbers = beside ? rowHeight >= 27 : options.numbers;
  const room = columns.length * rowHeight;
  const wide = clamp(Math.floor(room / features.length), 4, rowHeight);
  // A wide context matrix is placed below, with its own labels.
  const fits = wide * features.length <= room + 40;
  const draw = (title: string, values: Rows, colours: Colouring, isContext = false) => {
    const names = isContext ? features : columns;
    const cw = isContext ? wide : rowHeight;
    const inRow = beside && (!isContext || fits);
    const isNamed = cw >= (isContext ? 18 : 10);
    return new MatrixFigure(
      {
        label: `${title}, ${side.attention.name}`,
        title,
        rowLabels: inRow && values !== scores ? rows.map(() => "") : rows,
        columnLabels: isNamed ? names : names.map(() => ""),
        values,
        ...colours,
        signed: values.flat().some((value) => value < 0 && Number.isFinite(value)),
        numbers: numbers && cw >= 27,
        width: options.width,
        smallestCell: cw,
        largestCell: cw,
        rowHeight,
        alignedTo: inRow ? columns : undefined,
      },
      options.palette,
      {
        hover: (focus) => side.hover(isContext ? rowOf(focus) : focus),
        pin: (focus) => side.pin(isContext ? rowOf(focus) : focus),
      },
    );
  };
  const upTo = (values: Rows, legend: string) => ({ top: largest(values) || 1, legend });
  const weights = colouring(options.scale, panel.weights, "weight");
  return [
    draw("1  Scores of queries and keys", scores, upTo(scores, "score")),
    draw("2  Weights: rows normalised", panel.weights, weights),
    draw(
      "3  Contexts: Σ weight · value",
      panel.context,
      upTo(panel.context, "value"),
      true,
    ),
  ];
}

/** Shows the computation of one head: scores of queries and keys, their softmax, and
 * the weighted values. */
function computationView(side: Side, options: ViewOptions): View {
  const { map, head } = side.attention;
  const isMean = head === "mean" && map.heads > 1;
  const words = "The mean of heads has no own queries and keys: this is head 0.";
  const holder = h("div", h("p.loading", { role: "status" }, "Loading the numbers…"));
  let figures: MatrixFigure[] = [];
  let paint = () => {};
  side.panel(side.choice?.map ?? 0, head === "mean" ? 0 : head).then(
    (panel) => {
      figures = drawPanel(side, options, panel);
      const numbers = h("div", { "aria-live": "polite" });
      paint = () => {
        const { focus } = side;
        figures.forEach(({ picture }, i) => picture.mark(i < 2 ? focus : rowOf(focus)));
        numbers.replaceChildren(formula(side, panel, focus));
      };
      const elements = figures.map(({ element }) => element);
      holder.replaceChildren(h("div.figures.panels", ...elements), numbers);
      paint();
    },
    (error: unknown) => {
      const tag = side.canAsk ? "p.problem" : "p.note";
      holder.replaceChildren(h(tag, errorWords(error)));
    },
  );
  return {
    element: h("div", isMean ? h("p.note.top", words) : null, holder),
    pictures: () => figures.map(({ picture }) => picture.svg),
    paint: () => paint(),
  };
}

export const computation: ViewRow = {
  name: "computation",
  title: "Computation",
  switches: ["numbers", "scale"],
  byChoice: true,
  accepts: (side) => {
    const key = side.shown?.key;
    if (key && kindNamed(key.kind).changes?.(key.axis)) {
      return "The keys of this head change at each step, so no single table has its numbers.";
    }
    if (side.shown?.map.numbers === false) {
      return "The weights of this attention do not depend on queries and keys only.";
    }
    return side.shown?.byWord
      ? "A head reads tokens, not whole words: switch Whole words off to follow its numbers."
      : needsAttention(side);
  },
  make: computationView,
};
