import {
  button,
  colouring,
  errorWords,
  h,
  isolate,
  kindNamed,
  labelRoom,
  MatrixFigure,
  mean,
  Part,
  pictureView,
  rowCorrelations,
  shortNumber,
  targetRows,
  weightsOf,
  type Attribution,
  type Contrast,
  type Explanation,
  type FigureEvents,
  type Focus,
  type Rows,
  type Scale,
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
  rollout: "Rollout",
};

function nameOf(method: string): string {
  const words = method.replaceAll("_", " ");
  return methodNames[method] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the attention row of each target over the attribution's axis; NaN for
 * targets without attention. Returns null if no target has attention. */
function attentionOf(side: Side, { axis }: Attribution, targets: Target[]): Rows | null {
  const { explanation } = side;
  const rows = targets.map(({ map: at, head, row }) => {
    const map = at === undefined ? undefined : explanation.maps[at];
    if (!map || map.pooled || row === undefined || map.key !== axis) return null;
    return weightsOf(explanation, map, head ?? "mean")[row] ?? null;
  });
  const none = explanation.axes[axis].items.map(() => NaN);
  return rows.some((row) => row !== null) ? rows.map((row) => row ?? none) : null;
}

/** Describes the agreement of attention and a method, as in the explanation or computed
 * at word level. */
function agreementWords(
  side: Side,
  method: string,
  attention: Rows,
  scores: Rows,
): string {
  const found = side.part.agreements.find((one) => one.method === method);
  const sizes = scores.map((row) => row.map(Math.abs));
  const ofWords = rowCorrelations(attention, sizes).filter((one) => !Number.isNaN(one));
  const [spearman, count] = side.shown?.byWord
    ? [mean(ofWords), ofWords.length]
    : [found?.spearman, found?.targets ?? 0];
  if (spearman == null || count === 0) return "";
  const rows = count === 1 ? "one row" : `mean of ${count} rows`;
  return `rank correlation with the attention ${shortNumber(spearman)}, ${rows}`;
}

/** Returns the width of each picture, such that as many as possible fit side by side
 * with legible cells. */
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

/** Pictures of attributions with a shared focus. */
class Pictures {
  readonly element: HTMLElement;
  private readonly width: number;
  private readonly cards = h("div.figures");
  private readonly readout = h("p.readout", { "aria-live": "polite" });
  private readonly shown: { name: string; values: Rows; figure: MatrixFigure }[] = [];
  private hovered: Focus | null = null;
  private pinned: Focus | null = null;

  constructor(
    private readonly options: ViewOptions,
    private readonly rowLabels: string[],
    private readonly columnLabels: string[],
    count: number,
  ) {
    const room = labelRoom(rowLabels, 13) + 10;
    this.width = widthOfEach(options, columnLabels.length, room, count);
    this.element = h("div", this.readout, this.cards);
  }

  add(name: string, values: Rows, scale: Scale, words: string, note: string): void {
    const { rowLabels, columnLabels, width } = this;
    const { numbers, palette } = this.options;
    const spec = {
      label: name,
      title: name,
      rowLabels,
      columnLabels,
      values,
      ...colouring(scale, values, words),
      signed: values.some((row) => row.some((value) => value < 0)),
      numbers,
      width,
      largestCell: numbers ? 34 : 26,
    };
    const events: FigureEvents = {
      hover: (to) => this.look(to, this.pinned),
      pin: (to) => {
        const { row, column } = this.pinned ?? {};
        this.look(this.hovered, row === to?.row && column === to?.column ? null : to);
      },
    };
    const figure = new MatrixFigure(spec, palette, events);
    this.shown.push({ name, values, figure });
    this.cards.append(h("div.attribution", figure.element, h("p.note", note)));
  }

  private look(hovered: Focus | null, pinned: Focus | null): void {
    [this.hovered, this.pinned] = [hovered, pinned];
    const at = hovered ?? pinned;
    for (const { figure } of this.shown) figure.picture.mark(at);
    const { row = null, column = null } = at ?? {};
    this.readout.textContent = "";
    if (row === null || column === null) return;
    const values = this.shown.map(({ name, values }) => {
      const value = values[row]?.[column] ?? NaN;
      return `${name.toLowerCase()} ${Number.isNaN(value) ? "none" : shortNumber(value)}`;
    });
    const [query, key] = [
      isolate(this.rowLabels[row]),
      isolate(this.columnLabels[column]),
    ];
    this.readout.textContent = `${query} ← ${key}: ${values.join(", ")}`;
  }

  pictures(): SVGSVGElement[] {
    return this.shown.map(({ figure }) => figure.picture.svg);
  }
}

/** Returns the scale. By default each row is scaled separately, because rows differ by
 * orders of magnitude. There is no natural maximum, so "absolute" scales to the
 * picture's maximum. */
function scaleOf({ scale }: ViewOptions): Scale {
  return scale === "auto" || scale === "row" ? "row" : "picture";
}

/** Groups attributions by input axis. */
function byAxis(attributions: Attribution[]): Attribution[][] {
  const axes = [...new Set(attributions.map(({ axis }) => axis))];
  return axes.map((axis) => attributions.filter((one) => one.axis === axis));
}

/** Draws the attributions of one input beside the attention of its targets. */
function drawAttributions(
  side: Side,
  options: ViewOptions,
  attributions: Attribution[],
): Pictures {
  const { part } = side;
  const [first] = attributions;
  const all = part.targetsOf(first);
  const same = attributions.filter(({ scores }) => scores.length === first.scores.length);
  const read = attentionOf(side, first, all);
  const count = same.length + (read ? 1 : 0);
  const byWord = side.shown?.byWord ?? false;
  const { targets, columns, merge } = targetRows(part, all, first.axis, byWord);
  const labels = side.targetLabels(targets);
  const pictures = new Pictures(options, labels, columns, count);
  const attention = read && merge(read);
  if (attention) {
    pictures.add(
      "Attention",
      attention,
      options.scale,
      "attention weight",
      "what was read",
    );
  }
  for (const { method, scores: ofItems } of same) {
    const scores = merge(ofItems);
    const note = attention ? agreementWords(side, method, attention, scores) : "";
    const words = "effect on the score";
    pictures.add(nameOf(method), scores, scaleOf(options), words, note);
  }
  const words =
    "Attention shows what was read, attributions what the answer depended on. They often " +
    "disagree: a low correlation is a finding, not an error. Struck-through cells: no " +
    "attention belongs to that row.";
  if (attention) pictures.element.append(h("p.note", words));
  return pictures;
}

/** Draws a contrastive explanation: attributions of the difference, requested
 * separately, with separate axes. */
function drawContrast(
  side: Side,
  options: ViewOptions,
  contrast: Contrast,
  found: Explanation,
): { element: HTMLElement; views: View[] } {
  const part = new Part(found, found.segments[0]);
  const tables = (): View[] =>
    byAxis(part.attributions).map((attributions) => {
      const [first] = attributions;
      const byWord = side.shown?.byWord ?? false;
      const all = part.targetsOf(first);
      const { targets, columns, merge } = targetRows(part, all, first.axis, byWord);
      const rows = targets.map((target) => {
        const predicted = part.axis(target.axis).labels[target.item] ?? "";
        return `${predicted}, not ${target.contrast?.label ?? contrast.label}`;
      });
      const ofAxis = new Pictures(options, rows, columns, attributions.length);
      const isLog = targets.every(({ probability }) => probability != null);
      const words = isLog
        ? "effect on log p − log p'"
        : "effect on the difference of scores";
      for (const { method, scores } of attributions) {
        ofAxis.add(nameOf(method), merge(scores), scaleOf(options), words, "");
      }
      return ofAxis;
    });
  const isPictured = kindNamed(part.kind).isPictured;
  const picture = () => pictureView(side, Promise.resolve(found.pictures ?? []));
  const views = isPictured ? [picture()] : tables();
  const predicted = isolate(side.part.label(side.part.targets[contrast.target]));
  const title = h("h2", `Why ${predicted}, not ${isolate(contrast.label)}?`);
  const close = button("Close", {}, () => side.setContrast(null));
  const head = h("div.card-head.row", title, close);
  const elements = views.map(({ element }) => element);
  return { element: h("div.contrast", head, ...elements), views };
}

function saliencyView(side: Side, options: ViewOptions): View {
  const { part, canAsk } = side;
  const known = [...new Set(part.attributions.map(({ method }) => method))];
  const wanted = options.methods ?? ["saliency", "gradient_x_input"];
  // A page in a file shows its own methods, the selected ones first.
  const methods = canAsk
    ? wanted
    : [...new Set([...wanted, ...known])].filter((name) => known.includes(name));
  const isPictured = kindNamed(part.kind).isPictured ?? false;
  const choices = canAsk ? [...new Set([...Object.keys(methodNames), ...known])] : [];
  const boxes = choices.map((method) => {
    const box = h("input", {
      type: "checkbox",
      value: method,
      checked: methods.includes(method),
      onchange: () => {
        const others = methods.filter((other) => other !== method);
        options.setMethods(box.checked ? [...methods, method] : others);
      },
    });
    return h("label.check", box, nameOf(method));
  });
  const holder = h("div");
  const shown: View[] = [];
  const say = (tag: "p.note" | "p.loading" | "p.problem", words: string) =>
    holder.replaceChildren(h(tag, { role: "status" }, words));
  const show = async () => {
    const attributions = isPictured ? [] : await side.attributions(methods);
    if (attributions.length === 0 && !isPictured) {
      return say("p.note", "This model has no attributions by these methods.");
    }
    const { contrast } = side;
    const elements: HTMLElement[] = [];
    if (contrast) {
      const found = await side.contrasted(contrast, methods, isPictured ? [drawn] : []);
      const { element, views } = drawContrast(side, options, contrast, found);
      elements.push(element);
      shown.push(...views);
    }
    if (isPictured) {
      const pictures = side.madePictures([drawn], options.scale, methods);
      shown.push(pictureView(side, pictures));
      elements.push(shown[shown.length - 1].element);
    }
    for (const ofAxis of byAxis(attributions)) {
      const pictures = drawAttributions(side, options, ofAxis);
      const { name } = part.axis(ofAxis[0].axis);
      if (ofAxis.length < attributions.length) {
        pictures.element.prepend(h("h2", name));
      }
      elements.push(pictures.element);
      shown.push(pictures);
    }
    holder.replaceChildren(...elements);
  };
  if (methods.length > 0) {
    say("p.loading", "Computing gradients…");
    show().catch((error: unknown) => say("p.problem", errorWords(error)));
  } else {
    const none = "This file holds no attributions: heed explain --methods adds them.";
    say("p.note", canAsk ? "Choose a method." : none);
  }
  const group = h(
    "div.methods.row",
    { role: "group", "aria-label": "Methods" },
    ...boxes,
  );
  return {
    element: h("div", group, holder),
    pictures: () => shown.flatMap((view) => view.pictures()),
    paint: () => shown.forEach((view) => view.paint?.()),
  };
}

/** Name of the view in heed/render. */
const drawn = "saliency";

/** Implicit attention: importance of each input token for each output. */
export const saliency: ViewRow = {
  name: "saliency",
  title: "Saliency",
  switches: ["numbers", "words", "scale"],
  contrasts: true,
  accepts: () => null,
  make: saliencyView,
};
