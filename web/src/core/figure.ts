import { arrowStep, clamp, h, onLook } from "./dom";
import { Matrix, type MatrixSpec } from "./matrix";
import type { Focus } from "./side";
import type { Palette } from "./theme";

/** Actions when a cell is hovered, or selected by keyboard. */
export interface FigureEvents {
  hover(focus: Focus | null): void;
  pin(focus: Focus | null): void;
}

/** Cells of a picture with a keyboard cursor. */
interface Cells {
  cursor: { row: number; column: number };
  /** Returns the cell under the pointer. */
  at(event: MouseEvent): Focus | null;
  /** Moves the cursor by rows and columns. */
  move(step: [number, number]): void;
}

/** Wraps a picture in an element that handles pointer and keys. */
export function figureOf(
  svg: SVGSVGElement,
  words: { name: string; what: string; label: string },
  { cursor, at, move }: Cells,
  events: FigureEvents,
): HTMLElement {
  const element = h(
    `div.figure.${words.name}`,
    {
      tabindex: 0,
      role: "application",
      "aria-roledescription": words.what,
      "aria-label": `${words.label}. Arrow keys move from cell to cell.`,
      onkeydown: (event) => {
        const step = arrowStep(event);
        if (!step && event.key !== "Enter") return;
        event.preventDefault();
        if (step) move(step);
        else events.pin({ ...cursor });
      },
    },
    svg,
  );
  svg.addEventListener("click", (event) => {
    const focus = at(event);
    if (focus) {
      Object.assign(cursor, { row: focus.row ?? 0, column: focus.column ?? 0 });
    }
    events.pin(focus);
  });
  onLook(element, events.hover, (event?: PointerEvent) =>
    event ? at(event) : { ...cursor },
  );
  return element;
}

/** An interactive heatmap. */
export class MatrixFigure {
  readonly element: HTMLElement;
  readonly picture: Matrix;
  private readonly cursor = { row: 0, column: 0 };

  constructor(
    private readonly spec: MatrixSpec,
    palette: Palette,
    private readonly events: FigureEvents,
  ) {
    this.picture = new Matrix(spec, palette);
    const { svg } = this.picture;
    this.element = figureOf(
      svg,
      { name: "matrix", what: "table of cells", label: spec.label },
      {
        cursor: this.cursor,
        at: (event) => this.picture.at(event),
        move: (step) => this.move(step),
      },
      events,
    );
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.scrolled()).observe(this.element);
  }

  private move(step: [number, number]): void {
    const { cursor, spec } = this;
    cursor.row = clamp(cursor.row + step[0], 0, spec.rowLabels.length - 1);
    cursor.column = clamp(cursor.column + step[1], 0, spec.columnLabels.length - 1);
    this.events.hover({ ...cursor });
    this.scrollTo(cursor);
  }

  private scrolled(): void {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.element;
    this.picture.scrolled(scrollLeft, scrollTop, clientWidth, clientHeight);
  }

  /** Scrolls a cell out from under the names and the edges. */
  private scrollTo(focus: Focus): void {
    const { element, picture } = this;
    const { x, y, width, height, left, top, below } = picture.cellBox(focus);
    const nearest = (
      from: number,
      size: number,
      begin: number,
      at: number,
      room: number,
    ) => Math.min(Math.max(at, from + size + 12 - room), Math.max(0, from - begin - 12));
    element.scrollTo(
      nearest(x, width, left, element.scrollLeft, element.clientWidth),
      nearest(y, height, top, element.scrollTop, element.clientHeight - below),
    );
  }
}
