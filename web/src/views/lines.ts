import {
  addRect,
  addText,
  colouring,
  fitText,
  h,
  needsAttention,
  newPicture,
  round,
  shortNumber,
  strengthOf,
  textOn,
  textWidth,
  type Focus,
  type Shown,
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
  const shown = side.shown as Shown;
  const p = options.palette;
  const colours = colouring(options.scale, shown.weights, "weight");
  const keys = shown.key.labels;
  const queries = side.rowLabels(shown);
  const longest = Math.max(keys.length, queries.length);
  const pitch = longest > 40 ? 18 : longest > 20 ? 22 : 26;
  const font = pitch < 22 ? 12 : 13.5;
  const keyHead = `keys: ${shown.key.name}`;
  const queryHead = `queries: ${shown.query.name}`;
  const widest = (labels: string[], heading: string) =>
    Math.max(
      ...labels.map((label) => Math.min(textWidth(label, font), labelWidth)),
      textWidth(heading, 11),
    );
  const [keyRoom, queryRoom] = [
    widest(keys, keyHead) + 18,
    widest(queries, queryHead) + 18,
  ];
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

  const group = picture.append("g").attr("fill", "none").attr("stroke", p.ink);
  const lines: Line[] = [];
  shown.weights.forEach((row, t) => {
    row.forEach((value, s) => {
      const weight = strengthOf(colours, value, t);
      if (weight < faintest) return;
      const [y0, y1] = [round(y(s, keys.length)), round(y(t, queries.length))];
      const path = group
        .append("path")
        .attr("d", `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`)
        .attr("stroke-width", round(0.4 + 5 * weight))
        .node() as SVGPathElement;
      lines.push({ row: t, column: s, weight, path });
    });
  });

  const shades: Record<"row" | "column", SVGRectElement[]> = { row: [], column: [] };
  const texts: Record<"row" | "column", SVGTextElement[]> = { row: [], column: [] };
  const addWords = (labels: string[], axis: "row" | "column") => {
    labels.forEach((word, i) => {
      const left = axis === "column" ? 2 : x1 + 2;
      const room = axis === "column" ? keyRoom - 4 : queryRoom - 4;
      const middle = y(i, labels.length);
      const shade = addRect(picture, left, middle - pitch / 2 + 1, room, pitch - 2, p.ink)
        .attr("fill-opacity", 0)
        .attr("rx", 4);
      const text = addText(
        picture,
        axis === "column" ? x0 - 8 : x1 + 8,
        middle + font * 0.35,
        fitText(word, font, labelWidth),
        { size: font, fill: p.text, anchor: axis === "column" ? "end" : "start" },
      ).attr("pointer-events", "none");
      const focus: Focus =
        axis === "row" ? { row: i, column: null } : { row: null, column: i };
      shade.style("cursor", "default");
      shade.on("pointerenter", (event: PointerEvent) => {
        if (event.pointerType === "mouse") side.hover(focus);
      });
      shade.on("pointerleave", () => side.hover(null));
      shade.on("click", () => side.pin(focus));
      shades[axis].push(shade.node() as SVGRectElement);
      texts[axis].push(text.node() as SVGTextElement);
    });
  };
  addWords(keys, "column");
  addWords(queries, "row");

  const paint = () => {
    const { focus } = side;
    const inFocus = (line: Line) =>
      !focus ||
      focus.target !== undefined ||
      ((focus.row === null || focus.row === line.row) &&
        (focus.column === null || focus.column === line.column));
    const strength = {
      row: new Array<number>(queries.length).fill(0),
      column: new Array<number>(keys.length).fill(0),
    };
    for (const line of lines) {
      const seen = inFocus(line);
      line.path.setAttribute(
        "stroke-opacity",
        String(seen ? round((0.15 + 0.75 * line.weight) * 100) / 100 : 0.03),
      );
      if (focus && seen) {
        if (focus.row !== null) strength.column[line.column] = line.weight;
        if (focus.column !== null) strength.row[line.row] = line.weight;
      }
    }
    for (const axis of ["row", "column"] as const) {
      strength[axis].forEach((weight, i) => {
        const chosen = focus?.[axis] === i;
        shades[axis][i].setAttribute("fill-opacity", String(chosen ? 0.12 : weight));
        shades[axis][i].setAttribute("stroke", chosen ? p.ink : "none");
        texts[axis][i].setAttribute(
          "fill",
          textOn(p, chosen ? 0.12 : weight, p.ink, p.paper),
        );
      });
    }
  };

  const figure = h(
    "div",
    {
      class: "figure",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "lines between words",
      "aria-label": `${label}. Up and down move along the words, left and right change sides.`,
    },
    picture.node(),
  );
  let cursor: Focus = { row: 0, column: null };
  figure.addEventListener("keydown", (event) => {
    const at = cursor.row ?? cursor.column ?? 0;
    const onRows = cursor.row !== null;
    const steps: Record<string, [boolean, number]> = {
      ArrowUp: [onRows, at - 1],
      ArrowDown: [onRows, at + 1],
      ArrowLeft: [false, at],
      ArrowRight: [true, at],
    };
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const [rows, to] = step;
    const i = Math.max(0, Math.min(to, (rows ? queries : keys).length - 1));
    cursor = rows ? { row: i, column: null } : { row: null, column: i };
    side.hover(cursor);
  });
  figure.addEventListener("focus", () => {
    if (figure.matches(":focus-visible")) side.hover(cursor);
  });
  figure.addEventListener("blur", () => side.hover(null));
  return {
    element: h(
      "div",
      {},
      figure,
      h(
        "p",
        { class: "note" },
        `A line is as thick as its weight (${colours.legend}); there is none below ` +
          `${shortNumber(faintest * (typeof colours.top === "number" ? colours.top : 1))}. ` +
          "Point at a word to see its lines alone.",
      ),
    ),
    pictures: () => [picture.node() as SVGSVGElement],
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
