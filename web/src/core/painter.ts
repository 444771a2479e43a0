import { arrowStep, clamp, onLook } from "./dom";
import { weightsOf, type AxisView } from "./explanation";
import { largest } from "./numbers";
import { colouring, strengthOf } from "./scale";
import type { Focus, Side } from "./side";
import { add, change } from "./svg";

/** Marks of one axis in a picture, each with its index on the axis. */
interface Marks {
  view: AxisView;
  shapes: [SVGElement, number][];
}

/** Minimum line width as a share of the maximum. */
const faintest = 0.03;

/** Weights as lines between two columns of words, in pictures with data-links: left
 * end, right end and height of a word. */
class Links {
  private readonly lines: { at: Focus; strength: number; path: SVGPathElement }[] = [];

  constructor(group: SVGElement, side: Side) {
    const { weights } = side.attention;
    const [left, right, pitch] = (group.dataset.links ?? "").split(" ").map(Number);
    const bend = 0.4 * (right - left);
    const colours = colouring(side.scale, weights, "");
    weights.forEach((row, t) =>
      row.forEach((weight, s) => {
        const strength = strengthOf(colours, weight, t);
        if (strength < faintest) return;
        const [y0, y1] = [(t + 0.5) * pitch, (s + 0.5) * pitch];
        const d = `M${left} ${y0}C${left + bend} ${y0} ${right - bend} ${y1} ${right} ${y1}`;
        const path = add(group, "path", { d, "stroke-width": 0.6 + 7 * strength });
        this.lines.push({ at: { row: t, column: s }, strength, path });
      }),
    );
  }

  /** Fades all lines except those of the row or column in focus. */
  paint(focus: Focus | null): void {
    const { row = null, column = null } =
      focus?.target === undefined ? (focus ?? {}) : {};
    for (const { at, strength, path } of this.lines) {
      const isSeen = (row ?? at.row) === at.row && (column ?? at.column) === at.column;
      change(path, { "stroke-opacity": isSeen ? 0.08 + 0.92 * strength : 0.03 });
    }
  }
}

/** Fills side-by-side cells with a row of the selected head, in pictures with
 * data-cells: total width and height. Weights are relative to the row's maximum. */
function fillCells(group: SVGElement, { shown, part, explanation }: Side): void {
  const { cells = "", map, row } = group.dataset;
  const own = part.maps.find(({ name }) => name === map);
  if (!shown || own?.query !== shown.map.query || own.key !== shown.map.key) return;
  const weights = weightsOf(explanation, shown.map, shown.head)[Number(row)] ?? [];
  const [room, height] = cells.split(" ").map(Number);
  const width = room / weights.length;
  const max = largest([weights]) || 1;
  group.replaceChildren();
  weights.forEach((weight, i) => {
    if (weight / max < 0.01) return;
    const place = { x: i * width, width, height, "data-weight": String(weight) };
    add(group, "rect", { ...place, "fill-opacity": weight / max });
  });
}

/** Makes a picture drawn in C++ interactive for pointer and arrow keys. data-axis and
 * data-item of a mark identify its item of an axis. */
export class Painter {
  private readonly marks: Marks[] = [];
  private readonly order: [AxisView, number][] = [];
  private readonly links: Links[];
  private cursor = -1;

  /** `words`: true if the items are whole words. */
  constructor(
    picture: SVGSVGElement,
    private readonly side: Side,
    words = false,
  ) {
    for (const shape of picture.querySelectorAll<SVGElement>("[data-axis][data-item]")) {
      const { axis, item } = shape.dataset;
      // An axis of a later part has the part's number as suffix.
      const id = side.part.segment.axes.find((one) =>
        [axis, `${axis}.${side.index}`].includes(one),
      );
      if (id === undefined) continue;
      const view = side.part.axis(id, words);
      let own = this.marks.find((one) => one.view === view);
      if (!own) this.marks.push((own = { view, shapes: [] }));
      const place = words ? Number(item) : view.at(Number(item));
      own.shapes.push([shape, place]);
      this.order.push([view, place]);
      shape.classList.add("mark");
      onLook(shape, side.events.hover, () => side.focusAt(view, place));
      shape.addEventListener("click", () => side.pinAt(view, place));
    }
    const links = [...picture.querySelectorAll<SVGElement>("[data-links]")];
    this.links = links.map((group) => new Links(group, side));
    for (const group of picture.querySelectorAll<SVGElement>("[data-cells]")) {
      fillCells(group, side);
    }
    if (this.order.length === 0) return;
    picture.setAttribute("tabindex", "0");
    picture.addEventListener("keydown", (event) => this.key(event));
    picture.addEventListener("blur", () => side.hover(null));
  }

  private key(event: KeyboardEvent): void {
    const step = arrowStep(event);
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    if (step) {
      this.cursor = clamp(this.cursor + step[0] + step[1], 0, this.order.length - 1);
    }
    if (this.cursor < 0) return;
    const [view, place] = this.order[this.cursor];
    if (step) this.side.hover(this.side.focusAt(view, place));
    else this.side.pinAt(view, place);
  }

  /** Marks the items selected by the side's focus. */
  paint(): void {
    for (const { view, shapes } of this.marks) {
      const states = this.side.stateOf(view);
      for (const [shape, place] of shapes) {
        shape.classList.toggle("chosen", states[place]?.chosen ?? false);
      }
    }
    for (const links of this.links) links.paint(this.side.focus);
  }
}
