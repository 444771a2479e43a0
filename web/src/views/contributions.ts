import {
  add,
  addRect,
  addText,
  fitText,
  h,
  linear,
  newPicture,
  onLook,
  resize,
  round,
  shortNumber,
  textWidth,
  type Attribution,
  type AxisView,
  type Focus,
  type Palette,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

const left = 58;
const lineHeight = 70;
const barHeight = 210;
const band = 6;
const font = 11;

/** Items whose contributions add up to the answer, and the groups that they stand in. */
interface Parts {
  attribution: Attribution;
  items: AxisView;
  groups: AxisView;
  spans: [number, number][];
  scores: number[];
  /** Attention to each group, where one speaks for the answer. */
  attention: number[] | null;
  beta: number[][] | null;
}

function partsOf(side: Side): Parts | null {
  const { part } = side;
  const attribution = part.attributions.find(({ method }) => method === "contributions");
  if (!attribution) return null;
  const id = part.segment.axes.find(
    (axis) => part.axis(axis).axis.of === attribution.axis,
  );
  const groups = id === undefined ? null : part.axis(id);
  const spans = groups?.axis.spans;
  if (!groups || !spans) return null;
  const { shown } = side;
  const own = shown?.key.id === groups.id && shown.weights.length === 1;
  return {
    attribution,
    items: part.axis(attribution.axis),
    groups,
    spans,
    scores: attribution.scores[0],
    attention: own ? shown.weights[0] : null,
    beta: (groups.axis.payload as { beta?: number[][] } | undefined)?.beta ?? null,
  };
}

/** Where groups and their bars stand from left to right. */
class Places {
  readonly begins: number[] = [];
  readonly pitch: number;
  private readonly gap: number;

  constructor(spans: [number, number][], room: number) {
    const bars = spans.map(([begin, end]) => Math.max(1, end - begin));
    const wanted = bars.reduce((sum, n) => sum + n * 26 + 14, 0);
    const share = Math.min(1.5, room / wanted);
    [this.pitch, this.gap] = [26 * share, 14 * share];
    let x = left;
    for (const n of bars) {
      this.begins.push(x);
      x += this.gap + n * this.pitch;
    }
    this.begins.push(x);
  }
  get end(): number {
    return this.begins[this.begins.length - 1];
  }
  middle(group: number): number {
    return (this.begins[group] + this.begins[group + 1]) / 2;
  }
  width(group: number): number {
    return this.begins[group + 1] - this.begins[group];
  }
  bar(group: number, k: number): number {
    return this.begins[group] + this.gap / 2 + k * this.pitch;
  }
}

interface Frame {
  picture: SVGSVGElement;
  places: Places;
  p: Palette;
}

function addRules({ picture, places, p }: Frame, y: ReturnType<typeof linear>): void {
  for (const tick of y.ticks) {
    add(picture, "path", {
      d: `M${left} ${round(y(tick))}H${round(places.end)}`,
      stroke: p.field,
    });
    const style = { size: font, fill: p.quiet, anchor: "end" } as const;
    addText(picture, left - 8, y(tick) + 4, String(tick).replace("-", "−"), style);
  }
}

function addAttention(
  frame: Frame,
  parts: Parts,
  attention: number[],
  top: number,
): void {
  const { picture, places, p } = frame;
  const y = linear([0, Math.max(...attention, 1e-6)], [top + lineHeight, top], 2);
  addRules(frame, y);
  const points = attention.map((a, j) => `${round(places.middle(j))} ${round(y(a))}`);
  const d = `M${points.join("L")}`;
  add(picture, "path", {
    d,
    class: "alpha",
    fill: "none",
    stroke: p.ink,
    "stroke-width": 1.8,
  });
  attention.forEach((a, j) => {
    const dot = add(picture, "circle", {
      cx: places.middle(j),
      cy: y(a),
      r: 3.5,
      fill: p.ink,
    });
    add(dot, "title", {}, `${parts.groups.labels[j]}: α ${shortNumber(a)}`);
  });
}

const mostNames = 24;

/** The items whose bars have names: all where there is room, else the largest that do not
 * stand too near to one another. */
function namedItems({ scores, spans }: Parts, places: Places): Set<number> {
  if (places.pitch >= font) return new Set(scores.keys());
  const bars = spans.flatMap(([begin, end], j) =>
    Array.from({ length: end - begin }, (_, k) => ({
      item: begin + k,
      x: places.bar(j, k),
      size: Math.abs(scores[begin + k]),
    })),
  );
  const named = new Map<number, number>();
  for (const { item, x, size } of bars.sort((a, b) => b.size - a.size)) {
    if (named.size === mostNames || size === 0) break;
    if ([...named.values()].every((other) => Math.abs(other - x) >= font)) {
      named.set(item, x);
    }
  }
  return new Set(named.keys());
}

/** Names of visits: of every n-th, as many as there is room for. */
function addGroupNames({ picture, places, p }: Frame, names: string[], y: number): void {
  const widths = names.map((name) => textWidth(name, font));
  const fits = (every: number) =>
    widths.every((width, j) => {
      if (j === 0 || j % every !== 0) return true;
      const room = places.middle(j) - places.middle(j - every);
      return room >= (width + widths[j - every]) / 2 + 8;
    });
  let every = 1;
  while (every < names.length && !fits(every)) ++every;
  names.forEach((name, j) => {
    if (j % every !== 0) return;
    const style = { size: font, fill: p.quiet, anchor: "middle" } as const;
    addText(picture, places.middle(j), y, name, style).classList.add("group-name");
  });
}

function addBars(frame: Frame, parts: Parts, named: Set<number>, top: number): void {
  const { picture, places, p } = frame;
  const { scores, spans, items, groups } = parts;
  const most = Math.max(0, ...scores);
  const least = Math.min(0, ...scores);
  const y = linear([least, most === least ? 1 : most], [top + barHeight, top], 5);
  addRules(frame, y);
  spans.forEach(([begin, end], j) => {
    for (let i = begin; i < end; i++) {
      const [x, score] = [places.bar(j, i - begin), scores[i]];
      const [from, to] = [Math.min(y(0), y(score)), Math.max(y(0), y(score))];
      const bar = addRect(
        picture,
        x,
        from,
        0.8 * places.pitch,
        to - from,
        score < 0 ? p.negative : p.ink,
        {
          class: "contribution",
          "data-score": String(score),
        },
      );
      const name = `${groups.labels[j]}, ${items.labels[i]}`;
      add(
        bar,
        "title",
        {},
        `${name}: ${score < 0 ? "−" : "+"}${shortNumber(Math.abs(score))}`,
      );
      if (!named.has(i)) continue;
      const at = `translate(${round(x + places.pitch / 2)} ${top + barHeight + 14}) rotate(-60)`;
      const text = addText(picture, 0, 0, fitText(items.labels[i], font, 90), {
        size: font,
        fill: p.text,
        anchor: "end",
      });
      text.classList.add("item-name");
      text.setAttribute("transform", at);
    }
  });
  const zero = round(y(0));
  add(picture, "path", { d: `M${left} ${zero}H${round(places.end)}`, stroke: p.quiet });
}

function largestOf(beta: number[][]): number {
  return Math.max(1e-9, ...beta.flat().map(Math.abs));
}

function addBeta(frame: Frame, beta: number[][], top: number): void {
  const { picture, places, p } = frame;
  const largest = largestOf(beta);
  beta.forEach((bands, j) => {
    const [x, width] = [places.begins[j] + 1, places.width(j) - 2];
    addRect(picture, x, top, width, bands.length * band, p.field);
    bands.forEach((value, i) =>
      addRect(picture, x, top + i * band, width, band, value < 0 ? p.negative : p.ink, {
        class: "beta",
        "fill-opacity": Math.abs(value) / largest,
      }),
    );
  });
}

function contributionsView(side: Side, options: ViewOptions): View {
  const parts = partsOf(side);
  if (!parts) throw new Error("the answer is no sum of contributions");
  const { groups, items, attention, beta, spans } = parts;
  const p = options.palette;
  const places = new Places(spans, Math.max(options.width, 320) - left - 12);
  const named = namedItems(parts, places);
  const widest = Math.max(
    0,
    ...[...named].map((i) => Math.min(90, textWidth(items.labels[i], font))),
  );
  const namesHeight = named.size > 0 ? 18 + 0.87 * widest : 8;
  const label = "What each code of each visit adds to the log-odds";
  const said =
    beta &&
    `weights of features (β, up to ±${shortNumber(largestOf(beta))}), ` +
      "those that count most for the outcome above";
  const width = Math.max(places.end, left + textWidth(said ?? "", font)) + 12;
  const picture = newPicture(width, 10, label);
  const frame = { picture, places, p };
  const heading = { size: font, fill: p.quiet };
  let top = 16;
  if (attention) {
    addText(picture, left, top - 4, "attention to visits (α)", heading);
    addAttention(frame, parts, attention, top + 4);
    top += lineHeight + 28;
  }
  addText(picture, left, top - 4, "contributions to the log-odds", heading);
  addBars(frame, parts, named, top + 4);
  top += barHeight + namesHeight + 12;
  addGroupNames(frame, groups.labels, top + 6);
  top += 26;
  if (beta) {
    addText(picture, left, top, said ?? "", heading);
    addBeta(frame, beta, top + 6);
    top += 10 + band * Math.max(...beta.map((bands) => bands.length));
  }
  resize(picture, width, top + 8);

  // A visit is pointed at anywhere in its column.
  const shades = groups.labels.map((_, j) => {
    const shade = addRect(picture, places.begins[j], 0, places.width(j), top, p.ink, {
      "fill-opacity": 0,
      "pointer-events": "all",
    });
    picture.prepend(shade);
    const focus = (): Focus | null => side.focusAt(groups, j);
    onLook(shade, side.events.hover, focus);
    shade.addEventListener("click", () => side.pinAt(groups, j));
    return shade;
  });
  const figure = h(
    "div.figure.contributions",
    { tabindex: 0, role: "group", "aria-label": label },
    picture,
  );
  const sum = parts.scores.reduce((all, score) => all + score, 0);
  const bias = (groups.axis.payload as { bias?: number } | undefined)?.bias;
  const total =
    bias === undefined
      ? ""
      : ` With the bias ${shortNumber(bias)} they make ${shortNumber(sum + bias)}.`;
  const note =
    `Contributions add up to ${shortNumber(sum)}.${total} ` +
    "Blue bars speak for the outcome, orange ones against it; a visit with much attention may speak for either.";
  return {
    element: h("div", figure, h("p.note", note)),
    pictures: () => [picture],
    paint() {
      side
        .stateOf(groups)
        .forEach(({ chosen }, j) =>
          shades[j].setAttribute("fill-opacity", chosen ? "0.08" : "0"),
        );
    },
  };
}

export const contributions: ViewRow = {
  name: "contributions",
  title: "Contributions",
  switches: [],
  kinds: ["timeline"],
  leads: true,
  accepts: (side) =>
    partsOf(side)
      ? null
      : "This answer is no sum of contributions. Saliency shows what it depended on.",
  make: contributionsView,
};
