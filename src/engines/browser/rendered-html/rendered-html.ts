/** The HTML of a page as it is shown: shadow roots, slots and frames of the same site in place. */
import type { CDPSession, Page } from 'playwright-core';
import { checkAnswer } from '../../../actions/check-answer.ts';
import { forgetWorld, pageSession, pageWorld } from '../../../actions/page-session.ts';
import { PagewrightError } from '../../../errors.ts';
import type { UnseenElements } from '../../../model/snapshot.ts';
import { withSignal } from '../../../network/deadline.ts';
import { countAllNodes } from './closed-roots.ts';
import { flattenFrames } from './flatten-frames.ts';
import { findUnseen } from './in-page/find-unseen.ts';
import { type PlainPage, readPlainPage } from './in-page/read-plain-page.ts';
import { findSiteFrames, hasSiteFrames } from './page-frames.ts';

/** How much is read, and until when. */
export interface RenderedHtmlOptions {
  /** More is `BODY_TOO_LARGE`. */
  readonly maxCharacters: number;
  readonly signal: AbortSignal;
}

/** What was read. */
export interface RenderedHtml {
  readonly html: string;
  readonly warnings: readonly string[];
  /** Undefined where the page was put together from several trees, or has too many elements. */
  readonly unseen?: UnseenElements | undefined;
}

/**
 * Reads the page, doctype included. What a reader does not see of shadow trees is left out: light
 * children without a slot, the fallback of a slot that is filled, style sheets that hold inside only.
 * A frame of the page's own site becomes `<div data-pagewright-frame="URL">` with the children of its
 * body, their URLs absolute; frames of other sites and frames that are not shown stay as they are.
 *
 * The page cannot lie about itself: it is read in a world of our own. That there are shadow roots is
 * known from two counts that the browser makes: nodes with shadow trees, and nodes without. Of the
 * ways to know it this is the cheapest that also sees closed and declarative roots (60,000 nodes:
 * 5 ms; `DOM.getDocument` 500 ms and 9.7 MB, `DOMSnapshot` 250 ms and 4.4 MB, the HTML itself 50 ms);
 * a script that remembers roots would be seen by the page and would miss declarative ones. A page
 * without any costs one reading of its `outerHTML`. A closed root that is empty is not noticed.
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

/** A page that goes elsewhere while it is read is read again there. */
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
      // A session that knows the document would be told of every change of it.
      void session.send('DOM.disable').catch(() => undefined);
    }
  }
}

async function read(
  page: Page,
  session: CDPSession,
  { maxCharacters, signal }: RenderedHtmlOptions,
): Promise<RenderedHtml> {
  if (!hasSiteFrames(page)) {
    const world = await pageWorld(page);
    const [all, answer, found] = await Promise.all([
      countAllNodes(session),
      world.call(readPlainPage, maxCharacters),
      world.call(findUnseen, limits.elements),
    ]);
    const plain = checkAnswer(answer, plainSample, 'HTML');
    if (plain.length > maxCharacters) throw tooLarge(page, maxCharacters, plain.length);
    const unseen = checkAnswer(found, unseenSample, 'hidden elements');
    if (plain.nodes === all) return { html: plain.html, warnings: [], unseen };
  }
  const site = await findSiteFrames(page, session, limits.frames);
  try {
    const flat = await flattenFrames(site, { ...limits, maxCharacters, signal });
    if (flat.limit === 'characters') throw tooLarge(page, maxCharacters);
    if (flat.limit === 'nodes') throw tooManyNodes(page);
    return flat;
  } finally {
    await site.close();
  }
}

const plainSample: PlainPage = { html: '', length: 0, nodes: 0 };
const unseenSample: UnseenElements = { elements: 0, hidden: [''], faded: [''], illegible: [''] };

/** What is flattened at most. */
const limits = {
  elements: 30_000,
  frames: 50,
  nodes: 1_000_000,
  shadowRoots: 100_000,
  closedRoots: 10_000,
};

function tooLarge(page: Page, limit: number, length?: number): PagewrightError {
  const url = page.url();
  const size = length === undefined ? `more than ${limit}` : `${length}`;
  return new PagewrightError(
    'BODY_TOO_LARGE',
    `The rendered page ${url} has ${size} characters, ${limit} are allowed. Raise limits.bodyBytes to read it.`,
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
