/** The types of `structured-pages.mjs`, for the test that keeps the bench's bar. */
export interface StructuredPage {
  readonly template: string;
  readonly name: string;
  /** True for pages that were not looked at while the extractor was made. */
  readonly isHeldOut: boolean;
  readonly url: string;
  readonly html: string;
  readonly schema: Record<string, unknown>;
  readonly gold: unknown;
}

export interface LeafCounts {
  /** What there is to say: the leaves of the gold, nulls included, and what was given beside them. */
  leaves: number;
  /** Given as in the gold, or absent where the gold is null. */
  right: number;
  /** In the gold and not given. */
  missing: number;
  /** Another value than the gold's, or a value where the gold has none. */
  wrong: number;
  /** One line for each leaf that is not right. */
  problems: string[];
}

export declare function structuredPages(): StructuredPage[];

export declare function countPages(
  pages: readonly StructuredPage[],
  extract: (page: StructuredPage) => Promise<unknown>,
): Promise<LeafCounts>;
