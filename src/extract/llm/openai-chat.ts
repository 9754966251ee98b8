/** `/chat/completions`: request bodies in a server's dialect, and answers as JSON or as server-sent events. */
import { countIn } from './json-value.ts';
import { memberOf } from '../../core/runtime/json.ts';
import type { ModelRequest } from './model.ts';
import {
  answerName,
  type StructuredMode,
  StructuredModes,
  type StructuredRequest,
} from './structured-output.ts';

/** The parts of an answer that are used. */
export interface ChatAnswer {
  readonly text: string;
  /** The argument of the requested tool; undefined when it was not called. */
  readonly toolInput: string | undefined;
  /** `stop`, `length`, `tool_calls`, `content_filter`; undefined before the end. */
  readonly finishReason: string | undefined;
  /** The model's own reason for not answering. */
  readonly refusal: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** The body of a request. */
export function chatBody(
  model: string,
  { system, prompt, maxOutputTokens, onText }: ModelRequest,
  question: StructuredRequest | undefined,
  dialect: DialectFeatures,
): object {
  const instructions = [system, question?.instruction ?? ''].filter((text) => text !== '');
  const isStream = onText !== undefined;
  return {
    model,
    messages: [
      ...(instructions.length === 0
        ? []
        : [{ role: 'system', content: instructions.join('\n\n') }]),
      { role: 'user', content: prompt },
    ],
    ...(maxOutputTokens === undefined ? {} : { [dialect.limitName]: maxOutputTokens }),
    // Makes answers as deterministic as the model allows.
    ...(dialect.hasTemperature ? { temperature: 0 } : {}),
    ...(isStream ? { stream: true } : {}),
    ...(isStream && dialect.hasStreamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(question === undefined ? {} : structuredOutput(question, dialect)),
  };
}

function structuredOutput(
  { schema, isStrict }: StructuredRequest,
  { mode }: DialectFeatures,
): object {
  if (mode === 'none') return {};
  if (mode === 'json_object') return { response_format: { type: 'json_object' } };
  if (mode === 'json_schema') {
    const json_schema = { name: answerName, schema, strict: isStrict };
    return { response_format: { type: 'json_schema', json_schema } };
  }
  const description = 'Takes the answer. Call it once.';
  const tool = { name: answerName, description, parameters: schema, strict: isStrict };
  return {
    tools: [{ type: 'function', function: tool }],
    tool_choice: { type: 'function', function: { name: answerName } },
  };
}

/** Collects an answer: from one whole body, or from the pieces of a stream. */
export class ChatReader {
  readonly #texts: string[] = [];
  readonly #inputs: string[] = [];
  readonly #refusals: string[] = [];
  #toolIndex: unknown;
  #finishReason: string | undefined;
  #usage: unknown;

  /** Takes a body or a piece of one; returns the text that it adds. */
  add(body: unknown): string {
    const usage = memberOf(body, 'usage');
    if (usage !== undefined && usage !== null) this.#usage = usage;
    const choices = memberOf(body, 'choices');
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    const message = memberOf(choice, 'message') ?? memberOf(choice, 'delta');
    const reason = memberOf(choice, 'finish_reason');
    if (typeof reason === 'string') this.#finishReason = reason;
    const refusal = memberOf(message, 'refusal');
    if (typeof refusal === 'string') this.#refusals.push(refusal);
    const tool = this.#tool(memberOf(message, 'tool_calls'));
    const text = textOfContent(memberOf(message, 'content'));
    this.#inputs.push(tool);
    this.#texts.push(text);
    return tool + text;
  }

  read(): ChatAnswer {
    const toolInput = this.#inputs.join('');
    const refusal = this.#refusals.join('');
    return {
      text: this.#texts.join(''),
      toolInput: toolInput === '' ? undefined : toolInput,
      finishReason: this.#finishReason,
      refusal: refusal === '' ? undefined : refusal,
      inputTokens: countIn(memberOf(this.#usage, 'prompt_tokens')),
      outputTokens: countIn(memberOf(this.#usage, 'completion_tokens')),
    };
  }

  /** Reads the first call; only one is requested. */
  #tool(calls: unknown): string {
    const call: unknown = Array.isArray(calls) ? calls[0] : undefined;
    if (call === undefined) return '';
    const index = memberOf(call, 'index') ?? 0;
    this.#toolIndex ??= index;
    if (index !== this.#toolIndex) return '';
    const input = memberOf(memberOf(call, 'function'), 'arguments');
    // Some servers send the value instead of its JSON.
    if (typeof input === 'object' && input !== null) return JSON.stringify(input);
    return typeof input === 'string' ? input : '';
  }
}

/** A text, or the texts of a list of parts. */
function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((part: unknown) => memberOf(part, 'text'));
  return texts.filter((text) => typeof text === 'string').join('');
}

/** The error in a body, `{ error: { message } }` and its variants; undefined without an error. */
export function errorIn(
  body: unknown,
): { message: string; statusCode: number | undefined } | undefined {
  const error = memberOf(body, 'error') ?? memberOf(body, 'detail');
  if (error === undefined || error === null) return undefined;
  const code = memberOf(error, 'code') ?? memberOf(error, 'status');
  const kind = memberOf(error, 'type');
  const message = memberOf(error, 'message') ?? error;
  const words = [typeof message === 'string' ? message : JSON.stringify(message)];
  // The code has what the message leaves out: `insufficient_quota`.
  for (const word of [code, kind]) if (typeof word === 'string') words.push(`(${word})`);
  const statusCode = typeof code === 'number' && code >= 400 && code < 600 ? code : undefined;
  return { message: words.join(' '), statusCode };
}

// Features of one OpenAI-compatible server: learnt from its refusals, and remembered.

/** Features in which servers differ. */
export interface DialectFeatures {
  readonly mode: StructuredMode;
  /** Newer models of OpenAI require `max_completion_tokens`. */
  readonly limitName: 'max_tokens' | 'max_completion_tokens';
  /** False for reasoning models, which accept no temperature. */
  readonly hasTemperature: boolean;
  /** True when a stream can report its usage. */
  readonly hasStreamOptions: boolean;
}

/** The dialect of one endpoint. */
export class OpenAiDialect {
  readonly #modes: StructuredModes;
  #rest: Omit<DialectFeatures, 'mode'> = {
    limitName: 'max_tokens',
    hasTemperature: true,
    hasStreamOptions: true,
  };

  constructor(structured: StructuredMode | 'auto') {
    this.#modes = new StructuredModes(structured);
  }

  get current(): DialectFeatures {
    return { mode: this.#modes.mode, ...this.#rest };
  }

  /** Handles an answer without the required tool call. True when another mode is left. */
  lacksTool(used: DialectFeatures): boolean {
    return used.mode === 'tool' && this.#modes.stepDown('tool');
  }

  /**
   * Handles a refusal of a request with the features `used`. True when the request may be sent with other
   * features now: the message names the unsupported one. Each combination is tried once.
   */
  adapt(statusCode: number, message: string, used: DialectFeatures, hasSchema: boolean): boolean {
    if (!refusals.has(statusCode)) return false;
    const { limitName, hasTemperature, hasStreamOptions } = used;
    if (limitName === 'max_tokens' && /max_completion_tokens/i.test(message)) {
      this.#rest = { ...this.#rest, limitName: 'max_completion_tokens' };
      return true;
    }
    if (hasTemperature && /temperature/i.test(message)) {
      this.#rest = { ...this.#rest, hasTemperature: false };
      return true;
    }
    if (hasStreamOptions && /stream_options|include_usage/i.test(message)) {
      this.#rest = { ...this.#rest, hasStreamOptions: false };
      return true;
    }
    const isAboutMode = hasSchema && wordsOf[used.mode].test(message) && !tooLong.test(message);
    return isAboutMode && this.#modes.stepDown(used.mode);
  }
}

/** Statuses with which servers refuse a parameter. */
const refusals: ReadonlySet<number> = new Set([400, 404, 422, 500, 501]);

const tooLong = /context.{0,20}(?:length|window|size)|too long|maximum.{0,20}tokens/i;

const aboutResponseFormat = /response_?format|json_?schema|structured|schema|grammar|guided/i;

const wordsOf: Readonly<Record<StructuredMode, RegExp>> = {
  json_schema: aboutResponseFormat,
  tool: /\btools?\b|tool_choice|function|parameters|schema/i,
  json_object: /response_?format|json_?object|structured|grammar|guided/i,
  none: /(?!)/,
};

// Server-sent events (WHATWG HTML, 9.2): the data of each event, as bytes arrive.

const longestEvent = 4_000_000; // characters of one event

/** Takes bytes; `onEvent` gets the data of each event. Throws for an event without an end. */
export class ServerEvents {
  readonly #decoder = new TextDecoder();
  readonly #onEvent: (data: string) => void;
  #line = '';
  #data: string[] = [];
  #length = 0;

  constructor(onEvent: (data: string) => void) {
    this.#onEvent = onEvent;
  }

  write(chunk: Uint8Array): void {
    this.#text(this.#decoder.decode(chunk, { stream: true }));
  }

  /** Ends the last event, because some servers omit the empty line after it. */
  end(): void {
    this.#text(`${this.#decoder.decode()}\n\n`);
  }

  #text(text: string): void {
    const lines = text.split('\n');
    lines[0] = this.#line + (lines[0] ?? '');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#take(line.endsWith('\r') ? line.slice(0, -1) : line);
    this.#check(this.#line.length);
  }

  #take(line: string): void {
    if (line === '') {
      if (this.#data.length > 0) this.#onEvent(this.#data.join('\n'));
      this.#data = [];
      this.#length = 0;
    } else if (line.startsWith('data:')) {
      const data = line.slice(line.charAt(5) === ' ' ? 6 : 5);
      this.#check(data.length);
      this.#data.push(data);
      this.#length += data.length;
    }
  }

  #check(more: number): void {
    if (this.#length + more <= longestEvent) return;
    throw new RangeError(`an event is longer than ${longestEvent} characters`);
  }
}
