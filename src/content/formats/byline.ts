/** Reads the author and the dates of a page as readers see them: near the title, or labelled as such. */
import { labelText, textLines } from '../../extract/facts/element-text.ts';
import { dateReader, type ParsedDate } from '../../extract/values/dates.ts';
import {
  type DomElement,
  type DomNode,
  isElement,
  isText,
  nextNode,
  nodeAfter,
} from '../html/dom.ts';
import type { HtmlPage } from '../../core/model/page.ts';
import { oneLine } from '../text/plain-text.ts';
import { isHeadingName } from '../html/tags.ts';
import { urlOf } from '../../core/url/normalize-url.ts';
import {
  hasAuthorLabel,
  isOtherWork,
  isPersonName,
  namesInByline,
  namesInElement,
} from './author-names.ts';

const limits = {
  nodes: 1_500,
  named: 200, // named elements may contain each other, and each is read
  characters: 1_500,
  proseCharacters: 200, // a line of this length is prose: the article has begun
  prose: 3,
  nodesBelow: 4_000,
};

/** The facts of a byline. Dates as `2026-03-04`, with a time where it is known, or as the page has them in `datetime`. */
export interface BylineFacts {
  readonly author?: string | undefined;
  readonly published?: string | undefined;
  readonly modified?: string | undefined;
}

/** Facts that locate the byline and help to read it. */
export interface BylineClues {
  readonly title: string | undefined;
  /** The headings of levels 1 and 2, in document order. */
  readonly headings: readonly DomElement[];
  readonly language: string | undefined;
  /** Names of the site, which are not authors. */
  readonly siteNames: readonly (string | undefined)[];
  /** The latest possible time, in milliseconds since 1970. */
  readonly latest: number;
  /** The facts to search for below the part around the title, too. */
  readonly wantsAuthor: boolean;
  readonly wantsDate: boolean;
}

/**
 * Reads at most some 2,000 nodes around the title, and up to 4,000 more for missing facts. Comments, menus,
 * teasers and other side content are left out.
 */
export function readByline(page: HtmlPage, clues: BylineClues): BylineFacts {
  const url = urlOf(page.url)?.pathname ?? '';
  if (homePage.test(url)) return {};
  const heading = titleElement(page.document.body, clues);
  if (heading === undefined) return { published: dateInPath(url, clues.latest) };
  const walk = readAround(heading, page.document.body);
  const names = nearNames(walk, clues);
  const dates = datesOf(walk, clues);
  const isDated = dates.published !== undefined || dates.modified !== undefined;
  const isComplete = (names.length > 0 || !clues.wantsAuthor) && (isDated || !clues.wantsDate);
  const below =
    isComplete || walk.prose === 0 ? {} : readBelow(walk.end, heading, page.document.body, clues);
  const fromUrl = dateInPath(url, clues.latest);
  return {
    author: names.length > 0 ? names.join(', ') : below.author,
    // A page that states a single date has no other publication date that its readers know of.
    published: dates.published ?? fromUrl ?? dates.modified ?? below.published,
    modified: dates.modified,
  };
}

const homePage = /^\/(?:index\.\w+|[a-z]{2}(?:-[a-z]{2})?\/?)?$/i;

const daysInPath = /\/((?:19|20)\d\d)([-/_.]?)(\d\d)(?:\2|[-/])(\d\d)(?=[-/_.]|$)/;

/** `/2024/3/4/story`, `/2024/mar/04/story`. */
const foldersInPath = /\/((?:19|20)\d\d)\/(\d{1,2}|[a-z]{3,9})\/(\d{1,2})(?=\/|$)/i;

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** `/2024/03/14/story` and `/2024-03-14-story`. */
function dateInPath(path: string, latest: number): string | undefined {
  const [, year, , month, day] = daysInPath.exec(path) ?? [];
  const [, folderYear, folderMonth = '', folderDay = ''] = foldersInPath.exec(path) ?? [];
  const named = months.indexOf(folderMonth.slice(0, 3).toLowerCase()) + 1;
  const date =
    year === undefined
      ? `${folderYear}-${String(named || folderMonth).padStart(2, '0')}-${folderDay.padStart(2, '0')}`
      : `${year}-${month}-${day}`;
  return isPlausibleDate(date, latest) ? date : undefined;
}

