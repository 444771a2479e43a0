import {
  arrowStep,
  button,
  clamp,
  directionOf,
  h,
  isolate,
  onLook,
  palette,
  round,
  rove,
  shortNumber,
  textOn,
  type AxesOnShow,
  type AxisView,
  type InputField,
  type InputOptions,
  type KindRow,
  type Side,
} from "../core";

/** Field for text, passed on without trimming: a final space may matter. */
export function textField({ id, prompt, submit }: InputOptions, rows = 2): InputField {
  const element = h("textarea", {
    id,
    rows,
    dir: "auto",
    spellcheck: "false",
    autocomplete: "off",
    placeholder: prompt,
    "aria-label": "Text for the model",
    onkeydown: (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      submit();
    },
  });
  const read = () => ({ text: element.value, request: { text: element.value } });
  return {
    element,
    read: () => (element.value.trim() === "" ? null : read()),
    write: (text) => (element.value = text),
    focus: () => element.focus(),
  };
}

interface Line {
  view: AxisView;
  row: HTMLElement;
  chips: HTMLButtonElement[];
}

/** Describes the targets at a position and their probabilities. */
function describeTargets(side: Side, targets: number[], named: boolean): string {
  return targets
    .map((k) => {
      const target = side.part.targets[k];
      const { probability } = target;
      const sure = probability == null ? "" : shortNumber(probability);
      return named ? `${side.part.label(target)} ${sure}`.trim() : sure;
    })
    .join(" ");
}

/** Keeps chips of one word, and the punctuation after it, on one line. */
function keepTogether(chips: HTMLButtonElement[]): HTMLElement[] {
  const groups: HTMLElement[] = [];
  for (const chip of chips) {
    const group = groups[groups.length - 1];
    const joins = chip.classList.contains("joined") && group?.childElementCount < 4;
    if (joins) group.append(chip);
    else groups.push(h("span.together", chip));
  }
  return groups;
}

/** Shows each axis as a line of words; pointing at a word shows its attention. */
function showTexts(side: Side, axes: AxisView[]): AxesOnShow {
  const lines = axes.map((view): Line => {
    const beneath = side.beneath(view);
    const chips = view.labels.map((label, i) => {
      const caption = beneath
        ? describeTargets(side, beneath[i], true)
        : describeTargets(side, side.targetsAt(view, i), false);
      const name = view.joined[i] ? "word joined" : "word";
      const chip = button("", { class: name }, () => side.pinAt(view, i));
      chip.hidden = side.isBeneath(view, i);
      chip.append(h("bdi", label));
      if (beneath || caption) chip.append(h(beneath ? "small" : "small.sure", caption));
      return chip;
    });
    const dir = directionOf(view.labels);
    const named = { role: "group", "aria-label": view.name, "data-axis": view.id };
    const line = h("div.line", { dir, ...named }, ...keepTogether(chips));
    return { view, row: h("div.words-row", h("p.label", view.name), line), chips };
  });

  const move = (event: KeyboardEvent, { row, chips, view }: Line, at: number) => {
    const step = arrowStep(event);
    if (!step) return;
    const [down, right] = step;
    const seen = lines.filter((one) => !one.row.hidden);
    const there = seen[seen.findIndex((one) => one.row === row) + down]?.chips ?? chips;
    const onward =
      directionOf(view.labels) === "rtl" && Math.abs(right) === 1 ? -right : right;
    const to = there[clamp(at + onward, 0, there.length - 1)];
    if (to === chips[at]) return;
    event.preventDefault();
    to.focus();
  };

  for (const line of lines) {
    const { chips, view } = line;
    rove(chips, 0);
    chips.forEach((chip, i) => {
      onLook(chip, side.events.hover, () => side.focusAt(view, i));
      chip.addEventListener("focus", () => rove(chips, i));
      chip.addEventListener("keydown", (event) => move(event, line, i));
    });
  }

  return {
    element: h("div.words", ...lines.map(({ row }) => row)),
    paint() {
      const p = palette();
      for (const { view, row, chips } of lines) {
        row.hidden = !side.isVisible(view.id);
        side.stateOf(view).forEach(({ weight, strength, chosen }, i) => {
          const { style, classList, dataset } = chips[i];
          style.setProperty("--w", `${round(strength * 100)}%`);
          style.color = strength > 0 ? textOn(p, strength, p.ink, p.paper) : "";
          classList.toggle("chosen", chosen);
          const isKnown = weight !== undefined;
          chips[i].title = isKnown
            ? `${isolate(view.labels[i])} ${shortNumber(weight)}`
            : "";
          if (isKnown) dataset.weight = String(weight);
          else delete dataset.weight;
        });
      }
    },
  };
}

export const text: KindRow = {
  name: "text",
  isWords: true,
  items: () => "tokens",
  input: textField,
  show: showTexts,
};
