import { Answer } from "./answer";
import {
  ApiError,
  explain,
  fetchModels,
  predict,
  setApiKey,
  translate,
  type ExplainWishes,
  type ModelInfo,
} from "./api";
import { compareSides } from "./comparison";
import { byId, h, rove, stepInGrid } from "./dom";
import { composeSheet, savePng, saveText, sheetText } from "./download";
import { aboutModel, examplesFor, promptFor } from "./examples";
import { alignmentOf, type Choice } from "./explanation";
import { readHash, viewNames, writeHash, type PageState } from "./hash";
import { fillHelp } from "./help";
import { Side } from "./side";
import { Stage, type Shared } from "./stage";
import { isDark, onTheme, palette, switchTheme } from "./theme";
import type { ViewName } from "./views/view";

const tabNames: Record<ViewName, string> = {
  heatmap: "Heatmap",
  lines: "Lines",
  frames: "Frames",
  computation: "Computation",
  heads: "Heads",
  saliency: "Saliency",
};

const defaultMethods = ["saliency", "gradient_x_input"];

/** The page: what is asked, what came back, and how it is shown. */
export class App {
  private models: ModelInfo[] = [];
  private state: PageState = readHash("");
  private stages: (Stage | null)[] = [];
  private running: AbortController | null = null;
  private numbers = false;
  private moved = true;
  private methods = defaultMethods;
  private relative = true;
  private difference: SVGSVGElement[] = [];
  private ownHash = "";

  private readonly text = byId<HTMLTextAreaElement>("text");
  private readonly model = byId<HTMLSelectElement>("model");
  private readonly other = byId<HTMLSelectElement>("other");
  private readonly compare = byId<HTMLButtonElement>("compare");
  private readonly notice = byId("notice");
  private readonly status = byId("status");
  private readonly tabs: HTMLButtonElement[] = [];
  private readonly shared: Shared;

  constructor() {
    this.shared = {
      view: "heatmap",
      shown: "weights",
      comparing: false,
      options: () => ({
        palette: palette(),
        numbers: this.numbers,
        moved: this.moved,
        methods: this.methods,
        relative: this.relative,
      }),
      setShown: (shown) => {
        this.shared.shown = shown;
        for (const stage of this.stages) stage?.drawOverview();
      },
      setSaliency: ({ methods, relative }) => {
        this.methods = methods ?? this.methods;
        this.relative = relative ?? this.relative;
        this.redraw();
      },
    };
  }

  async start(): Promise<void> {
    fillHelp(byId<HTMLDialogElement>("help"));
    this.addTabs();
    this.listen();
    this.nameTheme();
    await this.loadModels();
    this.takeHash();
  }

  private async loadModels(): Promise<void> {
    try {
      this.models = await fetchModels();
    } catch (error) {
      this.report(error, () => void this.loadModels().then(() => this.takeHash()));
      return;
    }
    this.notice.hidden = true;
    if (this.models.length === 0) {
      this.report(new Error("The server has no models: start it as heed serve DIR."));
      return;
    }
    const tasks = new Set(this.models.map(({ task }) => task));
    this.model.replaceChildren(
      ...this.models.map(({ name, task }) =>
        h("option", { value: name }, tasks.size > 1 ? `${name} · ${task}` : name),
      ),
    );
    this.model.disabled = false;
  }

  private modelNamed(name: string): ModelInfo {
    return this.models.find((model) => model.name === name) ?? this.models[0];
  }

  /** The page becomes what its address says. */
  private takeHash(): void {
    if (this.models.length === 0 || (location.hash && location.hash === this.ownHash))
      return;
    this.state = readHash(location.hash);
    const { state } = this;
    const unknown = [state.model, state.other].filter(
      (name) => name && !this.models.some((model) => model.name === name),
    );
    state.model = this.modelNamed(state.model).name;
    if (state.other !== null) state.other = this.modelNamed(state.other).name;
    this.shared.view = state.view;
    this.text.value = state.text;
    this.showQuestion();
    this.showTab();
    if (state.text.trim()) void this.run(state.choices);
    else {
      byId("result").hidden = true;
      byId("welcome").hidden = false;
    }
    if (unknown.length > 0) {
      this.report(new Error(`The server has no model ${unknown.join(" or ")}.`));
    }
  }

  private keepHash(): void {
    this.state.choices = this.stages.map((stage) => stage?.side.choice ?? null);
    this.ownHash = writeHash(this.state);
    history.replaceState(null, "", this.ownHash);
  }

