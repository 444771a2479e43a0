import {
  arrowStep,
  byId,
  canShow,
  clamp,
  errorWords,
  h,
  isDark,
  kindNamed,
  onTheme,
  palette,
  rove,
  scaleNames,
  Side,
  switchTheme,
  titleOf,
  allViews,
  type Explanation,
  type Head,
  type Input,
  type Scale,
  type Switch,
  type ViewRow,
} from "../core";
import {
  lacksText,
  newQuestion,
  readAddress,
  writeAddress,
  type PageState,
  type Question,
} from "../core/address";
import { ApiError, explain, fetchModels, predict, translate } from "../core/api";
import { Answer } from "./answer";
import { compareSides } from "./comparison";
import { Form } from "./form";
import { fillHelp, type Shortcut } from "./help";
import { clearNotice, note, report } from "./notice";
import { savePage, type Answered } from "./save";
import { Stage, viewNamed, type Shared } from "./stage";
import { carriedTexts, listTexts, markText, nameOf } from "./texts";

/** One question on the page. */
interface QuestionEntry extends Answered {
  question: Question;
}

/** The page: questions, answers and views. */
export class App {
  private readonly state: PageState = { questions: [newQuestion()], view: "" };
  private entries: QuestionEntry[] = [];
  private running: AbortController | null = null;
  private byWord = false;
  private difference: SVGSVGElement[] = [];
  /** Address as the page last wrote or read it. */
  private address = "";
  private saves = 0;
  /** True if the user has chosen a view; until then the page selects one. */
  private hasView = false;

  private readonly views = allViews();
  private readonly tabs: HTMLButtonElement[] = [];
  private readonly shared: Shared = {
    view: this.views[0].name,
    figure: "weights",
    comparing: false,
    options: {
      numbers: false,
      moved: true,
      scale: "auto",
      methods: null,
      setMethods: (methods) => {
        this.shared.options.methods = methods;
        this.redraw();
      },
    },
    setFigure: (figure) => {
      this.shared.figure = figure;
      this.drawOverviews();
    },
  };
  private readonly form = new Form(
    () => void this.run(),
    (change) => this.changeState(change),
  );
  /** Explanations of a page in a file; null: there is a server. */
  private file: Explanation[] | null = null;

  private get stages(): Stage[] {
    return this.entries.flatMap(({ stage }) => stage ?? []);
  }

