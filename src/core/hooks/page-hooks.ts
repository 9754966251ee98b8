/** The hooks on a fetched page: `beforeFormats`, `onDocument`, `onError` and `transformLink`. */
import { setImmediate } from 'node:timers/promises';
import { messageOf, PagewrightError } from '../runtime/errors.ts';
import type { Metadata, PlainDocument } from '../model/document.ts';
import type {
  BeforeFormats,
  HookState,
  LinkState,
  OwnDocument,
  PageChange,
  PageLink,
  WorkerHook,
} from '../model/hooks.ts';
import type { Page } from '../model/page.ts';
import { compact } from '../runtime/compact.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { preview } from '../checks/option-errors.ts';
import { normalizeUrl, resolveLink } from '../url/normalize-url.ts';
import { callHook, callWithVeto, type HookCall, invalidHookResult } from './call-hook.ts';
import { isRecord } from '../runtime/json.ts';
import { importOwn, ownModuleFailed } from './own-module.ts';
import { type HookLists, isWorkerHook } from './hook-lists.ts';

/** The changes that hooks made to a page. */
export interface HookedPage {
  /** Undefined if no hook read them. */
  readonly links?: readonly PageLink[] | undefined;
  /** Replaces the result of the formats. */
  readonly document?: OwnDocument | undefined;
  /** A hook vetoed the document. */
  readonly veto?: { readonly reason: string | undefined } | undefined;
}

/** The hooks on a parsed page, with the state of their call. */
export interface PageHooks {
  readonly hooks: HookLists['beforeFormats'];
  /** Without the signal, which cannot be sent to a worker. */
  readonly state: Omit<HookState, 'signal'>;
}

/** Passes the page to the hooks; its links are discovered when one of them reads them. */
export async function runBeforeFormats(
  { hooks, state }: PageHooks,
  page: Page,
  findLinks: () => readonly PageLink[],
  deadline: HookCall['deadline'],
): Promise<HookedPage> {
  const call = { name: 'beforeFormats', url: state.url, deadline } as const;
  const { signal } = deadline;
  let links: PageLink[] | undefined;
  let document: OwnDocument | undefined;
  let veto: HookedPage['veto'];
  for (const hook of hooks) {
    const run = isWorkerHook(hook) ? await loadHook(hook, state.url) : hook;
    const answer: unknown = await callHook(call, () =>
      run({
        ...state,
        signal,
        page,
        get links() {
          return (links ??= [...findLinks()]);
        },
        skip: (reason) => {
          veto ??= { reason };
        },
      }),
    );
    const change = answer === undefined ? {} : checkedChange(answer, call);
    if (change.links !== undefined) links = [...change.links];
    document = change.document ?? document;
    // Spread, because it may have holes.
    const [bad] = [...(links ?? [])].filter((link) => !isLink(link)).map(preview);
    if (bad !== undefined) throw invalidHookResult(call, `${bad} instead of a link { url }`);
    // Its changes to the links still count.
    if (veto !== undefined) break;
  }
  return { links, document, veto };
}

/** Loads the module of a hook; Node loads each only once. Throws `HOOK_FAILED`. */
async function loadHook({ worker }: WorkerHook, url: string): Promise<BeforeFormats> {
  const exported = await importOwn(worker, 'The hook "beforeFormats"', url);
  const { beforeFormats: hook } = exported;
  if (typeof hook === 'function') return hook as BeforeFormats;
  throw ownModuleFailed('The hook "beforeFormats"', url, worker, 'does not export it.');
}

function checkedChange(answer: unknown, call: HookCall): PageChange {
  if (!isRecord(answer))
    throw invalidHookResult(call, `${preview(answer)} instead of { links, document }`);
  const { links, document, ...rest } = answer;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw invalidHookResult(call, `${preview(unknown)}, which is neither links nor document,`);
  }
  if (links !== undefined && !Array.isArray(links)) {
    throw invalidHookResult(call, `${preview(links)} instead of links`);
  }
  if (document !== undefined && !isRecord(document)) {
    throw invalidHookResult(call, `${preview(document)} as a document`);
  }
  return answer;
}

function isLink(link: unknown): boolean {
  if (!isRecord(link)) return false;
  const { url, text = '', rel = '' } = link;
  return [url, text, rel].every((part) => typeof part === 'string');
}

