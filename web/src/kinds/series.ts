import {
  add,
  addRect,
  addText,
  arrowStep,
  button,
  clamp,
  h,
  isolate,
  linear,
  newPicture,
  onLook,
  palette,
  round,
  shortNumber,
  type AxesOnShow,
  type AxisView,
  type InputField,
  type InputOptions,
  type KindRow,
  type Linear,
  type Palette,
  type Side,
} from "../core";
import { textField } from "./text";

interface Payload {
  columns: string[];
  /** One list per column. */
  values: (number | null)[][];
  /** Forecast column. */
  column?: string;
}

/** Field for a table, pasted as CSV or read from a file. */
function seriesField(options: InputOptions): InputField {
  const field = textField(options, 4);
  const file = h("input.hidden", {
    type: "file",
    accept: [".csv", ...options.mediaTypes].join(),
    tabindex: -1,
    "aria-label": "File",
    onchange: async () => {
      const content = await file.files?.[0]?.text();
      if (content === undefined) return;
      field.write(content);
      options.submit();
    },
  });
  const open = button("Open a file…", { class: "toggle" }, () => file.click());
  return { ...field, element: h("div.series-field", field.element, open, file) };
}

const height = 200;
const stripHeight = 16;
const stripPitch = stripHeight + 4;
const [leftRoom, rightRoom] = [52, 14];

/** An axis with values and its start time. */
interface Plotted {
  view: AxisView;
  begin: number;
  values: (number | null)[];
}

/** Axes in time: the first axis with values, its continuations, and axes with attention. */
class Timeline {
  readonly plotted: Plotted[] = [];
  /** Axes with attention below the time axis: the first one, and those without values. */
  readonly strips: AxisView[];
  readonly steps: number;
  /** Forecast column. */
  readonly aim: string;
  /** All columns of the series. */
  readonly columns: string[];

  constructor(
    private readonly side: Side,
    axes: AxisView[],
  ) {
    const views = axes.filter(({ axis }) => axis.payload);
    const first = views[0]?.axis.payload as Payload | undefined;
    this.columns = first?.columns ?? [];
    this.aim = first?.column ?? this.columns[0] ?? "";
    let begin = 0;
    for (const view of views) {
      const { columns, values, column } = view.axis.payload as Payload;
      const at = Math.max(0, columns.indexOf(column ?? this.aim));
      this.plotted.push({ view, begin, values: values[at] ?? [] });
      begin += view.labels.length;
    }
    this.steps = begin;
    this.strips = axes.filter((view) => !view.axis.payload || view === views[0]);
  }

  private beginOf(id: string): number | undefined {
    return this.plotted.find(({ view }) => view.id === id)?.begin;
  }

  /** Returns the time steps that an item covers. */
  spanOf({ id, axis: { of, spans } }: AxisView, place: number): [number, number] {
    const own = this.beginOf(id);
    if (own !== undefined || !of || !spans)
      return [(own ?? 0) + place, (own ?? 0) + place + 1];
    const begin = this.beginOf(of) ?? 0;
    return [begin + spans[place][0], begin + spans[place][1]];
  }

  /** Returns axis and position at a step: an attended item or a forecast. */
  itemAt(step: number): [AxisView, number] | null {
    const views = this.plotted.map(({ view }) => view);
    for (const view of [...this.strips.filter((one) => one !== views[0]), ...views]) {
      if (!this.side.isVisible(view.id) || !this.side.focusAt(view, 0)) continue;
      const place = view.labels.findIndex((_, i) => {
        const [begin, end] = this.spanOf(view, i);
        return step >= begin && step < end;
      });
      if (place >= 0) return [view, place];
    }
    return null;
  }

  /** Returns the axes whose weights are currently known. */
  shownStrips(): AxisView[] {
    const { shown } = this.side;
    return this.strips.filter(
      (view) =>
        [shown?.query.id, shown?.key.id].includes(view.id) ||
        this.side.stateOf(view).some(({ weight }) => weight !== undefined),
    );
  }

