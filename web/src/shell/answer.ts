import {
  button,
  directionOf,
  h,
  kindNamed,
  shortNumber,
  type AxesOnShow,
  type Choice,
  type Side,
} from "../core";
import type { ModelInfo } from "../core/api";
import { predictionPanel } from "./prediction";

/** Removes tags and spaces, to compare two texts. */
function bare(text: string): string {
  return text.replace(/<[^<>\s]+>|[\s␣]/g, "");
}

/** Upper part of a side: input and answer, first as they arrive, then with their
 * attention. */
export class Answer {
  readonly element: HTMLElement;
  private readonly body = h("div.answer-body");
  /** Area below the scrolled body; always visible. */
  private readonly panel = h("div");
  private readonly state = h("p.state", { role: "status" });
  private streamed: HTMLElement | null = null;
  private soFar = "";
  private choices: Choice[] = [];
  /** True once the answer is complete. */
  isAnswered = false;
  private onShow: AxesOnShow[] = [];
  private drawn = "";

  constructor(
    private readonly model: Pick<ModelInfo, "name" | "labels">,
    input: string,
    title: string | null,
  ) {
    this.element = h(
      "section.card.answer",
      { "aria-label": `Answer of ${model.name}`, "aria-busy": "true" },
      title === null ? null : h("h2", title),
      this.body,
      this.panel,
      this.state,
    );
    this.body.append(
      h("p.label", model.labels?.input ?? "Input"),
      h("p.line.plain-text", { dir: "auto" }, input),
    );
    this.say("Waiting for the model…");
  }

  say(words: string): void {
    this.state.className = "state";
    this.state.textContent = words;
    this.state.hidden = words === "";
  }

  private get answerName(): string {
    return this.model.labels?.answer ?? "Answer";
  }

  private beginAnswer(): HTMLElement {
    if (!this.streamed) {
      this.streamed = h("p.line.streamed.plain-text", { dir: "auto" });
      this.body.append(h("p.label", this.answerName), this.streamed);
    }
    return this.streamed;
  }

  /** Shows the partial answer. */
  showText(soFar: string): void {
    const line = this.beginAnswer();
    if (soFar.startsWith(this.soFar)) {
      line.append(h("span.arriving", soFar.slice(this.soFar.length)));
    } else {
      line.textContent = soFar;
    }
    this.soFar = soFar;
    this.say("Answering…");
  }

  /** Shows the complete answer before its attention is known. */
  setAnswer(text: string, choices: Choice[] = []): void {
    this.choices = choices;
    this.beginAnswer().replaceChildren(...this.shownAnswer(text));
    this.soFar = text;
    this.isAnswered = true;
    this.say("Reading the attention…");
  }

  /** Returns an answer as words with probabilities, or as plain text. */
  private shownAnswer(text: string): (HTMLElement | string)[] {
    const words = this.choices.map(({ label, probability }) =>
      h("span.word", h("bdi", label), h("small", shortNumber(probability ?? NaN))),
    );
    return words.length > 0 ? words : [text];
  }

  explained(side: Side): void {
    const predict = () => this.panel.replaceChildren(predictionPanel(side));
    const words = h("div");
    const draw = () => {
      const drawn = `${side.index} ${side.shown?.byWord}`;
      if (drawn !== this.drawn) {
        this.drawn = drawn;
        this.drawParts(side, words);
      }
      this.paint();
    };
    this.body.replaceChildren(words);
    draw();
    predict();
    side.on("choice", draw);
    side.on("target", predict);
    side.on("focus", () => this.paint());
    this.finish("");
  }

  /** Lists the parts that were run separately; the displayed part is open. */
  private drawParts(side: Side, holder: HTMLElement): void {
    const parts = side.allParts;
    if (parts.length === 1) return holder.replaceChildren(this.drawPart(side));
    const focused = holder.contains(document.activeElement);
    const rows = parts.map((part, k) => {
      const number = h("span.number", `${k + 1} of ${parts.length}`);
      if (k === side.index) {
        return h("li.part", { "aria-current": "true" }, number, this.drawPart(side));
      }
      const row = button("", { class: "part-text" }, () => side.setPart(k));
      for (const text of [part.text, part.answer]) {
        row.append(h("span", { dir: directionOf([text]) }, text));
      }
      return h("li.part", number, row);
    });
    holder.replaceChildren(h("ol.parts", ...rows));
    if (focused) rows[side.index].querySelector<HTMLElement>("button")?.focus();
  }

  private drawPart(side: Side): HTMLElement {
    const axes = side.axes();
    const kinds = [...new Set(axes.map(({ kind }) => kind))];
    this.onShow = kinds.map((kind) => {
      const ofKind = axes.filter((view) => view.kind === kind);
      return kindNamed(kind).show(side, ofKind);
    });
    const element = h("div.part-body", ...this.onShow.map((one) => one.element));
    const { answer, targets } = side.part;
    // Text of the answer that its words do not show.
    const unique = new Map(targets.map((one) => [`${one.axis} ${one.item}`, one]));
    const rest = [...unique.values()].reduce(
      (left, target) => left.replace(bare(side.part.label(target)), ""),
      bare(answer),
    );
    const { axes: all } = side.explanation;
    if (rest !== "" && targets.every(({ axis }) => kindNamed(all[axis].kind).isWords)) {
      const shown = this.shownAnswer(answer);
      const line = h("p.line.plain-text", { dir: "auto" }, ...shown);
      element.append(h("p.label", this.answerName), line);
    }
    return element;
  }

  paint(): void {
    for (const one of this.onShow) one.paint();
  }

  pictures(): SVGSVGElement[] {
    return this.onShow.flatMap((one) => one.pictures?.() ?? []);
  }

  private finish(words: string): void {
    this.say(words);
    this.element.setAttribute("aria-busy", "false");
  }

  /** Keeps the answer without its attention. */
  unexplained(why: string): void {
    this.finish(`The answer is complete, but it is not explained: ${why}`);
    this.state.className = "state unexplained";
  }

  failed(words: string): void {
    this.finish(words);
    this.state.className = "problem";
  }
}
