import "./memory.css";

import {
  addRect,
  addText,
  colouring,
  h,
  newPicture,
  paintPixels,
  textWidth,
  type Part,
  type Rows,
  type Scale,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

/** Numbers over time: a row for each channel, feature or slot. */
interface Panel {
  title: string;
  /** What has the full shade. */
  legend?: string;
  /** Names of the first and the last row. */
  ends: [number, number];
  rows: Rows;
}

/** Steps of vectors, upright: a row for each number of a vector. */
function upright(title: string, steps: Rows): Panel {
  const rows = (steps[0] ?? []).map((_, r) => steps.map((vector) => vector[r]));
  return { title, ends: [0, rows.length - 1], rows };
}

/** The map from steps to slots by which heads write, or read. */
function mapOf(part: Part, writes: boolean) {
  return part.maps.find(
    ({ name, key }) => key === "memory" && name.includes("write") === writes,
  );
}

const visible = 0.05;

/** Slots are a circle: those behind the longest stretch without a visible weight, up to it. */
function visibleSlots(weights: Rows[]): number[] {
  const all = weights[0][0].map((_, slot) => slot);
  const used = all.map((slot) =>
    weights.some((steps) => steps.some((row) => row[slot] >= visible)),
  );
  let [longest, first, unused] = [0, 0, 0];
  for (let i = 0; i < 2 * all.length; ++i) {
    unused = used[i % all.length] ? 0 : unused + 1;
    if (unused <= longest || unused > all.length) continue;
    [longest, first] = [unused, (i + 1) % all.length];
  }
  if (longest === all.length) return all;
  return all.slice(longest).map((_, r) => (first + r) % all.length);
}

/** Weights as shares of what the scale makes the full shade. */
function scaled(steps: Rows, scale: Scale): { rows: Rows; legend: string } {
  const { top, legend } = colouring(scale, steps, "weight");
  const rows = steps.map((row, t) =>
    row.map((weight) => weight / (typeof top === "number" ? top : top[t])),
  );
  return { rows, legend: legend.replace("the row's", "the step's") };
}

/** What was done with the memory: inputs and outputs, vectors, weights, in time. */
function panelsOf(part: Part, scale: Scale): Panel[] {
  const { add, read } = part.axis("memory").axis.payload as Record<"add" | "read", Rows>;
  const inputs = (part.axis("source").axis.payload as { values: Rows }).values;
  const target = part.axis("target").axis;
  const { values: said, begin } = target.payload as { values: Rows; begin: number };
  const outputs = inputs.map(() => (said[0] ?? []).map(() => 0));
  said.forEach((vector, i) => (outputs[begin + i] = vector));
  const heads = [true, false].map((writes) => mapOf(part, writes)!.weights as Rows[]);
  const weights = heads.map((heads) => {
    return heads[0].map((row, t) =>
      row.map((_, s) => Math.max(...heads.map((head) => head[t][s]))),
    );
  });
  const shown = visibleSlots(weights);
  const slots = (name: string, i: number): Panel => {
    const count = heads[i].length;
    const title = count > 1 ? `${name}, largest of ${count} heads` : name;
    const { rows, legend } = scaled(
      weights[i].map((row) => shown.map((slot) => row[slot])),
      scale,
    );
    const ends: [number, number] = [shown[0], shown[shown.length - 1]];
    return { ...upright(title, rows), legend, ends };
  };
  return [
    upright("Inputs", inputs),
    upright("Outputs", outputs),
    upright("Added vectors", add),
    upright("Read vectors", read),
    slots("Write weights", 0),
    slots("Read weights", 1),
  ];
}

const left = 30;
const head = 22;

/** A panel as a picture; the step in focus is framed. */
function drawPanel(panel: Panel, width: number, options: ViewOptions) {
  const { title, legend, ends, rows } = panel;
  const p = options.palette;
  const steps = rows[0]?.length ?? 0;
  const tall = Math.min(12, Math.max(3, 170 / Math.max(1, rows.length)));
  const room = width - left - 4;
  const picture = newPicture(width, head + rows.length * tall + 6, title);
  addText(picture, left, 14, title, { size: 13, fill: p.title, weight: 600 });
  const wide = textWidth(title, 13) * 1.1 + textWidth(legend ?? "", 11) + 12;
  if (legend && wide < room) {
    addText(picture, width - 4, 14, legend, { size: 11, fill: p.quiet, anchor: "end" });
  }
  const small = { size: 11, fill: p.quiet, anchor: "end" } as const;
  addText(picture, left - 5, head + 9, String(ends[0]), small);
  if (rows.length * tall > 26) {
    addText(picture, left - 5, head + rows.length * tall - 1, String(ends[1]), small);
  }
  const pixels = paintPixels({ top: 1, legend: "", values: rows }, p);
  const image = document.createElementNS("http://www.w3.org/2000/svg", "image");
  const place = { x: left, y: head, width: room, height: rows.length * tall };
  for (const [key, value] of Object.entries(place))
    image.setAttribute(key, String(value));
  image.setAttribute("preserveAspectRatio", "none");
  image.setAttribute("style", "image-rendering: pixelated");
  image.setAttribute("href", pixels.toDataURL());
  picture.append(image);
  const pitch = room / Math.max(1, steps);
  const frame = addRect(picture, left, head, pitch, rows.length * tall, "none", {
    class: "step-frame",
    stroke: p.moved,
    "stroke-width": 1.5,
    visibility: "hidden",
  });
  return { picture, frame, pitch };
}

function memoryView(side: Side, options: ViewOptions): View {
  const width =
    options.width > 820 ? Math.floor((options.width - 24) / 2) : options.width;
  const panels = panelsOf(side.part, options.scale).map((panel) =>
    drawPanel(panel, Math.min(width, 640), options),
  );
  for (const { picture, pitch } of panels) {
    picture.addEventListener("pointermove", (event) => {
      const x = event.clientX - picture.getBoundingClientRect().left - left;
      const step = Math.floor(x / pitch);
      const source = side.part.axis("source");
      const inside = step >= 0 && step < source.labels.length;
      side.hover(inside ? side.focusAt(source, step) : null);
    });
    picture.addEventListener("pointerleave", () => side.hover(null));
  }
  return {
    element: h("div.memory-panels", ...panels.map(({ picture }) => picture)),
    pictures: () => panels.map(({ picture }) => picture),
    paint() {
      const row = side.focus?.row ?? null;
      for (const { frame, pitch } of panels) {
        frame.setAttribute("visibility", row === null ? "hidden" : "visible");
        if (row !== null) frame.setAttribute("x", String(left + row * pitch));
      }
    },
  };
}

export const memory: ViewRow = {
  name: "memory",
  title: "Memory",
  switches: ["scale"],
  kinds: ["memory"],
  leads: true,
  accepts: ({ part }) =>
    part.segment.axes.includes("memory") && mapOf(part, true) && mapOf(part, false)
      ? null
      : "This model has no memory that it writes.",
  make: memoryView,
};
