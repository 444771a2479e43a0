/** The field of a kind of input that is bytes and no text, where no kind brings its own. */
import { h, type Input, type InputField, type InputWishes } from "../core";

/** ".png" of "image/png", ".strip" of "application/x-strip": as the command reads files. */
function endingOf(mediaType: string): string {
  return `.${mediaType.replace(/^.*\/(x-)?/, "")}`;
}

/** Whether inputs of such types are files to be opened: a field of text cannot give them. */
export function areFiles(mediaTypes: string[]): boolean {
  return mediaTypes.some((type) => !type.startsWith("text/"));
}

function base64Of(file: File): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^.*?,/, ""));
    reader.onerror = () => fail(reader.error ?? new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
}

export function fileField({ id, prompt, mediaTypes, submit }: InputWishes): InputField {
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
      // The server says what a type is that is not read; of none it takes the usual one.
      const read = endings.findIndex((ending) =>
        file.name.toLowerCase().endsWith(ending),
      );
      const type = mediaTypes[read] ?? file.type;
      try {
        const base64 = await base64Of(file);
        if (input.files?.[0] !== file) return;
        const request = { file: { name: file.name, media_type: type, base64 } };
        chosen = { text: file.name, request };
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
