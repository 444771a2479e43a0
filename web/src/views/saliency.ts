import { h } from "../dom";
import {
  choiceName,
  rowsOfTargets,
  weightsOf,
  type Attribution,
  type Choice,
  type Rows,
} from "../explanation";
import { MatrixFigure } from "../figure";
import { labelRoom, type Focus } from "../matrix";
import type { Side } from "../side";
import {
  absolute,
  largest,
  mean,
  rowCorrelations,
  sameShape,
  shortNumber,
} from "../statistics";
import type { View, ViewOptions } from "./view";

export const methodNames: Record<string, string> = {
  saliency: "Saliency",
  gradient_x_input: "Gradient × input",
  integrated_gradients: "Integrated gradients",
  smooth_grad: "SmoothGrad",
  occlusion: "Occlusion",
};

/** The attention that attributions are set against: the chosen one if it has a row for
 * each target and a column for each source token, or else the alignment. */
function comparedAttention(
  side: Side,
  scores: Rows,
): { name: string; weights: Rows } | null {
  const { explanation } = side;
  const { alignment, layers } = explanation;
  const choices: Choice[] = side.choice ? [side.choice] : [];
  if (alignment !== null) choices.push({ layer: alignment, head: "mean" });
  for (const choice of choices) {
    const layer = layers[choice.layer];
    if (layer.keys !== "source") continue;
    const all = weightsOf(layer, choice.head);
    const weights = choice.layer === alignment ? rowsOfTargets(explanation, all) : all;
    if (sameShape(weights, scores))
      return { name: choiceName(explanation, choice), weights };
  }
  return null;
}

function correlationWords(attention: Rows, scores: Rows): string {
  const each = rowCorrelations(attention, absolute(scores)).filter(
    (r) => !Number.isNaN(r),
  );
  if (each.length === 0) return "too few tokens for a rank correlation";
  const range = `${shortNumber(Math.min(...each))} to ${shortNumber(Math.max(...each))}`;
  const rows = each.length === 1 ? "" : `, mean of ${each.length} rows from ${range}`;
  return `rank correlation with the attention ${shortNumber(mean(each))}${rows}`;
}

/** Each row divided by its largest value, so that all rows can be seen. */
function relativeRows(rows: Rows): Rows {
  return rows.map((row) => {
    const most = largest([row]);
    return most > 0 ? row.map((value) => value / most) : row;
  });
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

function fill(
  side: Side,
  options: ViewOptions,
  attributions: Attribution[],
  holder: HTMLElement,
): { figures: MatrixFigure[]; paint: () => void } {
  const { explanation } = side;
  const rowLabels = side.targetLabels();
  const columnLabels = side.labels(explanation.source);
  const first = attributions[0].scores;
  const attention = comparedAttention(side, first);
  const readout = h("p", { class: "readout", "aria-live": "polite" });
  let focus: Focus | null = null;
  let pinned: Focus | null = null;
  const shown: { name: string; values: Rows }[] = [];
  const show = () => {
    const at = focus ?? pinned;
    for (const figure of figures) figure.picture.mark(at);
    readout.textContent =
      at && at.row !== null && at.column !== null
        ? `${rowLabels[at.row]} ← ${columnLabels[at.column]}: ` +
          shown
            .map(({ name, values }) => {
              const value = values[at.row ?? 0]?.[at.column ?? 0] ?? 0;
              return `${name.toLowerCase()} ${shortNumber(value)}`;
            })
            .join(", ")
        : "";
  };
  const events = {
    hover: (to: Focus | null) => {
      focus = to;
      show();
    },
    pin: (to: Focus | null) => {
      pinned =
        pinned && to && pinned.row === to.row && pinned.column === to.column ? null : to;
      show();
    },
  };
  const count = attributions.length + (attention ? 1 : 0);
  const room = labelRoom(rowLabels, 13) + 10;
  const width = widthOfEach(options, columnLabels.length, room, count);
  const draw = (name: string, raw: Rows, values: Rows, top: number, scale: string) => {
    shown.push({ name, values: raw });
    return new MatrixFigure(
      {
        label: name,
        title: name,
        rowLabels,
        columnLabels,
        values,
        top: top || 1,
        signed: values.some((row) => row.some((value) => value < 0)),
        numbers: options.numbers,
        scale,
        width,
        largestCell: options.numbers ? 34 : 26,
      },
      options.palette,
      events,
    );
  };
  const cards: HTMLElement[] = [];
  const figures: MatrixFigure[] = [];
  const add = (figure: MatrixFigure, note: string) => {
    figures.push(figure);
    cards.push(
      h("div", { class: "attribution" }, figure.element, h("p", { class: "note" }, note)),
    );
  };
  if (attention) {
    add(
      draw("Attention", attention.weights, attention.weights, 1, "attention weight"),
      `${attention.name}: what was read`,
    );
  }
  for (const { method, scores } of attributions) {
    const name = methodNames[method] ?? method;
    add(
      options.relative
        ? draw(name, scores, relativeRows(scores), 1, "of the row's largest")
        : draw(name, scores, scores, largest(scores), "effect on the score"),
      attention ? correlationWords(attention.weights, scores) : "",
    );
  }
  holder.replaceChildren(
    readout,
    h("div", { class: "figures" }, ...cards),
    h(
      "p",
      { class: "note" },
      attention
        ? "Attention says what was read, attributions what the answer depended on. They " +
            "often disagree: a low correlation is a finding, not an error."
        : "No attention of this model has a row for each output and a column for each " +
            "input token, so there is nothing to set the attributions against.",
    ),
  );
  return { figures, paint: show };
}

/** Implicit attention: how much each input token matters to each output. */
export function saliencyView(
  side: Side,
  options: ViewOptions,
  change: (wanted: { methods?: string[]; relative?: boolean }) => void,
): View {
  const boxes = Object.entries(methodNames).map(([method, name]) => {
    const box = h("input", {
      type: "checkbox",
      value: method,
      checked: options.methods.includes(method),
    });
    box.addEventListener("change", () => {
      const chosen = boxes
        .map((label) => label.firstChild as HTMLInputElement)
        .filter((input) => input.checked)
        .map((input) => input.value);
      change({ methods: chosen });
    });
    return h("label", { class: "check" }, box, name);
  });
  const relative = h("input", { type: "checkbox", checked: options.relative });
  relative.addEventListener("change", () => change({ relative: relative.checked }));
  const holder = h("div", {});
  const element = h(
    "div",
    {},
    h("div", { class: "methods", role: "group", "aria-label": "Methods" }, ...boxes),
    h("label", { class: "check" }, relative, "Scale each row by itself"),
    holder,
  );
  let filled: ReturnType<typeof fill> | null = null;
  const say = (className: string, words: string) => {
    holder.replaceChildren(h("p", { class: className, role: "status" }, words));
  };
  if (options.methods.length === 0) {
    say("note", "Choose a method.");
  } else {
    say("loading", "Computing gradients…");
    side.attributions(options.methods).then(
      (attributions) => {
        if (attributions.length === 0) {
          say("note", "This model has no attributions by these methods.");
          return;
        }
        filled = fill(side, options, attributions, holder);
        filled.paint();
      },
      (error: unknown) =>
        say("problem", error instanceof Error ? error.message : String(error)),
    );
  }
  return {
    element,
    pictures: () => filled?.figures.map((figure) => figure.picture.svg) ?? [],
  };
}
