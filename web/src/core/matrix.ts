import { fitText, textWidth } from "./dom";
import type { Rows, Span } from "./explanation";
import { cellNumber, shortNumber } from "./numbers";
import { strengthOf, type Colouring } from "./scale";
import type { Focus } from "./side";
import { addRect, addText, newPicture, round, type Group } from "./svg";
import { blend, textOn, type Palette } from "./theme";

export interface MatrixSpec extends Colouring {
  label: string;
  title?: string;
  rowLabels: string[];
  columnLabels: string[];
  values: Rows;
  /** Values below zero are drawn in a second colour, and the scale reaches from -top. */
  signed?: boolean;
  /** Framed blocks: [row, column, end of rows, end of columns]. */
  framed?: [number, number, number, number][];
  numbers?: boolean;
  /** Width that should be enough. Units: pixels. */
  width: number;
  smallestCell?: number;
  largestCell?: number;
  /** Room above as if the columns had these labels, so that pictures in a row line up. */
  alignedTo?: string[];
  /** Height of a row where it is not the width of a column. Units: pixels. */
  rowHeight?: number;
}

export interface MatrixPicture {
  svg: SVGSVGElement;
  mark(focus: Focus | null): void;
  /** What lies under the pointer: a cell, or the label of a row or column. */
  at(event: { clientX: number; clientY: number }): Focus | null;
  /** Where a cell begins in the picture, and how large it is. */
  cellBox(focus: Focus): { x: number; y: number; width: number; height: number };
  /** Where the cells begin in the picture. */
  origin: { x: number; y: number };
  /** The picture is scrolled so far in a window of this size: names stay in sight, and of
   * a large matrix the numbers that can be seen are drawn. */
  scrolled(x: number, y: number, width: number, height: number): void;
}

/** Above so many cells, they are drawn as pixels, and numbers only where one looks. */
const mostCells = 10_000;

const labelWidth = 150;
const angle = (52 * Math.PI) / 180;
const numberCell = 34;

interface Layout {
  /** Width and height of a cell. */
  cw: number;
  ch: number;
  font: number;
  rotated: boolean;
  left: number;
  top: number;
  columnRoom: number;
  scaleWidth: number;
  isLarge: boolean;
  /** Every so many rows and columns have their name, where there is no room for all. */
  step: number;
  columnStep: number;
  width: number;
  height: number;
}

/** Room for the longest label, which may become bold. */
export function labelRoom(labels: string[], font: number): number {
  return Math.max(
    0,
    ...labels.map((label) => Math.min(textWidth(label, font, 700), labelWidth)),
  );
}

function layOut(spec: MatrixSpec): Layout {
  const columns = spec.columnLabels.length;
  const rows = spec.rowLabels.length;
  const isLarge = rows * columns > mostCells;
  const named = spec.rowLabels.some(Boolean);
  // The labels' font depends on the cell, and the cell on the room beside the labels.
  const roomBeside = spec.width - (named ? labelRoom(spec.rowLabels, 13) + 10 : 0) - 24;
  const smallest = spec.smallestCell ?? (spec.numbers ? numberCell : isLarge ? 3 : 12);
  const largest = Math.max(spec.largestCell ?? 38, smallest);
  const cw = Math.max(
    smallest,
    Math.min(largest, Math.floor(roomBeside / Math.max(columns, 1))),
  );
  const ch = spec.rowHeight ?? cw;
  const font = Math.max(10, Math.min(13, ch * 0.58));
  const left = named ? labelRoom(spec.rowLabels, font) + 10 : 1;
  const columnWidth = labelRoom(spec.columnLabels, font);
  const rotated = columnWidth > cw - 2;
  const above = Math.max(columnWidth, labelRoom(spec.alignedTo ?? [], font));
  const columnRoom = above > ch - 2 || rotated ? above * Math.sin(angle) + font : font;
  const labelled = spec.columnLabels.some(Boolean) || spec.alignedTo !== undefined;
  const top = (labelled ? columnRoom + 8 : 4) + (spec.title ? 26 : 0);
  let right = columns * cw;
  spec.columnLabels.forEach((label, s) => {
    if (!rotated) return;
    const leaning = Math.min(textWidth(label, font, 700), labelWidth) * Math.cos(angle);
    right = Math.max(right, (s + 0.6) * cw + leaning + 4);
  });
  const scaleWidth = 120;
  right = Math.max(right, textWidth(spec.legend, 11) + 4, scaleWidth + 40);
  const titleWidth = spec.title ? textWidth(spec.title, 13, 600) : 0;
  return {
    cw,
    ch,
    font,
    rotated,
    left,
    top,
    columnRoom,
    scaleWidth,
    isLarge,
    step: Math.max(1, Math.ceil((font + 1) / ch)),
    columnStep: Math.max(1, Math.ceil((font + 1) / cw)),
    width: Math.max(left + right, titleWidth) + 4,
    height: top + rows * ch + (spec.legend ? 58 : 4),
  };
}

