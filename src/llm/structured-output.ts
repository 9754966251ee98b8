/** Structured output: the modes in which a model answers in JSON, and one schema as a model is asked for it. */
import { isRecord, own, parseJson } from './json-value.ts';
import { modelFailed } from './model-failure.ts';
import type { AnswerSchema } from './model.ts';
import { resolveReference, restoreAnswer, strictSchema } from './strict-schema.ts';

/**
 * `json_schema`: the provider holds the answer to the schema. `tool`: the answer is the argument of a
 * tool. `json_object`: the provider holds it to JSON, the schema is in the prompt. `none`: the schema is
 * in the prompt and nothing else.
 */
export type StructuredMode = 'json_schema' | 'tool' | 'json_object' | 'none';

const modeLadder: readonly StructuredMode[] = ['json_schema', 'tool', 'json_object', 'none'];

/** All that a caller may say. */
export const structuredChoices: readonly string[] = [...modeLadder, 'auto'];

/** The way that one model is asked: the best one until it turns out that the model does not have it. */
export class StructuredModes {
  readonly #mayStep: boolean;
  #mode: StructuredMode;

  /** `first`: where `auto` begins. */
  constructor(choice: StructuredMode | 'auto', first: StructuredMode = 'json_schema') {
    this.#mayStep = choice === 'auto';
    this.#mode = choice === 'auto' ? first : choice;
  }

  get mode(): StructuredMode {
    return this.#mode;
  }

  /** The next way to ask after `mode`; undefined when the caller chose one, or this is the last. */
  below(mode: StructuredMode): StructuredMode | undefined {
    return this.#mayStep ? modeLadder[modeLadder.indexOf(mode) + 1] : undefined;
  }

