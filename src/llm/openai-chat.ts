/** `/chat/completions`: the body of a request, and what an answer says. */
import { countIn, own } from './json-value.ts';
import type { ModelRequest } from './model.ts';
import type { Dialect } from './openai-dialect.ts';
import { answerName, type SchemaQuestion } from './schema-question.ts';

/** An answer as far as it is used. */
export interface ChatAnswer {
  readonly text: string;
  /** The argument of the tool that was asked for; undefined when it was not called. */
  readonly toolInput: string | undefined;
  /** `stop`, `length`, `tool_calls`, `content_filter`; undefined when there is none yet. */
  readonly finishReason: string | undefined;
  /** Why the model does not answer, in its words. */
  readonly refusal: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** The body of a request. */
export function chatBody(
  model: string,
  { system, prompt, maxOutputTokens, onText }: ModelRequest,
  question: SchemaQuestion | undefined,
  dialect: Dialect,
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
    // The likeliest words: the same question gets the same answer, as far as the model can.
    ...(dialect.hasTemperature ? { temperature: 0 } : {}),
    ...(isStream ? { stream: true } : {}),
    ...(isStream && dialect.hasStreamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(question === undefined ? {} : structuredOutput(question, dialect)),
  };
}

function structuredOutput({ schema, isStrict }: SchemaQuestion, { mode }: Dialect): object {
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

  /** Takes a body or a piece of one; gives what it adds to the answer. */
  add(body: unknown): string {
    const usage = own(body, 'usage');
    if (usage !== undefined && usage !== null) this.#usage = usage;
    const choices = own(body, 'choices');
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    const message = own(choice, 'message') ?? own(choice, 'delta');
    const reason = own(choice, 'finish_reason');
    if (typeof reason === 'string') this.#finishReason = reason;
    const refusal = own(message, 'refusal');
    if (typeof refusal === 'string') this.#refusals.push(refusal);
    const tool = this.#tool(own(message, 'tool_calls'));
    const text = textOf(own(message, 'content'));
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
      inputTokens: countIn(own(this.#usage, 'prompt_tokens')),
      outputTokens: countIn(own(this.#usage, 'completion_tokens')),
    };
  }

  /** One call is asked for; of several the first counts. */
  #tool(calls: unknown): string {
    const call: unknown = Array.isArray(calls) ? calls[0] : undefined;
    if (call === undefined) return '';
    const index = own(call, 'index') ?? 0;
    this.#toolIndex ??= index;
    if (index !== this.#toolIndex) return '';
    const input = own(own(call, 'function'), 'arguments');
    // Some servers give the value in place of its JSON.
    if (typeof input === 'object' && input !== null) return JSON.stringify(input);
    return typeof input === 'string' ? input : '';
  }
}

/** A text, or the texts of a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((part: unknown) => own(part, 'text'));
  return texts.filter((text) => typeof text === 'string').join('');
}

/** What a body says that is no answer: `{ error: { message } }` in its forms; undefined where there is none. */
export function errorIn(
  body: unknown,
): { message: string; statusCode: number | undefined } | undefined {
  const error = own(body, 'error') ?? own(body, 'detail');
  if (error === undefined || error === null) return undefined;
  const code = own(error, 'code') ?? own(error, 'status');
  const kind = own(error, 'type');
  const message = own(error, 'message') ?? error;
  const words = [typeof message === 'string' ? message : JSON.stringify(message)];
  // The code says what the message leaves out: `insufficient_quota`.
  for (const word of [code, kind]) if (typeof word === 'string') words.push(`(${word})`);
  const statusCode = typeof code === 'number' && code >= 400 && code < 600 ? code : undefined;
  return { message: words.join(' '), statusCode };
}
