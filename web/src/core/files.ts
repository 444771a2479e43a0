/** Files as inputs. */
import type { Input } from "./registry";

/** Returns the file extension: ".png" of "image/png", ".strip" of "application/x-strip". */
export function endingOf(mediaType: string): string {
  return `.${mediaType.replace(/^.*\/(x-)?/, "")}`;
}

/** Returns the base64 part of a data URL. */
export function base64Part(address: string): string {
  return address.replace(/^.*?,/, "");
}

function base64Of(file: File): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(base64Part(String(reader.result)));
    reader.onerror = () => fail(reader.error ?? new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
}

/** Returns a chosen or dropped file as an input. */
export async function inputOf(file: File, mediaTypes: string[]): Promise<Input> {
  // The server reports unsupported types. Without a type it uses the default.
  const read = mediaTypes.findIndex((type) =>
    file.name.toLowerCase().endsWith(endingOf(type)),
  );
  const type = mediaTypes[read] ?? file.type;
  const base64 = await base64Of(file);
  const request = { file: { name: file.name, media_type: type, base64 } };
  return { text: file.name, request };
}
