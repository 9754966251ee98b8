/** Blocks that stand on most pages of a site: menus, promotions, notices. */
import type { DomElement } from '../../html/dom.ts';
import type { HtmlPage } from '../../model/page.ts';
import { type Block, isHeading, readBlocks } from './read-blocks.ts';

/** What can be recognised on another page, each once, in document order; 4,000 at most. */
export function readFingerprints({ root, baseUrl }: HtmlPage): number[] {
  const fingerprints = new Set<number>();
  for (const block of readBlocks(root, baseUrl)) {
    if (fingerprints.size === mostFingerprints) break;
    if (isPiece(block)) fingerprints.add(block.fingerprint);
  }
  return [...fingerprints];
}

const mostFingerprints = 4000;

/**
 * The elements with these fingerprints, the outermost of them. What is left of a block with nothing of
 * its own belongs to them: the heading above a menu, the box around it.
 */
export function findRepeated(
  { root, baseUrl }: HtmlPage,
  repeated: ReadonlySet<number> | undefined,
): ReadonlySet<DomElement> {
  if (repeated === undefined || repeated.size === 0) return new Set();
  const blocks = readBlocks(root, baseUrl);
  const isRepeated = new Uint8Array(blocks.length);
  const holdsRepeated = new Uint8Array(blocks.length);
  /** Text that stands on other pages too, even where it is too little to be removed by itself. */
  const known = new Float64Array(blocks.length);
  // Children come after their parents: from the end, they are decided first.
  for (let index = blocks.length - 1; index > 0; index -= 1) {
    const block = blocks[index] as Block;
    if (isPiece(block)) {
      const isKnown = repeated.has(block.fingerprint);
      if (isKnown) known[index] = block.text;
      if (isKnown ? isEnough(block) : holdsRepeated[index] === 1 && known[index] === block.text) {
        isRepeated[index] = 1;
      }
    }
    const around = block.parent?.index ?? 0;
    known[around] = (known[around] ?? 0) + (known[index] ?? 0);
    if (isRepeated[index] === 1 || holdsRepeated[index] === 1) holdsRepeated[around] = 1;
  }
  const found = new Set<DomElement>();
  for (let index = 1; index < blocks.length; index += 1) {
    if (isRepeated[index] !== 1) continue;
    const block = blocks[index] as Block;
    found.add(block.element);
    index = block.end - 1;
  }
  return found;
}

/**
 * Removes those that are still in the page. A page that would lose nearly everything is a duplicate,
 * not boilerplate: it stays as it is.
 */
export function removeRepeated(
  { root, baseUrl }: HtmlPage,
  elements: ReadonlySet<DomElement>,
): void {
  if (elements.size === 0) return;
  const blocks = readBlocks(root, baseUrl);
  const present = blocks.filter(({ element }) => elements.has(element));
  if (wouldBeEmpty(blocks, present)) return;
  for (const { element } of present) element.remove();
}

/** An element with text that may be looked for on other pages. */
function isPiece({ element, text, isSealed }: Block): boolean {
  if (text === 0 || isSealed) return false;
  const name = element.localName;
  return containers.has(name) || name.includes('-') || isHeading(name);
}

const containers: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote center details dialog div fieldset figure footer form header ' +
    'hgroup li main menu nav ol p search section ul'
  ).split(' '),
);

/**
 * True for what may be removed by itself: a sentence, a row of links, an entry of a list of links.
 * Headings, labels and names of fields are the same on many pages because what follows differs.
 */
function isEnough({ element, text, link, heading, links }: Block): boolean {
  if (text - heading >= shortestSentence) return true;
  if (links >= 3 && link >= text / 2) return true;
  return element.localName === 'li' && links > 0 && link >= 0.9 * text;
}

/** Characters without spaces. */
const shortestSentence = 32;

/** True when hardly anything would be left of the page, or of its only `<main>`. */
function wouldBeEmpty(blocks: readonly Block[], removed: readonly Block[]): boolean {
  const mains = blocks.filter(({ element, text }) => text > 0 && isMain(element));
  const content = (mains.length === 1 ? mains[0] : blocks[0]) as Block;
  let left = content.text;
  let sentences = 0;
  for (const block of removed) {
    if (block.index <= content.index && content.end <= block.end) return true;
    if (block.index < content.index || block.index >= content.end) continue;
    left -= block.text;
    sentences += block.text - block.link;
  }
  return left === 0 || (left < shortestPage && left < sentences / 5);
}

const shortestPage = 160;

function isMain(element: DomElement): boolean {
  return element.localName === 'main' || element.getAttribute('role') === 'main';
}
