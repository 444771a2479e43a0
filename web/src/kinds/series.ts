import {
  addRect,
  addText,
  button,
  h,
  isolate,
  linear,
  newPicture,
  palette,
  round,
  shortNumber,
  type AxesOnShow,
  type AxisView,
  type InputField,
  type InputWishes,
  type KindRow,
  type Side,
} from "../core";
import { textField } from "./text";

interface Payload {
  columns: string[];
  /** Of each column. */
  values: (number | null)[][];
  /** The column that is forecast. */
  column?: string;
}

/** A table is pasted as CSV, or read from a file. */
function seriesField(wishes: InputWishes): InputField {
  const field = textField(wishes, 4);
  field.element.classList.add("table-text");
  const file = h("input", {
    type: "file",
    accept: [".csv", ...wishes.mediaTypes].join(),
    class: "hidden",
    tabindex: -1,
    "aria-label": "File",
  });
  file.addEventListener("change", () => {
    void file.files?.[0]?.text().then((content) => {
      field.write(content);
      wishes.submit();
    });
  });
  const open = button("Open a file…", { class: "toggle" }, () => file.click());
  return {
    ...field,
    element: h("div", { class: "series-field" }, field.element, open, file),
  };
}

const height = 200;
const stripHeight = 16;
const [leftRoom, rightRoom] = [52, 14];

