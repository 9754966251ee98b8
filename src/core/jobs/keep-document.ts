/** Builds the document of a page in its turn, pays for it and stores it. */
import { PagewrightError } from '../runtime/errors.ts';
import type { HookLists } from '../hooks/hook-lists.ts';
import type { PlainDocument } from '../model/document.ts';
import { throwStoreError } from './durable/job-store.ts';
import type { DocumentOfVisit } from './durable/journal.ts';
import type { JobBudget } from './job-budget.ts';
import type { JobControl } from './job-status.ts';

/** `rule` is the budget rule that leaves the page out; `error` is the page's failure, not the job's. */
export type KeepOutcome = { readonly rule: string } | { readonly error: unknown } | 'kept';

/** Rejects with `STORAGE`, which ends the job. `visit`: the document is stored as is. */
export async function keepDocument(
  job: JobControl<PlainDocument>,
  budget: JobBudget,
  url: string,
  make: () => Promise<PlainDocument>,
  visit?: Omit<DocumentOfVisit, 'url'>,
): Promise<KeepOutcome> {
  const stored = job.stored(url);
  if (stored !== undefined) {
    const rule = budget.take({ credits: stored.credits });
    if (rule !== undefined) return { rule };
    await job.adopt(stored);
    return 'kept';
  }
  if (visit !== undefined && !job.isHeard()) {
    const rule = budget.take({ credits: visit.credits });
    if (rule !== undefined) return { rule };
    await job.keepVisit({ ...visit, url });
    return 'kept';
  }
  let document: PlainDocument;
  try {
    document = await make();
  } catch (error) {
    throwStoreError(error);
    const rule = budget.causeOf(error);
    return rule === undefined ? { error } : { rule };
  }
  const { creditsUsed: credits, redactions } = document.metadata;
  const rule = budget.take({ credits });
  if (rule !== undefined) return { rule };
  try {
    await job.keep(document, { url, credits, redactions });
    return 'kept';
  } catch (error) {
    if (!(error instanceof PagewrightError) || error.code !== 'HOOK_FAILED') throw error;
    return { error };
  }
}

/** Calls hooks for a document once in the life of a job: their error is stored, too. */
export function makeOnce(
  { journal, signal }: Pick<JobControl<PlainDocument>, 'journal' | 'signal'>,
  hooks: Pick<HookLists, 'onDocument'>,
  url: string,
  make: () => Promise<PlainDocument>,
): Promise<PlainDocument> {
  if (journal === undefined || hooks.onDocument.length === 0) return make();
  return journal.answer('unmade', url, signal, make);
}
