import {
  add,
  addRect,
  addText,
  arrowStep,
  change,
  clamp,
  colouring,
  fitText,
  h,
  needsAttention,
  newPicture,
  onLook,
  round,
  shortNumber,
  strengthOf,
  textOn,
  textWidth,
  type Focus,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

/** Share of full thickness below which there is no line. */
const faintest = 0.02;
const labelWidth = 160;
const head = 30;

interface Line {
  row: number;
  column: number;
  /** Share of full thickness. */
  weight: number;
  path: SVGPathElement;
}

/** Two columns of words, keys on the left and queries on the right, and between them lines
 * as thick as the weights. */
function linesView(side: Side, options: ViewOptions): View {
  const shown = side.attention;
  const p = options.palette;
  const colours = colouring(options.scale, shown.weights, "weight");
  const keys = shown.key.labels;
  const queries = side.rowLabels(shown);
  const longest = Math.max(keys.length, queries.length);
  const pitch = longest > 40 ? 18 : longest > 20 ? 22 : 26;
  const font = pitch < 22 ? 12 : 13.5;
  const keyHead = `keys: ${shown.key.name}`;
  const queryHead = `queries: ${shown.query.name}`;
  const roomOf = (labels: string[], heading: string) => {
    const widths = labels.map((label) => Math.min(textWidth(label, font), labelWidth));
    return Math.max(...widths, textWidth(heading, 11)) + 18;
  };
  const [keyRoom, queryRoom] = [roomOf(keys, keyHead), roomOf(queries, queryHead)];
  const width = Math.max(Math.min(options.width, 640), keyRoom + queryRoom + 90);
  const [x0, x1] = [round(keyRoom), round(width - queryRoom)];
  const middle = round((x0 + x1) / 2);
  const y = (i: number, count: number) =>
    head + ((longest - count) / 2 + i + 0.5) * pitch;

  const label = `Attention as lines, ${shown.name}`;
  const picture = newPicture(width, head + longest * pitch + 6, label);
  const heading = { size: 11, fill: p.quiet };
  addText(picture, x0 - 8, 14, keyHead, { ...heading, anchor: "end" });
  addText(picture, x1 + 8, 14, queryHead, heading);

  const group = add(picture, "g", { fill: "none", stroke: p.ink });
  const lines: Line[] = [];
  shown.weights.forEach((weights, row) => {
    weights.forEach((value, column) => {
      const weight = strengthOf(colours, value, row);
      if (weight < faintest) return;
      const [y0, y1] = [y(column, keys.length), y(row, queries.length)];
      const d = `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
      const path = add(group, "path", { d, "stroke-width": 0.4 + 5 * weight });
      lines.push({ row, column, weight, path });
    });
  });

  const focusOf = (axis: "row" | "column", i: number): Focus => ({
    row: axis === "row" ? i : null,
    column: axis === "row" ? null : i,
  });
  const addWords = (labels: string[], axis: "row" | "column") => {
    const isKey = axis === "column";
    const [left, room] = isKey ? [2, keyRoom - 4] : [x1 + 2, queryRoom - 4];
    const [x, anchor] = isKey ? [x0 - 8, "end" as const] : [x1 + 8, "start" as const];
    return labels.map((word, i) => {
      const at = y(i, labels.length);
      const shade = addRect(picture, left, at - pitch / 2 + 1, room, pitch - 2, p.ink, {
        "fill-opacity": 0,
        rx: 4,
      });
      const name = fitText(word, font, labelWidth);
      const text = addText(picture, x, at + font * 0.35, name, { size: font, anchor });
      change(text, { "pointer-events": "none" });
      const focus = focusOf(axis, i);
      onLook(shade, side.events.hover, () => focus);
      shade.addEventListener("click", () => side.pin(focus));
      return { shade, text };
    });
  };
  const words = { column: addWords(keys, "column"), row: addWords(queries, "row") };

  const paint = () => {
    const { focus } = side;
    const isSeen = (line: Line) =>
      !focus ||
      focus.target !== undefined ||
      ((focus.row ?? line.row) === line.row &&
        (focus.column ?? line.column) === line.column);
    const strength = { row: queries.map(() => 0), column: keys.map(() => 0) };
    for (const line of lines) {
      const seen = isSeen(line);
      change(line.path, { "stroke-opacity": seen ? 0.15 + 0.75 * line.weight : 0.03 });
      if (!seen || !focus) continue;
      if (focus.row !== null) strength.column[line.column] = line.weight;
      if (focus.column !== null) strength.row[line.row] = line.weight;
    }
    for (const axis of ["row", "column"] as const) {
      words[axis].forEach(({ shade, text }, i) => {
        const chosen = focus?.[axis] === i;
        const weight = chosen ? 0.12 : strength[axis][i];
        change(shade, { "fill-opacity": weight, stroke: chosen ? p.ink : "none" });
        change(text, { fill: textOn(p, weight, p.ink, p.paper) });
      });
    }
  };

  let cursor: Focus = { row: 0, column: null };
  const move = (event: KeyboardEvent) => {
    const step = arrowStep(event);
    if (!step) return;
    event.preventDefault();
    const [down, right] = step;
    const onRows = right === 0 ? cursor.row !== null : right > 0;
    const last = (onRows ? queries : keys).length - 1;
    const i = clamp((cursor.row ?? cursor.column ?? 0) + down, 0, last);
    cursor = focusOf(onRows ? "row" : "column", i);
    side.hover(cursor);
  };
  const figure = h(
    "div.figure",
    {
      tabindex: 0,
      role: "application",
      "aria-roledescription": "lines between words",
      "aria-label": `${label}. Up and down move along the words, left and right change sides.`,
      onkeydown: move,
      onfocus: () => figure.matches(":focus-visible") && side.hover(cursor),
      onblur: () => side.hover(null),
    },
    picture,
  );
  const least = faintest * (typeof colours.top === "number" ? colours.top : 1);
  const note =
    `A line is as thick as its weight (${colours.legend}); there is none below ` +
    `${shortNumber(least)}. Point at a key or a query to see its lines alone.`;
  return {
    element: h("div", figure, h("p.note", note)),
    pictures: () => [picture],
    paint,
  };
}

export const lines: ViewRow = {
  name: "lines",
  title: "Lines",
  switches: ["words", "scale"],
  accepts: needsAttention,
  make: linesView,
};