// The element that shows the title.

/**
 * The heading of level 1 that is most like the title, or one of level 2 that is the title; else a text like
 * it. The body on a page without a title.
 */
function titleElement(body: DomElement, { title, headings }: BylineClues): DomElement | undefined {
  const wanted = letters((title ?? '').slice(0, 500));
  let best: DomElement | undefined;
  let most = -1;
  for (const heading of headings) {
    const shown = labelText(heading);
    const text = letters(shown);
    if (text.length < 2) continue;
    const isTop = heading.localName === 'h1';
    const share =
      likeness(text, wanted) || (isTop ? sharedWords(shown, (title ?? '').slice(0, 500)) * 0.9 : 0);
    if (!isTop && share < 0.5) continue;
    if (share > most + 0.05) [best, most] = [heading, share];
  }
  if (best !== undefined) return best;
  return wanted === '' ? body : titleText(body, wanted);
}

/** 0 to 1. */
function likeness(text: string, wanted: string): number {
  if (wanted === '') return 0;
  if (wanted.includes(text)) return text.length / wanted.length;
  if (text.includes(wanted)) return wanted.length / text.length;
  return 0;
}

function letters(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .slice(0, 300);
}

/** The share of a text's words that another text contains. */
function sharedWords(text: string, other: string): number {
  const words =
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]{2,}/gu)
      ?.slice(0, 50) ?? [];
  const others = new Set(other.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu));
  if (words.length < 3) return 0;
  return words.filter((word) => others.has(word)).length / words.length;
}

/** On a page without headings: the longest of the first texts that is a part of the title. */
function titleText(body: DomElement, title: string): DomElement | undefined {
  let best: DomElement | undefined;
  let longest = Math.max(3, title.length * 0.3);
  let node: DomNode | null = body;
  for (let steps = 0; node !== null && steps < 2_000; steps += 1) {
    if (isText(node) && node.data.length < 300) {
      const text = letters(node.data);
      if (text.length > longest && title.includes(text) && node.parentElement !== null) {
        [best, longest] = [node.parentElement, text.length];
      }
    }
    node = nextNode(node, body, isElement(node) && silent.has(node.localName));
  }
  return best;
}

// The part of the page around the title.

/** The elements and lines that may hold a byline, in document order. */
interface Surroundings {
  readonly lines: SeenLine[];
  readonly authors: NamedElement[];
  readonly dates: NamedElement[];
  /** Where the part ends; null at the end of the page. */
  end: DomNode | null;
  /** The number of paragraphs after the title. */
  prose: number;
}

interface SeenLine {
  readonly text: string;
  readonly order: number;
  readonly isAfter: boolean;
}

interface NamedElement {
  readonly element: DomElement;
  /** Higher is more certain. */
  readonly strength: number;
  readonly order: number;
  /** The text before it in its line, or the line before. */
  readonly label: string;
}

const silent = new Set(
  'title script style noscript template svg select option textarea iframe object nav footer form'.split(
    ' ',
  ),
);

/** A footer is silent unless it belongs to the article: that one may have the byline. */
function isSilent(element: DomElement, names: string): boolean {
  if (element.localName !== 'footer') return silent.has(element.localName);
  return !articleFooter.test(names) || element.closest('article') === null;
}

const articleFooter = /(?:entry|post|article|byline|author)/i;

const inline = new Set(
  'a abbr address b bdi big cite em font i mark small span strong sub sup time u'.split(' '),
);

