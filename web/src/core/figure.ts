import { h } from "./dom";
import { drawMatrix, type MatrixPicture, type MatrixSpec } from "./matrix";
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
  readonly picture: MatrixPicture;
  private cursor: Focus = { row: 0, column: 0 };

  constructor(
    private readonly spec: MatrixSpec,
    palette: Palette,
    private readonly events: FigureEvents,
  ) {
    this.picture = drawMatrix(spec, palette);
    const { svg } = this.picture;
    this.element = h(
      "div",
      {
        class: "figure matrix",
        tabindex: 0,
        role: "application",
        "aria-roledescription": "table of cells",
        "aria-label": `${spec.label}. Arrow keys move from cell to cell.`,
      },
      svg,
    );
    svg.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") events.hover(this.picture.at(event));
    });
    svg.addEventListener("pointerleave", () => events.hover(null));
    svg.addEventListener("click", (event) => {
      const focus = this.picture.at(event);
      if (focus) this.cursor = { row: focus.row ?? 0, column: focus.column ?? 0 };
      events.pin(focus);
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("scroll", () => this.look(), { passive: true });
    new ResizeObserver(() => this.look()).observe(this.element);
    this.element.addEventListener("blur", () => events.hover(null));
    this.element.addEventListener("focus", () => {
      if (this.element.matches(":focus-visible")) events.hover({ ...this.cursor });
    });
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = this.spec.rowLabels.length;
    const columns = this.spec.columnLabels.length;
    const { row, column } = this.cursor;
    const [t, s] = [row ?? 0, column ?? 0];
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [t, s - 1],
      ArrowRight: [t, s + 1],
      ArrowUp: [t - 1, s],
      ArrowDown: [t + 1, s],
      Home: [t, 0],
      End: [t, columns - 1],
    };
    if (event.key === "Enter") {
      event.preventDefault();
      this.events.pin({ ...this.cursor });
      return;
    }
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    this.cursor = {
      row: Math.max(0, Math.min(rows - 1, step[0])),
      column: Math.max(0, Math.min(columns - 1, step[1])),
    };
    this.events.hover({ ...this.cursor });
    this.scrollTo(this.cursor);
  }

  private look(): void {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.element;
    this.picture.scrolled(scrollLeft, scrollTop, clientWidth, clientHeight);
  }

  /** Brings a cell out from below the names and the edges. */
  private scrollTo(focus: Focus): void {
    const cell = this.picture.cellBox(focus);
    const { origin } = this.picture;
    const box = this.element;
    const nearest = (
      from: number,
      size: number,
      begin: number,
      at: number,
      room: number,
    ) => Math.min(Math.max(at, from + size + 12 - room), Math.max(0, from - begin - 12));
    box.scrollLeft = nearest(
      cell.x,
      cell.width,
      origin.x,
      box.scrollLeft,
      box.clientWidth,
    );
    box.scrollTop = nearest(
      cell.y,
      cell.height,
      origin.y,
      box.scrollTop,
      box.clientHeight,
    );
  }
}
