/** What metadata is made of: title, language, metas, icons and JSON-LD, gathered in one walk. */
import { type DomDocument, type DomElement, type DomNode, isElement } from '../html/dom.ts';
import { nextNode } from '../html/nodes.ts';
import { withoutUnseen } from '../text/unseen.ts';
import { isCodeUrl } from '../url/safe-url.ts';

/** The raw facts of one page. Texts are trimmed; what is empty is undefined. */
export interface HeadFacts {
  /** The first title of the head. */
  readonly title: string | undefined;
  /** The first title elsewhere that does not belong to a drawing. */
  readonly bodyTitle: string | undefined;
  readonly language: string | undefined;
  readonly icon: string | undefined;
  readonly canonical: string | undefined;
  /** The contents of metas by name as written, in document order. */
  readonly metas: ReadonlyMap<string, string[]>;
  /** The sources of JSON-LD scripts. */
  readonly jsonLd: readonly string[];
  /** Contents that are not empty of metas by any of these lower-case names, the first name's first; `.` stands for `:` too. */
  values(...names: readonly string[]): string[];
}

/** Walks the whole document: pages have metas in their body too. */
export function readHeadFacts(document: DomDocument): HeadFacts {
  const metas = new Map<string, string[]>();
  const byLowerName = new Map<string, string[]>();
  const titles: { head?: string; body?: string } = {};
  const icons: { icon?: string; other?: string } = {};
  const jsonLd: string[] = [];
  let canonical: string | undefined;
  let contentLanguage: string | undefined;

  const top = document.documentElement;
  for (let element: DomNode | null = top; element !== null; element = nextNode(element, top)) {
    if (!isElement(element)) continue;
    switch (element.localName) {
      case 'title':
        readTitle(element, document.head, titles);
        break;
      case 'meta': {
        if (attribute(element, 'http-equiv').toLowerCase() === 'content-language') {
          contentLanguage ??= attribute(element, 'content') || undefined;
        }
        readMeta(element, metas, byLowerName);
        break;
      }
      case 'link': {
        const relations = attribute(element, 'rel').toLowerCase().split(/\s+/);
        const href = attribute(element, 'href');
        if (href === '') break;
        if (relations.includes('icon')) icons.icon ??= href;
        else if (relations.some((relation) => relation.includes('icon'))) icons.other ??= href;
        if (relations.includes('canonical')) canonical ??= href;
        break;
      }
      case 'script':
        if (/^application\/ld\+json\b/i.test(attribute(element, 'type'))) {
          jsonLd.push(element.textContent ?? '');
        }
    }
  }
  return {
    title: titles.head,
    bodyTitle: titles.body,
    language: attribute(top, 'lang') || attribute(top, 'xml:lang') || contentLanguage,
    icon: icons.icon ?? icons.other,
    canonical,
    metas,
    jsonLd,
    values: (...names) => names.flatMap((name) => byLowerName.get(name) ?? []),
  };
}

function readTitle(
  element: DomElement,
  head: DomElement,
  titles: { head?: string; body?: string },
): void {
  const text = withoutUnseen(element.textContent ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (text === '') return;
  if (element.parentElement === head) titles.head ??= text;
  else if (element.closest('svg') === null) titles.body ??= text;
}

/** Records the content under each different name that the meta has. */
function readMeta(
  element: DomElement,
  metas: Map<string, string[]>,
  byLowerName: Map<string, string[]>,
): void {
  const given = element.getAttribute('content');
  if (given === null) return;
  const content = withoutUnseen(given).trim();
  const names = new Set(['name', 'property', 'itemprop'].map((key) => attribute(element, key)));
  for (const name of names) {
    if (name === '' || (isCodeUrl(content) && namesUrl.test(name))) continue;
    append(metas, name, content);
    // Dublin Core is written with dots and with colons.
    const lower = name.toLowerCase().replace(/^(dc|dcterms):/, '$1.');
    if (content !== '') append(byLowerName, lower, content);
  }
}

/** Metas whose value a reader may follow or load. */
const namesUrl = /(?:^|[:.-])(?:url|image|audio|video|player|stream|src|secure_url)\b/i;

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function attribute(element: DomElement, name: string): string {
  return element.getAttribute(name)?.trim() ?? '';
}
