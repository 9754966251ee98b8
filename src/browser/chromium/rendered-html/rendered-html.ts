/** The HTML of a page as displayed: shadow roots, slots and frames of the same site are inlined. */
import type { CDPSession, Page } from 'playwright-core';
import {
  checkAnswer,
  forgetWorld,
  type InPage,
  inTime,
  IsolatedWorld,
  pageSession,
  pageWorld,
} from '../../actions/isolated-world.ts';
import { PagewrightError } from '../../../core/runtime/errors.ts';
import type { UnseenElements } from '../../../core/model/snapshot.ts';
import { withSignal } from '../../../core/runtime/deadline.ts';
import {
  countNodes,
  type FlatDocument,
  flattenDocument,
  type FlattenOptions,
  plainSample,
  readPlainPage,
} from './in-page/frame-html.ts';
import { findHidden } from './in-page/find-hidden.ts';
import { findSiteFrames, hasSiteFrames, type SiteFrame, type SiteFrames } from './page-frames.ts';

/** Limits of reading. */
export interface RenderedHtmlOptions {
  /** A longer page is `BODY_TOO_LARGE`. */
  readonly maxCharacters: number;
  readonly signal: AbortSignal;
}

/** The HTML, and the elements that readers do not see. */
export interface RenderedHtml {
  readonly html: string;
  readonly warnings: readonly string[];
  /** Undefined if the page was merged from several trees, or has too many elements. */
  readonly unseen?: UnseenElements | undefined;
}

/**
 * Reads the page, doctype included. Parts of shadow trees that a reader does not see are left out:
 * light children without a slot, the fallback of a slot that is filled, style sheets that hold
 * inside only. A frame of the page's own site becomes `<div data-pagewright-frame="URL">` with the
 * children of its body, their URLs absolute; frames of other sites and frames that are not shown
 * stay as they are.
 *
 * The page cannot fake its content: it is read in an isolated world. Shadow roots are detected by
 * two counts that the browser makes: nodes with shadow trees, and nodes without. This is the
 * cheapest way that also sees closed and declarative roots (60,000 nodes: 5 ms; `DOM.getDocument`
 * 500 ms and 9.7 MB, `DOMSnapshot` 250 ms and 4.4 MB, the HTML itself 50 ms); a script that records
 * roots would be visible to the page and would miss declarative ones. A page without any costs one
 * read of its `outerHTML`. An empty closed root is not noticed.
 *
 * Rejects with `BODY_TOO_LARGE`, `PARSE_LIMIT` for over a million nodes to be flattened, and with
 * `signal.reason`.
 */
export async function renderedHtml(
  page: Page,
  options: RenderedHtmlOptions,
): Promise<RenderedHtml> {
  options.signal.throwIfAborted();
  return withSignal(readSteady(page, options), options.signal);
}

/** A page that navigates while it is read is read again. */
async function readSteady(page: Page, options: RenderedHtmlOptions): Promise<RenderedHtml> {
  const { session } = await pageSession(page);
  for (let left = 3; ; left -= 1) {
    try {
      return await read(page, session, options);
    } catch (error) {
      const isOver = left <= 1 || page.isClosed() || options.signal.aborted;
      if (isOver || error instanceof PagewrightError) throw error;
      forgetWorld(page);
    } finally {
      // Otherwise a session that knows the document would receive every change of it.
      void session.send('DOM.disable').catch(() => undefined);
    }
  }
}

async function read(
  page: Page,
  session: CDPSession,
  options: RenderedHtmlOptions,
): Promise<RenderedHtml> {
  if (!hasSiteFrames(page)) {
    const { maxCharacters } = options;
    const world = await pageWorld(page);
    const [all, answer, found] = await Promise.all([
      countAllNodes(session),
      world.call(readPlainPage, maxCharacters),
      world.call(findHidden, limits.elements),
    ]);
    const plain = checkAnswer(answer, plainSample, 'HTML');
    if (plain.length > maxCharacters) throw tooLarge(page, maxCharacters, plain.length);
    const unseen = checkAnswer(found, unseenSample, 'hidden elements');
    if (plain.nodes === all) return { html: plain.html, warnings: [], unseen };
  }
  const site = await findSiteFrames(page, session, limits.frames);
  try {
    return await flattenFrames(page, site, options);
  } finally {
    await site.close();
  }
}

const unseenSample: UnseenElements = { elements: 0, hidden: [''], faded: [''], illegible: [''] };

const limits = {
  elements: 30_000, // in which hidden ones are searched
  frames: 50,
  nodes: 1_000_000, // of the whole page
  shadowRoots: 100_000,
  closedRoots: 10_000, // of the whole page: each costs a command to the browser
};

