import {
  arrowStep,
  button,
  clamp,
  h,
  onLook,
  rove,
  shortNumber,
  type AxesOnShow,
  type AxisView,
  type InputField,
  type InputOptions,
  type KindRow,
  type Side,
} from "../core";
import { textField } from "./text";

import "./timeline.css";

interface Patient {
  visits: string[][];
  times?: number[];
}

/** Parses a patient from a line of JSON; null for anything else. */
function parsePatient(text: string): Patient | null {
  try {
    const value = JSON.parse(text) as Partial<Patient> | null;
    const { visits, times } = value ?? {};
    const areCodes = (codes: unknown) =>
      Array.isArray(codes) && codes.every((code) => typeof code === "string");
    if (!Array.isArray(visits) || !visits.every(areCodes)) return null;
    return Array.isArray(times) ? { visits, times } : { visits };
  } catch {
    return null;
  }
}

function codesOf(text: string): string[] {
  return text
    .split(",")
    .map((code) => code.trim())
    .filter(Boolean);
}

/** Field for an editable list of visits and the equivalent line of JSON. */
function timelineField(options: InputOptions): InputField {
  const line = textField({ ...options, prompt: "Or type a line of JSON" }, 2);
  const area = line.element as HTMLTextAreaElement;
  const rows = h("ol.visit-rows");
  const rowsOf = () => [...rows.children] as HTMLElement[];
  const inputsOf = (row: HTMLElement) => [...row.querySelectorAll("input")];

  const patient = (): Patient => {
    const filled = rowsOf()
      .map(inputsOf)
      .map(([codes, time]) => ({ codes: codesOf(codes.value), time: time.value.trim() }))
      .filter(({ codes }) => codes.length > 0);
    const visits = filled.map(({ codes }) => codes);
    const timed = filled.every(
      ({ time }) => time !== "" && Number.isFinite(Number(time)),
    );
    return timed ? { visits, times: filled.map(({ time }) => Number(time)) } : { visits };
  };
  const changed = () => {
    const now = patient();
    area.value = now.visits.length > 0 ? JSON.stringify(now) : "";
  };
  const nameRows = () =>
    rowsOf().forEach((row, i) => {
      const [codes, time] = inputsOf(row);
      codes.setAttribute("aria-label", `Codes of visit ${i + 1}`);
      time.setAttribute("aria-label", `Time of visit ${i + 1}`);
    });
  const addRow = (codes: string[] = [], time?: number) => {
    const row = h(
      "li",
      h("input.codes", {
        type: "text",
        placeholder: "Codes, with commas",
        value: codes.join(", "),
        autocomplete: "off",
        spellcheck: "false",
        oninput: changed,
        onkeydown: (event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          options.submit();
        },
      }),
      h("input.time", {
        type: "text",
        inputmode: "decimal",
        placeholder: "time",
        value: time ?? "",
        autocomplete: "off",
        oninput: changed,
      }),
      button("Remove", { class: "toggle" }, () => {
        row.remove();
        nameRows();
        changed();
      }),
    );
    rows.append(row);
    nameRows();
    return row;
  };
  const showLine = () => {
    const now = parsePatient(area.value);
    // Incomplete patients, and those with commas in codes, are edited as JSON only.
    if (!now || now.visits.flat().some((code) => code.includes(","))) return;
    rows.replaceChildren();
    now.visits.forEach((codes, i) => addRow(codes, now.times?.[i]));
  };
  area.addEventListener("input", showLine);
  const more = button("Add a visit", { class: "toggle" }, () =>
    inputsOf(addRow())[0].focus(),
  );
  addRow();
  const hint = h("p.note", options.prompt);
  return {
    ...line,
    element: h("div.timeline-field", hint, rows, more, area),
    write(text) {
      line.write(text);
      showLine();
      if (text === "") rows.replaceChildren();
      if (rows.children.length === 0) addRow();
    },
    focus: () => inputsOf(rowsOf()[0])[0].focus(),
  };
}

