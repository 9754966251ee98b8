/** One cell of the matrix. */
import type { Place } from './places.ts';
import type { JobSite } from './site.ts';
import type { JobOptions, Outcome, Verb } from './verbs.ts';

/** A job in memory that nothing disturbs. */
export interface Whole {
  readonly outcome: Outcome;
  readonly events: readonly string[];
}

export interface Cell {
  readonly verb: Verb;
  readonly place: Place;
  readonly site: JobSite;
  /** What the verb gives in memory. */
  readonly whole: Whole;
  /** The same with options, or of a site without failures. */
  inMemory(options: JobOptions, isHealed?: boolean): Promise<Outcome>;
}