/** The error about a page that is longer than allowed. */
export function tooLarge(page: Page, limit: number, length?: number): PagewrightError {
  const url = page.url();
  const size = length === undefined ? `more than ${limit}` : `${length}`;
  return new PagewrightError(
    'BODY_TOO_LARGE',
    `The rendered page ${url} has ${size} characters; the limit is ${limit}. Raise limits.bodyBytes to read it.`,
    { url },
  );
}

function tooManyNodes(page: Page): PagewrightError {
  const url = page.url();
  return new PagewrightError(
    'PARSE_LIMIT',
    `The rendered page ${url} has more than ${limits.nodes} nodes around its shadow roots and frames.`,
    { url },
  );
}

// Reads each frame of a page's site and inserts the inner ones into the outer ones.

/** Frames are read from the innermost; one that cannot be read stays an `<iframe>`. */
async function flattenFrames(
  page: Page,
  site: SiteFrames,
  { maxCharacters, signal }: RenderedHtmlOptions,
): Promise<RenderedHtml> {
  const warnings = new Set<string>();
  if (site.isCut)
    warnings.add('The page has more frames than are inlined; the rest were left as they are.');
  const worlds = await openWorlds(site.frames);
  const roots = await findRoots(site.frames, worlds, signal, warnings);
  const inner = new Map<SiteFrame, string>();
  let characters = maxCharacters;
  for (const frame of site.frames.toReversed()) {
    signal.throwIfAborted();
    const isPage = frame.parent === undefined;
    const reading = readFrame(frame, worlds, inner, roots, characters);
    const flat = await (isPage ? reading : inTime(reading, patience));
    if (flat === undefined) {
      warnings.add(`The frame ${frame.url} could not be read and was left as it is.`);
      continue;
    }
    if (flat.isCut) warnings.add(tooManyRoots);
    if (flat.limit === 'characters') throw tooLarge(page, maxCharacters);
    if (flat.limit === 'nodes') throw tooManyNodes(page);
    characters -= flat.length;
    if (isPage) return { html: flat.html, warnings: [...warnings] };
    inner.set(frame, flat.html);
  }
  throw new Error('The page has no main frame.');
}

type Worlds = ReadonlyMap<SiteFrame, IsolatedWorld>;

/** Nodes in closed shadow roots. */
type Roots = ReadonlyMap<SiteFrame, readonly InPage<Node>[]>;

async function openWorlds(frames: readonly SiteFrame[]): Promise<Worlds> {
  const worlds = new Map<SiteFrame, IsolatedWorld>();
  await Promise.all(
    frames.map(async (frame) => {
      const opening = IsolatedWorld.open(frame.session, frame.id);
      const world = await (frame.parent === undefined ? opening : inTime(opening, patience));
      if (world !== undefined) worlds.set(frame, world);
    }),
  );
  return worlds;
}

/** If a script reaches as many nodes as there are, there are no closed roots. */
async function findRoots(
  frames: readonly SiteFrame[],
  worlds: Worlds,
  signal: AbortSignal,
  warnings: Set<string>,
): Promise<Roots> {
  const found = new Map<SiteFrame, InPage<Node>[]>();
  const sessions = [...new Set(frames.map(({ session }) => session))];
  await Promise.all(
    sessions.map((session) =>
      session === frames[0]?.session ? find(session) : inTime(find(session), patience),
    ),
  );
  return found;

  async function find(session: CDPSession): Promise<void> {
    const own = frames.filter((frame) => frame.session === session);
    if (await isComplete(session, own)) return;
    const closed = await findInClosedRoots(session);
    let left = limits.closedRoots;
    for (const depth of ['outer', 'inner'] as const) {
      // Roots in closed roots are rare, and each command costs: the first ones may be all.
      if (depth === 'inner' && (await isComplete(session, own))) return;
      for (const frame of own) {
        const ids = closed.get(frame.id)?.[depth] ?? [];
        const world = worlds.get(frame);
        if (ids.length > left) warnings.add(tooManyRoots);
        const held = await holdAll(world, ids.slice(0, left), signal);
        found.set(frame, [...(found.get(frame) ?? []), ...held]);
        left = Math.max(0, left - ids.length);
      }
    }
  }

  async function isComplete(session: CDPSession, own: readonly SiteFrame[]): Promise<boolean> {
    const counts = own.map(async (frame) =>
      Number(await worlds.get(frame)?.call(countNodes, limits.nodes, ...(found.get(frame) ?? []))),
    );
    const [all, ...each] = await Promise.all([countAllNodes(session), ...counts]);
    return all === each.reduce((sum, count) => sum + count, 0);
  }
}

