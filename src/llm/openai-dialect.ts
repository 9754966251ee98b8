/** What one OpenAI-compatible server takes: found out by what it refuses, and remembered. */
import { type StructuredMode, StructuredModes } from './structured-mode.ts';

/** The ways in which servers differ. */
export interface Dialect {
  readonly mode: StructuredMode;
  /** Newer models of OpenAI want the second. */
  readonly limitName: 'max_tokens' | 'max_completion_tokens';
  /** Reasoning models take none. */
  readonly hasTemperature: boolean;
  /** Whether a stream tells what was used. */
  readonly hasStreamOptions: boolean;
}

/** The dialect of one endpoint. */
export class OpenAiDialect {
  readonly #modes: StructuredModes;
  #rest: Omit<Dialect, 'mode'> = {
    ...{ limitName: 'max_tokens', hasTemperature: true, hasStreamOptions: true },
  };

  constructor(structured: StructuredMode | 'auto') {
    this.#modes = new StructuredModes(structured);
  }

  get current(): Dialect {
    return { mode: this.#modes.mode, ...this.#rest };
  }

  /** There is no tool in the answer to one that had to have it. */
  lacksTool(used: Dialect): boolean {
    return used.mode === 'tool' && this.#modes.stepDown('tool');
  }

  /**
   * The server refused a request that was made in `used`. True when it may be made in another way now:
   * the message names what is wrong. Each way is tried once.
   */
  adapt(statusCode: number, message: string, used: Dialect, hasSchema: boolean): boolean {
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

/** Statuses that servers refuse a parameter with. */
const refusals: ReadonlySet<number> = new Set([400, 404, 422, 500, 501]);

const tooLong = /context.{0,20}(?:length|window|size)|too long|maximum.{0,20}tokens/i;

const aboutFormat = /response_?format|json_?schema|structured|schema|grammar|guided/i;

const wordsOf: Readonly<Record<StructuredMode, RegExp>> = {
  json_schema: aboutFormat,
  tool: /\btools?\b|tool_choice|function|parameters|schema/i,
  json_object: /response_?format|json_?object|structured|grammar|guided/i,
  none: /(?!)/,
};
