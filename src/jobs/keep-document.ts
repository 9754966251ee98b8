/** A page's document in its turn: made, paid for and kept, or the reason why it is not. */
import { PagewrightError } from '../errors.ts';
import type { HookLists } from '../hooks/hook-lists.ts';
import type { PlainDocument } from '../model/document.ts';
import type { JobBudget } from './job-budget.ts';
import type { JobControl } from './job-status.ts';

/** `rule` is that of the budget that leaves the page out; `error` is the page's failure, not the job's. */
export type Kept = { readonly rule: string } | { readonly error: unknown } | 'kept';

/** Rejects with what ends the job: the store does not take the document. */
export async function keepDocument(
  job: JobControl<PlainDocument>,
  budget: JobBudget,
  url: string,
  make: () => Promise<PlainDocument>,
): Promise<Kept> {
  const stored = job.stored(url);
  if (stored !== undefined) {
    const rule = budget.take({ credits: stored.credits });
    if (rule !== undefined) return { rule };
    await job.adopt(stored);
    return 'kept';
  }
  let document: PlainDocument;
  try {
    document = await make();
  } catch (error) {
    const rule = budget.causeOf(error);
    return rule === undefined ? { error } : { rule };
  }
  const { creditsUsed } = document.metadata;
  const rule = budget.take({ credits: creditsUsed });
  if (rule !== undefined) return { rule };
  try {
    await job.keep(document, url, creditsUsed);
    return 'kept';
  } catch (error) {
    if (!(error instanceof PagewrightError) || error.code !== 'HOOK_FAILED') throw error;
    return { error };
  }
}

/** Hooks see a document once: what they threw for it before they would throw again, or not. */
export function makeOnce(
  { journal, signal }: Pick<JobControl<PlainDocument>, 'journal' | 'signal'>,
  hooks: Pick<HookLists, 'onDocument'>,
  url: string,
  make: () => Promise<PlainDocument>,
): Promise<PlainDocument> {
  if (journal === undefined || hooks.onDocument.length === 0) return make();
  return journal.answer('unmade', url, signal, make);
}