  private showQuestion(): void {
    const { state } = this;
    this.model.value = state.model;
    const model = this.modelNamed(state.model);
    const alike = this.models.filter(({ task }) => task === model.task);
    if (state.other !== null && !alike.some(({ name }) => name === state.other)) {
      state.other = this.secondModel().name;
    }
    this.other.replaceChildren(
      ...alike.map(({ name }) =>
        h(
          "option",
          { value: name },
          name === state.model ? `${name}, another head` : name,
        ),
      ),
    );
    this.other.value = state.other ?? state.model;
    this.compare.setAttribute("aria-pressed", String(state.other !== null));
    byId("other-label").hidden = state.other === null;
    byId("about").textContent = aboutModel(model);
    this.showTab();
    this.text.placeholder = promptFor(model);
    const examples = examplesFor(model);
    byId("examples").hidden = examples.length === 0;
    byId("examples").replaceChildren(
      "Try ",
      ...examples.map((sentence) => {
        const button = h(
          "button",
          { type: "button", class: "example", dir: "auto" },
          sentence,
        );
        button.addEventListener("click", () => {
          this.text.value = sentence;
          void this.run();
        });
        return button;
      }),
    );
  }

  // ---- Asking

  /** Asks the chosen models; what was chosen of an earlier answer is chosen again. */
  private async run(choices: (Choice | null)[] = this.state.choices): Promise<void> {
    const text = this.text.value.trim();
    if (this.models.length === 0) return;
    if (!text) {
      this.text.focus();
      return;
    }
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    for (const stage of this.stages) stage?.close();
    this.state.text = text;
    const names = [this.state.model, this.state.other].filter((name) => name !== null);
    const answers = names.map(
      (name) => new Answer(this.modelNamed(name), text, names.length > 1),
    );
    this.shared.comparing = names.length > 1;
    this.stages = names.map(() => null);
    this.state.choices = choices;
    this.ownHash = writeHash(this.state);
    history.replaceState(null, "", this.ownHash);
    document.title = `${text.slice(0, 40)} · Heed`;
    this.notice.hidden = true;
    byId("welcome").hidden = true;
    byId("result").hidden = false;
    byId("result").classList.toggle("two", names.length > 1);
    byId("answers").replaceChildren(...answers.map((answer) => answer.element));
    byId("comparison").replaceChildren();
    const slots = names.map(() => h("div", { class: "stage" }));
    byId("stages").replaceChildren(...slots);
    byId("toolbar").hidden = true;
    byId("run").setAttribute("aria-busy", "true");
    await Promise.all(
      answers.map(async (answer, i) => {
        try {
          const side = await this.ask(answer, text, choices[i] ?? null, running.signal);
          if (running.signal.aborted) return;
          this.addStage(i, side, slots[i]);
        } catch (error) {
          if (running.signal.aborted) return;
          answer.failed(error instanceof Error ? error.message : String(error));
          if (error instanceof ApiError) this.askForKey(error);
        }
      }),
    );
    if (running.signal.aborted) return;
    byId("run").setAttribute("aria-busy", "false");
    const done = this.stages.filter((stage) => stage !== null);
    if (done.length === 0) return;
    const [a, b] = done.map(({ side }) => side);
    if (b) [a.twin, b.twin] = [b, a];
    this.keepHash();
    this.drawComparison();
    this.status.textContent = done
      .map(({ side }) => `${side.model.name}: ${side.explanation.answer}`)
      .join(". ");
  }

  private async ask(
    answer: Answer,
    text: string,
    wanted: Choice | null,
    signal: AbortSignal,
  ): Promise<Side> {
    const { model } = answer;
    // A translation is explained as it was shown: the search for it may have cut the text
    // into sentences, or kept more hypotheses than an explanation does.
    let shown: ExplainWishes = {};
    if (model.task === "translate") {
      const whole = await translate(
        model,
        text,
        (soFar) => answer.showText(soFar),
        signal,
      );
      answer.setAnswer(whole);
      shown = { answer: whole };
    } else {
      answer.setAnswer(await predict(model.name, text, signal));
    }
    const load = (wishes: ExplainWishes) =>
      explain(model, text, { ...shown, ...wishes }, signal);
    const explanation = await load({});
    const side = new Side(model, explanation, load, wanted);
    if (!signal.aborted) answer.explained(side);
    return side;
  }

  private addStage(i: number, side: Side, slot: HTMLElement): void {
    const stage = new Stage(side, this.shared);
    this.stages[i] = stage;
    slot.replaceWith(stage.element);
    byId("toolbar").hidden = false;
    this.showTab();
    stage.redraw();
    side.choiceListeners.push(() => {
      this.keepHash();
      this.drawComparison();
    });
  }

