/** What work costs, in credits: a measure of effort that the caller can give prices of its own. */

/** Credits by kind of work. A scrape that fails costs nothing. */
export interface Costs {
  /** A page. @default 1 */
  readonly page: number;
  /** A page that was fetched in stealth, in place of `page`. @default 5 */
  readonly stealth: number;
  /** The json format, on top. @default 4 */
  readonly json: number;
}

/** Used where the client does not say otherwise. */
export const defaultCosts: Costs = { page: 1, stealth: 5, json: 4 };