function readAround(heading: DomElement, body: DomElement): Surroundings {
  const found: Surroundings = { lines: [], authors: [], dates: [], end: null, prose: 0 };
  let line = '';
  let previous = '';
  let characters = 0;
  // On a page without a title, everything is after it.
  let isAfter = heading === body;
  let order = 0;
  const endLine = (): void => {
    const text = oneLine(line);
    line = '';
    if (text === '') return;
    previous = text;
    if (text.length >= limits.proseCharacters) found.prose += isAfter ? 1 : 0;
    else found.lines.push({ text, order, isAfter });
    if (isAfter) characters += text.length;
  };
  const endBlock = (element: DomElement): void => {
    if (!inline.has(element.localName)) endLine();
  };
  let node: DomNode | null = startBefore(heading, body);
  for (; node !== null && order < limits.nodes; order += 1) {
    let isSkipped = false;
    if (isText(node)) {
      line += node.data.slice(0, 1_000);
    } else if (node === heading && node !== body) {
      endLine();
      [isAfter, isSkipped, previous] = [true, true, ''];
    } else if (isElement(node)) {
      if (!inline.has(node.localName)) endLine();
      if (isAfter && (characters > limits.characters || found.prose >= limits.prose)) break;
      if (isAfter && isTeaserHeading(node, found.prose)) break;
      const names = namesOf(node);
      isSkipped =
        isSilent(node, names) ||
        (isSideElement(node, names) && (isAfter || !node.contains(heading)));
      // The byline stands directly below the title, teasers further away.
      const isFar = !isAfter || characters > 150;
      isSkipped ||= isFar && isDatedCard(node) && isTeaser(node, heading, dateTextIn(node));
      if (!isSkipped && found.authors.length + found.dates.length < limits.named) {
        note(
          node,
          names,
          isFar ? heading : undefined,
          { order, label: oneLine(line) || previous },
          found,
        );
      }
    }
    node = (isSkipped ? null : node.firstChild) ?? nodeAfter(node, body, endBlock);
  }
  endLine();
  found.end = node;
  return found;
}

/** The node some 200 characters before the heading. */
function startBefore(heading: DomElement, body: DomElement): DomNode {
  let start: DomNode = heading;
  let characters = 0;
  for (let steps = 0; steps < 150 && characters < 200; steps += 1) {
    const before: DomNode | null = previousNode(start);
    if (before === null || before === body) break;
    // A menu above the title is not near it.
    if (isElement(before) && (silent.has(before.localName) || before.localName === 'header')) {
      if (!before.contains(heading)) break;
    }
    if (isText(before)) characters += before.data.trim().length;
    start = before;
  }
  return start;
}

function previousNode(node: DomNode): DomNode | null {
  let before = node.previousSibling;
  if (before === null) return node.parentNode;
  if (isElement(before) && silent.has(before.localName)) return before;
  while (before.lastChild !== null) before = before.lastChild;
  return before;
}

/** True for the linked heading of another article, and for a heading after the first paragraphs. */
function isTeaserHeading(element: DomElement, prose: number): boolean {
  if (!isHeadingName(element.localName)) return false;
  const isLink = holdsLink(element) || element.closest('a') !== null;
  if (!isLink) return prose >= 2;
  return !/author|byline/i.test(namesOf(element)) && !/\d{4}|\bby\s/i.test(labelText(element));
}

/** Reads the first nodes: a heading may hold the whole page. */
function holdsLink(element: DomElement): boolean {
  let node: DomNode | null = element;
  for (let steps = 0; node !== null && steps < 100; steps += 1) {
    if (isElement(node) && node.localName === 'a' && node.hasAttribute('href')) return true;
    node = nextNode(node, element);
  }
  return false;
}

const sideNames =
  /(?:^|[\s_-])(?:nav|(?:image|img|photo|picture|media|figure|wp)[_-]?(?:captions?|credits?)|(?:latest|recent)-(?:news|posts?|stories|articles)|related|recommend(?:ed|ations?)?|comments?|respond|replies|sidebar|widget-area|newsletter|subscribe|popular|trending|promo|breadcrumbs?|menu|navbar|navigation|cookie|teasers?|read-?more|also|toc|footer|modal|popup|tooltip|testimonials?|reviews?|quotes?)(?:[\s_-]|$)/i;
const bylineNames = /author|byline|meta|posted|publish|(?:entry|post|article)-?footer/i;

