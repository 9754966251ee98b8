/** The frames of a page that belong to its site, each with its session. */
import type { CDPSession, Frame, Page } from 'playwright-core';
import { registrableDomain } from '../../../core/url/registrable-domain.ts';
import { canParseUrl } from '../../../core/url/normalize-url.ts';

/** A frame of the page's site. */
export interface SiteFrame {
  readonly id: string;
  readonly url: string;
  readonly session: CDPSession;
  /** Undefined for the page itself. */
  readonly parent: SiteFrame | undefined;
}

/**
 * The page first, parents before children. `close` ends the sessions of frames in other processes.
 */
export interface SiteFrames {
  readonly frames: readonly SiteFrame[];
  /** Frames beyond the limit were left out. */
  readonly isCut: boolean;
  close(): Promise<void>;
}

/** True when a frame of the page shows a document of the page's own site. Sends no command. */
export function hasSiteFrames(page: Page): boolean {
  return page
    .mainFrame()
    .childFrames()
    .some((frame) => isSameSite(frame.url(), page.url()));
}

/**
 * Frames of other sites are left out with all their content. A sandboxed frame, or one that requested its own
 * process, has its own session.
 */
export async function findSiteFrames(
  page: Page,
  session: CDPSession,
  maxFrames: number,
): Promise<SiteFrames> {
  const own: CDPSession[] = [];
  const frames: SiteFrame[] = [];
  const waiting: (FrameTree & { readonly session: CDPSession })[] = [
    { ...(await treeOf(session)), session },
  ];
  const others = siteFramesOf(page.mainFrame(), page.url());
  const found: { isCut: boolean } = { isCut: false };
  const take = (): void => {
    // A frame whose parent comes later, in another session, is tried again then.
    for (let isNew = true; isNew;) {
      isNew = false;
      for (const tree of waiting.splice(0)) {
        const { frame, childFrames = [] } = tree;
        const parent = frames.find(({ id }) => id === frame.parentId);
        if (frames.length > 0 && parent === undefined) {
          waiting.push(tree);
        } else if (frames.length === 0 || isSameSite(frame.url, page.url())) {
          isNew = true;
          if (frames.length > maxFrames) found.isCut = true;
          else frames.push({ id: frame.id, url: frame.url, session: tree.session, parent });
          for (const child of childFrames) waiting.push({ ...child, session: tree.session });
        }
      }
    }
  };
  take();
  if (others.length + 1 > frames.length && !found.isCut) {
    for (const tree of await Promise.all(
      others.slice(0, maxFrames).map((frame) => separate(frame)),
    )) {
      if (tree === undefined) continue;
      own.push(tree.session);
      waiting.push(tree);
    }
    take();
  }
  return {
    frames,
    isCut: found.isCut || others.length > maxFrames,
    async close() {
      await Promise.all(own.map((each) => each.detach().catch(() => undefined)));
    },
  };
}

interface FrameTree {
  readonly frame: { readonly id: string; readonly url: string; readonly parentId?: string };
  readonly childFrames?: readonly FrameTree[];
}

async function treeOf(session: CDPSession): Promise<FrameTree> {
  return (await session.send('Page.getFrameTree')).frameTree;
}

/** Undefined for a frame in the process of its parent. */
async function separate(frame: Frame): Promise<(FrameTree & { session: CDPSession }) | undefined> {
  try {
    const session = await frame.page().context().newCDPSession(frame);
    return { ...(await treeOf(session)), session };
  } catch {
    return undefined;
  }
}

function siteFramesOf(frame: Frame, pageUrl: string): Frame[] {
  const found: Frame[] = [];
  const open = [frame];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const child of next.childFrames()) {
      if (!isSameSite(child.url(), pageUrl)) continue;
      found.push(child);
      open.push(child);
    }
  }
  return found;
}

/** A child frame without a URL of its own belongs to its parent's site. */
export function isSameSite(url: string, pageUrl: string): boolean {
  if (url === '' || /^about:(?:blank|srcdoc)\b/.test(url)) return true;
  const site = siteOf(url);
  return site !== undefined && site === siteOf(pageUrl);
}

function siteOf(url: string): string | undefined {
  const address = url.startsWith('blob:') ? url.slice('blob:'.length) : url;
  if (!canParseUrl(address)) return undefined;
  const { protocol, hostname } = new URL(address);
  return /^https?:$/.test(protocol) ? registrableDomain(hostname) : undefined;
}
