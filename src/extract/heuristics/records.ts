/** Finds lists of records (entities, ItemList entries, table rows, repeated elements) and the list for a schema. */
import type { DomElement } from '../../content/html/dom.ts';
import { labelText } from '../facts/element-text.ts';
import {
  type Entity,
  expandLists,
  familyNamed,
  familyOf,
  isEntity,
  isGenericListName,
} from '../facts/entities.ts';
import { fold, singular, wordsOf } from '../facts/property-names.ts';
import type { DataTable } from './data-tables.ts';
import { canonical, englishName } from './synonyms.ts';
import { lookUpProperty } from './entity-values.ts';
import { factsAmong } from './main-entity.ts';
import type { ExtractionSource, FillOutcome } from './schema-part.ts';
import { elementScope, entityScope, rowScope, type Scope } from './scope.ts';
import type { IsSide } from './side-content.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

const limits = {
  sampleSize: 5, // candidates are compared by their first items
  elements: 20_000,
  groups: 40,
  fewestRecords: 2,
};

/** Scopes that may be the items of an array. */
interface RecordCandidates {
  readonly source: ExtractionSource;
  /** True if the property's name matches the list: then any match is enough. */
  readonly isNamed: boolean;
  readonly scopes: readonly Scope[];
  /** Siblings that do not match the property's name: they need one more fact, or a price if products are wanted. */
  readonly isGuess?: boolean;
  /** True if the property's name may mean products. */
  readonly mayBeProducts?: boolean;
}

/** Candidates, most trusted first. An empty name means that the page itself is the list. */
export function findRecords(name: string, scope: Scope, baseUrl: string): RecordCandidates[] {
  const records: RecordCandidates[] = [];
  for (const subject of scope.subjects()) {
    for (const group of name === '' ? [] : lookUpProperty(subject, name)) {
      const entities = expandLists(group).filter(isEntity);
      if (entities.length > 0) records.push(entityRecords(entities, true));
    }
  }
  if (scope.page !== undefined) records.push(...pageLists(name, scope.page.entities));
  records.push(...tableRecords(name, scope.content().tables));
  if (scope.page !== undefined && scope.element !== undefined && scope.prefix === '') {
    const groups = repeatedElements(scope.element, scope.content().isSide);
    const title = wordsOf(scope.page.heading ?? '');
    const isTitled = title.length < 8 && title.some((word) => isCalledLike(word, name));
    records.push(...groups.map((elements) => elementRecords(name, elements, baseUrl, isTitled)));
  }
  return records;
}

function entityRecords(entities: readonly Entity[], isNamed: boolean): RecordCandidates {
  return { source: entities[0]?.source ?? 'json-ld', isNamed, scopes: entities.map(entityScope) };
}

/** Siblings of one kind; named where their markup matches the property's name. */
function elementRecords(
  name: string,
  elements: readonly DomElement[],
  baseUrl: string,
  isTitled: boolean,
): RecordCandidates {
  const scopes = elements.map((element) => elementScope(element, baseUrl));
  const wanted = familyNamed(name);
  const isNamed =
    wanted !== undefined &&
    elements.every((element) => element.hasAttribute('itemscope')) &&
    scopes.slice(0, 3).every((scope) => scope.subjects().some((one) => familyOf(one) === wanted));
  const isCalled = elements.every(({ className }) =>
    wordsOf(className.slice(0, 200)).some((word) => isCalledLike(word, name)),
  );
  const isGuess = !isNamed && !isCalled && !isTitled;
  const mayBeProducts = name === '' || isGenericListName(name) || wanted === 'product';
  return { source: 'label', isNamed, scopes, isGuess, mayBeProducts };
}

/** `products` and `product`, `producto`, or another word for the kind. */
function isCalledLike(word: string, name: string): boolean {
  const [wanted, given] = [name, word].map((one) => singular(englishName(fold(one))));
  if (wanted === undefined || wanted === '') return false;
  const family = familyNamed(wanted);
  return given === wanted || (family !== undefined && family === familyNamed(given ?? ''));
}

