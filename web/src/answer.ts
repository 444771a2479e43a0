import { h } from "./dom";
import type { ModelInfo } from "./api";
import type { Side } from "./side";
import { Words } from "./words";

/** The upper part of a side: text and answer, first as they arrive, then as words that
 * show their attention. */
export class Answer {
  readonly element: HTMLElement;
  private readonly body = h("div", { class: "answer-body" });
  private readonly state = h("p", { class: "state", role: "status" });
  private streamed: HTMLElement | null = null;
  private shown = "";
  private words: Words | null = null;

  constructor(
    readonly model: ModelInfo,
    text: string,
    named: boolean,
  ) {
    this.element = h(
      "section",
      {
        class: "card answer",
        "aria-label": `Answer of ${model.name}`,
        "aria-busy": "true",
      },
      named ? h("h2", {}, model.name) : null,
      this.body,
      this.state,
    );
    this.body.append(
      h("p", { class: "label" }, model.task === "translate" ? "Source" : "Text"),
      h("p", { class: "line plain-text", dir: "auto" }, text),
    );
    this.say("Waiting for the model…");
  }

  say(words: string): void {
    this.state.className = "state";
    this.state.textContent = words;
    this.state.hidden = words === "";
  }

  private beginAnswer(): HTMLElement {
    if (!this.streamed) {
      this.streamed = h("p", { class: "line streamed", dir: "auto" });
      const name = this.model.task === "translate" ? "Translation" : "Answer";
      this.body.append(h("p", { class: "label" }, name), this.streamed);
    }
    return this.streamed;
  }

  /** The answer as far as it has arrived. */
  showText(soFar: string): void {
    const line = this.beginAnswer();
    if (soFar.startsWith(this.shown)) {
      line.append(h("span", { class: "arriving" }, soFar.slice(this.shown.length)));
    } else {
      line.textContent = soFar;
    }
    this.shown = soFar;
    this.say("Answering…");
  }

  /** The whole answer, before its attention is known. */
  setAnswer(text: string): void {
    this.beginAnswer().textContent = this.shown = text;
    this.say("Reading the attention…");
  }

  explained(side: Side): void {
    this.words = new Words(side);
    this.body.replaceChildren(this.words.element);
    const { answer, task, target } = side.explanation;
    if (task !== "translate" && answer !== target.join(" ")) {
      this.body.append(
        h("p", { class: "label" }, "Answer"),
        h("p", { class: "line" }, answer),
      );
    }
    this.say("");
    this.element.setAttribute("aria-busy", "false");
    side.focusListeners.push(() => this.words?.paint());
    side.choiceListeners.push(() => this.words?.paint());
  }

  failed(words: string): void {
    this.state.hidden = false;
    this.state.className = "problem";
    this.state.textContent = words;
    this.element.setAttribute("aria-busy", "false");
  }
}