  /**
   * The model does not have `failed`. True when there is another way to ask now; requests that failed
   * together step down once.
   */
  stepDown(failed: StructuredMode): boolean {
    const next = this.below(failed);
    if (next === undefined) return false;
    if (modeLadder.indexOf(this.#mode) <= modeLadder.indexOf(failed)) this.#mode = next;
    return true;
  }
}

// One schema as a model is asked for it, and the way back from its answer.

/** The name that schemas and tools go by where a provider wants one. */
export const answerName = 'answer';

/** The property of an object that has an answer which is none. */
const wrapperName = 'value';

/** The request for a schema. */
export interface StructuredRequest {
  /** For the provider. */
  readonly schema: AnswerSchema;
  /** True when it keeps to the limits of strict output. */
  readonly isStrict: boolean;
  /** Added to the instructions if the provider does not accept the schema itself. */
  readonly instruction: string | undefined;
  /** The model's text as JSON that the caller's schema is about; what is no JSON stays what it is. */
  read(text: string): string;
  /** Makes of `onText` one that gets the text as `read` would give it, as far as that is known by then. */
  listener(onText: (text: string) => void): AnswerListener;
}

/**
 * Makes a question. Throws `MODEL_FAILED` for a schema that is larger than any model takes.
 */
export function structuredRequest(given: AnswerSchema, mode: StructuredMode): StructuredRequest {
  const isWrapped = mode !== 'none' && !hasObjectRoot(given);
  const wrapper = isWrapped ? wrapperName : undefined;
  const plain = plainSchema(given);
  const takesSchema = mode === 'json_schema' || mode === 'tool';
  const strict = takesSchema ? strictSchema(plain, wrapper) : undefined;
  const schema = strict?.schema ?? plainSchema(given, wrapper);
  return {
    schema,
    isStrict: strict !== undefined,
    instruction: takesSchema ? undefined : instructionFor(schema),
    read: (text) => {
      const json = withoutFence(text);
      if (strict === undefined && wrapper === undefined) return json;
      const value = parseJson(json);
      if (value === undefined) return wrapper === undefined ? json : unwrapText(json);
      const restored = strict === undefined ? value : restoreAnswer(value, strict);
      const isWhole =
        wrapper !== undefined && isRecord(restored) && Object.hasOwn(restored, wrapper);
      const answer = isWhole ? restored[wrapper] : restored;
      return answer === value ? json : (writtenJson(answer) ?? json);
    },
    listener: (onText) =>
      wrapper === undefined ? { write: onText, end: () => undefined } : textWithin(wrapper, onText),
  };
}

function instructionFor(schema: AnswerSchema): string {
  return `Answer with JSON only, without any other word, that fits this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** Undefined for what nests too deep to be written. */
function writtenJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A cut answer has the start of the object that wraps it, which is not part of it. */
function unwrapText(text: string): string {
  const parts: string[] = [];
  const inside = textWithin(wrapperName, (part) => parts.push(part));
  inside.write(text);
  inside.end(true);
  return parts.join('');
}

/** Without the fence that models write around JSON, and what a reasoning model thinks before it. */
function withoutFence(text: string): string {
  let answer = text.trim();
  const thought = answer.startsWith('<think>') ? answer.indexOf('</think>') : -1;
  if (thought >= 0) answer = answer.slice(thought + '</think>'.length).trim();
  if (!answer.startsWith('```')) return answer;
  const start = answer.indexOf('\n');
  const end = answer.lastIndexOf('```');
  return start >= 0 && end > start ? answer.slice(start, end).trim() : answer;
}

// A JSON Schema as a provider without limits gets it: all of it, but for keywords of our own.

/** Parts of a schema, and how deep they nest, at most. */
const mostParts = 20_000;

const deepestPlain = 200;

/** Keywords whose value has schemas by name: names are not keywords. */
const namedSchemaKeywords = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Keywords whose value is a value of the answer, not a schema. */
const literalKeywords = new Set(['enum', 'const', 'default', 'examples', 'required', 'type']);

/**
 * Without `x-*` and `$schema`. With `wrapper` the root becomes the one property of that name of an
 * object, and references follow it there.
 */
export function plainSchema(schema: AnswerSchema, wrapper?: string): AnswerSchema {
  const copy = new PlainCopy(wrapper === undefined ? '' : `/properties/${wrapper}`);
  const inside = copy.schema(schema, 0) as AnswerSchema;
  if (wrapper === undefined) return inside;
  return {
    type: 'object',
    properties: { [wrapper]: inside },
    required: [wrapper],
    additionalProperties: false,
  };
}

/** True when answers of the root are objects, which every provider can give. */
export function hasObjectRoot(schema: AnswerSchema): boolean {
  let root: unknown = schema;
  for (let hops = 0; hops < 20; hops += 1) {
    const reference = own(root, '$ref');
    if (typeof reference !== 'string') break;
    root = resolveReference(schema, reference);
  }
  const type = own(root, 'type');
  return type === 'object' || (type === undefined && isRecord(own(root, 'properties')));
}

class PlainCopy {
  /** Where the root went. */
  readonly #base: string;
  #parts = 0;

  constructor(base: string) {
    this.#base = base;
  }

  schema(part: unknown, depth: number): unknown {
    if (typeof part !== 'object' || part === null) return part;
    this.#parts += 1;
    if (this.#parts > mostParts || depth > deepestPlain) {
      throw modelFailed(
        `The schema has more than ${mostParts} parts or is deeper than ${deepestPlain}: no model takes it. Ask for less at a time.`,
      );
    }
    if (Array.isArray(part)) return part.map((one) => this.schema(one, depth + 1));
    const entries = Object.entries(part)
      .filter(([key]) => !/^x-/i.test(key) && key !== '$schema')
      .map(([key, value]): [string, unknown] => [key, this.#keyword(key, value, depth)]);
    return Object.fromEntries(entries);
  }

  #keyword(key: string, value: unknown, depth: number): unknown {
    if (literalKeywords.has(key)) return value;
    if (key === '$ref') {
      const isLocal = typeof value === 'string' && value.startsWith('#');
      return isLocal ? `#${this.#base}${value.slice(1)}` : value;
    }
    if (!namedSchemaKeywords.has(key) || !isRecord(value)) return this.schema(value, depth + 1);
    const schemas = Object.entries(value).map(([name, one]): [string, unknown] => [
      name,
      this.schema(one, depth + 1),
    ]);
    return Object.fromEntries(schemas);
  }
}

// The value of the one property of an object, taken out of its JSON while it comes.

/** Listens to an answer as it comes. */
interface AnswerListener {
  write(text: string): void;
  /** `isCut`: the answer stopped before its end. */
  end(isCut: boolean): void;
}

/** Characters of white space and key before the value begins, at most. */
const longestStart = 200;

/**
 * Hands on what is inside of `{"name": …}`; a text that does not begin like this is handed on as it is.
 * The end of the object is held back until it is known to be no more than that.
 */
export function textWithin(name: string, onText: (text: string) => void): AnswerListener {
  const start = new RegExp(`^\\s{0,50}\\{\\s{0,50}"${name}"\\s{0,50}:\\s{0,50}`);
  let head = '';
  let tail = '';
  let state: 'start' | 'inside' | 'as it is' = 'start';
  const handOn = (text: string): void => {
    const end = state === 'inside' ? endOfContent(text) : text.length;
    if (end > 0) onText(tail + text.slice(0, end));
    tail = end > 0 ? text.slice(end) : tail + text;
  };
  return {
    write(text) {
      if (state !== 'start') return handOn(text);
      head += text;
      const found = start.exec(head);
      // White space before the value may go on.
      if (found !== null && found[0].length < head.length) {
        state = 'inside';
        handOn(head.slice(found[0].length));
      } else if (head.length > longestStart) {
        state = 'as it is';
        handOn(head);
      }
    },
    end(isCut) {
      if (state === 'start' && !start.test(head)) tail = head;
      const rest =
        state === 'inside' && !isCut ? tail.trimEnd().replace(/\}$/, '').trimEnd() : tail;
      if (rest !== '') onText(rest);
    },
  };
}

/** Where white space and braces begin that nothing follows. */
function endOfContent(text: string): number {
  let end = text.length;
  while (end > 0 && /[\s}]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}
