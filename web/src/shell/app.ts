import {
  newQuestion,
  readAddress,
  writeAddress,
  type Chosen,
  type PageState,
  type Question,
} from "../core/address";
import { ApiError, explain, fetchModels, predict, translate } from "../core/api";
import { byId, h, rove, stepInGrid } from "../core/dom";
import type { Explanation } from "../core/explanation";
import { allViews, kindNamed, titleOf, type Input, type Switch } from "../core/registry";
import { scaleNames, type Scale } from "../core/scale";
import { Side } from "../core/side";
import { isDark, onTheme, palette, switchTheme } from "../core/theme";
import { Answer } from "./answer";
import { compareSides } from "./comparison";
import { charactersOf, Form } from "./form";
import { fillHelp } from "./help";
import { clearNotice, report } from "./notice";
import { savePage, type Answered } from "./save";
import { Stage, viewNamed, type Shared } from "./stage";
import { carriedTexts, listTexts, markText, nameOf } from "./texts";

/** One question on the page. */
interface Asked extends Answered {
  question: Question;
}

/** The page: what is asked, what came back, and how it is shown. */
export class App {
  private readonly state: PageState = { questions: [newQuestion()], view: "" };
  private asked: Asked[] = [];
  private running: AbortController | null = null;
  private numbers = false;
  private moved = true;
  private byWord = false;
  private scale: Scale = "auto";
  private methods: string[] | null = null;
  private difference: SVGSVGElement[] = [];
  /** The address as the page last wrote or read it. */
  private address = "";
  private saves = 0;
  /** The reader has chosen a view; before, it is one that can show the answer. */
  private hasView = false;

  private readonly tabs: HTMLButtonElement[] = [];
  private readonly shared: Shared;
  private readonly form: Form;
  private readonly views = allViews();
  /** Of a page in a file; else null: there is a server. */
  private file: Explanation[] | null = null;

  constructor() {
    this.form = new Form(
      () => void this.run(),
      (change) => this.changeState(change),
    );
    this.shared = {
      view: this.views[0].name,
      figure: "weights",
      comparing: false,
      options: () => ({
        palette: palette(),
        numbers: this.numbers,
        moved: this.moved,
        scale: this.scale,
        methods: this.methods,
        setMethods: (methods) => {
          this.methods = methods;
          this.redraw();
        },
      }),
      setFigure: (figure) => {
        this.shared.figure = figure;
        for (const stage of this.stages) stage.drawOverview();
      },
    };
  }

  private get stages(): Stage[] {
    return this.asked.flatMap(({ stage }) => stage ?? []);
  }

  async start(): Promise<void> {
    fillHelp(byId<HTMLDialogElement>("help"));
    this.addTabs();
    this.listen();
    this.nameTheme();
    try {
      this.file = carriedTexts();
    } catch (error) {
      report(error);
      return;
    }
    if (this.file) listTexts(this.file, (index) => this.stepText(index));
    else {
      byId("ask").hidden = byId("welcome").hidden = false;
      await this.loadModels();
    }
    await this.takeAddress();
  }

  private async loadModels(): Promise<void> {
    try {
      this.form.setModels(await fetchModels());
    } catch (error) {
      report(error, () => void this.loadModels().then(() => this.takeAddress()));
      return;
    }
    clearNotice();
    if (this.form.models.length === 0) {
      report(new Error("The server has no models: start it as heed serve DIR."));
    }
  }

  // ---- The address

  /** The page becomes what its address says. */
  private async takeAddress(): Promise<void> {
    if (!this.file && this.form.models.length === 0) return;
    if (this.address !== "" && location.hash === this.address) return;
    const { hash } = location;
    const read = await readAddress(hash);
    if (location.hash !== hash) return;
    this.address = hash;
    const { state } = this;
    state.questions = read.questions;
    state.view = viewNamed(read.view).name;
    this.hasView = read.view !== "";
    this.shared.view = state.view;
    if (this.file) {
      this.showFile(Number(state.questions[0].text) || 0);
      return;
    }
    const { models } = this.form;
    const unknown = state.questions
      .map(({ model }) => model)
      .filter((name) => name && !models.some((model) => model.name === name));
    this.form.show(state);
    this.form.write(state);
    this.showTab();
    if (state.questions[0].text) await this.run(false);
    else {
      this.running?.abort();
      for (const stage of this.stages) stage.close();
      this.asked = [];
      byId("result").hidden = true;
      byId("welcome").hidden = false;
    }
    if (unknown.length > 0) {
      report(new Error(`The server has no model ${unknown.join(" or ")}.`));
    } else if (read.left) {
      const length = read.left.toLocaleString("en");
      report(
        new Error(
          `The text had ${length} characters, too many for a link: paste it again.`,
        ),
      );
    }
  }

