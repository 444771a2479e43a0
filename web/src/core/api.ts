import {
  checkExplanation,
  type Choice,
  type Explanation,
  type Head,
  type Rows,
  type Span,
} from "./explanation";
import { picturesOfViews, type Input } from "./registry";

/** An example input. Tasks that read files have an example file. */
export interface Example {
  text: string;
  file?: { name: string; media_type: string; base64: string };
}

/** A row of /models: information about a model and its task. */
export interface ModelInfo {
  name: string;
  task: string;
  source?: string;
  target?: string;
  /** Kind of the model, as in the model registry. */
  model?: string;
  parameters?: number;
  input?: { kind?: string; prompt?: string; media_types?: string[] };
  examples?: Example[];
  labels?: { input?: string; answer?: string };
  /** True if /translate serves the model and streams its answers. */
  translates?: boolean;
  /** Maximum number of characters for an explanation; absent: no limit. */
  limits?: { explain?: number };
}

/** An error message for the user. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }

  get asksForKey(): boolean {
    return this.status === 401 || this.status === 403 || /API key/i.test(this.message);
  }
}

const storedKey = "heed-api-key";

export function setApiKey(key: string): void {
  sessionStorage.setItem(storedKey, key);
}

/** Returns the server's message of a refusal. */
async function refusal(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as { error?: unknown } | null;
  const { error = `The server answered ${response.status}.` } = body ?? {};
  const retry = response.headers.get("Retry-After");
  const words = retry ? `${error} Try again in ${retry} s.` : String(error);
  return new ApiError(words, response.status);
}

async function send(
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Response> {
  const key = sessionStorage.getItem(storedKey);
  const headers: Record<string, string> = {};
  if (body) headers["Content-Type"] = "application/json";
  else if (key) headers.Authorization = `Bearer ${key}`;
  let response: Response;
  try {
    response = await fetch(path, {
      method: body ? "POST" : "GET",
      headers,
      body: body ? JSON.stringify(key ? { ...body, api_key: key } : body) : undefined,
      signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(
      `No answer from ${location.origin}. Is heed serve still running there?`,
      0,
    );
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

export async function fetchModels(): Promise<ModelInfo[]> {
  const body = (await (await send("models")).json()) as { models?: ModelInfo[] };
  return body.models ?? [];
}

export interface Prediction {
  answer: string;
  /** Words or labels with probabilities, if the answer is such a list. */
  choices: Choice[];
}

/** Returns the parts of an answer that are a name and its probability. */
function choicesOf(details: Record<string, unknown> = {}): Choice[] {
  const list = Object.values(details).find((part) => Array.isArray(part)) ?? [];
  return (list as Record<string, unknown>[]).flatMap(({ probability, ...rest }) => {
    const [label, ...more] = Object.values(rest);
    const isChoice = typeof label === "string" && typeof probability === "number";
    return isChoice && more.length === 0 ? [{ label, probability }] : [];
  });
}

/** Requests a prediction. */
export async function predict(
  model: string,
  input: Input,
  signal: AbortSignal,
): Promise<Prediction> {
  const response = await send("predict", { ...input.request, model }, signal);
  const { answer = "", details } = (await response.json()) as {
    answer?: string;
    details?: Record<string, unknown>;
  };
  return { answer, choices: choicesOf(details) };
}

export interface ExplainOptions {
  /** Answer to explain instead of the model's own answer. */
  answer?: string;
  /** Contrastive answer: attributions explain the difference to it. */
  contrast?: string;
  methods?: string[];
  layer?: string;
  head?: number;
  text?: string;
  /** Views whose pictures the server draws; absent: those with tabs. */
  pictures?: string[];
  scale?: string;
}

export async function explain(
  model: string,
  input: Input,
  options: ExplainOptions,
  signal?: AbortSignal,
): Promise<Explanation> {
  const body: Record<string, unknown> = {
    ...input.request,
    ...{ model, methods: [], pictures: picturesOfViews() },
    ...options,
  };
  // A part of a text is a text; a file is requested as a whole.
  if ("file" in input.request) delete body.text;
  return checkExplanation(await (await send("explain", body, signal)).json());
}

/** Requests weights of a large map from its address. */
export async function fetchTile(
  tile: string,
  head: Head,
  rows: Span,
  columns: Span,
): Promise<Rows> {
  const part = `&head=${head}&rows=${rows.join(":")}&columns=${columns.join(":")}`;
  const response = await send(tile + part);
  return ((await response.json()) as { weights: Rows }).weights;
}

interface ServerEvent {
  event: string;
  data: string;
}

/** Yields the events of a text/event-stream body as they arrive. */
async function* serverEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text = (text + decoder.decode(value, { stream: true })).replaceAll("\r\n", "\n");
    let end: number;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const event: ServerEvent = { event: "message", data: "" };
      for (const line of text.slice(0, end).split("\n")) {
        const [, field, content] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (field === "event") event.event = content;
        if (field === "data") event.data += (event.data && "\n") + content;
      }
      text = text.slice(end + 2);
      yield event;
    }
  }
}

/** Translates, reports the partial text as it arrives, and returns the translation. */
export async function translate(
  model: ModelInfo,
  input: Input,
  onText: (soFar: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const response = await send(
    "translate",
    {
      q: input.text,
      source: model.source ?? "auto",
      target: model.target ?? "auto",
      model: model.name,
      stream: true,
    },
    signal,
  );
  const type = response.headers.get("Content-Type") ?? "";
  if (!type.startsWith("text/event-stream") || !response.body) {
    const whole = (await response.json()) as { translatedText?: string };
    return whole.translatedText ?? "";
  }
  let soFar = "";
  try {
    for await (const { event, data } of serverEvents(response.body)) {
      const value = JSON.parse(data) as Record<string, string | undefined>;
      if (event === "error") throw new ApiError(value.error ?? "The model failed.", 200);
      if (event === "done") return value.translatedText ?? soFar;
      if (event === "token") onText((soFar += value.text ?? ""));
    }
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) throw error;
    throw new ApiError("The connection was lost before the translation was complete.", 0);
  }
  throw new ApiError("The server stopped before the translation was complete.", 0);
}
