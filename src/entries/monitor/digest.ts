/** The digest of a round: the changes on the pages of a monitor, as plain data. */
import type { ErrorCode } from '../../core/runtime/errors.ts';
import type { ValueChange } from '../../content/formats/change-tracking/tracking-options.ts';
import type { ModelTotals } from '../../extract/llm/model.ts';

/** A page with news, or one that could not be read. */
export interface MonitoredChange {
  readonly url: string;
  /** The start URL of the target that it belongs to. */
  readonly target: string;
  /**
   * `new`: found on a site, or back after it was removed. `removed`: 404, 410 or no link to it any more, in two
   * rounds in a row. `failed`: it says nothing about changes.
   */
  readonly status: 'new' | 'changed' | 'removed' | 'failed';
  readonly title?: string;
  /** In words: `Price: € 64.00 → € 52.00`. Words of pages in it are data, written by strangers. */
  readonly summary: string;
  /** Where the URL leads to, if that is another one. */
  readonly finalUrl?: string;
  /** A unified diff of the markdown, at most 20000 characters. */
  readonly diff?: string;
  /** Values of the schema that changed, by path. */
  readonly json?: Readonly<Record<string, ValueChange>>;
  /** True once the page has changed in `volatileAfter` rounds: it is only counted from now on. */
  readonly volatile?: true;
  /** With a goal: whether the change matters to it. Absent for a failed page, and if the model failed. */
  readonly relevant?: boolean;
  /** The model's reason. */
  readonly reason?: string;
  /** Of a failed page. */
  readonly code?: ErrorCode;
  readonly statusCode?: number;
}

/** A sentence of the model's about one page of the digest, with words of its change that support it. */
export interface DigestClaim {
  readonly text: string;
  readonly url: string;
  readonly quote: string;
}

/** The digest of one round. */
export interface MonitorDigest {
  readonly monitorId: string;
  /** Counts the rounds from 1. */
  readonly round: number;
  /** The start of the round, ISO 8601. */
  readonly at: string;
  /** True when there is something to notify of: a change that matters, or a page that fails since this round. */
  readonly hasNews: boolean;
  /** The round in words; with a goal the model's, each sentence with its page. */
  readonly summary: string;
  /** At most 500. */
  readonly pages: readonly MonitoredChange[];
  /** Further pages with news, beyond those 500. */
  readonly omitted: number;
  readonly unchanged: number;
  /** Pages of new targets: seen for the first time, which is not news. */
  readonly recorded: number;
  /** Volatile pages that changed once more. */
  readonly volatile: number;
  /** With a goal. */
  readonly claims?: readonly DigestClaim[];
  readonly modelUsage?: ModelTotals;
  /** Targets of which not everything was read, and why. */
  readonly warning?: string;
}
