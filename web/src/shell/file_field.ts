/** Default field for inputs that are bytes, for kinds without a field of their own. */
import {
  endingOf,
  h,
  inputOf,
  type Input,
  type InputField,
  type InputOptions,
} from "../core";

/** True if inputs of these types are files, which a text field cannot enter. */
export function areFiles(mediaTypes: string[]): boolean {
  return mediaTypes.some((type) => !type.startsWith("text/"));
}

export function fileField({ id, prompt, mediaTypes, submit }: InputOptions): InputField {
  const endings = mediaTypes.map(endingOf);
  let chosen: Input | null = null;
  const hint = `${prompt} (${endings.join(", ")})`;
  const note = h("p.note", hint);
  const input = h("input", {
    id,
    type: "file",
    accept: [...mediaTypes, ...endings].join(),
    "aria-label": "File for the model",
    onchange: async () => {
      const file = input.files?.[0];
      chosen = null;
      if (!file) return;
      try {
        const read = await inputOf(file, mediaTypes);
        if (input.files?.[0] !== file) return;
        chosen = read;
        note.textContent = hint;
        submit();
      } catch (error) {
        note.textContent = String(error);
      }
    },
  });
  return {
    element: h("div.file-field", input, note),
    holdsFile: true,
    read: () => chosen,
    write(text) {
      if (text === (chosen?.text ?? "")) return;
      chosen = null;
      input.value = "";
      note.textContent = text ? `Open ${text} again: a link cannot hold the file.` : hint;
    },
    focus: () => input.focus(),
  };
}
