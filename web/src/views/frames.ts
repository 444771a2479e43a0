import {
  add,
  addRect,
  addText,
  button,
  clamp,
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
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

const font = 14;
const wordHeight = 25;
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
  const shown = side.attention;
  const p = options.palette;
  const colours = colouring(options.scale, shown.weights, "");
  const width = Math.min(options.width, 860);
  const weights = shown.weights[step] ?? [];
  const keys = flow(shown.key.labels, width, 34);
  const queries = flow(side.rowLabels(shown), width, 0);
  const lines = (words: Word[]) => (words.at(-1)?.line ?? 0) + 1;
  const queryTop = lines(keys) * keyPitch + gap;
  const current = queries[step];
  const picture = newPicture(
    Math.max(...[...keys, ...queries].map((word) => word.x + word.width), 200) + margin,
    queryTop + lines(queries) * queryPitch + margin,
    `Step ${step + 1}: ${current?.text ?? ""}, ${shown.name}`,
  );
  const threads = add(picture, "g", { fill: "none", stroke: p.ink });
  keys.forEach(({ text, x, line, width }, s) => {
    const weight = strengthOf(colours, weights[s] ?? 0, step);
    const base = line * keyPitch + barRoom;
    const middle = round(x + width / 2);
    const bar = (barRoom - 16) * weight;
    if (weight >= 0.01) {
      addRect(picture, x, base - bar, width, bar, p.ink, { "fill-opacity": 0.35 });
      const fill = weight >= 0.1 ? p.text : p.quiet;
      const style = { size: 10.5, anchor: "middle", fill } as const;
      addText(picture, middle, base - bar - 4, shortNumber(weights[s]), style);
    }
    addRect(picture, x, base, width, wordHeight, p.field);
    addRect(picture, x, base, width, wordHeight, p.ink, { "fill-opacity": weight });
    const style = { size: font, anchor: "middle", fill: textOn(p, weight) } as const;
    addText(picture, middle, base + 17.5, text, style);
    if (!current || weight < 0.02) return;
    const [y0, y1] = [base + wordHeight, queryTop + current.line * queryPitch];
    const x1 = round(current.x + current.width / 2);
    const bend = (y0 + y1) / 2;
    add(threads, "path", {
      d: `M${middle} ${y0}C${middle} ${bend} ${x1} ${bend} ${x1} ${y1}`,
      "stroke-width": 0.5 + 6 * weight,
      "stroke-opacity": 0.2 + 0.6 * weight,
    });
  });
  queries.forEach(({ text, x, line, width }, t) => {
    const top = queryTop + line * queryPitch;
    const frame = { stroke: p.ink, "stroke-width": 2, rx: 4 };
    if (t === step) addRect(picture, x, top, width, wordHeight, p.paper, frame);
    addText(picture, x + width / 2, top + 17.5, text, {
      size: font,
      anchor: "middle",
      fill: t > step ? p.quiet : p.text,
      weight: t === step ? 700 : 400,
    });
  });
  return picture;
}

/** One picture for each row: what this word looked at. */
function framesView(side: Side, options: ViewOptions): View {
  const shown = side.attention;
  const count = shown.weights.length;
  const holder = h("div.figure");
  const stepButton = (name: string, text: string, by: number) =>
    button(text, { "aria-label": name, title: name }, () => go(side.step + by));
  const play = button("Play", { class: "plain play" }, () => toggle());
  const slider = h("input", {
    type: "range",
    min: 1,
    max: Math.max(count, 1),
    step: 1,
    "aria-label": "Frame",
    oninput: () => go(Number(slider.value) - 1),
  });
  const place = h("output.place");
  let drawn = -1;
  let timer: number | undefined;

  const paint = () => {
    const row = side.focus?.target === undefined ? side.focus?.row : null;
    const step = Math.min(row ?? side.step, count - 1);
    if (step === drawn) return;
    drawn = step;
    holder.replaceChildren(drawFrame(side, step, options));
    slider.value = String(step + 1);
    place.textContent = `${step + 1} of ${count}`;
    const word = isolate(side.rowLabels(shown)[step]);
    slider.setAttribute("aria-valuetext", `${place.textContent}: ${word}`);
  };
  const go = (step: number) => {
    side.step = clamp(step, 0, count - 1);
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
  go(side.step);
  const note =
    `One frame for each row (${shown.query.name}): bars, shades and lines are its weights. ` +
    "Arrow keys step, the space bar plays.";
  return {
    element: h(
      "div",
      h(
        "div.player",
        { role: "group", "aria-label": "Frames" },
        stepButton("Previous frame", "‹", -1),
        play,
        stepButton("Next frame", "›", 1),
        slider,
        place,
      ),
      holder,
      h("p.note", note),
    ),
    pictures: () => [...holder.querySelectorAll("svg")],
    paint,
    key({ key, target }) {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
      const isPlay = key === " " && !(target instanceof HTMLButtonElement);
      if (isPlay) toggle();
      else if (by && target !== slider) go(side.step + by);
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
