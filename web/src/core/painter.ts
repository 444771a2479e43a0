import { arrowStep, clamp, onLook } from "./dom";
import type { AxisView } from "./explanation";
import type { Side } from "./side";

/** The marks of one axis in a picture: for each, its place on the axis. */
interface Marks {
  view: AxisView;
  shapes: [SVGElement, number][];
}

/** Lets a picture that was drawn in C++ be pointed at, and walked through with the arrow
 * keys. Its marks say by data-axis and data-item which item of an axis they stand for. */
export class Painter {
  private readonly marks: Marks[] = [];
  private readonly order: [AxisView, number][] = [];
  private cursor = -1;

  constructor(
    picture: SVGSVGElement,
    private readonly side: Side,
  ) {
    for (const shape of picture.querySelectorAll<SVGElement>("[data-axis][data-item]")) {
      const { axis = "", item } = shape.dataset;
      if (!side.part.segment.axes.includes(axis)) continue;
      const view = side.part.axis(axis);
      let own = this.marks.find((one) => one.view === view);
      if (!own) this.marks.push((own = { view, shapes: [] }));
      const place = view.at(Number(item));
      own.shapes.push([shape, place]);
      this.order.push([view, place]);
      shape.classList.add("mark");
      onLook(shape, side.events.hover, () => side.focusAt(view, place));
      shape.addEventListener("click", () => side.pinAt(view, place));
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

  /** Marks what the side's focus chooses. */
  paint(): void {
    for (const { view, shapes } of this.marks) {
      const states = this.side.stateOf(view);
      for (const [shape, place] of shapes) {
        shape.classList.toggle("chosen", states[place]?.chosen ?? false);
      }
    }
  }
}
