import "./memory.css";

import {
  add,
  addRect,
  addText,
  arrowStep,
  button,
  clamp,
  h,
  newPicture,
  onLook,
  palette,
  type AxesOnShow,
  type AxisView,
  type InputField,
  type InputOptions,
  type KindRow,
  type Rows,
  type Side,
} from "../core";
import { textField } from "./text";

/** Payload of an axis of steps; an axis of slots has no values. */
interface Payload {
  values?: Rows;
}

/** Field for a sequence, typed or drawn at random: "random", a length and a seed. */
function sequenceField(options: InputOptions): InputField {
  const field = textField(options);
  const draw = button("Draw one", { class: "toggle" }, () => {
    const typed = field.read()?.text.match(/^random\s+(\d+)(\s+x\d+)?/);
    const seed = Math.floor(Math.random() * 1e6);
    field.write(`random ${typed?.[1] ?? 10}${typed?.[2] ?? ""} ${seed}`);
    options.submit();
  });
  return { ...field, element: h("div.sequence-field", field.element, draw) };
}

const bitHeight = 9;
const markHeight = 10;
const roomForNames = 74;

/** Steps as columns of bits, with the weight of each below it. */
class Strip {
  readonly element: HTMLElement;
  private cursor = 0;
  private pitch = 1;

  constructor(
    private readonly side: Side,
    private readonly view: AxisView,
  ) {
    this.element = h("div.figure.steps", {
      tabindex: 0,
      role: "application",
      "aria-roledescription": "sequence",
      "aria-label": `${view.name}, ${view.labels.length} items. Left and right move along it.`,
      "data-axis": view.id,
      onclick: (event) => {
        this.cursor = this.at(event);
        side.pinAt(view, this.cursor);
      },
      onkeydown: (event) => this.key(event),
    });
    onLook(this.element, side.events.hover, (event) =>
      side.focusAt(view, event ? this.at(event) : this.cursor),
    );
  }

  private at(event: MouseEvent): number {
    const box = this.element.querySelector("svg")?.getBoundingClientRect();
    const x = event.clientX - (box?.left ?? 0) - roomForNames;
    return clamp(Math.floor(x / this.pitch), 0, this.view.labels.length - 1);
  }

  private key(event: KeyboardEvent): void {
    const step = arrowStep(event);
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    if (!step) return this.side.pinAt(this.view, this.cursor);
    this.cursor = clamp(this.cursor + step[1], 0, this.view.labels.length - 1);
    this.side.hover(this.side.focusAt(this.view, this.cursor));
  }

  paint(width: number): void {
    const p = palette();
    const { labels, name } = this.view;
    const { values } = (this.view.axis.payload ?? {}) as Payload;
    const channels = values?.[0]?.length ?? 0;
    this.pitch = Math.min(16, (width - roomForNames) / Math.max(1, labels.length));
    const tall = channels * bitHeight;
    const picture = newPicture(width, tall + markHeight + 6, name);
    addText(picture, 0, 12, name, { size: 12, fill: p.quiet, weight: 600 });
    const cells = add(picture, "g", { transform: `translate(${roomForNames} 0)` });
    const wide = labels.length * this.pitch;
    addRect(cells, 0, 0, wide, tall, p.field);
    addRect(cells, 0, tall + 3, wide, markHeight, p.field);
    values?.forEach((row, t) =>
      row.forEach((value, c) => {
        if (Math.abs(value) < 0.01) return;
        const [x, y] = [t * this.pitch, c * bitHeight];
        addRect(cells, x, y, this.pitch, bitHeight, value < 0 ? p.negative : p.ink, {
          class: "bit",
          "fill-opacity": Math.min(1, Math.abs(value)),
        });
      }),
    );
    this.side.stateOf(this.view).forEach(({ strength, weight, chosen }, t) =>
      addRect(cells, t * this.pitch, tall + 3, this.pitch, markHeight, p.ink, {
        class: "weight",
        "fill-opacity": strength,
        "data-weight": weight === undefined ? null : String(weight),
        ...(chosen && { stroke: p.ink, "stroke-width": 2 }),
      }),
    );
    this.element.replaceChildren(picture);
  }
}

function showSteps(side: Side, axes: AxisView[]): AxesOnShow {
  const strips = axes.map((view) => new Strip(side, view));
  const element = h("div.steps-row", ...strips.map((strip) => strip.element));
  const paint = () => {
    const width = clamp(element.clientWidth || 900, 300, 1100);
    for (const strip of strips) strip.paint(width);
  };
  let width = 0;
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    paint();
  }).observe(element);
  paint();
  return { element, paint, pictures: () => [...element.querySelectorAll("svg")] };
}

export const memory: KindRow = {
  name: "memory",
  input: sequenceField,
  items: ({ payload }) => ((payload as Payload)?.values ? "steps" : "slots"),
  changes: ({ payload }) => !(payload as Payload)?.values,
  show: showSteps,
};