function isSideElement(element: DomElement, names: string): boolean {
  if (element.hasAttribute('hidden')) return true;
  if (element.localName.startsWith('fig')) return true;
  // An aside may hold the article's byline, or lists under headings.
  const isAside =
    element.localName === 'aside' && element.querySelector('h2, h3, h4, ul, ol') !== null;
  return (isAside || (names !== '' && sideNames.test(names))) && !bylineNames.test(names);
}

function namesOf(element: DomElement): string {
  const names = element.getAttribute('class') ?? '';
  const id = element.getAttribute('id');
  return (id === null ? names : `${names} ${id}`).slice(0, 300);
}

const authorNames =
  /author(?!i[sz])|by-?line|(?:^|[\s_-])(?:autore?|auteur|verfasser|redakteur|writer|vcard|contributors?|posted-?by|creator|username|user-name|nickname)(?:$|[\s_-])/i;
const dateNames =
  /date(?!d-)|publish|posted|pubtime|time-?stamp|(?:^|[\s_-])(?:time|pub|datum|fecha|datetime|updated|modified)(?:$|[\s_-])/i;

const authorLinks =
  /\/(?:authors?|autor(?:en|es)?|auteurs?|autore|profiles?|people|contributors?|columnists?|journalists?|reporters?|writers?|by|byline|@[\w.-]+)(?:\/|$|\?)|[?&]author=|\/(?:user|users|members?|staff)\/[^/]+\/?$/i;

function note(
  element: DomElement,
  names: string,
  /** Set where the element may be part of a teaser. */
  heading: DomElement | undefined,
  { order, label }: Pick<NamedElement, 'order' | 'label'>,
  found: Surroundings,
): void {
  const strength = authorStrength(element, names);
  const isDate = isMarkedDate(element) || (names !== '' && dateNames.test(names));
  if ((strength === 0 && !isDate) || isOfOtherItem(element)) return;
  if (heading !== undefined && isOfTeaser(element, heading)) return;
  if (strength > 0) found.authors.push({ element, strength, order, label });
  if (isDate) {
    found.dates.push({ element, strength: isMarkedDate(element) ? 2 : 1, order, label });
  }
}

/** Property attributes of microdata and RDFa: `schema:author`. */
function propertiesOf(element: DomElement): string {
  const item = element.getAttribute('itemprop');
  const property = element.getAttribute('property');
  return item === null || property === null ? (item ?? property ?? '') : `${item} ${property}`;
}

const dateProperty = /(?:^|[\s:])date(?:Published|Modified|Created)\b/;

function isMarkedDate(element: DomElement): boolean {
  return element.localName === 'time' || dateProperty.test(propertiesOf(element));
}

const authorRelation = /(?:^|\s)author(?:\s|$)/i;
const authorProperty = /(?:^|[\s:])(?:author|creator)(?:\s|$)/i;

/** 3 for markup that is defined to name the author, 2 for a class or id, 1 for a link to a profile. */
function authorStrength(element: DomElement, names: string): number {
  if (authorRelation.test(element.getAttribute('rel') ?? '')) return 3;
  if (authorProperty.test(propertiesOf(element))) return 3;
  if (names !== '' && authorNames.test(names)) return 2;
  return element.localName === 'a' && authorLinks.test(element.getAttribute('href') ?? '') ? 1 : 0;
}

/** True for the property of a review, a comment or a picture on the page. */
function isOfOtherItem(element: DomElement): boolean {
  if (!element.hasAttribute('itemprop')) return false;
  const item = element.parentElement?.closest('[itemscope]');
  return /(?:Review|Comment|Answer|Object|Product|Offer)\b/.test(
    item?.getAttribute('itemtype') ?? '',
  );
}

const cards = 'li, article, a[href], tr, dd';

/** True in a list entry, a card or a link that leads to another page by its title. */
function isOfTeaser(element: DomElement, heading: DomElement): boolean {
  const card = element.closest(cards);
  return card !== null && isTeaser(card, heading, labelText(element));
}

