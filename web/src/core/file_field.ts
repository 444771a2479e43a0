/** A field that takes a file: chosen, dropped, or made beside it. */
import { errorWords, h } from "./dom";
import { endingOf, inputOf } from "./files";
import type { Input, InputField, InputOptions } from "./registry";

export interface FileField {
  /** What chooses a file, and the line that says which it is. */
  file: HTMLInputElement;
  note: HTMLElement;
  /** Takes what was made beside it in the place of a file. */
  take(input: Input): void;
  /** Nothing is chosen. */
  forget(): void;
  /** The field, whose element gets files that are dropped on it. */
  within(element: HTMLElement): InputField;
}

/** `label` names the field; `replaced`: a file stands for what was made beside it. */
export function fileField(
  { id, prompt, mediaTypes, submit }: InputOptions,
  label: string,
  replaced: () => void = () => {},
): FileField {
  let chosen: Input | null = null;
  const endings = [...new Set(mediaTypes.map(endingOf))];
  const hint = `${prompt} (${endings.join(", ")})`;
  const note = h("p.note", hint);
  const accept = (input: Input) => {
    chosen = input;
    note.textContent = input.text;
    submit();
  };
  const read = async (from: File | undefined) => {
    chosen = null;
    if (!from) return;
    try {
      const input = await inputOf(from, mediaTypes);
      replaced();
      accept(input);
    } catch (error) {
      note.textContent = errorWords(error);
    }
  };
  const file = h("input", {
    id,
    type: "file",
    accept: [...mediaTypes, ...endings].join(),
    "aria-label": label,
    onchange: () => read(file.files?.[0]),
  });
  return {
    file,
    note,
    take(input) {
      file.value = "";
      accept(input);
    },
    forget() {
      chosen = null;
      note.textContent = hint;
    },
    within(element) {
      element.addEventListener("dragover", (event) => {
        event.preventDefault();
        element.classList.add("dropping");
      });
      element.addEventListener("dragleave", () => element.classList.remove("dropping"));
      element.addEventListener("drop", (event) => {
        event.preventDefault();
        element.classList.remove("dropping");
        file.value = "";
        void read(event.dataTransfer?.files[0]);
      });
      return {
        element,
        holdsFile: true,
        read: () => chosen,
        write(text) {
          if (text === (chosen?.text ?? "")) return;
          chosen = null;
          file.value = "";
          replaced();
          note.textContent = text ? `Open ${text} again: a link holds no file.` : hint;
        },
        give(input) {
          file.value = "";
          replaced();
          accept(input);
        },
        focus: () => file.focus(),
      };
    },
  };
}
