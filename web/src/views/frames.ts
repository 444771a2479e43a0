import {
  addRect,
  addText,
  button,
  colouring,
  h,
  isolate,
  needsAttention,
  newPicture,
  round,
  shortNumber,
  strengthOf,
  textOn,
  textWidth,
  type Shown,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

const font = 14;
const barRoom = 44;
const keyPitch = barRoom + 34;
const queryPitch = 32;
const gap = 62;
const margin = 6;
const secondsPerStep = 0.9;

interface Word {
  text: string;
  x: number;
  line: number;
  width: number;
}

/** Words from left to right in lines of `width` pixels. */
function flow(labels: string[], width: number, narrowest: number): Word[] {
  let x = margin;
  let line = 0;
  return labels.map((text) => {
    const room = Math.max(textWidth(text, font) + 12, narrowest);
    if (x > margin && x + room > width - margin) {
      x = margin;
      ++line;
    }
    const word = { text, x, line, width: room };
    x += room + 4;
    return word;
  });
}

function drawFrame(side: Side, step: number, options: ViewOptions): SVGSVGElement {
  const shown = side.shown as Shown;
  const p = options.palette;
  const colours = colouring(options.scale, shown.weights, "");
  const width = Math.min(options.width, 860);
  const weights = shown.weights[step] ?? [];
  const keys = flow(shown.key.labels, width, 34);
  const queries = flow(side.rowLabels(shown), width, 0);
  const lines = (words: Word[]) => (words[words.length - 1]?.line ?? 0) + 1;
  const keysHeight = lines(keys) * keyPitch;
  const used = Math.max(...[...keys, ...queries].map((word) => word.x + word.width), 200);
  const picture = newPicture(
    used + margin,
    keysHeight + gap + lines(queries) * queryPitch + margin,
    `Step ${step + 1}: ${queries[step]?.text ?? ""}, ${shown.name}`,
  );
  const queryTop = keysHeight + gap;
  const current = queries[step];
  const threads = picture.append("g").attr("fill", "none").attr("stroke", p.ink);
  keys.forEach((word, s) => {
    const weight = strengthOf(colours, weights[s] ?? 0, step);
    const base = word.line * keyPitch + barRoom;
    const bar = (barRoom - 16) * weight;
    if (weight >= 0.01) {
      addRect(picture, word.x, base - bar, word.width, bar, p.ink).attr(
        "fill-opacity",
        0.35,
      );
      addText(picture, word.x + word.width / 2, base - bar - 4, shortNumber(weights[s]), {
        size: 10.5,
        anchor: "middle",
        fill: weight >= 0.1 ? p.text : p.quiet,
      });
    }
    addRect(picture, word.x, base, word.width, 25, p.field);
    addRect(picture, word.x, base, word.width, 25, p.ink).attr(
      "fill-opacity",
      round(weight * 100) / 100,
    );
    addText(picture, word.x + word.width / 2, base + 17.5, word.text, {
      size: font,
      anchor: "middle",
      fill: textOn(p, weight),
    });
    if (current && weight >= 0.02) {
      const [x0, y0] = [round(word.x + word.width / 2), base + 25];
      const [x1, y1] = [
        round(current.x + current.width / 2),
        queryTop + current.line * queryPitch,
      ];
      const bend = round((y1 - y0) / 2);
      threads
        .append("path")
        .attr("d", `M${x0} ${y0}C${x0} ${y0 + bend} ${x1} ${y1 - bend} ${x1} ${y1}`)
        .attr("stroke-width", round(0.5 + 6 * weight))
        .attr("stroke-opacity", round((0.2 + 0.6 * weight) * 100) / 100);
    }
  });
  queries.forEach((word, t) => {
    const top = queryTop + word.line * queryPitch;
    if (t === step) {
      addRect(picture, word.x, top, word.width, 25, p.paper)
        .attr("stroke", p.ink)
        .attr("stroke-width", 2)
        .attr("rx", 4);
    }
    addText(picture, word.x + word.width / 2, top + 17.5, word.text, {
      size: font,
      anchor: "middle",
      fill: t > step ? p.quiet : p.text,
      weight: t === step ? 700 : 400,
    });
  });
  return picture.node() as SVGSVGElement;
}

/** One picture for each row: what this word looked at. */
function framesView(side: Side, options: ViewOptions): View {
  const shown = side.shown as Shown;
  const count = shown.weights.length;
  const holder = h("div", { class: "figure" });
  const step = (name: string, text: string, by: number) =>
    button(text, { "aria-label": name, title: name }, () => go(side.step + by));
  const previous = step("Previous frame", "‹", -1);
  const next = step("Next frame", "›", 1);
  const play = button("Play", { class: "plain play" }, () => toggle());
  const slider = h("input", {
    type: "range",
    min: 1,
    max: Math.max(count, 1),
    step: 1,
    "aria-label": "Frame",
  });
  const place = h("output", { class: "place" });
  let drawn = -1;
  let timer: number | undefined;

  const paint = () => {
    const row = side.focus?.target === undefined ? side.focus?.row : null;
    const step = Math.min(row ?? side.step, count - 1);
    if (step === drawn) return;
    drawn = step;
    holder.replaceChildren(drawFrame(side, step, options));
    slider.value = String(step + 1);
    const word = isolate(side.rowLabels(shown)[step] ?? "");
    slider.setAttribute("aria-valuetext", `${step + 1} of ${count}: ${word}`);
    place.textContent = `${step + 1} of ${count}`;
  };
  const go = (step: number) => {
    side.step = Math.max(0, Math.min(step, count - 1));
    side.rest({ row: side.step, column: null });
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = "Play";
  };
  const toggle = () => {
    if (timer !== undefined) return stop();
    if (side.step >= count - 1) go(0);
    play.textContent = "Pause";
    timer = window.setInterval(() => {
      go(side.step + 1);
      if (side.step >= count - 1) stop();
    }, secondsPerStep * 1000);
  };
  slider.addEventListener("input", () => go(Number(slider.value) - 1));
  go(side.step);
  return {
    element: h(
      "div",
      {},
      h(
        "div",
        { class: "player", role: "group", "aria-label": "Frames" },
        previous,
        play,
        next,
        slider,
        place,
      ),
      holder,
      h(
        "p",
        { class: "note" },
        `One frame for each row (${shown.query.name}): bars, shades and lines are its weights. ` +
          "Arrow keys step, the space bar plays.",
      ),
    ),
    pictures: () => [...holder.querySelectorAll("svg")],
    paint,
    key(event) {
      const inSlider = event.target === slider;
      if (event.key === "ArrowLeft" && !inSlider) go(side.step - 1);
      else if (event.key === "ArrowRight" && !inSlider) go(side.step + 1);
      else if (event.key === " " && !(event.target instanceof HTMLButtonElement))
        toggle();
      else return false;
      return true;
    },
    close() {
      stop();
      side.rest(null);
    },
  };
}

export const frames: ViewRow = {
  name: "frames",
  title: "Frames",
  switches: ["words", "scale"],
  accepts: needsAttention,
  make: framesView,
};