/** Returns the axis and the ranges of its items that each item of an axis covers. */
function covered(
  { axis }: AxisView,
  by: AxisView[],
): [AxisView, [number, number][]] | null {
  const view = by.find(({ id }) => id === axis.of);
  return view && axis.spans ? [view, axis.spans] : null;
}

/** Returns the contributions of the codes of an axis, if the answer is their sum. */
function contributionsOf(side: Side, view: AxisView): number[] | null {
  const own = side.part.attributions.find(
    ({ method, axis }) => method === "contributions" && axis === view.id,
  );
  return own?.scores[0] ?? null;
}

/** Shows events side by side in temporal order, each with its contents. */
function showTimeline(side: Side, axes: AxisView[]): AxesOnShow {
  const groups = axes.filter((view) => covered(view, axes) !== null);
  const inside = new Set(groups.map(({ axis }) => axis.of));
  const events = axes.filter(({ id }) => !inside.has(id));
  const shown = events.map((view) => {
    const times = (view.axis.payload as { times?: number[] } | undefined)?.times;
    const [codes, spans] = covered(view, axes) ?? [];
    const scores = codes && contributionsOf(side, codes);
    const heads = view.labels.map((label, i) => {
      const head = button(label, { class: "word visit-head" }, () => side.pinAt(view, i));
      if (times) head.append(h("small", `time ${Number(times[i].toPrecision(6))}`));
      onLook(
        head,
        (at) => side.hover(at),
        () => side.focusAt(view, i),
      );
      return head;
    });
    const move = (event: KeyboardEvent, at: number) => {
      const step = arrowStep(event);
      const to = heads[clamp(at + (step?.[1] ?? 0), 0, heads.length - 1)];
      if (!step?.[1] || to === heads[at]) return;
      event.preventDefault();
      rove(heads, heads.indexOf(to));
      to.focus();
    };
    heads.forEach((head, i) =>
      head.addEventListener("keydown", (event) => move(event, i)),
    );
    rove(heads, 0);
    const columns = heads.map((head, i) => {
      const [begin, end] = spans?.[i] ?? [0, 0];
      const names = (codes?.labels ?? []).slice(begin, end).map((code, k) => {
        const score = scores?.[begin + k];
        const detail =
          score === undefined
            ? ""
            : ` ${score < 0 ? "−" : "+"}${shortNumber(Math.abs(score))}`;
        const sign = score === undefined ? "" : score < 0 ? ".against" : ".for";
        return h(`li${sign}` as "li", h("bdi", code), h("small", detail));
      });
      return h(
        "div.visit",
        { role: "group", "aria-label": view.labels[i] },
        head,
        h("ul", ...names),
      );
    });
    const row = h(
      "div.words-row",
      h("p.label", [view, codes].flatMap((one) => one?.name ?? []).join(" · ")),
      h("div.visits", { "data-axis": view.id }, ...columns),
    );
    return { view, heads, row };
  });
  return {
    element: h("div.timeline", ...shown.map(({ row }) => row)),
    paint() {
      for (const { view, heads, row } of shown) {
        row.hidden = !side.isVisible(view.id);
        side.stateOf(view).forEach(({ weight, strength, chosen }, i) => {
          heads[i].dataset.weight = String(weight ?? "");
          heads[i].style.setProperty("--w", `${Math.round(100 * strength)}%`);
          heads[i].classList.toggle("strong", strength > 0.5);
          heads[i].classList.toggle("chosen", chosen);
        });
      }
    },
  };
}

/** Returns "3 visits, 7 codes" of a line of JSON. */
function title(text: string): string {
  const now = parsePatient(text);
  if (!now) return text;
  const [visits, codes] = [now.visits.length, now.visits.flat().length];
  const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
  return `${counted(visits, "visit")}, ${counted(codes, "code")}`;
}

export const timeline: KindRow = {
  name: "timeline",
  input: timelineField,
  title,
  items: ({ label }) => label.toLowerCase(),
  show: showTimeline,
};
