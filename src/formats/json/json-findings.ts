/** What a page gives for a schema, before the schema judges it: plain data. */
import type { PageExtraction } from './extract-without-model.ts';

/** The result of the json format's first step. */
export interface JsonFindings {
  readonly extraction: PageExtraction;
  /** True when there is nothing on the page at all. */
  readonly isEmptyPage: boolean;
}
