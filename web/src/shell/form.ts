import {
  button,
  byId,
  h,
  hasKind,
  kindNamed,
  titleOf,
  type Input,
  type InputField,
} from "../core";
import { newQuestion, type PageState } from "../core/address";
import type { ModelInfo } from "../core/api";
import { areFiles, fileField } from "./file_field";

function count(n: number): string {
  return n >= 1e6 ? `${(n / 1e6).toFixed(1)} M` : `${Math.max(1, Math.round(n / 1e3))} k`;
}

/** Returns "TASK en → de · MODEL · 2.6 M parameters". */
function about(model: ModelInfo): string {
  const named = model.source && model.target && model.source !== "source";
  const parts = [model.task + (named ? ` ${model.source} → ${model.target}` : "")];
  if (model.model) parts.push(model.model);
  if (model.parameters) parts.push(`${count(model.parameters)} parameters`);
  return parts.join(" · ");
}

/** Returns a button for each example that a field accepts: a text or a file. */
function exampleButtons(
  model: ModelInfo,
  field: InputField | null,
  run: () => void,
): HTMLButtonElement[] {
  const all = model.examples ?? [];
  return all.flatMap(({ text, file }) => {
    if (file) {
      if (!field?.give) return [];
      const names = { class: "example", title: text, "aria-label": text };
      const one = button("", names, () => field.give?.({ text, request: { file } }));
      const isImage = file.media_type.startsWith("image/");
      const src = `data:${file.media_type};base64,${file.base64}`;
      one.append(isImage ? h("img", { src, alt: "" }) : text);
      return [one];
    }
    if (field?.holdsFile) return [];
    const name = titleOf(model.input?.kind ?? "", text, 90);
    const one = button(name, { class: "example", dir: "auto" }, () => {
      field?.write(text);
      run();
    });
    return [one];
  });
}

/** Form: a model and an input, and a second question to compare with. */
export class Form {
  models: ModelInfo[] = [];
  private readonly model = byId<HTMLSelectElement>("model");
  private readonly other = byId<HTMLSelectElement>("other");
  private readonly answer = byId<HTMLInputElement>("other-answer");
  private readonly fields: (InputField | null)[] = [null, null];
  private readonly kinds: string[] = ["", ""];

