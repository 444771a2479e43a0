import { h, rove, stepInGrid } from "./dom";
import { showToken, type AttentionLayer, type AttentionMap } from "./explanation";
import type { Focus } from "./matrix";
import type { Side } from "./side";

type Role = "source" | "inputs" | "target";

/** A word chip, joined to the word before where it goes on it. */
export function chip(token: string, all: string[], tag?: string): HTMLButtonElement {
  const { text, joined } = showToken(token, all);
  const button = h("button", { type: "button", class: joined ? "word joined" : "word" });
  button.append(h("span", {}, text));
  if (tag !== undefined) button.append(h("small", {}, tag));
  return button;
}

/** Chips of one word, and the punctuation behind it, stay on one line. */
function keepTogether(chips: HTMLButtonElement[]): HTMLElement[] {
  const groups: HTMLElement[] = [];
  for (const button of chips) {
    const group = groups[groups.length - 1];
    const joins = button.classList.contains("joined") && group?.childElementCount < 4;
    if (joins) group.append(button);
    else groups.push(h("span", { class: "together" }, button));
  }
  return groups;
}

/** The source and the answer as words; each shows its attention when it is pointed at. */
export class Words {
  readonly element: HTMLElement;
  private readonly lines: Partial<Record<Role, HTMLButtonElement[]>> = {};

  constructor(private readonly side: Side) {
    const { source, target, target_inputs, task } = side.explanation;
    const translates = task === "translate";
    const { tags } = side;
    this.element = h("div", { class: "words" });
    this.addLine("source", translates ? "Source" : "Text", source, tags ?? undefined);
    const { layers } = side.explanation;
    const ofTarget = layers.filter((layer) => layer.queries === "target");
    const wrote = (layer: AttentionLayer) => layer.weights[0].length === target.length;
    const inputs = target_inputs?.length ? target_inputs : target;
    if (layers.some((layer) => layer.keys === "target")) {
      this.addLine("inputs", "Output so far", inputs);
    } else if (!ofTarget.every(wrote)) {
      this.addLine("inputs", "Output", inputs);
    }
    if (target.length > 0 && (!tags || ofTarget.some(wrote))) {
      this.addLine("target", translates ? "Translation" : "Output", target);
    }
    this.paint();
  }

  private addLine(
    role: Role,
    name: string,
    tokens: string[],
    tags?: (string | undefined)[],
  ): void {
    const chips = tokens.map((token, i) =>
      chip(token, tokens, tags ? (tags[i] ?? "") : undefined),
    );
    this.lines[role] = chips;
    const line = h(
      "div",
      {
        class: "line",
        dir: "auto",
        role: "group",
        "aria-label": name,
        "data-role": role,
      },
      ...keepTogether(chips),
    );
    this.element.append(
      h(
        "div",
        { class: "words-row", "data-role": role },
        h("p", { class: "label" }, name),
        line,
      ),
    );
    rove(chips, 0);
    chips.forEach((button, i) => {
      button.addEventListener("pointerenter", (event) => {
        if (event.pointerType === "mouse") this.side.hover(this.focusOf(role, i));
      });
      button.addEventListener("pointerleave", () => this.side.hover(null));
      button.addEventListener("focus", () => {
        rove(chips, i);
        if (button.matches(":focus-visible")) this.side.hover(this.focusOf(role, i));
      });
      button.addEventListener("blur", () => this.side.hover(null));
      button.addEventListener("click", () => this.side.pin(this.focusOf(role, i)));
      button.addEventListener("keydown", (event) => this.move(event, role, i));
    });
  }

  private move(event: KeyboardEvent, role: Role, at: number): void {
    const chips = this.lines[role] ?? [];
    let to: HTMLElement | undefined;
    if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const shown = (Object.keys(this.lines) as Role[]).filter(
        (other) => !this.lines[other]?.[0]?.closest<HTMLElement>(".words-row")?.hidden,
      );
      const next = shown[shown.indexOf(role) + (event.key === "ArrowUp" ? -1 : 1)];
      const line = next ? this.lines[next] : undefined;
      to = line?.[Math.min(at, line.length - 1)];
    } else {
      const step = stepInGrid(event.key, at, chips.length, 1);
      if (step !== null) to = chips[step];
    }
    if (!to) return;
    event.preventDefault();
    to.focus();
  }

  /** The line whose words are the rows, or the columns, of the chosen attention. */
  private roleOf(map: AttentionMap, asKeys: boolean): Role {
    if ((asKeys ? map.keys : map.queries) === "source") return "source";
    const wrote = map.weights.length === this.side.explanation.target.length;
    return asKeys || !wrote ? "inputs" : "target";
  }

  private focusOf(role: Role, i: number): Focus | null {
    const { map } = this.side;
    if (!map) return null;
    if (this.roleOf(map, false) === role) return { row: i, column: null };
    if (this.roleOf(map, true) === role) return { row: null, column: i };
    return null;
  }

  /** Shades the words by the weights of what is in focus. */
  paint(): void {
    const { map, focus } = this.side;
    for (const chips of Object.values(this.lines)) {
      for (const button of chips) {
        button.style.removeProperty("--w");
        button.classList.remove("strong", "chosen");
        delete button.dataset.weight;
      }
    }
    const inputs = this.element.querySelector<HTMLElement>(
      '.words-row[data-role="inputs"]',
    );
    if (inputs) {
      const roles = map ? [this.roleOf(map, false), this.roleOf(map, true)] : [];
      inputs.hidden = !roles.includes("inputs");
    }
    if (!map || !focus) return;
    const rows = this.lines[this.roleOf(map, false)] ?? [];
    const columns = this.lines[this.roleOf(map, true)] ?? [];
    const shade = (button: HTMLElement | undefined, weight: number) => {
      button?.style.setProperty("--w", String(weight));
      button?.classList.toggle("strong", weight > 0.55);
      if (button) button.dataset.weight = String(weight);
    };
    if (focus.row !== null) {
      map.weights[focus.row]?.forEach((weight, s) => shade(columns[s], weight));
      rows[focus.row]?.classList.add("chosen");
    } else if (focus.column !== null) {
      const column = focus.column;
      map.weights.forEach((row, t) => shade(rows[t], row[column] ?? 0));
      columns[column]?.classList.add("chosen");
    }
    if (focus.column !== null) columns[focus.column]?.classList.add("chosen");
  }
}