  /** The address becomes what the page shows; a new question is a step that Back undoes. */
  private async keepAddress(isNew = false): Promise<void> {
    for (const { question, stage } of this.asked) {
      if (!stage) continue;
      question.chosen = stage.side.choice;
      question.part = stage.side.index;
    }
    const save = ++this.saves;
    const address = await writeAddress(this.state);
    if (save !== this.saves && !isNew) return;
    const step = isNew && address !== location.hash;
    this.address = address;
    if (step) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }

  private changeState(change: (state: PageState) => void): void {
    change(this.state);
    this.form.show(this.state);
    this.showTab();
    if (this.asked.length > 0) void this.run();
  }

  // ---- A page in a file

  private stepText(index: number): void {
    if (!this.file?.[index]) return;
    this.state.questions = [newQuestion("", String(index))];
    this.showFile(index);
    void this.keepAddress(true);
  }

  private showFile(wanted: number): void {
    const all = this.file ?? [];
    const index = all[wanted] ? wanted : 0;
    const explanation = all[index];
    if (!explanation) return;
    const [question] = this.state.questions;
    question.text = String(index);
    markText(index);
    const { model, axes, segments } = explanation;
    const name = model || "Heed";
    document.title = `${nameOf(explanation).slice(0, 40)} · Heed`;
    const refuse = () => Promise.reject(new Error("This page has no server to ask."));
    const labels = { input: axes[segments[0].axes[0]]?.label ?? "Input" };
    const answer = new Answer({ name, labels }, nameOf(explanation), null);
    const [slot] = this.layOut([{ question, answer, stage: null }]);
    const side = new Side(
      name,
      explanation,
      refuse,
      question.part,
      question.chosen,
      false,
    );
    this.addSide(this.asked[0], side, slot);
    this.settle();
  }

  // ---- Asking

  /** Shows places for these answers; returns those of their views. */
  private layOut(asked: Asked[]): HTMLElement[] {
    for (const stage of this.stages) stage.close();
    this.asked = asked;
    this.shared.comparing = asked.length > 1;
    clearNotice();
    byId("welcome").hidden = true;
    byId("result").hidden = false;
    byId("result").classList.toggle("two", asked.length > 1);
    byId("answers").replaceChildren(...asked.map(({ answer }) => answer.element));
    byId("comparison").replaceChildren();
    byId("toolbar").hidden = true;
    const slots = asked.map(() => h("div", { class: "stage" }));
    byId("stages").replaceChildren(...slots);
    return slots;
  }

  /** Asks; what was chosen of an earlier answer is chosen again. */
  private async run(isNew = true): Promise<void> {
    const { state, form } = this;
    if (this.file || form.models.length === 0) return;
    const inputs = form.read(state);
    if (!inputs) {
      form.focus();
      return;
    }
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    const several = state.questions.length > 1;
    const asked = state.questions.map((question, i): Asked => {
      const model = form.named(question.model);
      const title = question.answer ? `${model.name}: another answer` : model.name;
      const { kind = "" } = model.input ?? {};
      const input = kindNamed(kind).title?.(inputs[i].text) ?? inputs[i].text;
      const answer = new Answer(model, input, several ? title : null);
      return { question, answer, stage: null };
    });
    const slots = this.layOut(asked);
    const { kind = "" } = form.named(state.questions[0].model).input ?? {};
    document.title = `${titleOf(kind, inputs[0].text, 40)} · Heed`;
    if (isNew) await this.keepAddress(true);
    byId("run").setAttribute("aria-busy", "true");
    await Promise.all(
      asked.map(async (one, i) => {
        try {
          const side = await this.ask(one, inputs[i], running.signal);
          if (side && !running.signal.aborted) this.addSide(one, side, slots[i]);
        } catch (error) {
          if (running.signal.aborted) return;
          const words = error instanceof Error ? error.message : String(error);
          if (one.answer.isAnswered) one.answer.unexplained(words);
          else one.answer.failed(words);
          if (error instanceof ApiError && error.asksForKey)
            report(error, () => void this.run());
        }
      }),
    );
    if (running.signal.aborted) return;
    byId("run").setAttribute("aria-busy", "false");
    this.settle();
  }