/** All cells of one strength are one path: hundreds of elements, not thousands. */
function addCells(matrix: Group, spec: MatrixSpec, layout: Layout, p: Palette): void {
  const { cw, ch } = layout;
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
    matrix
      .append("path")
      .attr("d", path.join(""))
      .attr("fill", level < 0 ? p.negative : p.ink)
      .attr("fill-opacity", Math.abs(level) / 100);
  }
  if (missing) matrix.append("path").attr("d", missing).attr("stroke", p.line);
}

/** One pixel for each value, which the browser stretches. */
export function paintPixels(
  spec: Colouring & { values: Rows },
  p: Palette,
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  const { values } = spec;
  canvas.width = Math.max(1, values[0]?.length ?? 0);
  canvas.height = Math.max(1, values.length);
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  const levels = new Map<number, number[]>();
  const image = context.createImageData(canvas.width, canvas.height);
  let at = 0;
  values.forEach((row, t) => {
    for (let s = 0; s < canvas.width; ++s) {
      const level = Math.round(strengthOf(spec, row[s], t) * 100);
      let rgb = levels.get(level);
      if (!rgb) {
        rgb = blend(p.field, level < 0 ? p.negative : p.ink, Math.abs(level) / 100);
        levels.set(level, rgb);
      }
      for (const value of rgb) image.data[at++] = value;
      image.data[at++] = 255;
    }
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

function addPixels(matrix: Group, spec: MatrixSpec, layout: Layout, p: Palette): void {
  matrix
    .append("image")
    .attr("href", paintPixels(spec, p).toDataURL())
    .attr("width", spec.columnLabels.length * layout.cw)
    .attr("height", spec.rowLabels.length * layout.ch)
    .attr("preserveAspectRatio", "none")
    .attr("image-rendering", "pixelated");
}

function addGrid(matrix: Group, spec: MatrixSpec, layout: Layout, p: Palette): void {
  const { cw, ch } = layout;
  const [rows, columns] = [spec.rowLabels.length, spec.columnLabels.length];
  let lines = "";
  for (let s = 1; s < columns; ++s) lines += `M${s * cw} 0v${rows * ch}`;
  for (let t = 1; t < rows; ++t) lines += `M0 ${t * ch}h${columns * cw}`;
  matrix
    .append("path")
    .attr("d", lines)
    .attr("fill", "none")
    .attr("stroke", p.paper)
    .attr("stroke-width", Math.min(cw, ch) < 16 ? 0.5 : 1);
}

/** The numbers of the cells in these rows and columns. */
function addNumbers(
  group: Group,
  spec: MatrixSpec,
  layout: Layout,
  p: Palette,
  [firstRow, endRow]: Span,
  [firstColumn, endColumn]: Span,
): void {
  const { cw, ch } = layout;
  const size = round(Math.min(11, cw * 0.3));
  for (let t = firstRow; t < endRow; ++t) {
    const row = spec.values[t];
    const top = typeof spec.top === "number" ? spec.top : 1;
    for (let s = firstColumn; s < Math.min(endColumn, row.length); ++s) {
      const strength = strengthOf(spec, row[s], t);
      const colour = strength < 0 ? p.negative : p.ink;
      addText(
        group,
        (s + 0.5) * cw,
        (t + 0.5) * ch + size * 0.36,
        cellNumber(row[s], top),
        {
          size,
          anchor: "middle",
          fill:
            Math.abs(strength) < 0.005 ? p.quiet : textOn(p, Math.abs(strength), colour),
        },
      );
    }
  }
}

/** A strip from 0, or from -top, to top with its ends named. */
function addScale(
  picture: Group<SVGSVGElement>,
  spec: MatrixSpec,
  layout: Layout,
  p: Palette,
): void {
  const width = layout.scaleWidth;
  const steps = 30;
  const y = layout.top + spec.rowLabels.length * layout.ch + 14;
  const group = picture
    .append("g")
    .attr("transform", `translate(${round(layout.left)} ${round(y)})`);
  addRect(group, 0, 0, width, 9, p.field);
  for (let i = 0; i < steps; ++i) {
    const at = (i + 0.5) / steps;
    const value = spec.signed ? 2 * at - 1 : at;
    addRect(
      group,
      (i * width) / steps,
      0,
      width / steps + 0.1,
      9,
      value < 0 ? p.negative : p.ink,
    )
      .attr("fill-opacity", round(Math.abs(value) * 100) / 100)
      .attr("shape-rendering", "crispEdges");
  }
  const quiet = { size: 11, fill: p.quiet };
  const top = typeof spec.top === "number" ? shortNumber(spec.top) : "1";
  const end = top.replace(/\.0+$/, "");
  addText(group, 0, 23, spec.signed ? `−${end}` : "0", quiet);
  addText(group, width, 23, end, { ...quiet, anchor: "end" });
  addText(group, 0, 38, spec.legend, quiet);
}

/** A heatmap: columns named above, rows on the left. */
export function drawMatrix(spec: MatrixSpec, palette: Palette): MatrixPicture {
  const rows = spec.rowLabels.length;
  const columns = spec.columnLabels.length;
  const layout = layOut(spec);
  const { cw, ch, font, isLarge } = layout;
  const picture = newPicture(layout.width, layout.height, spec.label);
  const matrix = picture
    .append("g")
    .attr("transform", `translate(${round(layout.left)} ${round(layout.top)})`);
  addRect(matrix, 0, 0, columns * cw, rows * ch, palette.field);
  if (isLarge) {
    addPixels(matrix, spec, layout, palette);
  } else {
    addCells(matrix, spec, layout, palette);
    addGrid(matrix, spec, layout, palette);
  }
  for (const [t, s, tEnd, sEnd] of spec.framed ?? []) {
    addRect(
      matrix,
      s * cw + 1,
      t * ch + 1,
      (sEnd - s) * cw - 2,
      (tEnd - t) * ch - 2,
      "none",
    )
      .attr("class", "moved")
      .attr("stroke", palette.moved)
      .attr("stroke-width", cw < 16 ? 1.5 : 2)
      .attr("rx", 3);
  }
  const numbers = matrix.append("g");
  if (spec.numbers && !isLarge) {
    addNumbers(numbers, spec, layout, palette, [0, rows], [0, columns]);
  }
  const bands = [0, 1].map(() =>
    addRect(matrix, 0, 0, 0, 0, "none")
      .attr("stroke", palette.ink)
      .attr("stroke-width", 2)
      .attr("rx", 2)
      .attr("visibility", "hidden"),
  );
  if (spec.legend) addScale(picture, spec, layout, palette);

  // Names stay in sight while the picture is scrolled below them.
  const names = (width: number, height: number) => {
    const group = picture.append("g").attr("data-stuck", "");
    addRect(group, 0, 0, Math.max(0, width), Math.max(0, height), palette.paper).attr(
      "visibility",
      "hidden",
    );
    return group;
  };
  const rowNames = names(layout.left - 2, layout.height);
  const rowTexts = spec.rowLabels.map((label, t) =>
    addText(
      rowNames,
      layout.left - 8,
      layout.top + (t + 0.5) * ch + font * 0.35,
      fitText(label, font, labelWidth),
      { size: round(font), anchor: "end", fill: palette.text },
    ),
  );
  const columnNames = names(layout.width, layout.top - 2);
  const columnTexts = spec.columnLabels.map((label, s) => {
    const text = fitText(label, font, labelWidth);
    const style = { size: round(font), fill: palette.text };
    const x = layout.left + (s + 0.5) * cw;
    if (!layout.rotated) {
      return addText(columnNames, x, layout.top - 7, text, {
        ...style,
        anchor: "middle",
      });
    }
    return addText(columnNames, 0, 0, text, style)
      .attr("x", null)
      .attr("y", null)
      .attr(
        "transform",
        `translate(${round(x + font * 0.25)} ${round(layout.top - 7)}) rotate(-52)`,
      );
  });
  const corner = names(layout.left - 2, layout.top - 2);
  if (spec.title) {
    addText(picture, 0, 14, spec.title, { size: 13, weight: 600, fill: palette.title });
  }

  let marked: Focus | null = null;
  let [scrollX, scrollY] = [0, 0];
  const named = (
    texts: typeof rowTexts,
    at: number | null | undefined,
    step: number,
    size: number,
    scroll: number,
  ) =>
    texts.forEach((text, i) => {
      const near = at != null && i !== at && Math.abs(i - at) < step;
      const seen = i === at || (i % step === 0 && !near);
      text
        .attr("visibility", seen && (i + 0.6) * size >= scroll ? null : "hidden")
        .attr("font-weight", i === at ? 700 : null);
    });
  const name = () => {
    named(rowTexts, marked?.row, layout.step, ch, scrollY);
    named(columnTexts, marked?.column, layout.columnStep, cw, scrollX);
  };
  const band = (i: number, x: number, y: number, width: number, height: number) =>
    bands[i]
      .attr("x", x)
      .attr("y", y)
      .attr("width", width)
      .attr("height", height)
      .attr("visibility", null);
  if (layout.step > 1 || layout.columnStep > 1) name();

  return {
    svg: picture.node() as SVGSVGElement,
    origin: { x: layout.left, y: layout.top },
    mark(focus) {
      if (marked === focus) return;
      marked = focus?.target === undefined ? focus : null;
      name();
      for (const rect of bands) rect.attr("visibility", "hidden");
      if (marked?.row != null) band(0, 0, marked.row * ch, columns * cw, ch);
      if (marked?.column != null) band(1, marked.column * cw, 0, cw, rows * ch);
      const both = marked?.row != null && marked.column != null;
      bands.forEach((rect) => rect.attr("stroke-opacity", both ? 0.55 : 1));
    },
    cellBox: ({ row, column }) => ({
      x: layout.left + (column ?? 0) * cw,
      y: layout.top + (row ?? 0) * ch,
      width: cw,
      height: ch,
    }),
    scrolled(x, y, width, height) {
      if (spec.numbers && isLarge) {
        numbers.selectAll("*").remove();
        const span = (from: number, room: number, cell: number, count: number): Span => [
          Math.max(0, Math.min(count, Math.floor(from / cell))),
          Math.max(0, Math.min(count, Math.ceil((from + room) / cell))),
        ];
        const rowSpan = span(y - layout.top, height, ch, rows);
        const columnSpan = span(x - layout.left, width, cw, columns);
        addNumbers(numbers, spec, layout, palette, rowSpan, columnSpan);
      }
      if (x === scrollX && y === scrollY) return;
      [scrollX, scrollY] = [x, y];
      const stick = (group: Group, dx: number, dy: number) =>
        group
          .attr("transform", dx || dy ? `translate(${dx} ${dy})` : null)
          .select("rect")
          .attr("visibility", dx || dy ? null : "hidden");
      stick(rowNames, x, 0);
      stick(columnNames, 0, y);
      stick(corner, x, y);
      name();
    },
    at(event) {
      const box = (picture.node() as SVGSVGElement).getBoundingClientRect();
      const px = event.clientX - box.left;
      const py = event.clientY - box.top;
      const [x, y] = [px - layout.left, py - layout.top];
      const row = Math.floor(y / ch);
      const column = Math.floor(x / cw);
      const inRows = row >= 0 && row < rows;
      const inColumns = column >= 0 && column < columns;
      const onRowNames = px - scrollX < layout.left;
      const onColumnNames = py - scrollY < layout.top;
      if (onRowNames) return inRows && !onColumnNames ? { row, column: null } : null;
      if (!onColumnNames) return inRows && inColumns ? { row, column } : null;
      if (!layout.rotated) return inColumns ? { row: null, column } : null;
      // Along the slant of the labels.
      const above = y - scrollY;
      const slanted = Math.floor((x + above / Math.tan(angle)) / cw);
      const isName = slanted >= 0 && slanted < columns && above > -layout.columnRoom - 8;
      return isName ? { row: null, column: slanted } : null;
    },
  };
}
