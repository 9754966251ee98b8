/** Costs of work in credits: a measure of effort, for which the caller can set other prices. */

/** Credits by kind of work. A scrape that fails costs nothing. */
export interface Costs {
  /** A page. @default 1 */
  readonly page: number;
  /** A page that was fetched in stealth, in place of `page`. @default 5 */
  readonly stealth: number;
  /** Each format that asked a model, and each page of an extraction that did, on top. @default 4 */
  readonly model: number;
}

/** Costs as given to `createClient()`; `json` is an older name of `model`. */
export type CostsOption = Partial<Costs> & { readonly json?: number | undefined };

/** Fills in the defaults. */
export function costsFrom({ page, stealth, model, json }: CostsOption = {}): Costs {
  return { page: page ?? 1, stealth: stealth ?? 5, model: model ?? json ?? 4 };
}

/** Credits for fetching a page; each further page of a PDF counts as one more. */
export function fetchCredits(
  costs: Costs,
  page: {
    readonly proxyUsed: 'basic' | 'stealth';
    readonly contentType: string;
    readonly numPages?: number | undefined;
  },
): number {
  const { proxyUsed, contentType, numPages = 1 } = page;
  const fetched = proxyUsed === 'stealth' ? costs.stealth : costs.page;
  const further = contentType === 'application/pdf' ? Math.max(0, numPages - 1) : 0;
  return fetched + further * costs.page;
}