  /** `run`: requests the answers; `change`: called for another model or a comparison. */
  constructor(
    private readonly run: () => void,
    private readonly change: (state: (state: PageState) => void) => void,
  ) {
    byId<HTMLFormElement>("ask").addEventListener("submit", (event) => {
      event.preventDefault();
      run();
    });
    byId("field").addEventListener("input", () => this.showLimit());
    this.model.addEventListener("change", () =>
      change(({ questions: [first] }) => {
        first.model = this.model.value;
        first.answer = "";
        first.chosen = null;
        first.part = 0;
      }),
    );
    this.other.addEventListener("change", () =>
      change(({ questions: [, second] }) => {
        if (!second) return;
        second.model = this.other.value;
        second.chosen = null;
      }),
    );
    this.answer.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      run();
    });
    byId("compare").addEventListener("click", () => this.toggleCompare());
  }

  setModels(models: ModelInfo[]): void {
    this.models = models;
    const tasks = new Set(models.map(({ task }) => task));
    this.model.replaceChildren(
      ...models.map(({ name, task }) =>
        h("option", { value: name }, tasks.size > 1 ? `${name} · ${task}` : name),
      ),
    );
    this.model.disabled = false;
  }

  named(name: string): ModelInfo {
    return this.models.find((model) => model.name === name) ?? this.models[0];
  }

  private alike(name: string): ModelInfo[] {
    const { task } = this.named(name);
    return this.models.filter((model) => model.task === task);
  }

  /** Returns another model of the task to compare with, or else the first model. */
  private secondModel(name: string): ModelInfo {
    const first = this.named(name);
    const others = this.alike(name).filter((model) => model.name !== name);
    const { source, target } = first;
    return (
      others.find((one) => one.source === source && one.target === target) ??
      others[0] ??
      first
    );
  }

  toggleCompare(): void {
    if (this.models.length === 0) return;
    this.change((state) => {
      const [first, second] = state.questions;
      const other = newQuestion(this.secondModel(first.model).name, null);
      state.questions = second ? [first] : [first, other];
    });
  }

  private makeField(i: number, model: ModelInfo, prompt: string): void {
    const { kind = "", media_types: mediaTypes = [] } = model.input ?? {};
    if (this.kinds[i] !== kind || prompt !== this.fields[i]?.element.dataset.prompt) {
      const id = i === 0 ? "text" : "other-text";
      const before = this.fields[i]?.read();
      const options = { prompt, mediaTypes, id, submit: () => this.run() };
      const ofBytes = !hasKind(kind) && areFiles(mediaTypes);
      const field = ofBytes ? fileField(options) : kindNamed(kind).input(options);
      field.element.dataset.prompt = prompt;
      if (before && this.kinds[i] === kind) field.write(before.text);
      byId(i === 0 ? "field" : "other-field").replaceChildren(field.element);
      this.fields[i] = field;
      this.kinds[i] = kind;
    }
  }

  /** Updates the form from the state, except for the texts. */
  show(state: PageState): void {
    const [first, second] = state.questions;
    first.model = this.named(first.model).name;
    this.model.value = first.model;
    const model = this.named(first.model);
    this.makeField(0, model, model.input?.prompt ?? "Type a text and press Enter");
    byId("compare").setAttribute("aria-pressed", String(second !== undefined));
    byId("second").hidden = second === undefined;
    if (second) {
      const alike = this.alike(first.model);
      if (!alike.some(({ name }) => name === second.model)) {
        second.model = this.secondModel(first.model).name;
      }
      const options = alike.map(({ name }) => {
        const isSame = name === first.model;
        return h("option", { value: name }, isSame ? `${name} (the same)` : name);
      });
      this.other.replaceChildren(...options);
      this.other.value = second.model;
      this.makeField(1, this.named(second.model), "The same input, or another");
    }
    byId("about").textContent = about(model);
    const examples = exampleButtons(model, this.fields[0], () => {
      this.showLimit();
      this.run();
    });
    byId("examples").hidden = examples.length === 0;
    byId("examples").replaceChildren("Try ", ...examples);
    this.showLimit();
  }

  /** Writes the texts of a link into the fields. */
  write(state: PageState): void {
    state.questions.forEach(({ text, answer }, i) => {
      this.fields[i]?.write(text ?? "");
      if (i === 1) this.answer.value = answer;
    });
    this.showLimit();
  }

  /** Reads the fields into the state; null if nothing was entered. */
  read(state: PageState): Input[] | null {
    const first = this.fields[0]?.read();
    if (!first) return null;
    return state.questions.map((question, i) => {
      const own = i === 0 ? first : (this.fields[1]?.read() ?? null);
      question.text = own?.text ?? null;
      if (i === 1) question.answer = this.answer.value.trim();
      return own ?? first;
    });
  }

  focus(): void {
    this.fields[0]?.focus();
  }

  /** Returns the length of a text that is answered but too long to explain, and the
   * limit; null if the text is explained. */
  excess(model: ModelInfo, text: string): { length: string; max: string } | null {
    const max = model.limits?.explain ?? Infinity;
    const { length } = [...text]; // code points, as on the server
    const [a, b] = [length, max].map((one) => one.toLocaleString("en"));
    return length > max ? { length: a, max: b } : null;
  }

  /** Announces before the request if the text is too long to explain. */
  private showLimit(): void {
    const model = this.named(this.model.value);
    const excess = model && this.excess(model, this.fields[0]?.read()?.text ?? "");
    byId("limit").hidden = !excess;
    byId("limit").textContent = excess
      ? `${excess.length} characters: the model answers, but the server explains at most ` +
        `${excess.max}.`
      : "";
  }
}
