import {
  colouring,
  h,
  isolate,
  labelRoom,
  MatrixFigure,
  shortNumber,
  weightsOf,
  type Attribution,
  type Explanation,
  type Focus,
  type Rows,
  type Side,
  type Target,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

const methodNames: Record<string, string> = {
  saliency: "Saliency",
  gradient_x_input: "Gradient × input",
  integrated_gradients: "Integrated gradients",
  smooth_grad: "SmoothGrad",
  occlusion: "Occlusion",
};

function nameOf(method: string): string {
  const words = method.replaceAll("_", " ");
  return methodNames[method] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** The attention that speaks for each target, as rows over the attribution's axis; a row of
 * NaN where none does. Null where none does for any. */
function attentionOf(side: Side, { axis }: Attribution, targets: Target[]): Rows | null {
  const { explanation } = side;
  const rows = targets.map(({ map: at, head, row }) => {
    const map = at === undefined ? undefined : explanation.maps[at];
    if (!map || row === undefined || map.key !== axis) return null;
    return weightsOf(explanation, map, head ?? "mean")[row] ?? null;
  });
  const none = explanation.axes[axis].items.map(() => NaN);
  return rows.some((row) => row !== null) ? rows.map((row) => row ?? none) : null;
}

/** What the explanation says of the agreement of attention and a method. */
function agreementWords(side: Side, method: string): string {
  const found = side.part.agreements.find((one) => one.method === method);
  if (found?.spearman == null || found.targets === 0) return "";
  const rows = found.targets === 1 ? "one row" : `mean of ${found.targets} rows`;
  return `rank correlation with the attention ${shortNumber(found.spearman)}, ${rows}`;
}

/** So many pictures beside each other that their cells can still be seen. */
function widthOfEach(
  options: ViewOptions,
  columns: number,
  labels: number,
  count: number,
): number {
  for (let beside = Math.min(count, 3); beside > 1; --beside) {
    const width = options.width / beside - 34;
    if ((width - labels - 24) / Math.max(columns, 1) >= 15) return width;
  }
  return options.width;
}

interface Filled {
  figures: MatrixFigure[];
  paint: () => void;
}

function fill(
  side: Side,
  options: ViewOptions,
  attributions: Attribution[],
  rowLabels: string[],
  attention: Rows | null,
  what: string,
): Filled & { element: HTMLElement } {
  const columnLabels = side.part.axis(attributions[0].axis).labels;
  const readout = h("p", { class: "readout", "aria-live": "polite" });
  let focus: Focus | null = null;
  let pinned: Focus | null = null;
  const shown: { name: string; values: Rows }[] = [];
  const figures: MatrixFigure[] = [];
  const paint = () => {
    const at = focus ?? pinned;
    for (const figure of figures) figure.picture.mark(at);
    const { row, column } = at ?? { row: null, column: null };
    const values = shown.map(({ name, values: all }) => {
      const value = all[row ?? 0]?.[column ?? 0] ?? NaN;
      return `${name.toLowerCase()} ${Number.isNaN(value) ? "none" : shortNumber(value)}`;
    });
    readout.textContent =
      row !== null && column !== null
        ? `${isolate(rowLabels[row])} ← ${isolate(columnLabels[column])}: ${values.join(", ")}`
        : "";
  };
  const events = {
    hover: (to: Focus | null) => {
      focus = to;
      paint();
    },
    pin: (to: Focus | null) => {
      const again = pinned?.row === to?.row && pinned?.column === to?.column;
      pinned = again ? null : to;
      paint();
    },
  };
  const count = attributions.length + (attention ? 1 : 0);
  const room = labelRoom(rowLabels, 13) + 10;
  const width = widthOfEach(options, columnLabels.length, room, count);
  const cards: HTMLElement[] = [];
  const add = (name: string, values: Rows, words: string, note: string) => {
    shown.push({ name, values });
    const signed = values.some((row) => row.some((value) => value < 0));
    // Attributions have no natural largest value: absolute is that of the picture.
    const scale = name === "Attention" ? options.scale : scaleOf(options);
    const figure = new MatrixFigure(
      {
        label: name,
        title: name,
        rowLabels,
        columnLabels,
        values,
        ...colouring(scale, values, words),
        signed,
        numbers: options.numbers,
        width,
        largestCell: options.numbers ? 34 : 26,
      },
      options.palette,
      events,
    );
    figures.push(figure);
    cards.push(
      h("div", { class: "attribution" }, figure.element, h("p", { class: "note" }, note)),
    );
  };
  if (attention) add("Attention", attention, "attention weight", "what was read");
  for (const { method, scores } of attributions) {
    const note = attention && what === "" ? agreementWords(side, method) : "";
    add(nameOf(method), scores, what || "effect on the answer's score", note);
  }
  const words = attention
    ? "Attention says what was read, attributions what the answer depended on. They " +
      "often disagree: a low correlation is a finding, not an error. " +
      "Struck-through cells: no attention speaks for that row."
    : "";
  const element = h(
    "div",
    {},
    readout,
    h("div", { class: "figures" }, ...cards),
    h("p", { class: "note" }, words),
  );
  return { figures, paint, element };
}

/** Rows differ by orders of magnitude, so each is scaled by itself unless one asks. */
function scaleOf({ scale }: ViewOptions): "row" | "picture" {
  return scale === "auto" || scale === "row" ? "row" : "picture";
}

/** Why this word and not that one: attributions of the difference. */
function fillContrast(
  side: Side,
  options: ViewOptions,
  found: Explanation,
): (Filled & { element: HTMLElement }) | null {
  const { contrast } = side;
  const attributions = found.attributions;
  if (!contrast || attributions.length === 0) return null;
  const own = attributions[0].targets ?? found.targets.map((_, t) => t);
  const pairs = own.map((t) => {
    const { axis, item, contrast: other } = found.targets[t];
    const { labels, items } = found.axes[axis];
    const said = (labels ?? items)[item] ?? "";
    return [said, other?.label ?? contrast.label];
  });
  const rowLabels = pairs.map(([a, b]) => `${a}, not ${b}`);
  const what = "effect on log p − log p'";
  return fill(side, options, attributions, rowLabels, null, what);
}

function byAxis(attributions: Attribution[]): [string, Attribution[]][] {
  const axes = [...new Set(attributions.map(({ axis }) => axis))];
  return axes.map((id) => [id, attributions.filter(({ axis }) => axis === id)]);
}

function saliencyView(side: Side, options: ViewOptions): View {
  const { part, canAsk } = side;
  const wanted = options.methods ?? ["saliency", "gradient_x_input"];
  const known = [...new Set(part.attributions.map(({ method }) => method))];
  const names = Object.keys(methodNames).concat(
    known.filter((name) => !methodNames[name]),
  );
  const methods = canAsk
    ? wanted
    : wanted
        .filter((name) => known.includes(name))
        .concat(known.filter((name) => !wanted.includes(name)));
  const boxes = (canAsk ? names : []).map((method) => {
    const box = h("input", {
      type: "checkbox",
      value: method,
      checked: methods.includes(method),
    });
    box.addEventListener("change", () => {
      options.setMethods(
        box.checked ? [...methods, method] : methods.filter((other) => other !== method),
      );
    });
    return h("label", { class: "check" }, box, nameOf(method));
  });
  const holder = h("div", {});
  const element = h(
    "div",
    {},
    h("div", { class: "methods", role: "group", "aria-label": "Methods" }, ...boxes),
    holder,
  );
  const filled: Filled[] = [];
  const say = (className: string, words: string) => {
    holder.replaceChildren(h("p", { class: className, role: "status" }, words));
  };
  const show = async () => {
    const attributions = await side.attributions(methods);
    if (attributions.length === 0) {
      return say(
        "note",
        canAsk
          ? "This model has no attributions by these methods."
          : "This file holds no attributions: heed explain --methods adds them.",
      );
    }
    const parts: HTMLElement[] = [];
    // Each input by itself, where there are several.
    for (const [axis, [first, ...more]] of byAxis(attributions)) {
      const targets = part.targetsOf(first);
      const same = more.filter((one) => one.scores.length === first.scores.length);
      const attention = attentionOf(side, first, targets);
      const labels = side.targetLabels(targets);
      const main = fill(side, options, [first, ...same], labels, attention, "");
      filled.push(main);
      if (parts.length > 0) main.element.prepend(h("h2", {}, part.axis(axis).name));
      parts.push(main.element);
    }
    const { contrast } = side;
    if (contrast) {
      const found = await side.contrasted(contrast, methods);
      const other = fillContrast(side, options, found);
      if (other) {
        filled.push(other);
        const close = h("button", { type: "button", class: "plain" }, "Close");
        close.addEventListener("click", () => side.setContrast(null));
        const said = isolate(part.label(part.targets[contrast.target]));
        const title = `Why ${said}, not ${isolate(contrast.label)}?`;
        const head = h("div", { class: "card-head" }, h("h2", {}, title), close);
        parts.unshift(h("section", { class: "contrast" }, head, other.element));
      }
    }
    holder.replaceChildren(...parts);
    for (const one of filled) one.paint();
  };
  if (methods.length === 0) {
    say(
      "note",
      canAsk
        ? "Choose a method."
        : "This file holds no attributions: heed explain --methods adds them.",
    );
  } else {
    say("loading", "Computing gradients…");
    show().catch((error: unknown) =>
      say("problem", error instanceof Error ? error.message : String(error)),
    );
  }
  return {
    element,
    pictures: () =>
      filled.flatMap(({ figures }) => figures.map((figure) => figure.picture.svg)),
  };
}

/** Implicit attention: how much each input token matters to each output. */
export const saliency: ViewRow = {
  name: "saliency",
  title: "Saliency",
  switches: ["numbers", "scale"],
  contrasts: true,
  accepts: () => null,
  make: saliencyView,
};
