import { fitText, textWidth } from "./dom";
import type { Rows } from "./explanation";
import { cellNumber, shortNumber } from "./statistics";
import { addRect, addText, newPicture, round, type Group } from "./svg";
import type { Palette } from "./theme";

/** A row, a column, or both: a cell. */
export interface Focus {
  row: number | null;
  column: number | null;
}

export interface MatrixSpec {
  label: string;
  title?: string;
  rowLabels: string[];
  columnLabels: string[];
  values: Rows;
  /** Value that is drawn in full colour. */
  top: number;
  /** Values below zero are drawn in a second colour, and the scale reaches from -top. */
  signed?: boolean;
  /** Cells with a frame: [row, column]. */
  framed?: [number, number][];
  numbers?: boolean;
  /** What the scale shows; without it there is none. */
  scale?: string;
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
  /** Where a cell begins, from the picture's left edge, and how wide it is. */
  cellBox(focus: Focus): { x: number; size: number };
}

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
  const named = spec.rowLabels.some(Boolean);
  // The labels' font depends on the cell, and the cell on the room beside the labels.
  const roomBeside = spec.width - (named ? labelRoom(spec.rowLabels, 13) + 10 : 0) - 24;
  const smallest = spec.smallestCell ?? (spec.numbers ? numberCell : 12);
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
  const scaleName = textWidth(spec.scale ?? "", 11) + 14;
  const scaleRoom = Math.max(60, Math.min(150, spec.width - left - scaleName - 4));
  const scaleWidth = 30 * Math.floor(scaleRoom / 30); // whole pixels for each step
  if (spec.scale) right = Math.max(right, scaleWidth + scaleName);
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
    width: Math.max(left + right, titleWidth) + 4,
    height: top + rows * ch + (spec.scale ? 48 : 4),
  };
}