/** ItemLists, and two or more entities of one kind from one source. */
function pageLists(name: string, entities: readonly Entity[]): RecordCandidates[] {
  const wanted = familyNamed(name);
  const lists: { readonly family: string; readonly entries: Entity[] }[] = [];
  const byKind = new Map<string, Entity[]>();
  for (const entity of entities.flatMap((one) => [
    one,
    ...one.get('mainentity').filter(isEntity),
  ])) {
    const kind = familyOf(entity);
    if (entity.get('itemlistelement').length > 0) {
      const entries = expandLists([entity]).filter(isEntity);
      lists.push({ family: kind === 'breadcrumblist' ? kind : kindOf(entries), entries });
      continue;
    }
    getOrInsert(byKind, `${entity.source} ${kind}`, () => []).push(entity);
  }
  for (const entries of byKind.values()) {
    const family = kindOf(entries);
    if (entries.length > 1 || family === wanted) lists.push({ family, entries });
  }
  return lists.flatMap(({ family, entries }) => {
    const isNamed = family === wanted;
    const isOpen = wanted === undefined || isGenericListName(name) || family === 'listitem';
    const mayBe = isOpen && family !== 'breadcrumblist' && wanted !== 'breadcrumblist';
    return isNamed || mayBe ? [entityRecords(entries, isNamed)] : [];
  });
}

function kindOf([first]: readonly Entity[]): string {
  return first === undefined ? '' : familyOf(first);
}

/** Tables with the same headers are one list, unless a caption matches the property's name. */
function tableRecords(name: string, tables: readonly DataTable[]): RecordCandidates[] {
  const byHeaders = new Map<string, DataTable[]>();
  for (const table of tables) {
    const named = name !== '' && fold(table.caption).includes(singular(fold(name)));
    const key = `${String(named)} ${table.headers.map(fold).join('|')}`;
    byHeaders.set(key, [...(byHeaders.get(key) ?? []), table]);
  }
  return [...byHeaders].map(([key, alike]) => ({
    source: 'table' as const,
    isNamed: key.startsWith('true'),
    scopes: alike.flatMap((table) => table.rows.map((row) => rowScope(table, row))),
  }));
}

// Chooses the list of a page for a schema.

/** The list that gives most of an item's values; at least half, unless its name matches. */
export function bestRecords(
  candidates: readonly RecordCandidates[],
  fillSample: (scopes: readonly Scope[]) => FillOutcome,
): RecordCandidates | undefined {
  let best: { readonly records: RecordCandidates; readonly score: number } | undefined;
  for (const records of candidates) {
    const { found, notFound, sources } = fillSample(records.scopes.slice(0, limits.sampleSize));
    const paths = sources.map(([path]) => path);
    const isPriced = records.mayBeProducts === true && notFound.length === 0 && paths.some(isPrice);
    if (found === 0 || (records.isGuess === true && !isPriced && factsAmong(paths) < 2)) continue;
    const coverage = found / (found + notFound.length);
    if (!records.isNamed && coverage < 0.5) continue;
    const score = coverage + (records.isNamed ? 1 : 0);
    if (best === undefined || score > best.score) best = { records, score };
  }
  return best?.records;
}

function isPrice(path: string): boolean {
  return canonical(fold(path.replace(/^.*\./, ''))) === canonical('price');
}

// Records by structure: siblings of one kind, such as the entries of a listing page.

const kinds = /^(li|div|article|section|tr|a|dl|p)$/;

/** Groups of two or more similar siblings with a text and at least two facts; the largest first. */
function repeatedElements(root: DomElement, isSide: IsSide): DomElement[][] {
  const groups: { readonly elements: DomElement[]; readonly weight: number }[] = [];
  let seen = 0;
  for (const parent of root.querySelectorAll('ul, ol, div, section, main, article, tbody, body')) {
    if ((seen += 1) > limits.elements) break;
    if (parent.firstElementChild === null || isSide(parent)) continue;
    for (const elements of alike(parent)) {
      const candidates = elements.filter((element) => !isSide(element) && hasFacts(element));
      if (candidates.length < limits.fewestRecords) continue;
      groups.push({ elements: candidates, weight: weightOf(candidates) });
    }
  }
  return groups
    .sort((a, b) => b.weight - a.weight)
    .slice(0, limits.groups)
    .map(({ elements }) => elements);
}

/** Children grouped by tag name and first class: `card` and `card featured` are of one kind. */
function alike(parent: DomElement): Iterable<DomElement[]> {
  const byKind = new Map<string, DomElement[]>();
  for (const child of parent.children) {
    if (!kinds.test(child.localName)) continue;
    const [first = ''] = child.className.trim().split(/\s+/);
    const kind = `${child.localName} ${first}`;
    getOrInsert(byKind, kind, () => []).push(child);
  }
  return byKind.values();
}

function hasFacts(element: DomElement): boolean {
  let count = 0;
  for (const inner of element.querySelectorAll('*')) {
    if (/^(br|wbr|script|style)$/.test(inner.localName)) continue;
    if ((count += 1) >= 2) return true;
  }
  return false;
}

function weightOf(elements: readonly DomElement[]): number {
  return elements.slice(0, 50).reduce((sum, element) => sum + labelText(element).length, 0);
}
