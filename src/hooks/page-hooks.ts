/** The hook between parsing and formats: `beforeFormats`. */
import type { HookState, OwnDocument, PageChange, PageLink } from '../model/hooks.ts';
import type { Page } from '../model/page.ts';
import type { Deadline } from '../network/deadline.ts';
import { preview } from '../text/preview.ts';
import { badAnswer, callHook, type HookCall } from './call-hook.ts';
import type { HookLists } from './hook-lists.ts';
import { isObject } from './is-object.ts';
import { SkippedByHook } from './skipped-by-hook.ts';

/** What the hooks made of a page. */
export interface HookedPage {
  /** Undefined when no hook looked at them. */
  readonly links?: readonly PageLink[] | undefined;
  /** In place of what the formats would give. */
  readonly document?: OwnDocument | undefined;
  /** The document is not wanted. */
  readonly veto?: SkippedByHook | undefined;
}

/** Hands the page to the hooks; its links are looked for when one of them asks. */
export async function runBeforeFormats(
  hooks: HookLists['beforeFormats'],
  state: HookState,
  page: Page,
  findLinks: () => readonly PageLink[],
  deadline: Deadline,
): Promise<HookedPage> {
  const call = { name: 'beforeFormats', url: state.url, deadline } as const;
  let links: PageLink[] | undefined;
  let document: OwnDocument | undefined;
  let veto: SkippedByHook | undefined;
  for (const hook of hooks) {
    const answer: unknown = await callHook(call, () =>
      hook({
        ...state,
        page,
        get links() {
          return (links ??= [...findLinks()]);
        },
        skip: (reason) => {
          veto ??= new SkippedByHook('beforeFormats', state.url, reason);
        },
      }),
    );
    const change = answer === undefined ? {} : checkedChange(answer, call);
    if (change.links !== undefined) links = [...change.links];
    document = change.document ?? document;
    // Spread, since it may have holes.
    const [bad] = [...(links ?? [])].filter((link) => !isLink(link)).map(preview);
    if (bad !== undefined) throw badAnswer(call, `${bad} in place of a link { url }`);
    // What it made of the links counts all the same.
    if (veto !== undefined) break;
  }
  return { links, document, veto };
}

function checkedChange(answer: unknown, call: HookCall): PageChange {
  if (!isObject(answer))
    throw badAnswer(call, `${preview(answer)} in place of { links, document }`);
  const { links, document, ...rest } = answer;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw badAnswer(call, `${preview(unknown)}, which is neither links nor document,`);
  }
  if (links !== undefined && !Array.isArray(links)) {
    throw badAnswer(call, `${preview(links)} in place of links`);
  }
  if (document !== undefined && !isObject(document)) {
    throw badAnswer(call, `${preview(document)} as a document`);
  }
  return answer;
}

function isLink(link: unknown): boolean {
  if (!isObject(link)) return false;
  const { url, text = '', rel = '' } = link;
  return [url, text, rel].every((part) => typeof part === 'string');
}
