/** OpenGraph, article, product and other meta tags by what they mean. */
import type { HtmlPage } from '../../model/page.ts';
import { type MetaTag, readMetaTags } from '../structured-data/meta-tags.ts';
import { fold } from './names.ts';
import { canonical } from './synonyms.ts';

/** Finds meta tags that mean the same as a property name; one group for each vocabulary, best first. */
export type MetaValues = (name: string) => readonly (readonly string[])[];

/** The vocabularies by trust; `` is a plain `<meta name="author">`. */
const ranks = [
  'og',
  'article',
  'product',
  'book',
  'profile',
  'citation',
  'dc',
  'dcterms',
  '',
  'twitter',
];

/** About the page's presentation, not its subject. */
const ignored =
  /^(viewport|generator|robots|googlebot|theme-color|format-detection|referrer)$|^(fb|al|msapplication|apple)[:-]/;

/** Indexes the page's meta tags. */
export function metaValuesOf(page: HtmlPage): MetaValues {
  const byMeaning = new Map<string, Map<number, string[]>>();
  const add = (key: string, rank: number, content: string): void => {
    const meaning = canonical(fold(key));
    const byRank = byMeaning.get(meaning) ?? new Map<number, string[]>();
    byMeaning.set(meaning, byRank);
    const values = byRank.get(rank) ?? [];
    byRank.set(rank, values);
    values.push(content);
  };
  const tags = readMetaTags(page.document).filter(({ name }) => !ignored.test(name));
  for (const { name, content } of tags) {
    const { rank, key } = split(name);
    if (rank !== -1) add(key, rank, content);
  }
  for (const [label, content] of twitterLabels(tags)) add(label, ranks.indexOf('twitter'), content);
  const language = page.document.documentElement.getAttribute('lang')?.trim() ?? '';
  if (language !== '') add('language', ranks.length, language);
  return (name) => {
    const meaning = canonical(fold(name));
    // Pages have titles, things have names.
    const found =
      byMeaning.get(meaning) ?? (meaning === 'name' ? byMeaning.get('headline') : undefined);
    return [...(found ?? [])].sort(([a], [b]) => a - b).map(([, values]) => values);
  };
}

/** `twitter:label1` is the label of `twitter:data1`. */
function twitterLabels(tags: readonly MetaTag[]): [label: string, content: string][] {
  const contents = new Map(tags.map(({ name, content }) => [name, content]));
  return ['1', '2'].flatMap((number): [string, string][] => {
    const label = contents.get(`twitter:label${number}`);
    const content = contents.get(`twitter:data${number}`);
    return label === undefined || content === undefined ? [] : [[label, content]];
  });
}

function split(name: string): { rank: number; key: string } {
  const match = /^([a-z]+)[:._](.+)$/.exec(name);
  const prefix = match?.[1] ?? '';
  if (match === null || !ranks.includes(prefix)) return { rank: ranks.indexOf(''), key: name };
  // `og:image:width` is about the image; a price's parts are about the product.
  const key = match[2] ?? '';
  if (prefix === 'og' && /^(image|video|audio):/.test(key)) return { rank: -1, key };
  return { rank: ranks.indexOf(prefix), key: key.replace(/^(price):/, '$1 ') };
}
