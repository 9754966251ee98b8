/** A page that a hook vetoed: a skip for a crawl, an error for whoever wants this one page. */
import { PagewrightError } from '../errors.ts';
import type { HookName } from './hook-lists.ts';

export class SkippedByHook extends PagewrightError {
  /** For the books of a job. */
  readonly rule: string;

  constructor(name: HookName, url: string, reason: string | undefined) {
    const why = reason === undefined ? '' : `: ${reason}`;
    super('HOOK_FAILED', `The hook "${name}" skipped ${url}${why}.`, { url });
    this.rule = `hooks.${name}${why}`;
  }
}
