import { clamp, fitText, h, textWidth } from "./dom";
import type { Rows, Span } from "./explanation";
import { cellNumber, shortNumber } from "./numbers";
import { strengthOf, type Colouring } from "./scale";
import type { Focus } from "./side";
import { add, addRect, addText, change, newPicture, round, type Marks } from "./svg";
import { blend, textOn, type Palette } from "./theme";

export interface MatrixSpec extends Colouring {
  label: string;
  title?: string;
  rowLabels: string[];
  columnLabels: string[];
  values: Rows;
  /** Draws negative values in a second colour; the scale begins at -top. */
  signed?: boolean;
  /** Framed blocks: [row, column, end of rows, end of columns]. */
  framed?: [number, number, number, number][];
  numbers?: boolean;
  /** Preferred maximum width. Units: pixels. */
  width: number;
  smallestCell?: number;
  largestCell?: number;
  /** Labels that determine the space above, to align pictures in a row. */
  alignedTo?: string[];
  /** Height of a row; absent: the width of a column. Units: pixels. */
  rowHeight?: number;
}

/** Above this number of cells, cells are pixels, and numbers are drawn only in the
 * visible area. */
const mostCells = 10_000;

const labelWidth = 150;
const angle = (52 * Math.PI) / 180;
const numberCell = 34;
const scaleWidth = 120;
const legendHeight = 54;

/** Returns the width of the longest label in bold. */
export function labelRoom(labels: string[], font: number): number {
  return Math.max(
    0,
    ...labels.map((label) => Math.min(textWidth(label, font, 700), labelWidth)),
  );
}

function layOut(spec: MatrixSpec) {
  const [rows, columns] = [spec.rowLabels.length, spec.columnLabels.length];
  const isLarge = rows * columns > mostCells;
  // Label font and cell size depend on each other.
  const leftOf = (font: number) =>
    spec.rowLabels.some(Boolean) ? labelRoom(spec.rowLabels, font) + 10 : 1;
  const smallest = spec.smallestCell ?? (spec.numbers ? numberCell : isLarge ? 3 : 12);
  const max = Math.max(spec.largestCell ?? 38, smallest);
  const room = spec.width - leftOf(13) - 24;
  const wide = clamp(Math.floor(room / Math.max(columns, 1)), smallest, max);
  // Labels wider than their columns are rotated; the last ones extend to the right.
  const leans = labelRoom(spec.columnLabels, 13) > wide - 2;
  const fits = spec.columnLabels.map(
    (label, s) => (room - labelRoom([label], 13) * Math.cos(angle)) / (s + 0.6),
  );
  const cw = leans ? clamp(Math.floor(Math.min(...fits)), smallest, wide) : wide;
  const ch = spec.rowHeight ?? cw;
  const font = clamp(ch * 0.58, 10, 13);
  const left = Math.ceil(leftOf(font));
  const columnWidth = labelRoom(spec.columnLabels, font);
  const rotated = columnWidth > cw - 2;
  const above = Math.max(columnWidth, labelRoom(spec.alignedTo ?? [], font));
  const columnRoom = above > ch - 2 || rotated ? above * Math.sin(angle) + font : font;
  const labelled = spec.columnLabels.some(Boolean) || spec.alignedTo !== undefined;
  const top = Math.ceil((labelled ? columnRoom + 8 : 4) + (spec.title ? 26 : 0));
  const leaning = spec.columnLabels.map(
    (label, s) => (s + 0.6) * cw + labelRoom([label], font) * Math.cos(angle) + 4,
  );
  const right = Math.max(
    columns * cw,
    textWidth(spec.legend, 11) + 4,
    scaleWidth + 40,
    ...(rotated ? leaning : []),
  );
  const titleWidth = spec.title ? textWidth(spec.title, 13, 600) : 0;
  const width = Math.max(left + right, titleWidth) + 4;
  const height = top + rows * ch + (spec.legend ? legendHeight : 0) + 4;
  // Labels are drawn at every `step` rows and columns if there is no space for all.
  const step = Math.max(1, Math.ceil((font + 1) / ch));
  const columnStep = Math.max(1, Math.ceil((font + 1) / cw));
  const names = { font, rotated, columnRoom, step, columnStep };
  return { rows, columns, cw, ch, left, top, width, height, isLarge, ...names };
}

/** Layout of a matrix; `cw` and `ch`: width and height of a cell. */
type Layout = ReturnType<typeof layOut>;