  /** All answers are there. */
  private settle(): void {
    const sides = this.stages.map(({ side }) => side);
    if (sides.length === 0) return;
    const [a, b] = sides;
    if (b) [a.twin, b.twin] = [b, a];
    void this.keepAddress();
    this.drawComparison();
    byId("status").textContent = sides
      .map(({ name, explanation }) => `${name}: ${explanation.answer}`)
      .join(". ");
  }

  /** Answer and explanation; null where the text is answered but too long to explain. */
  private async ask(
    { question, answer }: Asked,
    input: Input,
    signal: AbortSignal,
  ): Promise<Side | null> {
    const model = this.form.named(question.model);
    if (question.answer) answer.setAnswer(question.answer);
    else if (model.translates) {
      const show = (soFar: string) => answer.showText(soFar);
      answer.setAnswer(await translate(model, input, show, signal));
    } else {
      answer.setAnswer(await predict(model.name, input, signal));
    }
    const limit = model.limits?.explain;
    const length = charactersOf(input.text);
    if (limit !== undefined && length > limit) {
      const most = limit.toLocaleString("en");
      answer.unexplained(
        `it has ${length.toLocaleString("en")} characters of ${most} at most.`,
      );
      return null;
    }
    const forced = question.answer ? { answer: question.answer } : {};
    const explanation = await explain(model.name, input, forced, signal);
    return new Side(
      model.name,
      explanation,
      (wishes) => explain(model.name, input, { ...forced, ...wishes }),
      question.part,
      question.chosen,
    );
  }

  private addSide(asked: Asked, side: Side, slot: HTMLElement): void {
    side.byWord = this.byWord && side.hasWords;
    side.scale = this.scale;
    side.setChoice(side.choice);
    asked.answer.explained(side);
    const fit = this.views.find((view) => view.accepts(side) === null);
    if (!this.hasView && fit) this.shared.view = this.state.view = fit.name;
    const stage = new Stage(side, this.shared);
    asked.stage = stage;
    slot.replaceWith(stage.element);
    byId("toolbar").hidden = false;
    this.showTab();
    stage.redraw();
    side.choiceListeners.push(() => {
      this.showTab();
      void this.keepAddress();
      this.drawComparison();
    });
    side.targetListeners.push(() => {
      const view = this.views.find(({ contrasts }) => contrasts);
      if (side.contrast && view && view.name !== this.shared.view)
        this.setView(view.name);
    });
  }

  // ---- Showing

  private addTabs(): void {
    this.views.forEach(({ name, title }, i) => {
      const tab = h(
        "button",
        { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "stages" },
        title,
      );
      tab.addEventListener("click", () => this.setView(name));
      tab.addEventListener("keydown", (event) => {
        const to = stepInGrid(event.key, i, this.views.length, this.views.length);
        if (to === null) return;
        event.preventDefault();
        this.setView(this.views[to].name);
        this.tabs[to].focus();
      });
      this.tabs.push(tab);
    });
    byId("tabs").append(...this.tabs);
    byId("scale").replaceChildren(
      ...Object.entries(scaleNames).map(([value, name]) => h("option", { value }, name)),
    );
  }

  private showTab(): void {
    const at = this.views.findIndex(({ name }) => name === this.shared.view);
    this.tabs.forEach((tab, i) => tab.setAttribute("aria-selected", String(i === at)));
    rove(this.tabs, at);
    byId("stages").setAttribute("aria-labelledby", `tab-${this.shared.view}`);
    const { switches } = this.views[at];
    const sides = this.stages.map(({ side }) => side);
    const has: Record<Switch, boolean> = {
      numbers: true,
      moved: sides.some(({ shown }) => shown?.map.moved !== undefined),
      words: sides.some(({ hasWords }) => hasWords),
      scale: true,
    };
    for (const name of Object.keys(has) as Switch[]) {
      byId(name).hidden = !has[name] || !switches.includes(name);
    }
  }

  private setView(view: string): void {
    this.hasView = true;
    this.shared.view = this.state.view = view;
    this.showTab();
    this.redraw();
    if (this.asked.length > 0) void this.keepAddress();
  }

  private redraw(): void {
    for (const stage of this.stages) stage.redraw();
    this.drawComparison();
  }

