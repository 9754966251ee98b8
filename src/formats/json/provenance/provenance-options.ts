/** What a caller says about provenance, checked. */
import { preview } from '../../../text/preview.ts';
import type { UnverifiedChoice } from './provenance.ts';

/** The options, of the json format and of `extract()`. */
export interface ProvenanceOptions {
  /** Tell for each value where on the page it is. @default false */
  readonly provenance?: boolean | undefined;
  /**
   * What is done with values that are not `supported` by the page: `keep` them; `refuse` the page with
   * `ExtractError`; make them `null`, or absent where the schema does not allow null, and list them as
   * not found. @default 'keep'
   */
  readonly unverified?: UnverifiedChoice | undefined;
}

/** The choices, in the order of their severity. */
export const unverifiedChoices: readonly ['keep', 'refuse', 'null'] = ['keep', 'refuse', 'null'];

/** Throws an `Error` that names the key. */
export function checkProvenanceOptions(options: {
  readonly provenance?: unknown;
  readonly unverified?: unknown;
}): ProvenanceOptions {
  const { provenance, unverified } = options;
  if (provenance !== undefined && typeof provenance !== 'boolean') {
    throw new Error(`provenance: expected true or false, got ${preview(provenance)}`);
  }
  const choice = unverifiedChoices.find((one) => one === unverified);
  if (unverified !== undefined && choice === undefined) {
    throw new Error(`unverified: expected "keep", "refuse" or "null", got ${preview(unverified)}`);
  }
  return { provenance, unverified: choice };
}

/** True when values have to be looked up. */
export function verifies({ provenance = false, unverified = 'keep' }: ProvenanceOptions): boolean {
  return provenance || unverified !== 'keep';
}
