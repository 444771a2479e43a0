/** The field of a kind of input that is bytes and no text, where no kind brings its own. */
import {
  endingOf,
  h,
  inputOf,
  type Input,
  type InputField,
  type InputOptions,
} from "../core";

/** Whether inputs of such types are files to be opened: a field of text cannot give them. */
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
      note.textContent = text ? `Open ${text} again: a link holds no file.` : hint;
    },
    focus: () => input.focus(),
  };
}