  /** Describes the forecast. */
  forecast(): string {
    const all = this.plotted
      .slice(1)
      .flatMap(({ view, values }) =>
        values.map(
          (value, t) => `${isolate(view.labels[t])} ${shortNumber(value ?? NaN)}`,
        ),
      );
    if (all.length === 0) return "";
    const rest = all.length > 8 ? `, … (${all.length})` : "";
    return `Forecast: ${all.slice(0, 8).join(", ")}${rest}`;
  }
}

/** Draws values over time, forecasts dashed. */
function drawValues(
  picture: SVGSVGElement,
  { plotted }: Timeline,
  side: Side,
  x: Linear,
  p: Palette,
): void {
  const all = plotted.flatMap(({ values }) => values).filter((value) => value !== null);
  const y = linear([Math.min(...all), Math.max(...all)], [height - 24, 26], 4);
  const end = Number(picture.getAttribute("width")) - rightRoom;
  for (const tick of y.ticks) {
    add(picture, "path", { d: `M${leftRoom} ${round(y(tick))}H${end}`, stroke: p.field });
    const style = { size: 11, fill: p.quiet, anchor: "end" } as const;
    addText(picture, leftRoom - 6, y(tick) + 4, String(tick).replace("-", "−"), style);
  }
  let last: [number, number | null][] = [];
  plotted.forEach(({ view, begin, values }, i) => {
    const colour = p.kinds[i % p.kinds.length];
    const own = values.map((value, t): [number, number | null] => [begin + t, value]);
    const points = [...last, ...own];
    const d = points.map(([step, value], k) => {
      const move = k === 0 || points[k - 1][1] === null ? "M" : "L";
      return value === null ? "" : `${move}${round(x(step + 0.5))} ${round(y(value))}`;
    });
    last = own.slice(-1);
    const [left, width] = [x(begin), x(begin + view.labels.length) - x(begin)];
    const faint = { "fill-opacity": 0.6 };
    if (i > 0) addRect(picture, left, 18, width, height - 40, p.field, faint);
    add(picture, "path", {
      d: d.join(""),
      class: i === 0 ? "values" : "predicted",
      fill: "none",
      stroke: colour,
      "stroke-width": 2,
      "stroke-dasharray": i === 0 ? null : "5 3",
    });
    const isLast = i > 0 && i === plotted.length - 1;
    addText(picture, isLast ? end : left, 12, view.name, {
      size: 11,
      fill: colour,
      weight: 600,
      anchor: isLast ? "end" : "start",
    });
    side.stateOf(view).forEach(({ chosen }, t) => {
      const value = values[t] ?? null;
      if (!chosen || value === null) return;
      add(picture, "circle", {
        cx: x(begin + t + 0.5),
        cy: y(value),
        r: 5,
        fill: colour,
      });
    });
  });
}

/** Draws the attention of one axis as a strip below the time axis; overlapping patches
 * use two rows. */
function drawStrip(
  picture: SVGSVGElement,
  view: AxisView,
  top: number,
  { timeline, side, x, p }: { timeline: Timeline; side: Side; x: Linear; p: Palette },
): void {
  const [begin] = timeline.spanOf(view, 0);
  const [, end] = timeline.spanOf(view, view.labels.length - 1);
  addRect(picture, x(begin), top, x(end) - x(begin), stripHeight, p.field);
  const rowHeight = view.axis.spans ? stripHeight / 2 : stripHeight;
  side.stateOf(view).forEach(({ strength, weight, chosen }, place) => {
    const [from, to] = timeline.spanOf(view, place);
    const y = top + (view.axis.spans ? (place % 2) * rowHeight : 0);
    addRect(picture, x(from), y, x(to) - x(from), rowHeight, p.ink, {
      class: "weight",
      "fill-opacity": strength,
      "data-weight": weight === undefined ? null : String(weight),
      ...(chosen && { stroke: p.ink, "stroke-width": 2 }),
    });
  });
  const style = { size: 11, fill: p.quiet, anchor: "end" } as const;
  addText(picture, leftRoom - 6, top + 12, "weight", style);
}