/** Draws all cells of one strength as one path, to keep the number of elements low. */
function addCells(
  matrix: SVGElement,
  spec: MatrixSpec,
  { cw, ch }: Layout,
  p: Palette,
): void {
  const paths = new Map<number, string[]>();
  let missing = "";
  spec.values.forEach((row, t) => {
    row.forEach((value, s) => {
      if (Number.isNaN(value)) {
        missing += `M${s * cw + 3} ${(t + 1) * ch - 3}L${(s + 1) * cw - 3} ${t * ch + 3}`;
      }
      const level = Math.round(strengthOf(spec, value, t) * 100);
      if (level === 0) return;
      let path = paths.get(level);
      if (!path) paths.set(level, (path = []));
      path.push(`M${s * cw} ${t * ch}h${cw}v${ch}h-${cw}z`);
    });
  });
  for (const [level, path] of paths) {
    const fill = level < 0 ? p.negative : p.ink;
    add(matrix, "path", {
      d: path.join(""),
      fill,
      "fill-opacity": Math.abs(level) / 100,
    });
  }
  if (missing) add(matrix, "path", { d: missing, stroke: p.line });
}

/** Draws one pixel per value; the browser scales the image. */
export function paintPixels(
  spec: Colouring & { values: Rows },
  p: Palette,
): HTMLCanvasElement {
  const { values } = spec;
  const width = Math.max(1, values[0]?.length ?? 0);
  const canvas = h("canvas", { width, height: Math.max(1, values.length) });
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  const levels = new Map<number, Uint8ClampedArray>();
  const image = context.createImageData(width, canvas.height);
  values.forEach((row, t) => {
    for (let s = 0; s < width; ++s) {
      const level = Math.round(strengthOf(spec, row[s], t) * 100);
      let rgba = levels.get(level);
      if (!rgba) {
        const colour = level < 0 ? p.negative : p.ink;
        const rgb = blend(p.field, colour, Math.abs(level) / 100);
        levels.set(level, (rgba = Uint8ClampedArray.of(...rgb, 255)));
      }
      image.data.set(rgba, 4 * (t * width + s));
    }
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

function addGrid(
  matrix: SVGElement,
  { cw, ch, rows, columns }: Layout,
  p: Palette,
): void {
  let d = "";
  for (let s = 1; s < columns; ++s) d += `M${s * cw} 0v${rows * ch}`;
  for (let t = 1; t < rows; ++t) d += `M0 ${t * ch}h${columns * cw}`;
  const width = Math.min(cw, ch) < 16 ? 0.5 : 1;
  add(matrix, "path", { d, fill: "none", stroke: p.paper, "stroke-width": width });
}

/** Draws the numbers of the cells in these rows and columns. */
function addNumbers(
  group: SVGElement,
  spec: MatrixSpec,
  { cw, ch }: Layout,
  p: Palette,
  [firstRow, endRow]: Span,
  [firstColumn, endColumn]: Span,
): void {
  const size = Math.min(11, cw * 0.3);
  const top = typeof spec.top === "number" ? spec.top : 1;
  for (let t = firstRow; t < endRow; ++t) {
    const row = spec.values[t];
    for (let s = firstColumn; s < Math.min(endColumn, row.length); ++s) {
      const strength = strengthOf(spec, row[s], t);
      const below = strength < 0 ? p.negative : p.ink;
      const isFaint = Math.abs(strength) < 0.005;
      const fill = isFaint ? p.quiet : textOn(p, Math.abs(strength), below);
      const [x, y] = [(s + 0.5) * cw, (t + 0.5) * ch + size * 0.36];
      addText(group, x, y, cellNumber(row[s], top), { size, anchor: "middle", fill });
    }
  }
}

/** Draws a colour scale from 0, or from -top, to top. */
function addScale(
  legend: SVGElement,
  spec: MatrixSpec,
  layout: Layout,
  p: Palette,
): void {
  const steps = 30;
  const y = layout.top + layout.rows * layout.ch + 14;
  const group = add(legend, "g", { transform: `translate(${layout.left} ${y})` });
  addRect(group, 0, 0, scaleWidth, 9, p.field);
  for (let i = 0; i < steps; ++i) {
    const value = ((i + 0.5) / steps) * (spec.signed ? 2 : 1) - (spec.signed ? 1 : 0);
    const [x, width] = [(i * scaleWidth) / steps, scaleWidth / steps + 0.1];
    addRect(group, x, 0, width, 9, value < 0 ? p.negative : p.ink, {
      "fill-opacity": Math.abs(value),
      "shape-rendering": "crispEdges",
    });
  }
  const quiet = { size: 11, fill: p.quiet };
  const top = typeof spec.top === "number" ? shortNumber(spec.top) : "1";
  const end = top.replace(/\.0+$/, "");
  addText(group, 0, 23, spec.signed ? `−${end}` : "0", quiet);
  addText(group, scaleWidth, 23, end, { ...quiet, anchor: "end" });
  addText(group, 0, 38, spec.legend, quiet);
}

/** A heatmap with column labels above and row labels on the left. */
export class Matrix {
  readonly svg: SVGSVGElement;
  private readonly layout: Layout;
  private readonly cells: SVGElement;
  private readonly numbers: SVGElement;
  private readonly bands: SVGElement[];
  private readonly rowNames: SVGElement;
  private readonly columnNames: SVGElement;
  private readonly corner: SVGElement;
  private readonly legend: SVGElement;
  private readonly rowTexts: SVGElement[];
  private readonly columnTexts: SVGElement[];
  private marked: Focus | null = null;
  private scrollX = 0;
  private scrollY = 0;
  /** Vertical position at which the legend covers the cells. */
  private legendTop = Infinity;

  constructor(
    private readonly spec: MatrixSpec,
    private readonly palette: Palette,
  ) {
    const layout = layOut(spec);
    const { cw, ch, rows, columns, left, top } = layout;
    const picture = newPicture(layout.width, layout.height, spec.label);
    this.svg = picture;
    this.layout = layout;
    this.cells = add(picture, "g", { transform: `translate(${left} ${top})` });
    addRect(this.cells, 0, 0, columns * cw, rows * ch, palette.field);
    if (layout.isLarge) {
      add(this.cells, "image", {
        href: paintPixels(spec, palette).toDataURL(),
        width: columns * cw,
        height: rows * ch,
        preserveAspectRatio: "none",
        "image-rendering": "pixelated",
      });
    } else {
      addCells(this.cells, spec, layout, palette);
      addGrid(this.cells, layout, palette);
    }
    for (const [t, s, tEnd, sEnd] of spec.framed ?? []) {
      const [width, height] = [(sEnd - s) * cw - 2, (tEnd - t) * ch - 2];
      const stroke = { stroke: palette.moved, "stroke-width": cw < 16 ? 1.5 : 2, rx: 3 };
      const marks = { class: "moved", ...stroke };
      addRect(this.cells, s * cw + 1, t * ch + 1, width, height, "none", marks);
    }
    this.numbers = add(this.cells, "g", {});
    if (spec.numbers && !layout.isLarge) {
      addNumbers(this.numbers, spec, layout, palette, [0, rows], [0, columns]);
    }
    const band = { stroke: palette.ink, "stroke-width": 2, rx: 2, visibility: "hidden" };
    this.bands = [0, 1].map(() => addRect(this.cells, 0, 0, 0, 0, "none", band));
    this.rowNames = this.stuck(left - 2, layout.height);
    this.rowTexts = spec.rowLabels.map((label, t) => this.nameRow(label, t));
    this.columnNames = this.stuck(layout.width, top - 2);
    this.columnTexts = spec.columnLabels.map((label, s) => this.nameColumn(label, s));
    this.corner = this.stuck(left - 2, top - 2);
    const below = top + rows * ch;
    this.legend = this.stuck(layout.width, layout.height - below, below);
    if (spec.legend) addScale(this.legend, spec, layout, palette);
    const style = { size: 13, weight: 600, fill: palette.title };
    if (spec.title) addText(picture, 0, 14, spec.title, style);
    if (layout.step > 1 || layout.columnStep > 1) this.showNames();
  }

  /** Adds labels or a legend that stay visible while the picture is scrolled. */
  private stuck(width: number, height: number, y = 0): SVGElement {
    const group = add(this.svg, "g", { "data-stuck": "" });
    const ground = { visibility: "hidden" };
    addRect(
      group,
      0,
      y,
      Math.max(0, width),
      Math.max(0, height),
      this.palette.paper,
      ground,
    );
    return group;
  }

  private nameRow(label: string, t: number): SVGElement {
    const { left, top, ch, font } = this.layout;
    const y = top + (t + 0.5) * ch + font * 0.35;
    const style = { size: font, anchor: "end", fill: this.palette.text } as const;
    return addText(this.rowNames, left - 8, y, fitText(label, font, labelWidth), style);
  }

  private nameColumn(label: string, s: number): SVGElement {
    const { left, top, cw, font, rotated } = this.layout;
    const text = fitText(label, font, labelWidth);
    const style = { size: font, fill: this.palette.text };
    const [x, y] = [left + (s + 0.5) * cw, top - 7];
    if (!rotated)
      return addText(this.columnNames, x, y, text, { ...style, anchor: "middle" });
    const place = `translate(${round(x + font * 0.25)} ${round(y)}) rotate(-52)`;
    return change(addText(this.columnNames, 0, 0, text, style), { transform: place });
  }

  /** Shows labels of visible rows and columns: if they are too narrow, every `step`-th
   * label and the marked one. */
  private showNames(): void {
    const { step, columnStep, cw, ch } = this.layout;
    const show = (
      texts: SVGElement[],
      at: number | null,
      every: number,
      hidden: number,
    ) =>
      texts.forEach((text, i) => {
        const isNear = at !== null && i !== at && Math.abs(i - at) < every;
        const isNamed = i === at || (i % every === 0 && !isNear);
        change(text, {
          visibility: isNamed && i + 0.6 >= hidden ? null : "hidden",
          "font-weight": i === at ? 700 : null,
        });
      });
    show(this.rowTexts, this.marked?.row ?? null, step, this.scrollY / ch);
    show(this.columnTexts, this.marked?.column ?? null, columnStep, this.scrollX / cw);
  }

  mark(focus: Focus | null): void {
    if (this.marked === focus) return;
    this.marked = focus?.target === undefined ? focus : null;
    this.showNames();
    const { cw, ch, rows, columns } = this.layout;
    const { row = null, column = null } = this.marked ?? {};
    const opacity = row !== null && column !== null ? 0.55 : 1;
    const band = (rect: SVGElement, at: number | null, marks: Marks) =>
      change(rect, {
        ...(at !== null && marks),
        visibility: at === null ? "hidden" : null,
        "stroke-opacity": opacity,
      });
    band(this.bands[0], row, { y: (row ?? 0) * ch, width: columns * cw, height: ch });
    band(this.bands[1], column, { x: (column ?? 0) * cw, width: cw, height: rows * ch });
  }

  /** Returns position and size of a cell, the origin of all cells, and the height of
   * the legend. */
  cellBox({ row, column }: Focus) {
    const { left, top, cw, ch } = this.layout;
    const [x, y] = [left + (column ?? 0) * cw, top + (row ?? 0) * ch];
    const below = this.spec.legend ? legendHeight : 0;
    return { x, y, width: cw, height: ch, left, top, below };
  }

  /** Updates the picture after scrolling in a window of this size: labels stay visible,
   * and numbers of a large matrix are drawn in the visible area. */
  scrolled(x: number, y: number, width: number, height: number): void {
    const { layout, spec } = this;
    const { cw, ch, left, top, rows, columns } = layout;
    if (spec.numbers && layout.isLarge) {
      this.numbers.replaceChildren();
      const span = (from: number, room: number, cell: number, count: number): Span => [
        clamp(Math.floor(from / cell), 0, count),
        clamp(Math.ceil((from + room) / cell), 0, count),
      ];
      const [seenRows, seenColumns] = [
        span(y - top, height, ch, rows),
        span(x - left, width, cw, columns),
      ];
      addNumbers(this.numbers, spec, layout, this.palette, seenRows, seenColumns);
    }
    [this.scrollX, this.scrollY] = [x, y];
    const stick = (group: SVGElement, dx: number, dy: number) => {
      const isMoved = dx !== 0 || dy !== 0;
      change(group, { transform: isMoved ? `translate(${dx} ${dy})` : null });
      const ground = group.firstElementChild as SVGElement;
      change(ground, { visibility: isMoved ? null : "hidden" });
    };
    stick(this.rowNames, x, 0);
    stick(this.columnNames, 0, y);
    stick(this.corner, x, y);
    if (!spec.legend || height === 0) return this.showNames();
    // Above the lower edge of the window, and left enough to fit the words.
    const over = left + textWidth(spec.legend, 11) + 4 - width;
    const up = Math.min(0, y + height - layout.height);
    this.legendTop = top + rows * ch + up;
    stick(this.legend, x - clamp(over, 0, left), up);
    this.showNames();
  }

  /** Returns the cell, or row or column label, under the pointer. */
  at(event: { clientX: number; clientY: number }): Focus | null {
    const { cw, ch, left, top, rows, columns, rotated, columnRoom } = this.layout;
    const box = this.svg.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    if (py >= this.legendTop) return null;
    const [x, y] = [px - left, py - top];
    const [row, column] = [Math.floor(y / ch), Math.floor(x / cw)];
    const inRows = row >= 0 && row < rows;
    const inColumns = column >= 0 && column < columns;
    const onColumnNames = py - this.scrollY < top;
    if (px - this.scrollX < left) {
      return inRows && !onColumnNames ? { row, column: null } : null;
    }
    if (!onColumnNames) return inRows && inColumns ? { row, column } : null;
    if (!rotated) return inColumns ? { row: null, column } : null;
    // Position along the slanted labels.
    const above = y - this.scrollY;
    const slanted = Math.floor((x + above / Math.tan(angle)) / cw);
    const isName = slanted >= 0 && slanted < columns && above > -columnRoom - 8;
    return isName ? { row: null, column: slanted } : null;
  }
}