// The hooks on the result of a page: `onDocument` and `onError`.

/** The document after the hooks; rejects with `SkippedByHook` when one vetoes. */
export async function runOnDocument(
  hooks: HookLists['onDocument'],
  state: HookState,
  made: PlainDocument,
  deadline: Deadline,
): Promise<PlainDocument> {
  const call = { name: 'onDocument', url: state.url, deadline } as const;
  const facts = { ...made.metadata };
  let document = made;
  for (const hook of hooks) {
    const answer: unknown = await callWithVeto(call, (skip) =>
      hook(Object.freeze({ ...state, document, skip })),
    );
    document = completed(answer === undefined ? document : answer, facts, call);
  }
  return document;
}

/** The result of a failure. */
export type OnErrorResult = { readonly error: unknown } | { readonly document: PlainDocument };

/** The failure after the hooks; never rejects: the error of a hook replaces the failure. */
export async function runOnError(
  hooks: HookLists['onError'],
  state: HookState,
  failure: unknown,
  deadline: Deadline,
): Promise<OnErrorResult> {
  const call = { name: 'onError', url: state.url, deadline } as const;
  let error = failure;
  try {
    for (const hook of hooks) {
      const answer: unknown = await callHook(call, () => hook(Object.freeze({ ...state, error })));
      if (answer instanceof Error) error = answer;
      else if (answer !== undefined) {
        return { document: completed(answer, factsOfFailure(state, error), call) };
      }
    }
  } catch (thrown) {
    return { error: thrown };
  }
  return { error };
}

function completed(answer: unknown, facts: Metadata, call: HookCall): PlainDocument {
  if (!isRecord(answer)) {
    throw invalidHookResult(call, `${preview(answer)} as a document`);
  }
  const { metadata } = answer;
  if (metadata !== undefined && !isRecord(metadata)) {
    throw invalidHookResult(call, `${preview(metadata)} as the metadata of a document`);
  }
  // The usage still counts, by this number.
  return { ...answer, metadata: { ...facts, ...metadata, creditsUsed: facts.creditsUsed } };
}

/** Without a page there is no usage; only error and status of the response are known. */
function factsOfFailure({ url, depth, parent, label, data }: HookState, error: unknown): Metadata {
  const { code, statusCode = 0 } = error instanceof PagewrightError ? error : {};
  return {
    sourceURL: url,
    url,
    statusCode,
    contentType: '',
    error: messageOf(error),
    ...(code === undefined ? {} : { errorCode: code }),
    scrapeId: '',
    engine: 'none',
    engineReason: 'the hook onError gave the document',
    proxyUsed: 'basic',
    creditsUsed: 0,
    ...compact<Partial<Metadata>>({ depth, parentUrl: parent, label, data }),
  };
}

// The hook on links: `transformLink`.

const linksAtOnce = 1000; // links passed to hooks before the event loop runs

/** A link as found, without the signal. */
export type FoundLink = Omit<LinkState, 'signal'>;

/** Calls the hooks for each link in order; yields its new URL, or false for an excluded link. */
export async function* runTransformLink(
  hooks: HookLists['transformLink'],
  links: Iterable<FoundLink>,
  deadline: Deadline,
): AsyncGenerator<{ readonly link: FoundLink; readonly url: string | false }, void, undefined> {
  let count = 0;
  for (const link of links) {
    let url: string | false = link.url;
    for (const hook of hooks) {
      const state = Object.freeze({ ...link, url, signal: deadline.signal });
      url = await transformed(hook, state, deadline);
      if (url === false) break;
    }
    yield { link, url };
    if (++count % linksAtOnce === 0) await setImmediate();
  }
}

async function transformed(
  hook: HookLists['transformLink'][number],
  state: LinkState,
  deadline: Deadline,
): Promise<string | false> {
  const call = { name: 'transformLink', url: state.url, deadline } as const;
  const answer: unknown = await callHook(call, () => hook(state));
  if (answer === undefined) return state.url;
  if (answer === false) return false;
  const url = typeof answer === 'string' ? resolveLink(answer, state.url) : undefined;
  if (url === undefined)
    throw invalidHookResult(call, `${preview(answer)} instead of a URL or false`);
  return normalizeUrl(url, {});
}
