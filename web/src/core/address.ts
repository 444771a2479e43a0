import type { Head } from "./explanation";

/** A selected map, by its index in the part, and head. */
export interface Chosen {
  map: number;
  head: Head;
}

/** One of the one or two questions of the page. */
export interface Question {
  model: string;
  /** Null: the text of the first question. */
  text: string | null;
  /** Explained instead of the model's own answer; "": the model's own answer. */
  answer: string;
  part: number;
  chosen: Chosen | null;
}

/** State of the page in a link. */
export interface PageState {
  questions: Question[];
  view: string;
  /** Number of characters of a text that was too long for the link. */
  left?: number;
  /** True if a packed text cannot be read because the link was truncated or changed. */
  isBroken?: boolean;
}

/** Maximum length of links that mail and chat programs preserve. Units: characters. */
const longest = 2000;

export function newQuestion(model = "", text: string | null = ""): Question {
  return { model, text, answer: "", part: 0, chosen: null };
}

function parseChosen(text: string | null): Chosen | null {
  const [, map, head] = /^(\d{1,4})\.(mean|\d{1,4})$/.exec(text ?? "") ?? [];
  return map ? { map: Number(map), head: head === "mean" ? head : Number(head) } : null;
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: GenericTransformStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped as ReadableStream).arrayBuffer());
}

async function pack(text: string): Promise<string> {
  const bytes = await through(
    new TextEncoder().encode(text),
    new CompressionStream("deflate-raw"),
  );
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpack(packed: string): Promise<string> {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  return new TextDecoder().decode(
    await through(bytes, new DecompressionStream("deflate-raw")),
  );
}

/** Adds a text to a link: compressed if long, omitted if still too long. */
async function addText(values: URLSearchParams, name: string, text: string) {
  const plain = new URLSearchParams({ [name]: text }).toString();
  if (plain.length < 400) return values.set(name, text);
  const packed = await pack(text);
  if (packed.length < longest - 300) values.set(`${name}.z`, packed);
  else values.set("left", String(text.length));
}

export async function writeAddress(state: PageState): Promise<string> {
  const values = new URLSearchParams();
  for (const [i, question] of state.questions.entries()) {
    const end = i === 0 ? "" : String(i + 1);
    values.set(`model${end}`, question.model);
    if (question.text !== null) await addText(values, `text${end}`, question.text);
    if (question.answer) await addText(values, `answer${end}`, question.answer);
    if (question.part > 0) values.set(`part${end}`, String(question.part));
    const { chosen } = question;
    if (chosen) values.set(`head${end}`, `${chosen.map}.${chosen.head}`);
  }
  values.set("view", state.view);
  return `#${values}`;
}

/** True if a link lacks a text that was too long for it. */
export function lacksText(address: string): boolean {
  return new URLSearchParams(address.slice(1)).has("left");
}

/** Reads a link. Missing and invalid values become the page's defaults. */
export async function readAddress(hash: string): Promise<PageState> {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  let isBroken = false;
  const textOf = async (name: string) => {
    const packed = values.get(`${name}.z`);
    if (packed === null) return values.get(name);
    return unpack(packed).catch(() => {
      isBroken = true;
      return null;
    });
  };
  const questions: Question[] = [];
  for (const end of ["", "2"]) {
    const model = values.get(`model${end}`);
    if (end && model === null) break;
    questions.push({
      model: model ?? "",
      text: (await textOf(`text${end}`)) ?? (end ? null : ""),
      answer: (await textOf(`answer${end}`)) ?? "",
      part: Number(/^\d{1,6}$/.exec(values.get(`part${end}`) ?? "")?.[0] ?? 0),
      chosen: parseChosen(values.get(`head${end}`)),
    });
  }
  const left = Number(values.get("left"));
  const view = values.get("view") ?? "";
  return { questions, view, isBroken, ...(left > 0 && { left }) };
}