/** `date`: a text that is not the title. */
function isTeaser(card: DomElement, heading: DomElement, date: string): boolean {
  if (card.contains(heading)) return false;
  const text = labelText(card);
  if (text === '' || text.length > 400) return false;
  const links =
    card.localName === 'a' ? [card] : [...card.querySelectorAll('a[href]')].slice(0, 10);
  return links.some(
    (link) =>
      !isBylineLink(link) && letters(labelText(link)).replace(letters(date), '').length >= 12,
  );
}

function isDatedCard(element: DomElement): boolean {
  return /^(?:li|article|a|tr|dd)$/.test(element.localName) && /\d/.test(labelText(element));
}

function dateTextIn(card: DomElement): string {
  const time = card.querySelector('time');
  return time === null ? '' : labelText(time);
}

/** A link to the author, a topic, a part of the page. */
function isBylineLink(link: DomElement): boolean {
  const href = link.getAttribute('href') ?? '';
  if (/(?:^|\s)(?:author|tag|category)(?:\s|$)/i.test(link.getAttribute('rel') ?? '')) return true;
  return (
    authorLinks.test(href) ||
    /^(?:#|mailto:|$)|\/(?:tags?|categor(?:y|ies)|topics?|sections?|themen?)\//i.test(href)
  );
}

// The author.

interface Byline {
  readonly names: readonly string[];
  readonly strength: number;
  readonly order: number;
  readonly element?: DomElement;
}

function nearNames({ authors, lines }: Surroundings, clues: BylineClues): string[] {
  const bylines: Byline[] = [];
  const read = dateReader(clues.language);
  for (const { element, strength, order, label } of authors) {
    if (isOtherWork(label)) continue;
    const names = namesOfElement(element, clues);
    if (names.length === 0) continue;
    const outer = bylines.at(-1);
    // The element with the more specific markup decides which of the texts is the name.
    const isInner = outer?.element?.contains(element) === true;
    if (isInner && outer.names.length > names.length) continue;
    if (isInner) bylines.pop();
    const most = isInner ? Math.max(outer.strength, strength) : strength;
    bylines.push({ names, strength: most, order, element });
  }
  for (const { text, order } of lines) {
    if (!hasAuthorLabel(text)) continue;
    const line = withoutDateAfter(text, read);
    const names = namesInByline(line, clues.language).filter(
      (name) => isPersonName(name) || !isSiteName(name, clues),
    );
    if (names.length > 0) bylines.push({ names, strength: 2, order });
  }
  if (bylines.length === 0) {
    const name = nameBesideDate(lines, clues);
    if (name !== undefined && !isSiteName(name, clues)) return [name];
  }
  const [first] = bylines.sort((a, b) => b.strength - a.strength || a.order - b.order);
  if (first === undefined) return [];
  const all = new Set(first.names);
  for (const { element, names } of bylines) {
    if (isBeside(first.element, element)) for (const name of names) all.add(name);
  }
  return [...all].slice(0, 10);
}

/** A line that is a name and precedes a date or a reading time: "Jane Doe", "Jun 9", "5 min read". */
function nameBesideDate(
  lines: readonly SeenLine[],
  { title, language }: BylineClues,
): string | undefined {
  const read = dateReader(language);
  const after = lines.filter(({ isAfter }) => isAfter).slice(0, 8);
  for (const [index, { text }] of after.entries()) {
    if (title?.includes(text) === true || !isPersonName(text)) continue;
    const next = after.slice(index + 1, index + 3).map((line) => line.text);
    const isBeside = next.some(
      (line) => line.length < 60 && (read(line) !== undefined || readingTime.test(line)),
    );
    if (isBeside) return text;
  }
  return undefined;
}

const readingTime = /^\d+\s?[- ]?(?:min|minutes?|Min\.?|minutos?|минут\p{L}*)\b/iu;

/** True for elements of the same list of authors. */
function isBeside(a: DomElement | undefined, b: DomElement | undefined): boolean {
  if (a === undefined || b === undefined || a === b) return false;
  if (a.localName !== b.localName || a.className !== b.className) return false;
  const [one, other] = [a.parentElement, b.parentElement];
  const list = one === other ? one : one?.parentElement;
  if (list === null || list === undefined || !list.contains(b)) return false;
  const text = labelText(list);
  return text !== '' && text.length < 200;
}

function namesOfElement(element: DomElement, clues: BylineClues): string[] {
  const text = labelText(element);
  if (text === '' || text.length > 200 || isOtherWork(text)) return [];
  const isOwn = (name: string): boolean => isPersonName(name) || !isSiteName(name, clues);
  const links = [...element.querySelectorAll('a[href]')].slice(0, 10);
  const linked = links
    .flatMap((link) => namesInElement(labelText(link), clues.language))
    .filter(isOwn);
  if (linked.length > 1 && linked.length === links.length) return linked;
  const read = dateReader(clues.language);
  for (const line of textLines(element).slice(0, 4)) {
    const names = namesInElement(withoutDateAfter(line, read), clues.language).filter(isOwn);
    if (names.length > 0) return names;
  }
  return linked;
}

/** `By Jane Doe March 9, 2016` → `By Jane Doe`; a text that begins with the date, unchanged. */
function withoutDateAfter(text: string, read: (text: string) => ParsedDate | undefined): string {
  const start = text.length < 200 && /\d/.test(text) ? (read(text)?.start ?? 0) : 0;
  return start > 5 ? text.slice(0, start) : text;
}

function isSiteName(name: string, { siteNames }: BylineClues): boolean {
  const plain = letters(name);
  return siteNames.some((site) => site !== undefined && letters(site) === plain);
}

const authorBoxNames = /author|byline|vcard/i;

/** The only author and date named below: in a box after the article, or at its end. */
function readBelow(
  start: DomNode | null,
  heading: DomElement,
  body: DomElement,
  clues: BylineClues,
): Pick<BylineFacts, 'author' | 'published'> {
  const authors = new Map<string, string>();
  const dates = new Map<string, string>();
  const read = dateReader(clues.language);
  let node = start;
  let named = 0;
  for (let steps = 0; node !== null && steps < limits.nodesBelow; steps += 1) {
    let isSkipped = false;
    if (isElement(node)) {
      const names = namesOf(node);
      isSkipped = isSilent(node, names) || isSideElement(node, names);
      const isAuthor = !isSkipped && isAuthorBox(node, names) && !isOfTeaser(node, heading);
      const isDate =
        !isSkipped && !isAuthor && isDateBelow(node, names) && !isOfTeaser(node, heading);
      if ((isAuthor || isDate) && (named += 1) > limits.named) break;
      if (isAuthor) {
        const author = namesOfElement(node, clues).join(', ');
        if (author !== '') authors.set(letters(author), author);
        isSkipped = author !== '';
      } else if (isDate) {
        const date = elementDate(node, labelText(node).slice(0, 200), read);
        if (date !== undefined && isPlausibleDate(date, clues.latest)) {
          dates.set(date.slice(0, 10), date);
        }
      }
      if (authors.size > 1 && dates.size > 1) break;
    }
    node = nextNode(node, body, isSkipped);
  }
  const only = (found: ReadonlyMap<string, string>): string | undefined =>
    found.size === 1 ? [...found.values()][0] : undefined;
  return { author: only(authors), published: only(dates) };
}

function isAuthorBox(element: DomElement, names: string): boolean {
  if (authorStrength(element, names) === 0) return false;
  return element.hasAttribute('rel') || authorBoxNames.test(names);
}

function isDateBelow(element: DomElement, names: string): boolean {
  return isMarkedDate(element) || (names !== '' && dateBelowNames.test(names));
}

const dateBelowNames = /(?:entry|post|publish(?:ed)?|article)[-_]?(?:date|on|time)/i;

// The dates.

const updatedWords =
  /updated?|modified|edited|revised|reviewed|aktualisier|geändert|überarbeitet|mis(?:e)? à jour|modifié|actualiz|modificad|aggiorn|modificat|atualiz|bijgewerkt|gewijzigd|opdater|oppdater|uppdater|päivit|muokattu|aktualiz|zmodyfik|upraven|frissít|módosít|ενημερώ|τροποπ|обновл|изменен|оновл|güncel|更新|修改|修正|업데이트|수정|تحديث|עודכן|diperbarui|cập nhật/iu;
const publishedWords =
  /publish|posted|released|created|written|veröffentlicht|erstellt|publi|pubbl|gepubliceerd|geplaatst|udgivet|julkaist|zveřejn|dodan|megjel|δημοσ|опублик|опубл|yayın|发布|發布|发表|發表|公開|投稿|掲載|입력|등록|نشر|פורסם|diterbitkan|đăng/iu;
const otherWords =
  /copyright|©|expires?|deadline|due|starts?|ends?|begin|valid|until|joined|born|event|webinar|register|since|member|next|download|version|call for|effective/iu;

function datesOf(
  { lines, dates }: Surroundings,
  clues: BylineClues,
): Pick<BylineFacts, 'published' | 'modified'> {
  const read = dateReader(clues.language);
  const seen: { value: string; isModified: boolean; strength: number; order: number }[] = [];
  for (const { element, strength, order, label } of dates) {
    const text = labelText(element).slice(0, 200);
    const value = elementDate(element, text, read);
    if (value === undefined || !isPlausibleDate(value, clues.latest)) continue;
    const names = `${propertiesOf(element)} ${namesOf(element)}`;
    const words = `${label.slice(-40)} ${beforeDate(text)} ${names}`;
    if (otherWords.test(beforeDate(text))) continue;
    seen.push({ value, isModified: saysUpdated(words), strength, order });
  }
  for (const [index, { text, order }] of lines.entries()) {
    if (!/\d/.test(text) || text.length > 160) continue;
    const before = beforeDate(text);
    for (const part of text.split(/\s*[|•·]\s*|\s(?=updated|last)|;\s|\s[–—-]\s/iu).slice(0, 6)) {
      const parsed = read(part);
      if (parsed === undefined || !isPlausibleDate(parsed.date, clues.latest)) continue;
      if (otherWords.test(before) || isSentence(text)) continue;
      const own = beforeDate(part);
      const words = own.trim() === '' ? `${lines[index - 1]?.text.slice(-30) ?? ''}` : own;
      const isLabelled = publishedWords.test(words);
      seen.push({
        value: written(parsed),
        isModified: saysUpdated(words),
        strength: isLabelled ? 2 : 1,
        order,
      });
    }
  }
  const sorted = seen.sort((a, b) => b.strength - a.strength || a.order - b.order);
  return {
    published: sorted.find(({ isModified }) => !isModified)?.value,
    modified: sorted.find(({ isModified }) => isModified)?.value,
  };
}

function saysUpdated(words: string): boolean {
  return updatedWords.test(words) && !publishedWords.test(words);
}

/** The text up to its first digit. */
function beforeDate(text: string): string {
  const digit = /\d/.exec(text);
  return digit === null ? text : text.slice(0, digit.index);
}

/** True for prose that mentions a date. */
function isSentence(text: string): boolean {
  const words = text.match(/\p{Ll}{2,}/gu)?.length ?? 0;
  return words > 14 || (words > 5 && /[.!?。]$/u.test(text));
}

function elementDate(
  element: DomElement,
  text: string,
  read: (text: string) => ParsedDate | undefined,
): string | undefined {
  const machine = element.getAttribute('datetime') ?? element.getAttribute('content') ?? '';
  if (/^\d{4}-\d{2}-\d{2}/.test(machine.trim())) return machine.trim().slice(0, 40);
  if (text.length > 100) return undefined;
  const parsed = read(machine) ?? read(text);
  return parsed === undefined ? undefined : written(parsed);
}

function written({ date, time, offset }: ParsedDate): string {
  return time === undefined ? date : `${date}T${time}${offset ?? ''}`;
}

function isPlausibleDate(date: string, latest: number): boolean {
  const time = Date.parse(date.slice(0, 10));
  return time >= earliest && time <= latest;
}

const earliest = Date.UTC(1990, 0, 1);
