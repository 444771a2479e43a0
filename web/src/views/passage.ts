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

const ownKinds = ["passage"];

const font = 14;
const lineHeight = 26;
const mostWords = 3000;

/** One attention of the answer to the passage. */
interface Hop {
  words: AxisView;
  /** Where each sentence begins and ends. */
  spans: [number, number][];
  weights: number[];
}

function hopsOf(side: Side): Hop[] {
  const { part } = side;
  return part.maps.flatMap((map) => {
    const words = part.axis(map.key);
    const rows = weightsOf(part.whole, map, "mean");
    if (!ownKinds.includes(words.axis.kind) || rows.length !== 1) return [];
    const sentences = part.segment.axes
      .map((id) => part.axis(id).axis)
      .find(({ of, spans }) => of === map.key && spans);
    const spans = sentences?.spans ?? [[0, words.labels.length]];
    return [{ words, spans, weights: rows[0] }];
  });
}

type Marks = { frame: SVGElement; view: AxisView; place: number }[];

/** The passage, a line or more for each sentence. */
function drawHop(
  side: Side,
  { words, spans, weights }: Hop,
  title: string,
  options: ViewOptions,
  marks: Marks,
): SVGSVGElement {
  const p = options.palette;
  const width = Math.max(options.width, 360);
  const largest = Math.max(...weights, 1e-9);
  const picture = newPicture(width, 10, title);
  addText(picture, 0, 14, title, { size: 12, fill: p.title, weight: 600 });
  let y = 24;
  for (const [begin, end] of spans) {
    if (begin >= mostWords) break;
    let x = 0;
    for (let s = begin; s < end; s++) {
      const room = textWidth(words.labels[s], font) + 8;
      if (x > 0 && x + room > width) {
        x = 0;
        y += lineHeight;
      }
      const strength = weights[s] / largest;
      const cell = addRect(picture, x, y, room, 22, p.ink, {
        class: "passage-word",
        rx: 3,
        "fill-opacity": round(strength),
        "data-weight": String(weights[s]),
      });
      add(cell, "title", {}, `${words.labels[s]}: ${shortNumber(weights[s])}`);
      marks.push({ frame: cell, view: words, place: s });
      onLook(cell, side.events.hover, () => side.focusAt(words, s));
      cell.addEventListener("click", () => side.pinAt(words, s));
      const style = { size: font, anchor: "middle", fill: textOn(p, strength) } as const;
      const text = addText(picture, x + room / 2, y + 16, words.labels[s], style);
      text.setAttribute("pointer-events", "none");
      x += room + 2;
    }
    y += lineHeight + 2;
  }
  return resize(picture, width, y + 4);
}

function passageView(side: Side, options: ViewOptions): View {
  const { part } = side;
  const hops = hopsOf(side);
  const marks: Marks = [];
  const pictures = hops.map((hop, k) => {
    const largest = shortNumber(Math.max(...hop.weights));
    const title = `Hop ${k + 1} of ${hops.length}; the darkest word has ${largest}`;
    return drawHop(side, hop, title, options, marks);
  });
  const question = part.segment.axes.includes("question")
    ? part.axis("question").labels.join(" ")
    : "";
  return {
    element: h(
      "div.passage-view",
      h("p.passage-answer", `${question} → ${part.answer}`),
      ...pictures.map((picture) =>
        h("div.figure", { tabindex: 0, role: "group" }, picture),
      ),
      h(
        "p.note",
        "The last hop's attention to a word, wherever it stands, is the probability that " +
          "it is the answer.",
      ),
    ),
    pictures: () => pictures,
    paint() {
      const p = options.palette;
      const states = new Map(
        hops.map(({ words }) => [words.id, side.stateOf(words)] as const),
      );
      for (const { frame, view, place } of marks) {
        const chosen = states.get(view.id)?.[place]?.chosen ?? false;
        frame.setAttribute("stroke", chosen ? p.text : "none");
      }
    },
  };
}

export const passage: ViewRow = {
  name: "passage",
  title: "Passage",
  switches: [],
  kinds: ownKinds,
  leads: true,
  accepts: (side) =>
    hopsOf(side).length > 0 ? null : "No answer attends to a passage here.",
  make: passageView,
};
