import {
  add,
  addRect,
  addText,
  change,
  clamp,
  figureOf,
  fitText,
  newPicture,
  strengthOf,
  type AxisView,
  type FigureEvents,
  type Focus,
  type MatrixSpec,
  type Palette,
  type RowsFigure,
} from "../core";

/** What is known of an image: as docs/explain.md describes it. */
export interface ImagePayload {
  width: number;
  height: number;
  /** Side of a cell. Units: pixels. */
  cell: number;
  /** The file in base64. */
  png: string;
}

/** Light on a dark image and dark on a light one. */
export const forColour = "#3f9bff";
export const againstColour = "#ff8a3d";
const chosenColour = "#ffd23f";
const opacity = 0.8;
const font = 13;
const gap = 16;
const titleRoom = 26;
const labelRoom = 24;
const legendRoom = 20;

/** An image in an SVG picture, its pixels as they are. */
export function addImage(
  parent: Element,
  { width, height, png }: ImagePayload,
  scale: number,
  marks: Record<string, string> = {},
): SVGImageElement {
  return add(parent, "image", {
    ...{ width: width * scale, height: height * scale, preserveAspectRatio: "none" },
    style: "image-rendering: pixelated",
    href: `data:image/png;base64,${png}`,
    ...marks,
  });
}

/** The image once for each row, with its cells tinted by their values. */
export class ImageFigure implements RowsFigure {
  readonly element: HTMLElement;
  readonly picture: RowsFigure["picture"];
  private readonly image: ImagePayload;
  private readonly scale: number;
  private readonly across: number;
  private readonly chosen: SVGRectElement[] = [];
  private readonly cursor = { row: 0, column: 0 };

  constructor(
    axis: AxisView,
    private readonly spec: MatrixSpec,
    palette: Palette,
    private readonly events: FigureEvents,
  ) {
    this.image = axis.axis.payload as ImagePayload;
    const { width, height } = this.image;
    const count = spec.rowLabels.length;
    const extent = Math.min(spec.width, count > 4 ? 116 : 224);
    this.scale = extent / Math.max(width, height);
    const [w, tall] = [this.wide + gap, this.tall + labelRoom + gap];
    this.across = Math.max(1, Math.floor((spec.width + gap) / w));
    const rows = Math.ceil(count / this.across);
    const svg = newPicture(
      Math.max(Math.min(this.across, count) * w - gap, 220),
      titleRoom + rows * tall - gap + legendRoom,
      spec.label,
    );
    const words = { size: font, fill: palette.text };
    addText(svg, 0, 16, spec.title ?? "", { ...words, weight: 600 });
    spec.rowLabels.forEach((label, row) => {
      const { x, y } = this.cornerOf(row);
      const group = add(svg, "g", { transform: `translate(${x} ${y})` });
      group.classList.add("attributed");
      this.addRow(group, row);
      const text = fitText(label, font, this.wide);
      addText(group, 0, this.tall + 17, text, words);
    });
    const end = titleRoom + rows * tall - gap + legendRoom - 5;
    addText(svg, 0, end, spec.legend, { size: 11, fill: palette.text });
    this.picture = { svg, mark: (at) => this.mark(at) };
    this.element = figureOf(
      svg,
      { name: "image-figure", what: "image in cells", label: spec.label },
      {
        cursor: this.cursor,
        at: (event) => this.at(event),
        move: (step) => this.move(step),
      },
      events,
    );
  }

  private get wide(): number {
    return this.image.width * this.scale;
  }
  private get tall(): number {
    return this.image.height * this.scale;
  }
  private get columns(): number {
    return this.image.width / this.image.cell;
  }

  private cornerOf(row: number): { x: number; y: number } {
    return {
      x: (row % this.across) * (this.wide + gap),
      y: titleRoom + Math.floor(row / this.across) * (this.tall + labelRoom + gap),
    };
  }

  private addRow(group: SVGGElement, row: number): void {
    const { spec, image, scale } = this;
    addImage(group, image, scale);
    const side = image.cell * scale;
    const corner = (i: number): [number, number] => [
      (i % this.columns) * side,
      Math.floor(i / this.columns) * side,
    ];
    (spec.values[row] ?? []).forEach((value, i) => {
      const strength = strengthOf(spec, value, row);
      if (Math.abs(strength) < 0.005) return;
      const [x, y] = corner(i);
      addRect(group, x, y, side, side, strength < 0 ? againstColour : forColour, {
        class: "attributed-cell",
        "data-cell": i,
        "fill-opacity": (opacity * Math.abs(strength)).toFixed(2),
      });
    });
    const chosen = addRect(group, 0, 0, side, side, "none", {
      stroke: chosenColour,
      "stroke-width": 2,
      visibility: "hidden",
    });
    this.chosen.push(chosen);
  }

  /** The cell that the pointer is at, of the image that it is on. */
  private at(event: MouseEvent): { row: number; column: number } | null {
    const box = this.picture.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const side = this.image.cell * this.scale;
    for (let row = 0; row < this.spec.rowLabels.length; ++row) {
      const corner = this.cornerOf(row);
      const [dx, dy] = [x - corner.x, y - corner.y];
      if (dx < 0 || dy < 0 || dx >= this.wide || dy >= this.tall) continue;
      const column = Math.floor(dy / side) * this.columns + Math.floor(dx / side);
      return { row, column };
    }
    return null;
  }

  private move(step: [number, number]): void {
    const { cursor, spec, columns } = this;
    const cells = spec.columnLabels.length;
    // From the last cell of an image to the first of the next.
    const place = cursor.row * cells + cursor.column + step[0] * columns + step[1];
    const to = clamp(place, 0, spec.rowLabels.length * cells - 1);
    Object.assign(cursor, { row: Math.floor(to / cells), column: to % cells });
    this.events.hover({ ...cursor });
  }

  private mark(at: Focus | null): void {
    const side = this.image.cell * this.scale;
    this.chosen.forEach((rect, row) => {
      const column = at?.column ?? null;
      const seen = column !== null && (at?.row ?? row) === row;
      change(rect, { visibility: seen ? "visible" : "hidden" });
      if (column === null) return;
      const [x, y] = [(column % this.columns) * side, Math.floor(column / this.columns)];
      change(rect, { x, y: y * side });
    });
  }
}
