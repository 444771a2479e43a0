import { arrowStep, clamp, h, onLook } from "./dom";
import { Matrix, type MatrixSpec } from "./matrix";
import type { Focus } from "./side";
import type { Palette } from "./theme";

/** What to do with what is pointed at, or reached with the arrow keys. */
export interface FigureEvents {
  hover(focus: Focus | null): void;
  pin(focus: Focus | null): void;
}

/** A heatmap that answers to pointer and keys. */
export class MatrixFigure {
  readonly element: HTMLElement;
  readonly picture: Matrix;
  private cursor = { row: 0, column: 0 };

  constructor(
    private readonly spec: MatrixSpec,
    palette: Palette,
    private readonly events: FigureEvents,
  ) {
    this.picture = new Matrix(spec, palette);
    const { svg } = this.picture;
    this.element = h(
      "div.figure.matrix",
      {
        tabindex: 0,
        role: "application",
        "aria-roledescription": "table of cells",
        "aria-label": `${spec.label}. Arrow keys move from cell to cell.`,
        onkeydown: (event) => this.key(event),
      },
      svg,
    );
    svg.addEventListener("click", (event) => {
      const focus = this.picture.at(event);
      if (focus) this.cursor = { row: focus.row ?? 0, column: focus.column ?? 0 };
      events.pin(focus);
    });
    const find = (event?: PointerEvent) =>
      event ? this.picture.at(event) : { ...this.cursor };
    onLook(this.element, events.hover, find);
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.scrolled()).observe(this.element);
  }

  private key(event: KeyboardEvent): void {
    const { cursor, spec } = this;
    const step = arrowStep(event);
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    if (!step) return this.events.pin({ ...cursor });
    cursor.row = clamp(cursor.row + step[0], 0, spec.rowLabels.length - 1);
    cursor.column = clamp(cursor.column + step[1], 0, spec.columnLabels.length - 1);
    this.events.hover({ ...cursor });
    this.scrollTo(cursor);
  }

  private scrolled(): void {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.element;
    this.picture.scrolled(scrollLeft, scrollTop, clientWidth, clientHeight);
  }

  /** Brings a cell out from below the names and the edges. */
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
