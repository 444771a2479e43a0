/** A field for a file that is chosen, dropped or created in the page. */
import { errorWords, h } from "./dom";
import { endingOf, inputOf } from "./files";
import type { Input, InputField, InputOptions } from "./registry";

export interface FileField {
  /** File chooser, and a line with the name of the file. */
  file: HTMLInputElement;
  note: HTMLElement;
  /** Takes an input created in the page instead of a file. */
  take(input: Input): void;
  /** Clears the choice. */
  forget(): void;
  /** Returns the field; files can be dropped on its element. */
  within(element: HTMLElement): InputField;
}

/** `label`: name of the field; `replaced`: called when a file replaces an input created
 * in the page. */
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
          note.textContent = text
            ? `Open ${text} again: a link cannot hold the file.`
            : hint;
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