  async start(): Promise<void> {
    fillHelp(byId<HTMLDialogElement>("help"), this.shortcuts);
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
      report("The server has no models: start it as heed serve DIR.");
    }
  }

  // ---- The address

  /** Updates the page from its address. */
  private async takeAddress(): Promise<void> {
    if (!this.file && this.form.models.length === 0) return;
    if (this.address !== "" && location.hash === this.address) return;
    const { hash } = location;
    const read = await readAddress(hash);
    if (location.hash !== hash) return;
    this.address = hash;
    const { state, form } = this;
    state.questions = read.questions;
    this.shared.view = state.view = viewNamed(read.view).name;
    this.hasView = read.view !== "";
    if (this.file) {
      this.showFile(Number(state.questions[0].text) || 0);
      return;
    }
    const unknown = state.questions
      .map(({ model }) => model)
      .filter((name) => name && !form.models.some((model) => model.name === name));
    form.show(state);
    form.write(state);
    this.showTab();
    if (state.questions[0].text) await this.run(false);
    else {
      this.running?.abort();
      this.layOut([]);
      byId("result").hidden = true;
      byId("welcome").hidden = false;
    }
    if (unknown.length > 0) {
      report(`The server has no model ${unknown.join(" or ")}.`);
    } else if (read.isBroken) {
      report("This link is damaged: its text cannot be read. Request a new link.");
    } else if (read.left) {
      const length = read.left.toLocaleString("en");
      report(`The text had ${length} characters, too many for a link: paste it again.`);
    }
  }

  /** Updates the address from the page; a new question adds a step to the history. */
  private async keepAddress(isNew = false): Promise<void> {
    for (const { question, stage } of this.entries) {
      if (!stage) continue;
      question.chosen = stage.side.choice;
      question.part = stage.side.index;
    }
    const save = ++this.saves;
    const address = await writeAddress(this.state);
    if (save !== this.saves && !isNew) return;
    const step = isNew && address !== location.hash;
    this.address = address;
    if (isNew && lacksText(address)) {
      note("The text is too long for a link: the address of this page lacks it.");
    }
    if (step) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }

  private changeState(change: (state: PageState) => void): void {
    change(this.state);
    this.form.show(this.state);
    this.showTab();
    if (this.entries.length > 0) void this.run();
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
    const labels = { input: axes[segments[0].axes[0]]?.label ?? "Input" };
    const answer = new Answer({ name, labels }, nameOf(explanation), null);
    const [slot] = this.layOut([{ question, answer, stage: null }]);
    this.addSide(this.entries[0], new Side(name, explanation, null, question), slot);
    this.settle();
  }

  // ---- Asking

  /** Lays out areas for these answers; returns those of their views. */
  private layOut(entries: QuestionEntry[]): HTMLElement[] {
    for (const stage of this.stages) stage.close();
    this.entries = entries;
    this.shared.comparing = entries.length > 1;
    clearNotice();
    byId("welcome").hidden = true;
    byId("result").hidden = false;
    byId("result").classList.toggle("two", entries.length > 1);
    byId("answers").replaceChildren(...entries.map(({ answer }) => answer.element));
    byId("comparison").replaceChildren();
    byId("toolbar").hidden = true;
    const slots = entries.map(() => h("div.stage.stack"));
    byId("stages").replaceChildren(...slots);
    return slots;
  }

  /** Runs the questions; selections of earlier answers are restored. */
  private async run(isNew = true): Promise<void> {
    const { state, form } = this;
    if (this.file || form.models.length === 0) return;
    const inputs = form.read(state);
    if (!inputs) return form.focus();
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    const entries = state.questions.map((question, i): QuestionEntry => {
      const model = form.named(question.model);
      const title = question.answer ? `${model.name}: another answer` : model.name;
      const { kind = "" } = model.input ?? {};
      if (i === 0) document.title = `${titleOf(kind, inputs[0].text, 40)} · Heed`;
      const input = kindNamed(kind).title?.(inputs[i].text) ?? inputs[i].text;
      const answer = new Answer(model, input, state.questions.length > 1 ? title : null);
      return { question, answer, stage: null };
    });
    const slots = this.layOut(entries);
    if (isNew) await this.keepAddress(true);
    byId("run").setAttribute("aria-busy", "true");
    const answered = entries.map(async (one, i) => {
      try {
        const side = await this.ask(one, inputs[i], running.signal);
        if (side && !running.signal.aborted) this.addSide(one, side, slots[i]);
      } catch (error) {
        if (running.signal.aborted) return;
        if (one.answer.isAnswered) one.answer.unexplained(errorWords(error));
        else one.answer.failed(errorWords(error));
        const isKey = error instanceof ApiError && error.asksForKey;
        if (isKey) report(error, () => void this.run());
      }
    });
    await Promise.all(answered);
    if (running.signal.aborted) return;
    byId("run").setAttribute("aria-busy", "false");
    this.settle();
  }

  /** Called when all answers are complete. */
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

  /** Requests answer and explanation; null if the text is too long to explain. */
  private async ask(
    { question, answer }: QuestionEntry,
    input: Input,
    signal: AbortSignal,
  ): Promise<Side | null> {
    const model = this.form.named(question.model);
    if (question.answer) answer.setAnswer(question.answer);
    else if (model.translates) {
      const show = (soFar: string) => answer.showText(soFar);
      answer.setAnswer(await translate(model, input, show, signal));
    } else {
      const found = await predict(model.name, input, signal);
      answer.setAnswer(found.answer, found.choices);
    }
    const excess = this.form.excess(model, input.text);
    if (excess) {
      answer.unexplained(`it has ${excess.length} characters of ${excess.max} at most.`);
      return null;
    }
    const forced = question.answer ? { answer: question.answer } : {};
    const explanation = await explain(model.name, input, forced, signal);
    const load = (more: object) => explain(model.name, input, { ...forced, ...more });
    const askFor = (other: string) => ((question.answer = other), void this.run());
    return Object.assign(new Side(model.name, explanation, load, question), { askFor });
  }

  private addSide(entry: QuestionEntry, side: Side, slot: HTMLElement): void {
    side.byWord = this.byWord && side.hasWords;
    side.scale = this.shared.options.scale;
    side.setChoice(side.choice);
    entry.answer.explained(side);
    const fits = this.views.filter((view) => view.accepts(side) === null);
    const fit = fits.find(({ leads }) => leads) ?? fits[0];
    if (!this.hasView && fit) this.shared.view = this.state.view = fit.name;
    const stage = new Stage(side, this.shared);
    entry.stage = stage;
    slot.replaceWith(stage.element);
    byId("toolbar").hidden = false;
    this.showTab();
    stage.redraw();
    side.on("choice", () => {
      this.showTab();
      void this.keepAddress();
      this.drawComparison();
    });
    side.on("target", () => {
      const view = this.views.find(({ contrasts }) => contrasts)?.name;
      if (side.contrast && view && view !== this.shared.view) this.setView(view);
    });
  }

  // ---- Showing

  private addTabs(): void {
    this.views.forEach(({ name, title }) => {
      const move = (event: KeyboardEvent) => {
        const step = arrowStep(event)?.[1];
        if (!step) return;
        event.preventDefault();
        const there = this.viewsWithTab();
        const at = there.findIndex((view) => view.name === name);
        const to = there[clamp(at + step, 0, there.length - 1)];
        this.setView(to.name);
        this.tabs[this.views.indexOf(to)].focus();
      };
      const attributes = {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": "stages",
        onclick: () => this.setView(name),
        onkeydown: move,
      };
      this.tabs.push(h("button", attributes, title));
    });
    const scales = Object.entries(scaleNames);
    byId("scale").append(...scales.map(([value, name]) => h("option", { value }, name)));
  }

  /** Returns the selected view and those that can show a displayed answer. */
  private viewsWithTab(): ViewRow[] {
    const sides = this.stages.map(({ side }) => side);
    const { view } = this.shared;
    return this.views.filter((row) => row.name === view || canShow(row, sides));
  }

  private showTab(): void {
    const at = this.views.findIndex(({ name }) => name === this.shared.view);
    this.tabs.forEach((tab, i) => tab.setAttribute("aria-selected", String(i === at)));
    const tabs = this.viewsWithTab().map((view) => this.tabs[this.views.indexOf(view)]);
    const holder = byId("tabs");
    // The tabs are replaced only if they differ, to keep the keyboard focus.
    if (tabs.length !== holder.children.length || tabs.some((tab) => !tab.isConnected)) {
      holder.replaceChildren(...tabs);
    }
    rove(this.tabs, at);
    byId("stages").setAttribute("aria-labelledby", `tab-${this.shared.view}`);
    const { switches } = this.views[at];
    const sides = this.stages.map(({ side }) => side);
    const has: Record<Switch, boolean> = {
      numbers: true,
      moved: sides.some(({ shown }) => shown?.map.moved && shown.weights.length > 1),
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
    if (this.entries.length > 0) void this.keepAddress();
  }

  private redraw(): void {
    for (const stage of this.stages) stage.redraw();
    this.drawComparison();
  }

  private drawOverviews(): void {
    for (const stage of this.stages) stage.drawOverview();
  }

  private drawComparison(): void {
    const holder = byId("comparison");
    const [a, b] = this.stages;
    const shows = a && b && this.shared.view === this.views[0].name;
    const width = holder.clientWidth - 50;
    const found = shows ? compareSides(a.side, b.side, palette(), width) : null;
    this.difference = found?.pictures ?? [];
    holder.replaceChildren(...(found ? [found.element] : []));
  }

  private nameTheme(): void {
    byId("theme").textContent = isDark() ? "Light" : "Dark";
    byId("theme").setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
  }

  private toggle(id: "numbers" | "moved"): void {
    const { options } = this.shared;
    options[id] = !options[id];
    byId(id).setAttribute("aria-pressed", String(options[id]));
    this.redraw();
  }

  private toggleWords(): void {
    this.byWord = !this.byWord;
    byId("words").setAttribute("aria-pressed", String(this.byWord));
    for (const { side } of this.stages) side.setByWord(this.byWord && side.hasWords);
    this.drawOverviews();
  }

  private setScale(scale: Scale): void {
    this.shared.options.scale = scale;
    for (const { side } of this.stages) side.scale = scale;
    this.recolour();
  }

  /** Redraws words and pictures in the current colours. */
  private recolour(): void {
    this.nameTheme();
    this.drawOverviews();
    for (const { answer } of this.entries) answer.paint();
    this.redraw();
  }

  private save(as: "svg" | "png" | "json"): void {
    savePage(this.entries, this.difference, this.shared.view, as).catch(report);
  }

  // ---- Listening

  private listen(): void {
    const onClick = (id: string, work: () => void) =>
      byId(id).addEventListener("click", work);
    onClick("theme", switchTheme);
    onClick("help-button", () => this.showHelp());
    onClick("numbers", () => this.toggle("numbers"));
    onClick("moved", () => this.toggle("moved"));
    onClick("words", () => this.toggleWords());
    for (const kind of ["svg", "png", "json"] as const) {
      onClick(`save-${kind}`, () => this.save(kind));
    }
    const scale = byId<HTMLSelectElement>("scale");
    scale.addEventListener("change", () => this.setScale(scale.value as Scale));
    document.querySelector(".skip")?.addEventListener("click", (event) => {
      event.preventDefault();
      this.form.focus();
    });
    onTheme(() => this.recolour());
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

  /** Returns the side with keyboard focus, or the first. */
  private get active(): Side | undefined {
    const { activeElement } = document;
    const active = this.stages.find(({ element }) => element.contains(activeElement));
    return (active ?? this.stages[0])?.side;
  }

  private stepPart(by: number): void {
    const side = this.active;
    if (side?.allParts.length === 1 && this.file) {
      this.stepText(Number(this.state.questions[0].text) + by);
    } else side?.setPart(side.index + by);
  }

  private stepMap(by: number): void {
    const side = this.active;
    if (!side?.choice) return;
    const map = clamp(side.choice.map + by, 0, side.part.maps.length - 1);
    side.setChoice({ map, head: side.choice.head });
  }

  private stepHead(by: number): void {
    const side = this.active;
    if (!side?.choice) return;
    const { map, head } = side.choice;
    const { heads } = side.part.maps[map];
    const all: Head[] = ["mean", ...Array.from({ length: heads }, (_, i) => i)];
    const next = all[all.indexOf(head) + by];
    if (heads > 1 && next !== undefined) side.setChoice({ map, head: next });
  }

  private showOwn(): void {
    for (const { side } of this.stages) side.setChoice(side.firstChoice());
  }

  private letGo(): void {
    for (const { side } of this.stages) {
      side.hover(null);
      if (side.isPinned) side.pin(null);
    }
  }

  private readonly shortcuts: Shortcut[] = [
    [
      "/",
      "to the text; Enter runs it, Shift Enter starts a new line",
      () => this.form.focus(),
    ],
    [
      this.views.map((_, i) => i + 1).join(" "),
      this.views.map(({ title }) => title.toLowerCase()).join(", "),
      (key) => {
        const view = this.viewsWithTab()[Number(key) - 1];
        if (view) this.setView(view.name);
      },
    ],
    ["[ ]", "head before and after", (key) => this.stepHead(key === "[" ? -1 : 1)],
    ["{ }", "layer before and after", (key) => this.stepMap(key === "{" ? -1 : 1)],
    ["a", "to the attention that explains the answer", () => this.showOwn()],
    [
      ", .",
      "part before and after, of a text that was run in parts",
      (key) => this.stepPart(key === "," ? -1 : 1),
    ],
    ["← → ↑ ↓", "from word to word, cell to cell, head to head, frame to frame"],
    ["Enter", "keep a word or cell in focus; again to release it"],
    ["Space", "play the frames"],
    ["n", "numbers in the cells", () => this.toggle("numbers")],
    ["o", "frame the phrases that moved", () => this.toggle("moved")],
    ["w", "whole words instead of subwords", () => this.toggleWords()],
    ["c", "compare with another model, text or answer", () => this.form.toggleCompare()],
    ["s", "save as SVG", () => this.save("svg")],
    ["S", "save as PNG", () => this.save("png")],
    ["t", "light or dark", switchTheme],
    ["Escape", "release everything", () => this.letGo()],
    ["?", "this help", () => this.showHelp()],
  ];

  private key(event: KeyboardEvent): void {
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (byId<HTMLDialogElement>("help").open) return;
    if (target.matches("input:not([type=range],[type=checkbox]),textarea,select")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    const isHit = ([keys]: Shortcut) => keys.split(" ").includes(event.key);
    const work = this.shortcuts.find(isHit)?.[2];
    if (work) {
      event.preventDefault();
      work(event.key);
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