  private report(error: unknown, again?: () => void): void {
    const words = error instanceof Error ? error.message : String(error);
    this.notice.replaceChildren(h("p", {}, words));
    if (again) {
      const button = h("button", { type: "button", class: "plain" }, "Try again");
      button.addEventListener("click", again);
      this.notice.append(button);
    }
    this.notice.hidden = false;
    if (error instanceof ApiError) this.askForKey(error);
  }

  /** A server that refuses without a key is asked again with one. */
  private askForKey(error: ApiError): void {
    if (!error.asksForKey) return;
    const field = h("input", {
      type: "password",
      autocomplete: "off",
      "aria-label": "API key",
    });
    const form = h(
      "form",
      { class: "key" },
      field,
      h("button", { type: "submit" }, "Use key"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      setApiKey(field.value);
      if (this.models.length === 0) void this.loadModels().then(() => this.takeHash());
      else void this.run();
    });
    this.notice.replaceChildren(h("p", {}, error.message), form);
    this.notice.hidden = false;
  }

  // ---- Showing

  private addTabs(): void {
    viewNames.forEach((view, i) => {
      const tab = h(
        "button",
        { type: "button", role: "tab", id: `tab-${view}`, "aria-controls": "stages" },
        tabNames[view],
      );
      tab.addEventListener("click", () => this.setView(view));
      tab.addEventListener("keydown", (event) => {
        const to = stepInGrid(event.key, i, viewNames.length, viewNames.length);
        if (to === null) return;
        event.preventDefault();
        this.setView(viewNames[to]);
        this.tabs[to].focus();
      });
      this.tabs.push(tab);
    });
    byId("tabs").append(...this.tabs);
  }

  private showTab(): void {
    const at = viewNames.indexOf(this.shared.view);
    this.tabs.forEach((tab, i) => tab.setAttribute("aria-selected", String(i === at)));
    rove(this.tabs, at);
    // On a phone the tabs are wider than the screen.
    byId("tabs").scrollLeft = this.tabs[at].offsetLeft - this.tabs[0].offsetLeft - 40;
    byId("stages").setAttribute("aria-labelledby", `tab-${this.shared.view}`);
    const { view } = this.shared;
    byId("moved").hidden =
      view !== "heatmap" || this.modelNamed(this.state.model)?.task !== "translate";
    byId("numbers").hidden = !["heatmap", "computation", "saliency"].includes(view);
  }

  private setView(view: ViewName): void {
    this.shared.view = this.state.view = view;
    this.showTab();
    this.redraw();
    if (this.stages.some(Boolean)) this.keepHash();
  }

  private redraw(): void {
    for (const stage of this.stages) stage?.redraw();
    this.drawComparison();
  }

  private drawComparison(): void {
    const holder = byId("comparison");
    const [a, b] = this.stages;
    this.difference = [];
    if (!a || !b || this.shared.view !== "heatmap") {
      holder.replaceChildren();
      return;
    }
    const { element, pictures } = compareSides(
      a.side,
      b.side,
      palette(),
      holder.clientWidth - 50,
    );
    this.difference = pictures;
    holder.replaceChildren(element);
  }

  private nameTheme(): void {
    byId("theme").textContent = isDark() ? "Light" : "Dark";
    byId("theme").setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
  }

  private toggle(id: "numbers" | "moved"): void {
    this[id] = !this[id];
    byId(id).setAttribute("aria-pressed", String(this[id]));
    this.redraw();
  }

  // ---- Saving

  private sheet(): SVGSVGElement | null {
    const groups = this.stages
      .filter((stage) => stage !== null)
      .map((stage) => ({
        title: stage.side.explanation.text,
        subtitle: stage.subtitle,
        pictures: stage.pictures(),
      }))
      .filter((group) => group.pictures.length > 0);
    if (groups.length === 0) return null;
    if (this.difference.length > 0) {
      groups.push({
        title: "First minus second",
        subtitle: "",
        pictures: this.difference,
      });
    }
    return composeSheet(groups, palette());
  }

  private fileName(ending: string): string {
    return `heed-${this.shared.view}.${ending}`;
  }

  private save(kind: "svg" | "png" | "json"): void {
    if (kind === "json") {
      const all = this.stages.flatMap((stage) => (stage ? [stage.side.explanation] : []));
      if (all.length === 0) return;
      const value = all.length === 1 ? all[0] : all;
      saveText(
        `${JSON.stringify(value, null, 1)}\n`,
        "application/json",
        this.fileName("json"),
      );
      return;
    }
    const sheet = this.sheet();
    if (!sheet) return;
    if (kind === "svg") saveText(sheetText(sheet), "image/svg+xml", this.fileName("svg"));
    else
      savePng(sheet, this.fileName("png")).catch((error: unknown) => this.report(error));
  }

  // ---- Listening