/** All cells of one strength are one path: hundreds of elements, not thousands. */
function addCells(
  matrix: Group,
  spec: MatrixSpec,
  layout: Layout,
  palette: Palette,
): void {
  const { cw, ch } = layout;
  const paths = new Map<number, string[]>();
  spec.values.forEach((row, t) => {
    row.forEach((value, s) => {
      const strength = Math.round((Math.min(Math.abs(value), spec.top) / spec.top) * 100);
      if (!(strength >= 1) || !Number.isFinite(value)) return;
      const level = value < 0 ? -strength : strength;
      let path = paths.get(level);
      if (!path) paths.set(level, (path = []));
      path.push(`M${s * cw} ${t * ch}h${cw}v${ch}h-${cw}z`);
    });
  });
  for (const [level, path] of paths) {
    matrix
      .append("path")
      .attr("d", path.join(""))
      .attr("fill", level < 0 ? palette.negative : palette.ink)
      .attr("fill-opacity", Math.abs(level) / 100);
  }
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

function addNumbers(matrix: Group, spec: MatrixSpec, layout: Layout, p: Palette): void {
  const { cw, ch } = layout;
  const size = Math.min(11, cw * 0.3);
  spec.values.forEach((row, t) => {
    row.forEach((value, s) => {
      const share = Math.abs(value) / spec.top;
      const text = cellNumber(value, spec.top);
      addText(matrix, (s + 0.5) * cw, (t + 0.5) * ch + size * 0.36, text, {
        size: round(size),
        anchor: "middle",
        fill:
          share > 0.55 && Number.isFinite(value)
            ? p.onInk
            : share < 0.005
              ? p.quiet
              : p.text,
      });
    });
  });
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
  const y = layout.top + spec.rowLabels.length * layout.ch + 16;
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
  const top = shortNumber(spec.top).replace(/\.0+$/, "");
  addText(group, 0, 23, spec.signed ? `−${top}` : "0", quiet);
  addText(group, width + 10, 8.5, spec.scale ?? "", quiet);
  addText(group, width, 23, top, { ...quiet, anchor: "end" });
}

/** A heatmap: columns named above, rows on the left. */
export function drawMatrix(spec: MatrixSpec, palette: Palette): MatrixPicture {
  const rows = spec.rowLabels.length;
  const columns = spec.columnLabels.length;
  const layout = layOut(spec);
  const { cw, ch, font } = layout;
  const picture = newPicture(layout.width, layout.height, spec.label);
  if (spec.title) {
    addText(picture, 0, 14, spec.title, { size: 13, weight: 600, fill: palette.title });
  }
  const matrix = picture
    .append("g")
    .attr("transform", `translate(${round(layout.left)} ${round(layout.top)})`);
  const columnTexts = spec.columnLabels.map((label, s) => {
    const text = fitText(label, font, labelWidth);
    const style = { size: font, fill: palette.text };
    if (!layout.rotated) {
      return addText(matrix, (s + 0.5) * cw, -7, text, { ...style, anchor: "middle" });
    }
    return addText(matrix, 0, 0, text, style)
      .attr("x", null)
      .attr("y", null)
      .attr(
        "transform",
        `translate(${round((s + 0.5) * cw + font * 0.25)} -7) rotate(-52)`,
      );
  });
  const rowTexts = spec.rowLabels.map((label, t) =>
    addText(matrix, -8, (t + 0.5) * ch + font * 0.35, fitText(label, font, labelWidth), {
      size: font,
      anchor: "end",
      fill: palette.text,
    }),
  );
  addRect(matrix, 0, 0, columns * cw, rows * ch, palette.field);
  addCells(matrix, spec, layout, palette);
  addGrid(matrix, spec, layout, palette);
  for (const [t, s] of spec.framed ?? []) {
    addRect(matrix, s * cw + 1, t * ch + 1, cw - 2, ch - 2, "none")
      .attr("stroke", palette.moved)
      .attr("stroke-width", cw < 16 ? 1.5 : 2)
      .attr("rx", 3);
  }
  if (spec.numbers) addNumbers(matrix, spec, layout, palette);
  if (spec.scale) addScale(picture, spec, layout, palette);

  const bands = [0, 1].map(() =>
    addRect(matrix, 0, 0, 0, 0, "none")
      .attr("stroke", palette.ink)
      .attr("stroke-width", 2)
      .attr("rx", 2)
      .attr("visibility", "hidden"),
  );
  let marked: Focus | null = null;
  const bold = (focus: Focus | null, weight: number | null) => {
    if (focus?.row != null) rowTexts[focus.row]?.attr("font-weight", weight);
    if (focus?.column != null) columnTexts[focus.column]?.attr("font-weight", weight);
  };
  const band = (i: number, x: number, y: number, width: number, height: number) =>
    bands[i]
      .attr("x", x)
      .attr("y", y)
      .attr("width", width)
      .attr("height", height)
      .attr("visibility", null);

  return {
    svg: picture.node() as SVGSVGElement,
    mark(focus) {
      bold(marked, null);
      bold(focus, 700);
      marked = focus;
      for (const rect of bands) rect.attr("visibility", "hidden");
      if (focus?.row != null) band(0, 0, focus.row * ch, columns * cw, ch);
      if (focus?.column != null) band(1, focus.column * cw, 0, cw, rows * ch);
      bands.forEach((rect) =>
        rect.attr(
          "stroke-opacity",
          focus?.row != null && focus.column != null ? 0.55 : 1,
        ),
      );
    },
    cellBox: (focus) => ({ x: layout.left + (focus.column ?? 0) * cw, size: cw }),
    at(event) {
      const box = (picture.node() as SVGSVGElement).getBoundingClientRect();
      const x = event.clientX - box.left - layout.left;
      const y = event.clientY - box.top - layout.top;
      const row = Math.floor(y / ch);
      const column = Math.floor(x / cw);
      const inRows = row >= 0 && row < rows;
      const inColumns = column >= 0 && column < columns;
      if (inRows && inColumns) return { row, column };
      if (inRows && x < 0) return { row, column: null };
      if (layout.rotated && y < 0) {
        // Along the slant of the labels.
        const slanted = Math.floor((x + y / Math.tan(angle)) / cw);
        const named = slanted >= 0 && slanted < columns && y > -layout.columnRoom - 8;
        return named ? { row: null, column: slanted } : null;
      }
      return inColumns && y < 0 ? { row: null, column } : null;
    },
  };
}
