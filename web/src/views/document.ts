import {
  add,
  addRect,
  addText,
  h,
  newPicture,
  onLook,
  resize,
  round,
  shortNumber,
  textOn,
  textWidth,
  weightsOf,
  type AxisView,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

const font = 14;
const lineHeight = 26;
const barWidth = 90;
const left = barWidth + 56;
const mostSentences = 200;

/** Weights of the sentences of a document, and of the words in each of them. */
interface Levels {
  sentences: AxisView;
  words: AxisView;
  spans: [number, number][];
  ofSentences: number[];
  ofWords: number[];
}

/** Null unless something attends to sentences, and these to their words. */
function levelsOf(side: Side): Levels | null {
  const { part } = side;
  for (const id of part.segment.axes) {
    const sentences = part.axis(id);
    const { of, spans } = sentences.axis;
    if (of === undefined || !spans) continue;
    const inner = part.maps.find(
      ({ query, key, edges }) => query === id && key === of && edges,
    );
    const outer = part.maps.find(({ query, key }) => key === id && query !== id);
    if (!inner || !outer) continue;
    const [ofSentences] = weightsOf(part.whole, outer, "mean");
    const words = part.axis(of);
    const ofWords = words.labels.map(() => 0);
    // Along edges: a token has a weight in its own sentence alone.
    for (const head of inner.edges ? (inner.weights as number[][]) : []) {
      inner.edges?.forEach(([, s], e) => (ofWords[s] += head[e] / inner.heads));
    }
    return { sentences, words, spans, ofSentences, ofWords };
  }
  return null;
}

/** The places of the largest weights, in their order. */
function largest(weights: number[], most: number): number[] {
  return weights
    .map((_, i) => i)
    .sort((a, b) => weights[b] - weights[a])
    .slice(0, most)
    .sort((a, b) => a - b);
}

function documentView(side: Side, options: ViewOptions): View {
  const levels = levelsOf(side);
  if (!levels) throw new Error("nothing attends to sentences and their words");
  const { sentences, words, spans, ofSentences, ofWords } = levels;
  const p = options.palette;
  const width = Math.max(options.width, 360);
  const label = "Weights of sentences and, in each, of words";
  const picture = newPicture(width, 10, label);
  const shades = ofWords.map(() => 0);
  spans.forEach(([begin, end], r) => {
    for (let s = begin; s < end; s++) {
      shades[s] = Math.sqrt(ofSentences[r]) * ofWords[s];
    }
  });
  const full = Math.max(...shades, 1e-9);
  const widest = Math.max(...ofSentences, 1e-9);
  const marks: { frame: SVGElement; view: AxisView; place: number }[] = [];
  const mark = (shape: SVGElement, view: AxisView, place: number): void => {
    marks.push({ frame: shape, view, place });
    onLook(shape, side.events.hover, () => side.focusAt(view, place));
    shape.addEventListener("click", () => side.pinAt(view, place));
  };
  let y = 4;
  let next = 0;
  const gap = (until: number): void => {
    if (until === next) return;
    const count = until - next;
    const said = `… ${count} sentence${count === 1 ? "" : "s"} of less weight`;
    addText(picture, left, y + 16, said, { size: 12, fill: p.quiet });
    y += lineHeight;
  };
  for (const r of largest(ofSentences, mostSentences)) {
    gap(r);
    next = r + 1;
    addRect(picture, 0, y + 3, barWidth, 16, p.field);
    const bar = addRect(
      picture,
      0,
      y + 3,
      (barWidth * ofSentences[r]) / widest,
      16,
      p.ink,
      { class: "sentence-weight", "data-weight": String(ofSentences[r]) },
    );
    add(bar, "title", {}, `sentence ${r + 1}: ${shortNumber(ofSentences[r])}`);
    mark(bar, sentences, r);
    const style = { size: 12, fill: p.quiet };
    addText(picture, barWidth + 8, y + 16, shortNumber(ofSentences[r]), style);
    let x = left;
    for (let s = spans[r][0]; s < spans[r][1]; s++) {
      const room = textWidth(words.labels[s], font) + 8;
      if (x > left && x + room > width) {
        x = left;
        y += lineHeight;
      }
      const strength = shades[s] / full;
      const cell = addRect(picture, x, y, room, 22, p.ink, {
        class: "word-weight",
        rx: 3,
        "fill-opacity": round(strength),
        "data-weight": String(shades[s]),
      });
      const weight = shortNumber(ofWords[s]);
      add(cell, "title", {}, `${words.labels[s]}: ${weight} in its sentence`);
      mark(cell, words, s);
      const text = addText(picture, x + room / 2, y + 16, words.labels[s], {
        size: font,
        anchor: "middle",
        fill: textOn(p, strength),
      });
      text.setAttribute("pointer-events", "none");
      x += room + 2;
    }
    y += lineHeight + 4;
  }
  gap(ofSentences.length);
  resize(picture, width, y + 4);
  const note =
    "Bars: the weight of each sentence. Shades: √(weight of the sentence) · weight of " +
    "the word in it, darkest where that is largest.";
  return {
    element: h(
      "div",
      h("div.figure.document-weights", { role: "group", "aria-label": label }, picture),
      h("p.note", note),
    ),
    pictures: () => [picture],
    paint() {
      const states = new Map(
        [words, sentences].map((view) => [view.id, side.stateOf(view)]),
      );
      for (const { frame, view, place } of marks) {
        const chosen = states.get(view.id)?.[place]?.chosen ?? false;
        frame.setAttribute("stroke", chosen ? p.text : "none");
      }
    },
  };
}

export const document: ViewRow = {
  name: "document",
  title: "Document",
  switches: [],
  kinds: ["document"],
  leads: true,
  accepts: (side) =>
    levelsOf(side)
      ? null
      : "Nothing attends to sentences and to their words here. Saliency shows what the answer depended on.",
  make: documentView,
};
