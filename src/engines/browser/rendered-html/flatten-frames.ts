/** Reads each frame of a page's site and puts the inner ones into the outer ones. */
import type { CDPSession } from 'playwright-core';
import { type InPage, IsolatedWorld } from '../../../actions/isolated-world.ts';
import { inTime } from '../in-time.ts';
import { countAllNodes, findInClosedRoots } from './closed-roots.ts';
import { countNodes } from './in-page/count-nodes.ts';
import {
  type FlatDocument,
  flattenDocument,
  type FlattenOptions,
} from './in-page/flatten-document.ts';
import type { SiteFrame, SiteFrames } from './page-frames.ts';

/** Limits of the whole page. */
export interface FlattenLimits {
  readonly maxCharacters: number;
  readonly nodes: number;
  readonly shadowRoots: number;
  /** Each costs a question to the browser. */
  readonly closedRoots: number;
  readonly signal: AbortSignal;
}

/** The page, or the limit that it met. */
export interface FlatPage {
  readonly html: string;
  readonly warnings: readonly string[];
  readonly limit?: FlatDocument['limit'];
}

/** Frames are read from the innermost; one that cannot be read stays an `<iframe>`. */
export async function flattenFrames(site: SiteFrames, limits: FlattenLimits): Promise<FlatPage> {
  const warnings = new Set<string>();
  if (site.isCut)
    warnings.add('The page has more frames than are put in place; the rest was left.');
  const worlds = await openWorlds(site.frames);
  const roots = await findRoots(site.frames, worlds, limits, warnings);
  const inner = new Map<SiteFrame, string>();
  let characters = limits.maxCharacters;
  for (const frame of site.frames.toReversed()) {
    limits.signal.throwIfAborted();
    const isPage = frame.parent === undefined;
    const reading = readFrame(frame, worlds, inner, roots, {
      ...limits,
      maxCharacters: characters,
    });
    const flat = await (isPage ? reading : inTime(reading, patience));
    if (flat === undefined) {
      warnings.add(`The frame ${frame.url} could not be read and was left as it is.`);
      continue;
    }
    if (flat.isCut) warnings.add(tooManyRoots);
    if (flat.limit !== undefined) return { html: '', warnings: [], limit: flat.limit };
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

/** Where a script can reach as many nodes as there are, there are no closed roots. */
async function findRoots(
  frames: readonly SiteFrame[],
  worlds: Worlds,
  limits: FlattenLimits,
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
      // Roots in closed roots are rare, and each question costs: the first ones may be all.
      if (depth === 'inner' && (await isComplete(session, own))) return;
      for (const frame of own) {
        const ids = closed.get(frame.id)?.[depth] ?? [];
        const world = worlds.get(frame);
        if (ids.length > left) warnings.add(tooManyRoots);
        const held = await holdAll(world, ids.slice(0, left), limits.signal);
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
  limits: FlattenLimits,
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
    maxCharacters: limits.maxCharacters,
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

/** In rounds: thousands of questions at once would keep everything else waiting. */
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

const tooManyRoots = 'The page has more shadow roots than are read; the rest was left out.';

/** A frame in another process may hang; ms. */
const patience = 2_000;