  /** Another model of the same task, or else the same one, to compare with. */
  private secondModel(): ModelInfo {
    const first = this.modelNamed(this.state.model);
    const alike = this.models.filter(
      ({ name, task }) => name !== first.name && task === first.task,
    );
    const { source, target } = first;
    return (
      alike.find((one) => one.source === source && one.target === target) ??
      alike[0] ??
      first
    );
  }

  private setCompare(on: boolean): void {
    const { state } = this;
    state.other = on ? this.secondModel().name : null;
    this.showQuestion();
    if (state.text && !byId("result").hidden) void this.run();
  }

  private listen(): void {
    byId<HTMLFormElement>("ask").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.run();
    });
    this.text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      void this.run();
    });
    this.model.addEventListener("change", () =>
      this.changeModel("model", this.model.value),
    );
    this.other.addEventListener("change", () =>
      this.changeModel("other", this.other.value),
    );
    this.compare.addEventListener("click", () =>
      this.setCompare(this.state.other === null),
    );
    byId("theme").addEventListener("click", switchTheme);
    byId("help-button").addEventListener("click", () => this.showHelp());
    byId("numbers").addEventListener("click", () => this.toggle("numbers"));
    byId("moved").addEventListener("click", () => this.toggle("moved"));
    for (const kind of ["svg", "png", "json"] as const) {
      byId(`save-${kind}`).addEventListener("click", () => this.save(kind));
    }
    onTheme(() => {
      this.nameTheme();
      for (const stage of this.stages) stage?.drawOverview();
      this.redraw();
    });
    addEventListener("hashchange", () => this.takeHash());
    addEventListener("keydown", (event) => this.key(event));
    let width = byId("stages").clientWidth;
    new ResizeObserver(() => {
      const now = byId("stages").clientWidth;
      if (now === width || now === 0) return;
      width = now;
      this.redraw();
    }).observe(byId("stages"));
  }

  private changeModel(which: "model" | "other", name: string): void {
    this.state[which] = name;
    this.state.choices[which === "model" ? 0 : 1] = null;
    this.showQuestion();
    if (this.state.text && !byId("result").hidden) void this.run();
  }

  private showHelp(): void {
    byId<HTMLDialogElement>("help").showModal();
  }

  /** The next or previous head or layer of the side that has the keyboard. */
  private step(what: "head" | "layer", by: number): void {
    const active = document.activeElement;
    const stage =
      this.stages.find((one) => one?.element.contains(active)) ??
      this.stages.find(Boolean);
    const choice = stage?.side.choice;
    if (!stage || !choice) return;
    const { layers } = stage.side.explanation;
    if (what === "layer") {
      const layer = Math.max(0, Math.min(layers.length - 1, choice.layer + by));
      const head =
        choice.head !== "mean" && choice.head >= layers[layer].heads
          ? "mean"
          : choice.head;
      stage.side.setChoice({ layer, head });
      return;
    }
    const { heads } = layers[choice.layer];
    const at = (choice.head === "mean" ? -1 : choice.head) + by;
    if (heads === 1 || at < -1 || at >= heads) return;
    stage.side.setChoice({ layer: choice.layer, head: at < 0 ? "mean" : at });
  }

  private toAlignment(): void {
    for (const stage of this.stages) {
      const choice = stage && alignmentOf(stage.side.explanation);
      if (choice) stage.side.setChoice(choice);
    }
  }

  private letGo(): void {
    for (const stage of this.stages) {
      stage?.side.hover(null);
      if (stage?.side.isPinned) stage.side.pin(null);
    }
  }

  private key(event: KeyboardEvent): void {
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (byId<HTMLDialogElement>("help").open) return;
    if (target.matches("input:not([type=range],[type=checkbox]),textarea,select")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    const actions: Record<string, () => void> = {
      "/": () => this.text.focus(),
      "?": () => this.showHelp(),
      "[": () => this.step("head", -1),
      "]": () => this.step("head", 1),
      "{": () => this.step("layer", -1),
      "}": () => this.step("layer", 1),
      a: () => this.toAlignment(),
      n: () => this.toggle("numbers"),
      o: () => this.toggle("moved"),
      c: () => this.setCompare(this.state.other === null),
      s: () => this.save("svg"),
      S: () => this.save("png"),
      t: switchTheme,
      Escape: () => this.letGo(),
    };
    viewNames.forEach((view, i) => (actions[String(i + 1)] = () => this.setView(view)));
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
      return;
    }
    const inView = target === document.body || byId("stages").contains(target);
    if (!inView || target.closest(".heads")) return;
    const owner = this.stages.find((stage) => stage?.element.contains(target));
    for (const stage of owner ? [owner] : this.stages) {
      if (stage?.key(event)) event.preventDefault();
    }
  }
}
