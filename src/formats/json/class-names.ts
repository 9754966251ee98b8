/** Class names that are called like a property: `<span class="product-price">`. */
import type { DomElement } from '../../html/dom.ts';
import { familyNamed } from './entity-types.ts';
import { wordsOf } from './names.ts';
import type { Pair } from './pair.ts';
import type { IsSide } from './side-content.ts';

const maxElements = 20_000;
const maxPairs = 2000;

/** What style sheets call things for their looks, and what is on pages for many reasons. */
const layout = new Set(
  (
    'title name date time type status label value text content image img link url id color size position width height ' +
    'depth length start end left right free default row column area section page pages material floor ' +
    'body header footer description summary available now data item items list count amount total ' +
    'language lang active version format location map street region where cover number language ' +
    'material weight score before after space reference note web live cp local fine band part parts'
  ).split(' '),
);

/** `isWhole`: the element is one record, and the words for titles and dates mean its own. */
export function* classPairs(root: DomElement, isSide: IsSide, isWhole: boolean): Generator<Pair> {
  let seen = 0;
  let found = 0;
  for (const element of root.querySelectorAll('[class]')) {
    if ((seen += 1) > maxElements || found > maxPairs) return;
    const names = element.className.slice(0, 200).split(/\s+/);
    for (const name of names) {
      const words = labelOf(name);
      if (words === '' || (layout.has(words) && !(isWhole && inRecords.has(words)))) continue;
      if (isSide(element) || isStruck(element)) break;
      found += 1;
      yield { label: words, source: 'label', values: [{ element }], isList: false };
    }
  }
}

const inRecords = new Set(
  'title name date time location description summary status type'.split(' '),
);

/** The words of a class name without what the thing is: `job-card__company` → `company`. */
function labelOf(name: string): string {
  const own = name.replace(/^.*__/, '').replace(/--.*$/, '');
  // Most are plain: a long list has thousands of them.
  const words = /^[a-z]+(?:-[a-z]+)*$/.test(own) ? own.split('-') : wordsOf(own);
  if (words.length > 1 && familyNamed(words[0] ?? '') !== undefined) words.shift();
  return words.length > 3 ? '' : words.join(' ');
}

/** `<del>`, `<s>`: what holds no more. */
export function isStruck(element: DomElement): boolean {
  let around: DomElement | null = element;
  for (let level = 0; around !== null && level < 4; level += 1) {
    if (/^(del|s|strike)$/.test(around.localName)) return true;
    around = around.parentElement;
  }
  return false;
}