async function readFrame(
  frame: SiteFrame,
  worlds: Worlds,
  inner: ReadonlyMap<SiteFrame, string>,
  roots: Roots,
  maxCharacters: number,
): Promise<(FlatDocument & { readonly html: string }) | undefined> {
  const world = worlds.get(frame);
  if (world === undefined) return undefined;
  const owners: InPage<Node>[] = [];
  const children: SiteFrame[] = [];
  for (const child of inner.keys()) {
    const owner = child.parent === frame ? await ownerOf(child, frame, world) : undefined;
    if (owner === undefined) continue;
    owners.push(owner);
    children.push(child);
  }
  const held = roots.get(frame) ?? [];
  const options: FlattenOptions = {
    maxCharacters,
    maxNodes: limits.nodes,
    maxShadowRoots: limits.shadowRoots,
    isInner: frame.parent !== undefined,
    frames: owners.length,
  };
  const flat = (await world.call(flattenDocument, options, ...owners, ...held)) as FlatDocument;
  const html = flat.parts.map((part, index) => {
    const child = children[flat.frames[index] ?? -1];
    return child === undefined ? part : part + marked(child, inner.get(child) ?? '');
  });
  return { ...flat, html: html.join('') };
}

async function ownerOf(
  child: SiteFrame,
  parent: SiteFrame,
  world: IsolatedWorld,
): Promise<InPage<Node> | undefined> {
  const { backendNodeId } = await parent.session
    .send('DOM.getFrameOwner', { frameId: child.id })
    .catch(() => ({ backendNodeId: undefined }));
  return backendNodeId === undefined ? undefined : world.node(backendNodeId);
}

/** In batches: thousands of concurrent commands would block everything else. */
async function holdAll(
  world: IsolatedWorld | undefined,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<InPage<Node>[]> {
  const held: InPage<Node>[] = [];
  if (world === undefined) return held;
  for (let from = 0; from < ids.length; from += 200) {
    signal.throwIfAborted();
    const round = await Promise.all(ids.slice(from, from + 200).map((id) => world.node(id)));
    held.push(...round.filter((node) => node !== undefined));
  }
  return held;
}

function marked(frame: SiteFrame, html: string): string {
  const url = frame.url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<div data-pagewright-frame="${url}">${html}</div>`;
}

const tooManyRoots = 'The page has more shadow roots than are read; the rest were left out.';

const patience = 2_000; // milliseconds: a frame in another process may hang

// Closed shadow roots: scripts cannot read them, so they are requested from the browser.

/**
 * Counts elements, texts and comments of a session's documents, in closed shadow roots too. The
 * browser only counts: no content of the page is transferred, and it takes 5 ms for 60,000 nodes.
 */
async function countAllNodes(session: CDPSession): Promise<number> {
  // Commands are answered in order.
  const [, { searchId, resultCount }] = await Promise.all([
    session.send('DOM.getDocument', { depth: 0 }),
    session.send('DOM.performSearch', { query: '' }),
  ]);
  void session.send('DOM.discardSearchResults', { searchId }).catch(() => undefined);
  return resultCount;
}

/** Nodes of one document whose root is a closed shadow root. */
interface ClosedNodes {
  /** At least one node of each root that is not inside another closed one. */
  readonly outer: readonly number[];
  /** If such a root contains others: at least one node of each of them, among others. */
  readonly inner: readonly number[];
}

/**
 * By the id of the frame. Costs about ten times as much as the HTML, so it is called only when the
 * counts differ.
 */
async function findInClosedRoots(session: CDPSession): Promise<ReadonlyMap<string, ClosedNodes>> {
  const { documents, strings } = await session.send('DOMSnapshot.captureSnapshot', {
    computedStyles: [],
  });
  const found = new Map<string, ClosedNodes>();
  for (const { frameId, nodes } of documents) {
    const { index = [], value = [] } = nodes.shadowRootType ?? {};
    const closed = new Set(
      index.filter((_, position) => strings[value[position] ?? -1] === 'closed'),
    );
    const outer: number[] = [];
    const inner: number[] = [];
    const parents = new Set<number>();
    for (const node of closed) {
      // Children of a root are listed under its host: one of each parent is enough.
      const parent = nodes.parentIndex?.[node] ?? -1;
      const id = nodes.backendNodeId?.[node];
      if (id === undefined || parents.has(parent)) continue;
      parents.add(parent);
      (closed.has(parent) ? inner : outer).push(id);
    }
    if (outer.length > 0) found.set(strings[frameId] ?? '', { outer, inner });
  }
  return found;
}
