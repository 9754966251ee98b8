/** The outline of a page, and the hooks that get the page with its links. */
import { type HookedPage, type PageHooks, runBeforeFormats } from '../hooks/page-hooks.ts';
import type { Page } from '../model/page.ts';
import type { CleanOptions } from '../model/request.ts';
import type { Limits } from '../model/request-options.ts';
import type { Deadline } from '../runtime/deadline.ts';
import type { Redactor } from '../../content/text/redactor.ts';
import {
  findLinks,
  type FoundLinks,
  type OutlineOptions,
  type PageOutline,
  readOutline,
  resolveHookLinks,
} from './outline.ts';

/** The part of a plan for links and hooks. */
interface OutlinePlan extends OutlineOptions {
  readonly outline?: boolean | undefined;
  readonly clean: CleanOptions;
  readonly limits: Limits;
  readonly pageHooks?: PageHooks | undefined;
  readonly deadline?: Deadline | undefined;
}

/** The reading of a page. */
interface ReadOutline {
  readonly outline?: PageOutline;
  readonly hooked?: Pick<HookedPage, 'document' | 'veto'>;
}

/** Reads the page after redaction; the received links are found before it. */
export function outlineReader(
  received: Page,
  plan: OutlinePlan,
): (page: Page, signal: AbortSignal) => Promise<ReadOutline> {
  const { redactor } = plan.clean;
  const found = redactor && plan.outline ? redactedLinks(received, plan, redactor) : undefined;
  return async (page, signal) => {
    const { links, ...hooked } = await runHooks(page, plan, signal, found);
    const outline = plan.outline ? { outline: readOutline(page, links(), plan) } : {};
    return { ...hooked, ...outline };
  };
}

/** The links to follow unchanged, with redacted texts and reports. */
function redactedLinks(page: Page, { limits }: OutlinePlan, redactor: Redactor): FoundLinks {
  const { links, refused } = findLinks(page, limits.links);
  return {
    links: links.map((link) => ({ ...link, text: link.text && redactor.text(link.text) })),
    refused: refused.map(({ href, reason }) => ({ href: redactor.url(href), reason })),
  };
}

/** Hooks may change the page; its links are read first. */
async function runHooks(
  page: Page,
  { pageHooks, limits, outline = false, deadline }: OutlinePlan,
  signal: AbortSignal,
  known: FoundLinks | undefined,
): Promise<Pick<ReadOutline, 'hooked'> & { readonly links: () => FoundLinks }> {
  let found = known;
  const find = (): FoundLinks => (found ??= findLinks(page, limits.links));
  if (pageHooks === undefined) return { links: find };
  if (outline) find();
  const within = deadline ?? { signal, waitsFor: undefined };
  const { links, document, veto } = await runBeforeFormats(
    pageHooks,
    page,
    () => find().links,
    within,
  );
  return {
    links: links === undefined ? find : () => resolveHookLinks(page, limits.links, links, found),
    ...(document === undefined && veto === undefined ? {} : { hooked: { document, veto } }),
  };
}