  private drawComparison(): void {
    const holder = byId("comparison");
    const [a, b] = this.stages;
    this.difference = [];
    if (!a || !b || this.shared.view !== this.views[0].name) {
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

  private toggleWords(): void {
    this.byWord = !this.byWord;
    byId("words").setAttribute("aria-pressed", String(this.byWord));
    for (const { side } of this.stages) side.setByWord(this.byWord && side.hasWords);
    for (const stage of this.stages) stage.drawOverview();
  }

  private setScale(scale: Scale): void {
    this.scale = scale;
    for (const stage of this.stages) {
      stage.side.scale = scale;
      stage.drawOverview();
    }
    this.recolour();
  }

  /** Words and pictures in the colours of now. */
  private recolour(): void {
    for (const { answer } of this.asked) answer.paint();
    this.redraw();
  }

  private save(as: "svg" | "png" | "json"): void {
    const { view } = this.shared;
    savePage(this.asked, this.difference, view, as).catch((error: unknown) =>
      report(error),
    );
  }

  // ---- Listening

  private listen(): void {
    const scale = byId<HTMLSelectElement>("scale");
    scale.addEventListener("change", () => this.setScale(scale.value as Scale));
    byId("theme").addEventListener("click", switchTheme);
    byId("help-button").addEventListener("click", () => this.showHelp());
    byId("numbers").addEventListener("click", () => this.toggle("numbers"));
    byId("moved").addEventListener("click", () => this.toggle("moved"));
    byId("words").addEventListener("click", () => this.toggleWords());
    document.querySelector(".skip")?.addEventListener("click", (event) => {
      event.preventDefault();
      this.form.focus();
    });
    for (const kind of ["svg", "png", "json"] as const) {
      byId(`save-${kind}`).addEventListener("click", () => this.save(kind));
    }
    onTheme(() => {
      this.nameTheme();
      for (const stage of this.stages) stage.drawOverview();
      this.recolour();
    });
    addEventListener("popstate", () => void this.takeAddress());
    addEventListener("keydown", (event) => this.key(event));
    let width = byId("stages").clientWidth;
    new ResizeObserver(() => {
      const now = byId("stages").clientWidth;
      if (now === width || now === 0) return;
      width = now;
      this.redraw();
    }).observe(byId("stages"));
  }

  private showHelp(): void {
    byId<HTMLDialogElement>("help").showModal();
  }

  /** The stage that has the keyboard, or the first. */
  private get active(): Stage | undefined {
    const active = document.activeElement;
    return this.stages.find(({ element }) => element.contains(active)) ?? this.stages[0];
  }

  /** The next or previous head, layer, or part. */
  private step(what: "head" | "map" | "part", by: number): void {
    const side = this.active?.side;
    const choice = side?.choice;
    if (side && what === "part") {
      if (side.allParts.length === 1 && this.file) {
        this.stepText(Number(this.state.questions[0].text) + by);
      } else side.setPart(side.index + by);
    }
    if (!side || !choice) return;
    const { maps } = side.part;
    if (what === "map") {
      const map = Math.max(0, Math.min(maps.length - 1, choice.map + by));
      side.setChoice({ map, head: choice.head });
    }
    if (what === "head") {
      const { heads } = maps[choice.map];
      const at = (choice.head === "mean" ? -1 : choice.head) + by;
      if (heads === 1 || at < -1 || at >= heads) return;
      const next: Chosen = { map: choice.map, head: at < 0 ? "mean" : at };
      side.setChoice(next);
    }
  }

  private letGo(): void {
    for (const { side } of this.stages) {
      side.hover(null);
      if (side.isPinned) side.pin(null);
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
      "/": () => this.form.focus(),
      "?": () => this.showHelp(),
      "[": () => this.step("head", -1),
      "]": () => this.step("head", 1),
      "{": () => this.step("map", -1),
      "}": () => this.step("map", 1),
      ",": () => this.step("part", -1),
      ".": () => this.step("part", 1),
      a: () => this.stages.forEach(({ side }) => side.setChoice(side.firstChoice())),
      n: () => this.toggle("numbers"),
      o: () => this.toggle("moved"),
      w: () => this.toggleWords(),
      c: () => {
        if (!this.file) this.form.toggleCompare();
      },
      s: () => this.save("svg"),
      S: () => this.save("png"),
      t: switchTheme,
      Escape: () => this.letGo(),
    };
    this.views.forEach(
      ({ name }, i) => (actions[String(i + 1)] = () => this.setView(name)),
    );
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
      return;
    }
    const inView = target === document.body || byId("stages").contains(target);
    if (!inView || target.closest(".head-grid")) return;
    const owner = this.stages.find((stage) => stage.element.contains(target));
    for (const stage of owner ? [owner] : this.stages) {
      if (stage.key(event)) event.preventDefault();
    }
  }
}
