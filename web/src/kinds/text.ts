import {
  button,
  directionOf,
  h,
  isolate,
  palette,
  rove,
  shortNumber,
  stepInGrid,
  textOn,
  type AxesOnShow,
  type AxisView,
  type InputField,
  type InputWishes,
  type KindRow,
  type Side,
} from "../core";

/** A field for text, which is passed on as it is typed: a space at the end may matter. */
export function textField(
  wishes: InputWishes,
  rows = 2,
): InputField & {
  element: HTMLTextAreaElement;
} {
  const element = h("textarea", {
    id: wishes.id,
    rows,
    dir: "auto",
    spellcheck: "false",
    autocomplete: "off",
    placeholder: wishes.prompt,
    "aria-label": "Text for the model",
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    wishes.submit();
  });
  return {
    element,
    read: () =>
      element.value.trim() === ""
        ? null
        : { text: element.value, request: { text: element.value } },
    write: (text) => (element.value = text),
    focus: () => element.focus(),
  };
}

interface Line {
  view: AxisView;
  row: HTMLElement;
  chips: HTMLButtonElement[];
}

/** What was said at a place, and how sure the model was of it. */
function saidAt(side: Side, targets: number[], named: boolean): string {
  return targets
    .map((k) => {
      const target = side.part.targets[k];
      const { probability } = target;
      const sure = probability == null ? "" : shortNumber(probability);
      return named ? `${side.part.label(target)} ${sure}`.trim() : sure;
    })
    .join(" ");
}

/** Chips of one word, and the punctuation behind it, stay on one line. */
function keepTogether(chips: HTMLButtonElement[]): HTMLElement[] {
  const groups: HTMLElement[] = [];
  for (const chip of chips) {
    const group = groups[groups.length - 1];
    const joins = chip.classList.contains("joined") && group?.childElementCount < 4;
    if (joins) group.append(chip);
    else groups.push(h("span", { class: "together" }, chip));
  }
  return groups;
}

/** Each axis as a line of words, which show its attention when they are pointed at. */
function showTexts(side: Side, axes: AxisView[]): AxesOnShow {
  const lines = axes.map((view): Line => {
    const beneath = side.beneath(view);
    const chips = view.labels.map((label, i) => {
      const said = beneath
        ? saidAt(side, beneath[i], true)
        : saidAt(side, side.targetsAt(view, i), false);
      const chip = button("", { class: view.joined[i] ? "word joined" : "word" }, () =>
        side.pinAt(view, i),
      );
      chip.hidden = side.isBeneath(view, i);
      chip.append(h("bdi", {}, label));
      if (beneath) chip.append(h("small", {}, said));
      else if (said) chip.append(h("small", { class: "sure" }, said));
      return chip;
    });
    const line = h(
      "div",
      {
        class: "line",
        dir: directionOf(view.labels),
        role: "group",
        "aria-label": view.name,
        "data-axis": view.id,
      },
      ...keepTogether(chips),
    );
    const row = h(
      "div",
      { class: "words-row" },
      h("p", { class: "label" }, view.name),
      line,
    );
    return { view, row, chips };
  });

  const move = (event: KeyboardEvent, line: Line, at: number) => {
    let to: HTMLElement | undefined;
    if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const seen = lines.filter((one) => !one.row.hidden);
      const next = seen[seen.indexOf(line) + (event.key === "ArrowUp" ? -1 : 1)]?.chips;
      to = next?.[Math.min(at, next.length - 1)];
    } else {
      const turned = line.row.querySelector<HTMLElement>(".line")?.dir === "rtl";
      const mirrored: Record<string, string> = {
        ArrowLeft: "ArrowRight",
        ArrowRight: "ArrowLeft",
      };
      const key = (turned && mirrored[event.key]) || event.key;
      const step = stepInGrid(key, at, line.chips.length, 1);
      if (step !== null) to = line.chips[step];
    }
    if (!to) return;
    event.preventDefault();
    to.focus();
  };

  for (const line of lines) {
    const { chips, view } = line;
    rove(chips, 0);
    chips.forEach((chip, i) => {
      const look = () => side.hover(side.focusAt(view, i));
      chip.addEventListener("pointerenter", (event) => {
        if (event.pointerType === "mouse") look();
      });
      chip.addEventListener("pointerleave", () => side.hover(null));
      chip.addEventListener("focus", () => {
        rove(chips, i);
        if (chip.matches(":focus-visible")) look();
      });
      chip.addEventListener("blur", () => side.hover(null));
      chip.addEventListener("keydown", (event) => move(event, line, i));
    });
  }

  return {
    element: h("div", { class: "words" }, ...lines.map(({ row }) => row)),
    paint() {
      const colours = palette();
      for (const { view, row, chips } of lines) {
        row.hidden = !side.isVisible(view.id);
        side.stateOf(view).forEach(({ weight, strength, chosen }, i) => {
          const { style, classList, dataset } = chips[i];
          style.setProperty("--w", `${round(strength)}%`);
          style.color =
            strength > 0 ? textOn(colours, strength, colours.ink, colours.paper) : "";
          classList.toggle("chosen", chosen);
          if (weight === undefined) delete dataset.weight;
          else dataset.weight = String(weight);
          chips[i].title =
            weight === undefined
              ? ""
              : `${isolate(view.labels[i])} ${shortNumber(weight)}`;
        });
      }
    },
  };
}

function round(strength: number): number {
  return Math.round(strength * 1000) / 10;
}

export const text: KindRow = { name: "text", input: textField, show: showTexts };
