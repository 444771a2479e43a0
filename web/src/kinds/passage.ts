import { h, type InputField, type InputOptions, type KindRow } from "../core";
import { document } from "./document";
import { textField } from "./text";

import "./passage.css";

const rowsOfPassage = 7;

interface Question {
  passage: string;
  question: string;
  candidates?: string[];
}

/** Parses a question: a JSON object, or passage, tab, question; null for anything else. */
function parseQuestion(text: string): Question | null {
  if (!text.trim().startsWith("{")) {
    const tab = text.lastIndexOf("\t");
    return tab < 0
      ? { passage: text, question: "" }
      : { passage: text.slice(0, tab), question: text.slice(tab + 1).trim() };
  }
  try {
    const value = JSON.parse(text) as Partial<Record<keyof Question, unknown>>;
    const { candidates } = value;
    const areTexts =
      Array.isArray(candidates) && candidates.every((one) => typeof one === "string");
    return {
      passage: String(value.passage ?? ""),
      question: String(value.question ?? ""),
      ...(areTexts ? { candidates: candidates as string[] } : {}),
    };
  } catch {
    return null;
  }
}

/** Returns the text of a question. */
function textOf({ passage, question, candidates }: Question): string {
  if (passage.trim() === "" && question.trim() === "") return "";
  if (!candidates || candidates.length === 0) return `${passage}\t${question}`;
  return JSON.stringify({ passage, question, candidates });
}

/** Field for a passage, a question about it, and optional candidate answers. */
function passageField(options: InputOptions): InputField {
  const field = textField({ ...options, prompt: "Passage" }, rowsOfPassage);
  const passage = field.element as HTMLTextAreaElement;
  const line = (placeholder: string) =>
    h("input", {
      type: "text",
      placeholder,
      "aria-label": placeholder,
      autocomplete: "off",
      spellcheck: "false",
      onkeydown: (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        options.submit();
      },
    });
  const question = line("Question");
  const candidates = line("Candidates, with commas between them (optional)");
  const readQuestion = (): Question => ({
    passage: passage.value,
    question: question.value.trim(),
    candidates: candidates.value
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== ""),
  });
  const write = (text: string) => {
    const found = parseQuestion(text) ?? { passage: text, question: "" };
    field.write(found.passage);
    question.value = found.question;
    candidates.value = (found.candidates ?? []).join(", ");
  };
  // A whole question pasted into the passage is split into its parts.
  passage.addEventListener("input", () => {
    const { value } = passage;
    if (value.includes("\t") || value.trim().startsWith("{")) {
      if (parseQuestion(value)) write(value);
    }
  });
  const hint = h("p.note", options.prompt);
  return {
    ...field,
    element: h("div.passage-field", passage, hint, question, candidates),
    read() {
      const text = textOf(readQuestion());
      return text === "" ? null : { text, request: { text } };
    },
    write,
  };
}

/** Returns the question, or the text if it is not a question yet. */
function title(text: string): string {
  return parseQuestion(text)?.question || text;
}

/** Kind for passages, shown as documents with a row per sentence. */
export const passage: KindRow = {
  ...document,
  name: "passage",
  title,
  items: ({ of }) => (of === undefined ? "words" : "sentences"),
  input: passageField,
};
