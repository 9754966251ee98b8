/** A scrape as change tracking gets it. */
import type { Picture } from '../../model/captures.ts';
import type { Compute } from '../computations.ts';
import type { PageExtraction } from '../json/index.ts';

/** What is known of the scrape. */
export interface TrackedPage {
  /** Normalised. */
  readonly url: string;
  /** Who asked for the page. */
  readonly identity?: string | undefined;
  readonly statusCode: number;
  /** The site refused to show the page, whatever the status says. */
  readonly isBlocked: boolean;
  /** The body ended early: what is missing of it is not gone. */
  readonly isCut: boolean;
  /** A page that says that there is no such page. */
  readonly saysMissing: boolean;
  readonly markdown: string;
  readonly extraction: PageExtraction | undefined;
  /** Has a model read the values, where it is to do so; `extraction` is then what selectors gave. */
  readonly askModel?: (() => Promise<PageExtraction>) | undefined;
  readonly picture: Picture | undefined;
  readonly compute: Compute;
  /** In a crawl: known from before, and nothing leads here. */
  readonly isHidden: boolean;
  /** A page that a job scrapes again, since it was ended before it was done, is not compared with itself. */
  readonly jobId: string | undefined;
  readonly zeroDataRetention: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}