function showSeries(side: Side, axes: AxisView[]): AxesOnShow {
  const timeline = new Timeline(side, axes);
  const { plotted, steps, aim } = timeline;
  const names = plotted.map(({ view }) => `${view.name} (${view.labels.length})`);
  const title = [aim, names.join(", ")].filter(Boolean).join(": ");
  let x = linear([0, 1], [0, 1]);
  let cursor = plotted[0]?.view.labels.length ?? 0;
  const focusAt = (step: number) => {
    const item = timeline.itemAt(step);
    return item && side.focusAt(...item);
  };
  const pin = () => {
    const item = timeline.itemAt(cursor);
    if (item) side.pinAt(...item);
  };
  const stepAt = (event: MouseEvent) => {
    const box = holder.querySelector("svg")?.getBoundingClientRect();
    return box ? Math.floor(x.invert(event.clientX - box.left)) : -1;
  };
  const move = (event: KeyboardEvent) => {
    const step = arrowStep(event);
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    if (!step) return pin();
    cursor = clamp(cursor + step[1], 0, steps - 1);
    side.hover(focusAt(cursor));
  };
  const holder = h("div.figure.series", {
    tabindex: 0,
    role: "application",
    "aria-roledescription": "time series",
    "aria-label": `${title}. Left and right move along the time axis.`,
    onkeydown: move,
    onclick: (event) => {
      cursor = stepAt(event);
      pin();
    },
  });
  onLook(holder, side.events.hover, (event) => focusAt(event ? stepAt(event) : cursor));

  const draw = () => {
    const p = palette();
    const width = clamp(holder.clientWidth || 900, 300, 1000);
    x = linear([0, Math.max(steps, 1)], [leftRoom, width - rightRoom]);
    const strips = timeline.shownStrips();
    const below = height + 6 + strips.length * stripPitch;
    const picture = newPicture(width, below + 30, title);
    drawValues(picture, timeline, side, x, p);
    strips.forEach((view, i) =>
      drawStrip(picture, view, height + 6 + i * stripPitch, { timeline, side, x, p }),
    );
    const every = Math.max(1, Math.ceil(steps / Math.max(2, Math.floor(width / 130))));
    for (const { view, begin } of plotted) {
      view.labels.forEach((label, t) => {
        if ((begin + t) % every !== 0) return;
        const at = x(begin + t + 0.5);
        const style = { size: 11, fill: p.quiet };
        addText(picture, Math.min(at, width - 60), below + 18, label, style);
        addRect(picture, at, below, 1, 5, p.quiet);
      });
    }
    holder.replaceChildren(picture);
  };
  let width = 0;
  new ResizeObserver(() => {
    if (holder.clientWidth === width) return;
    width = holder.clientWidth;
    draw();
  }).observe(holder);
  draw();
  const caption = h("p.note", timeline.forecast());
  const head = h("div.series-head", h("p.label", title), columnChoice(side, timeline));
  return {
    element: h("div.series-row", head, holder, caption),
    paint: draw,
    pictures: () => [...holder.querySelectorAll("svg")],
  };
}

/** Returns a selector of the column whose forecast is explained, if there are several. */
function columnChoice(side: Side, { aim, columns }: Timeline): HTMLElement | null {
  if (columns.length < 2 || !side.askFor) return null;
  const options = columns.map((name) => h("option", { value: name }, name));
  const select = h("select", { "aria-label": "Column that is explained" }, ...options);
  select.value = aim;
  select.addEventListener("change", () => side.askFor?.(select.value));
  return select;
}

/** Returns "load, temperature: 96 rows" of a CSV file. */
function title(text: string): string {
  const [head, ...rows] = text.trim().split("\n");
  return `${head.replaceAll(",", ", ")}: ${rows.length} rows`;
}

export const series: KindRow = {
  name: "series",
  input: seriesField,
  title,
  items: ({ of }) => (of ? "patches" : "steps"),
  show: showSeries,
};