/** The first axis with values, those that go on from it in time, and what looks at them. */
function showSeries(side: Side, axes: AxisView[]): AxesOnShow {
  const holder = h("div", {
    class: "figure series",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "time series",
  });
  const plotted = axes.filter(({ axis }) => axis.payload);
  const strips = axes.filter(
    ({ axis }) => axis.payload === undefined || axis === plotted[0]?.axis,
  );
  const first = plotted[0];
  const begins = new Map<string, number>();
  let steps = 0;
  for (const view of plotted) {
    begins.set(view.id, steps);
    steps += view.labels.length;
  }
  /** Steps in time that an item covers. */
  const spanOf = (view: AxisView, place: number): [number, number] => {
    const { of, spans } = view.axis;
    const begin = begins.get(of ?? view.id) ?? 0;
    if (of && spans && !begins.has(view.id))
      return [begin + spans[place][0], begin + spans[place][1]];
    const own = begins.get(view.id) ?? 0;
    return [own + place, own + place + 1];
  };
  const payloads = plotted.map(({ axis }) => axis.payload as Payload);
  const aim = payloads[0]?.column ?? payloads[0]?.columns[0] ?? "";
  const valuesOf = ({ columns, values, column }: Payload) =>
    values[Math.max(0, columns.indexOf(column ?? aim))] ?? [];
  const legend = h("p", { class: "label" });
  let cursor = first ? first.labels.length : 0;

  /** The axis and place at a step in time: what can be looked at, or what was forecast. */
  const itemAt = (step: number): [AxisView, number] | null => {
    for (const view of [...strips.filter((one) => one !== first), ...plotted]) {
      const relevant = side.isVisible(view.id) && side.focusAt(view, 0) !== null;
      if (!relevant) continue;
      for (let place = 0; place < view.labels.length; ++place) {
        const [begin, end] = spanOf(view, place);
        if (step >= begin && step < end) return [view, place];
      }
    }
    return null;
  };
  let x = linear([0, 1], [0, 1]);
  const stepAt = (event: MouseEvent) => {
    const box = holder.querySelector("svg")?.getBoundingClientRect();
    return box ? Math.floor(x.invert(event.clientX - box.left)) : -1;
  };
  const focusAt = (step: number) => {
    const item = itemAt(step);
    return item && side.focusAt(...item);
  };

  const draw = () => {
    const p = palette();
    const width = Math.max(300, Math.min(holder.clientWidth || 900, 1000));
    x = linear([0, Math.max(steps, 1)], [leftRoom, width - rightRoom]);
    const all = payloads.flatMap(valuesOf).filter((value) => value !== null);
    const y = linear([Math.min(...all), Math.max(...all)], [height - 24, 26], 4);
    // Of those that can be looked at, whose weights are known now.
    const { shown } = side;
    const shownStrips = strips.filter(
      (view) =>
        view.id === shown?.query.id ||
        view.id === shown?.key.id ||
        side.stateOf(view).some(({ weight }) => weight !== undefined),
    );
    const below = height + 6 + shownStrips.length * (stripHeight + 4);
    const picture = newPicture(width, below + 30, legend.textContent ?? "");
    const quiet = { size: 11, fill: p.quiet };
    for (const tick of y.ticks) {
      picture
        .append("path")
        .attr("d", `M${leftRoom} ${round(y(tick))}H${width - rightRoom}`)
        .attr("stroke", p.field);
      addText(picture, leftRoom - 6, y(tick) + 4, String(tick).replace("-", "−"), {
        ...quiet,
        anchor: "end",
      });
    }
    const through = (points: [number, number | null][]) =>
      points
        .map(([step, value], i) => {
          if (value === null) return "";
          const move = i === 0 || points[i - 1][1] === null ? "M" : "L";
          return `${move}${round(x(step + 0.5))} ${round(y(value))}`;
        })
        .join("");
    let last: [number, number | null] | null = null;
    plotted.forEach((view, i) => {
      const colour = p.kinds[i % p.kinds.length];
      const begin = begins.get(view.id) ?? 0;
      const points = valuesOf(payloads[i]).map((value, t): [number, number | null] => [
        begin + t,
        value,
      ]);
      const joined = i > 0 && last ? [last, ...points] : points;
      last = points[points.length - 1] ?? last;
      if (i > 0) {
        addRect(
          picture,
          x(begin),
          18,
          x(begin + view.labels.length) - x(begin),
          height - 40,
          p.field,
        ).attr("fill-opacity", 0.6);
      }
      picture
        .append("path")
        .attr("d", through(joined))
        .attr("class", i === 0 ? "values" : "forecast")
        .attr("fill", "none")
        .attr("stroke", colour)
        .attr("stroke-width", 2)
        .attr("stroke-dasharray", i === 0 ? null : "5 3");
      const isLast = i > 0 && i === plotted.length - 1;
      addText(picture, isLast ? width - rightRoom : x(begin), 12, view.name, {
        size: 11,
        fill: colour,
        weight: 600,
        anchor: isLast ? "end" : "start",
      });
      side.stateOf(view).forEach(({ chosen }, t) => {
        const value = valuesOf(payloads[i])[t];
        if (!chosen || value === null || value === undefined) return;
        picture
          .append("circle")
          .attr("cx", round(x(begin + t + 0.5)))
          .attr("cy", round(y(value)))
          .attr("r", 5)
          .attr("fill", colour);
      });
    });
    // Attention under the time axis.
    shownStrips.forEach((view, i) => {
      const top = height + 6 + i * (stripHeight + 4);
      const [begin] = spanOf(view, 0);
      const [, end] = spanOf(view, view.labels.length - 1);
      addRect(picture, x(begin), top, x(end) - x(begin), stripHeight, p.field);
      side.stateOf(view).forEach(({ strength, weight, chosen }, place) => {
        const [from, to] = spanOf(view, place);
        const overlap = view.axis.spans ? stripHeight / 2 : stripHeight;
        const shift = view.axis.spans && place % 2 === 1 ? stripHeight / 2 : 0;
        const rect = addRect(
          picture,
          x(from),
          top + shift,
          x(to) - x(from),
          overlap,
          p.ink,
        )
          .attr("class", "weight")
          .attr("fill-opacity", round(strength * 100) / 100);
        if (weight !== undefined) rect.attr("data-weight", weight);
        if (chosen) rect.attr("stroke", p.ink).attr("stroke-width", 2);
      });
      addText(picture, leftRoom - 6, top + 12, "weight", { ...quiet, anchor: "end" });
    });
    const every = Math.max(1, Math.ceil(steps / Math.max(2, Math.floor(width / 130))));
    plotted.forEach((view) => {
      const begin = begins.get(view.id) ?? 0;
      view.labels.forEach((label, t) => {
        if ((begin + t) % every !== 0) return;
        const at = x(begin + t + 0.5);
        addText(picture, Math.min(at, width - 60), below + 18, label, { ...quiet });
        addRect(picture, at, below, 1, 5, p.quiet);
      });
    });
    holder.replaceChildren(picture.node() as SVGSVGElement);
    const names = plotted.map(({ name, labels }) => `${name} (${labels.length})`);
    legend.textContent = [aim, names.join(", ")].filter(Boolean).join(": ");
    holder.setAttribute(
      "aria-label",
      `${legend.textContent}. Left and right move along the time axis.`,
    );
  };

  holder.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") side.hover(focusAt(stepAt(event)));
  });
  holder.addEventListener("pointerleave", () => side.hover(null));
  holder.addEventListener("click", (event) => {
    const item = itemAt((cursor = stepAt(event)));
    if (item) side.pinAt(...item);
  });
  holder.addEventListener("blur", () => side.hover(null));
  holder.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const item = itemAt(cursor);
    if (event.key === "Enter" && item) side.pinAt(...item);
    else if (by) {
      cursor = Math.max(0, Math.min(steps - 1, cursor + by));
      side.hover(focusAt(cursor));
    } else return;
    event.preventDefault();
  });
  let width = 0;
  new ResizeObserver(() => {
    if (holder.clientWidth === width) return;
    width = holder.clientWidth;
    draw();
  }).observe(holder);
  draw();
  const forecast = plotted
    .slice(1)
    .flatMap((view, i) =>
      valuesOf(payloads[i + 1]).map(
        (value, t) => `${isolate(view.labels[t])} ${shortNumber(value ?? NaN)}`,
      ),
    );
  const rest = forecast.length > 8 ? `, … (${forecast.length})` : "";
  const said =
    forecast.length > 0 ? `Forecast: ${forecast.slice(0, 8).join(", ")}${rest}` : "";
  return {
    element: h(
      "div",
      { class: "series-row" },
      legend,
      holder,
      h("p", { class: "note" }, said),
    ),
    paint: draw,
    pictures: () => [...holder.querySelectorAll("svg")],
  };
}

/** "load, temperature: 96 rows" of a CSV file. */
function title(text: string): string {
  const [head, ...rows] = text.trim().split("\n");
  return `${head.replaceAll(",", ", ")}: ${rows.length} rows`;
}

export const series: KindRow = {
  name: "series",
  input: seriesField,
  title,
  show: showSeries,
};
