/** How a model is made to answer in JSON: the ways there are, and which of them a model takes. */

/**
 * `json_schema`: the provider holds the answer to the schema. `tool`: the answer is the argument of a
 * tool. `json_object`: the provider holds it to JSON, the schema is in the prompt. `none`: the schema is
 * in the prompt and nothing else.
 */
export type StructuredMode = 'json_schema' | 'tool' | 'json_object' | 'none';

const ladder: readonly StructuredMode[] = ['json_schema', 'tool', 'json_object', 'none'];

/** All that a caller may say. */
export const structuredChoices: readonly string[] = [...ladder, 'auto'];

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
    return this.#mayStep ? ladder[ladder.indexOf(mode) + 1] : undefined;
  }

  /**
   * The model does not have `failed`. True when there is another way to ask now; requests that failed
   * together step down once.
   */
  stepDown(failed: StructuredMode): boolean {
    const next = this.below(failed);
    if (next === undefined) return false;
    if (ladder.indexOf(this.#mode) <= ladder.indexOf(failed)) this.#mode = next;
    return true;
  }
}
