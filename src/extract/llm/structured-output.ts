/** Structured output: the modes in which a model answers in JSON, and the request for one schema. */
import { parseJson, memberOf, isRecord } from '../../core/runtime/json.ts';
import { referencedPart } from '../../core/runtime/json-pointer.ts';
import { modelFailed } from './model-failure.ts';
import type { AnswerSchema } from './model.ts';
import { restoreAnswer, strictSchema } from './strict-schema.ts';

const limits = {
  parts: 20_000, // of a schema
  deepestPlain: 200, // levels of a schema
  longestStart: 200, // characters of white space and key before the value begins
};

/**
 * `json_schema`: the provider enforces the schema. `tool`: the answer is the argument of a tool.
 * `json_object`: the provider enforces JSON, the schema is in the prompt. `none`: the schema is only
 * in the prompt.
 */
export type StructuredMode = 'json_schema' | 'tool' | 'json_object' | 'none';

const modeLadder: readonly StructuredMode[] = ['json_schema', 'tool', 'json_object', 'none'];

/** All values of the option `structured`. */
export const structuredChoices: readonly string[] = [...modeLadder, 'auto'];

/** The mode for one model: the best one until the model turns out not to support it. */
export class StructuredModes {
  readonly #mayStep: boolean;
  #mode: StructuredMode;

  /** `first`: the mode with which `auto` begins. */
  constructor(choice: StructuredMode | 'auto', first: StructuredMode = 'json_schema') {
    this.#mayStep = choice === 'auto';
    this.#mode = choice === 'auto' ? first : choice;
  }

  get mode(): StructuredMode {
    return this.#mode;
  }

  /** The next mode after `mode`; undefined when the caller chose one, or this is the last. */
  below(mode: StructuredMode): StructuredMode | undefined {
    return this.#mayStep ? modeLadder[modeLadder.indexOf(mode) + 1] : undefined;
  }

  /**
   * Steps down from the mode `failed`. True when another mode is left; concurrent failures step down
   * only once.
   */
  stepDown(failed: StructuredMode): boolean {
    const next = this.below(failed);
    if (next === undefined) return false;
    if (modeLadder.indexOf(this.#mode) <= modeLadder.indexOf(failed)) this.#mode = next;
    return true;
  }
}

// The request for one schema, and the conversion of its answer.

/** The name of schemas and tools, where a provider requires one. */
export const answerName = 'answer';

/** The property of the object that wraps an answer which is not an object. */
const wrapperName = 'value';

/** The request for a schema. */
export interface StructuredRequest {
  /** The schema for the provider. */
  readonly schema: AnswerSchema;
  /** True when the schema is within the limits of strict output. */
  readonly isStrict: boolean;
  /** Added to the instructions if the provider does not accept the schema itself. */
  readonly instruction: string | undefined;
  /** Converts the model's text to JSON for the caller's schema; text that is not JSON stays unchanged. */
  read(text: string): string;
  /** Wraps `onText` so that it gets the text as `read` would return it, as far as it is known by then. */
  listener(onText: (text: string) => void): AnswerListener;
}

/**
 * Makes a request. Throws `MODEL_FAILED` for a schema that is larger than any model accepts.
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

/** Undefined for a value that is nested too deep to be serialised. */
function writtenJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Removes the start of the wrapping object from an incomplete answer. */
function unwrapText(text: string): string {
  const parts: string[] = [];
  const inside = textWithin(wrapperName, (part) => parts.push(part));
  inside.write(text);
  inside.end(true);
  return parts.join('');
}

/** Removes the code fence around JSON, and a reasoning model's thinking before it. */
function withoutFence(text: string): string {
  let answer = text.trim();
  const thought = answer.startsWith('<think>') ? answer.indexOf('</think>') : -1;
  if (thought >= 0) answer = answer.slice(thought + '</think>'.length).trim();
  if (!answer.startsWith('```')) return answer;
  const start = answer.indexOf('\n');
  const end = answer.lastIndexOf('```');
  return start >= 0 && end > start ? answer.slice(start, end).trim() : answer;
}

// A JSON Schema for a provider without limits: complete, except for this library's keywords.

/** Keywords whose value is a map of schemas by name: its keys are not keywords. */
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
 * The schema without `x-*` and `$schema`. With `wrapper` the root becomes the only property, of that
 * name, of an object, and references are adjusted.
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

/** True when the root's answers are objects, which every provider supports. */
export function hasObjectRoot(schema: AnswerSchema): boolean {
  let root: unknown = schema;
  for (let hops = 0; hops < 20; hops += 1) {
    const reference = memberOf(root, '$ref');
    if (typeof reference !== 'string') break;
    root = referencedPart(schema, reference);
  }
  const type = memberOf(root, 'type');
  return type === 'object' || (type === undefined && isRecord(memberOf(root, 'properties')));
}

class PlainCopy {
  /** The new path of the root. */
  readonly #base: string;
  #parts = 0;

  constructor(base: string) {
    this.#base = base;
  }

  schema(part: unknown, depth: number): unknown {
    if (typeof part !== 'object' || part === null) return part;
    this.#parts += 1;
    if (this.#parts > limits.parts || depth > limits.deepestPlain) {
      throw modelFailed(
        `The schema has more than ${limits.parts} parts or is deeper than ${limits.deepestPlain}: no model accepts it. Request less at a time.`,
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

// Extracts the value of an object's only property from its JSON while it arrives.

/** Gets an answer as it arrives. */
interface AnswerListener {
  write(text: string): void;
  /** `isCut`: the answer stopped before its end. */
  end(isCut: boolean): void;
}

/**
 * Passes on the value in `{"name": …}`; a text that does not begin like this is passed on unchanged.
 * White space and braces are held back until it is known that they do not end the object.
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
      // White space before the value may continue.
      if (found !== null && found[0].length < head.length) {
        state = 'inside';
        handOn(head.slice(found[0].length));
      } else if (head.length > limits.longestStart) {
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

/** The start of trailing white space and braces. */
function endOfContent(text: string): number {
  let end = text.length;
  while (end > 0 && /[\s}]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}
