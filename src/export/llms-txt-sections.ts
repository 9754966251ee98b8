/** The pages of a site in the sections of an llms.txt. */
import { oneLine } from './one-line.ts';

/** A page in the list. */
export interface ListedPage {
  readonly url: string;
  readonly title: string;
  readonly notes: string;
}

/** A section with its links. */
export interface ListedSection {
  readonly title: string;
  readonly pages: readonly ListedPage[];
}

/**
 * A section for each host and first folder below what all pages have in common; pages in no such folder
 * come first. Sections and pages are in the order of their URLs, whatever order they came in.
 */
export function sectionsOf(pages: readonly ListedPage[]): readonly ListedSection[] {
  const sorted = [...pages].sort((a, b) => compare(a.url, b.url));
  const places = sorted.map(({ url }) => placeOf(url));
  const shared = sharedLength(places);
  const sections = new Map<string, ListedPage[]>();
  sorted.forEach((page, index) => {
    const name = sectionName(places[index] ?? [], shared);
    const section = sections.get(name);
    if (section === undefined) sections.set(name, [page]);
    else section.push(page);
  });
  return [...sections]
    .sort(([a], [b]) => Number(b === firstSection) - Number(a === firstSection) || compare(a, b))
    .map(([title, own]) => ({ title, pages: own }));
}

/** For pages that are in no folder. */
const firstSection = 'Pages';

/** Host and folders; the last name is the page. */
function placeOf(url: string): readonly string[] {
  const { host, pathname } = new URL(url);
  return [host, ...pathname.split('/').slice(1, -1)];
}

/** How many folders all places begin with. */
function sharedLength(places: readonly (readonly string[])[]): number {
  const [first = []] = places;
  const length = first.findIndex((name, index) => places.some((place) => place[index] !== name));
  return length < 0 ? first.length : length;
}

function sectionName(place: readonly string[], shared: number): string {
  const folder = place[shared];
  if (folder === undefined || folder === '') return firstSection;
  const name = oneLine(readable(folder));
  // A section of this name says that it may be skipped.
  return /^optional$/i.test(name) ? `${name} pages` : name || firstSection;
}

/** `getting-started` is "Getting started"; a host stays as it is. */
function readable(folder: string): string {
  if (folder.includes('.')) return folder;
  const words = decoded(folder)
    .replace(/[-_+]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
