/** What a scenario is: how servers misbehave, what the caller does, and exactly what comes of it. */
import type { Client, ClientOptions, ErrorCode, ScrapeOptions } from '../../src/index.ts';
import type { Behaviour, FixtureServer, SitePage } from '../../src/entries/testing/index.ts';
import type { FormatInput } from '../../src/content/formats/index.ts';

/** Pages and behaviours by path; a path that ends in `*` stands for all that start so. */
export type Routes = Readonly<Record<string, SitePage | Behaviour>>;

/** The servers of one scenario, all on this machine. */
export interface Web {
  /** Plain HTTP on 127.0.0.1. */
  readonly site: FixtureServer;
  /** Plain HTTP on 127.0.0.2: another site. */
  readonly other: FixtureServer;
}

/** What a scenario works with. */
export interface Scene extends Web {
  /** Made for this scenario, closed after it; it may contact 127.0.0.0/8 unless `client` says otherwise. */
  readonly client: Client;
  /** Scrapes with the scenario's options. */
  scrape(url: string): Promise<unknown>;
  /** Runs at the end of the scenario: closes what it opened. */
  defer(step: () => unknown): void;
}

/** One named misbehaviour with its outcome. */
export interface Scenario {
  /** A sentence that says what is demanded. */
  readonly name: string;
  /** What http://127.0.0.1 serves. */
  readonly site?: Routes | ((web: Web) => Routes);
  /** What http://127.0.0.2 serves. */
  readonly other?: Routes | ((web: Web) => Routes);
  /** Options of the client. @default { network: { allow: ['127.0.0.0/8', 'localhost'] } } */
  readonly client?: ClientOptions<readonly []>;
  /** What is scraped: a path of the site, or a whole URL. @default '/' */
  readonly visit?: string | ((web: Web) => string);
  /** Options of the scrape. `retries` is 0 unless it is given. */
  readonly options?: ScrapeOptions<readonly FormatInput[]>;
  /** Runs before the event loop is watched: makes what takes time. */
  readonly prepare?: () => void;
  /** What the caller does in place of one scrape. */
  readonly act?: (scene: Scene) => unknown;
  readonly expect: Outcome;
  /** Left to `npm run test:deep`: another scenario of the family meets the same defence. */
  readonly rare?: true;
}

/** The same scenario, for `npm run test:deep`. */
export function rare(scenario: Scenario): Scenario {
  return { ...scenario, rare: true };
}

/** What comes of it. */
export type Outcome =
  | {
      /** From the table of errors. */
      readonly code: ErrorCode;
      /** What the message says: above all what to change. */
      readonly message: RegExp;
    }
  | { readonly document: ExpectedDocument }
  /** What `act` gives, compared as a whole. */
  | { readonly value: unknown };

/**
 * Fields of the document: equal, or matched by a pattern. A warning that is not expected, and a
 * status other than 200, fail the scenario.
 */
export interface ExpectedDocument {
  readonly markdown?: string | RegExp;
  readonly warning?: string | RegExp;
  /** @default 200 */
  readonly statusCode?: number;
  /** Path and query of the final URL on the site, or the whole URL. */
  readonly url?: string;
  /** Any other field, by name. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Fields of the metadata, by name. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}
