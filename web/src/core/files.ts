/** Files as inputs. */
import type { Input } from "./registry";

/** ".png" of "image/png", ".strip" of "application/x-strip": as the command reads files. */
export function endingOf(mediaType: string): string {
  return `.${mediaType.replace(/^.*\/(x-)?/, "")}`;
}

/** What is behind "base64," of an address of data. */
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

/** A file that was chosen or dropped, as a model is asked about it. */
export async function inputOf(file: File, mediaTypes: string[]): Promise<Input> {
  // The server says what a type is that is not read; of none it takes the usual one.
  const read = mediaTypes.findIndex((type) =>
    file.name.toLowerCase().endsWith(endingOf(type)),
  );
  const type = mediaTypes[read] ?? file.type;
  const base64 = await base64Of(file);
  const request = { file: { name: file.name, media_type: type, base64 } };
  return { text: file.name, request };
}
