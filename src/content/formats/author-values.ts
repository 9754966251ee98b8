/** Reads the names in a value that markup gives as the author: a name, several, or a whole byline. */
import { plainLine } from '../../extract/product/entity-text.ts';
import { isUnfilled } from '../text/placeholder.ts';
import { isPersonName, isRole, withoutAuthorLabel } from './author-names.ts';

/** The vocabulary's order of names: `family-first` is `Doe, Jane`, with one person in each value. */
export type NameOrder = 'as-read' | 'family-first';

/**
 * The names without the text around them: "By Jane Doe and John Roe" → ["Jane Doe", "John Roe"]. Empty
 * for addresses, roles and unfilled values.
 */
export function namesInValue(value: string, order: NameOrder = 'as-read'): string[] {
  if (isUnfilled(value)) return [];
  const text = withoutDate(withoutAuthorLabel(withoutAddress(plainLine(value))));
  if (order === 'family-first') {
    const [, family, given] = /^([^,;]+),\s*([^,;]+)$/.exec(text) ?? [];
    if (family !== undefined && given !== undefined && !isRole(given))
      return [`${given} ${family}`];
  }
  const parts = text.split(/\s+[|｜–—-]\s+/u);
  const names = (parts.some(isRole) ? parts : [text])
    .flatMap((part) => part.split(/\s*[;；、]\s*/u))
    .flatMap(severalPeople);
  return [...new Set(names)].filter((name) => isName(name)).slice(0, 50);
}

/** The names of a list with commas or "and"; other texts unchanged: "Johnson and Sons". */
function severalPeople(text: string): string[] {
  const parts = text
    .split(/\s*[,，]\s*(?:(?:and|und|et|y|e|og|och|en)\s+)?/u)
    .filter((part) => part !== '' && !isRole(part));
  return parts.flatMap((part) => {
    const people = part.split(/\s+(?:[&/]|and|und|et|y|e|og|och|en|и|та|και|ve|dan|với|i)\s+/u);
    return people.every(isPersonName) ? people : [part];
  });
}

function isName(text: string): boolean {
  return /\p{L}/u.test(text) && !isUnfilled(text) && !isAddress(text) && !isRole(text);
}

function isAddress(text: string): boolean {
  return /^(?:[a-z][a-z+.-]*:)?\/\/|^www\.|^\/|^[\w.-]+\.[a-z]{2,}\/|\S@\S+\.\S/i.test(text);
}

/** `jane@example.com (Jane Doe)`, `Jane Doe (jane@example.com)`, `Jane Doe https://…` → `Jane Doe`. */
function withoutAddress(text: string): string {
  const rest = text
    .replace(
      /[(<[]?(?:mailto:)?[^\s()<>[\],;:@]{1,100}@[^\s()<>[\],;:@]{1,100}\.[a-z]{2,}[)>\]]?/giu,
      ' ',
    )
    .replace(/\s*[(<[]?\bhttps?:\/\/\S+/giu, ' ')
    .trim();
  if (rest === text) return text;
  return rest
    .replace(/^\((.*)\)$/u, '$1')
    .replace(/\s+/g, ' ')
    .replace(/^[,\s]+|[,\s]+$/g, '');
}

const dateAtEnd =
  /[\s,|·•–—-]*(?:\b(?:on|am|le|el|den|il)\s+)?(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?(?:\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}{0,6}\.?\s+)?\b\d{1,4}(?:st|nd|rd|th)?[.,/\s-].{0,40}$/iu;

/** `Jane Doe March 9, 2016` → `Jane Doe`. */
function withoutDate(text: string): string {
  if (!/\d{4}|\d[./]\d/.test(text)) return text;
  const name = text.replace(dateAtEnd, '');
  return name === '' ? text : name;
}
