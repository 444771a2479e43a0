import "./document.css";

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
import { textField } from "./text";

const rowsOfField = 7;

/** Field for a document. A single line is split into sentences; of several lines, each
 * is one sentence. */
function documentField(options: InputOptions): InputField {
  const field = textField(options, rowsOfField);
  const hint = h("p.note", "In a document with several lines, each line is a sentence.");
  return { ...field, element: h("div.document-field", field.element, hint) };
}

/** An item of an axis as a button. */
interface Chip {
  view: AxisView;
  place: number;
  element: HTMLButtonElement;
}

function chipOf(side: Side, view: AxisView, place: number, label: string): Chip {
  const name = view.joined[place] ? "word joined" : "word";
  const element = button("", { class: name }, () => side.pinAt(view, place));
  element.append(h("bdi", label));
  onLook(element, side.events.hover, () => side.focusAt(view, place));
  return { view, place, element };
}

function paintChip({ view, place, element }: Chip, states: Painted): void {
  const state = states.get(view.id)?.[place];
  if (!state) return;
  const { weight, strength, chosen } = state;
  const p = palette();
  element.style.setProperty("--w", `${round(strength * 100)}%`);
  element.style.color = strength > 0 ? textOn(p, strength, p.ink, p.paper) : "";
  element.classList.toggle("chosen", chosen);
  const isKnown = weight !== undefined;
  element.title = isKnown ? `${isolate(view.labels[place])} ${shortNumber(weight)}` : "";
  if (isKnown) element.dataset.weight = String(weight);
  else delete element.dataset.weight;
}

type Painted = Map<string, ReturnType<Side["stateOf"]>>;

/** Shows a row per sentence: its number, which represents the sentence, and its words. */
function showDocument(side: Side, axes: AxisView[]): AxesOnShow {
  const sentences = axes.find(({ axis }) => axis.of !== undefined && axis.spans);
  const words = axes.find(({ id }) => id === sentences?.axis.of) ?? axes[0];
  const spans = (sentences?.axis.spans ?? [[0, words.axis.items.length]]).map(
    ([begin, end]): [number, number] => [
      words.at(begin),
      end > begin ? words.at(end - 1) + 1 : words.at(begin),
    ],
  );
  const rows = spans.map(([begin, end], i) => {
    const head = sentences && chipOf(side, sentences, i, String(i + 1));
    const chips = words.labels
      .slice(begin, end)
      .map((label, k) => chipOf(side, words, begin + k, label));
    const named = { role: "group", "aria-label": `Sentence ${i + 1}` };
    const line = h(
      "div.line",
      { dir: directionOf(words.labels), "data-axis": words.id, ...named },
      ...chips.map(({ element }) => element),
    );
    return { head, chips, row: h("div.document-sentence", head?.element ?? "", line) };
  });
  rows.forEach(({ head, chips }, i) => {
    const all = [...(head ? [head] : []), ...chips].map(({ element }) => element);
    rove(all, 0);
    all.forEach((element, k) => {
      element.addEventListener("focus", () => rove(all, k));
      element.addEventListener("keydown", (event) => {
        const step = arrowStep(event);
        if (!step) return;
        const [down, right] = step;
        const there = rows[clamp(i + down, 0, rows.length - 1)];
        const own = [...(there.head ? [there.head] : []), ...there.chips];
        const to = own[clamp(k + right, 0, own.length - 1)]?.element;
        if (!to || to === element) return;
        event.preventDefault();
        to.focus();
      });
    });
  });
  const shown = [words, ...(sentences ? [sentences] : [])];
  return {
    element: h(
      "div.document.words",
      h("p.label", words.name),
      ...rows.map(({ row }) => row),
    ),
    paint() {
      const states: Painted = new Map(shown.map((view) => [view.id, side.stateOf(view)]));
      for (const { head, chips } of rows) {
        if (head) paintChip(head, states);
        for (const chip of chips) paintChip(chip, states);
      }
    },
  };
}

/** Returns the first line and "(3 sentences)" for a document of several lines, or the
 * text. */
function title(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 ? `${lines[0]} … (${lines.length} sentences)` : text;
}

export const document: KindRow = {
  name: "document",
  title,
  items: ({ of }) => (of === undefined ? "tokens" : "sentences"),
  input: documentField,
  show: showDocument,
};
