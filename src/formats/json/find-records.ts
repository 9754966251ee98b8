/** Lists of records: entities of a kind, entries of an ItemList, rows of a table. */
import type { DomElement } from '../../html/dom.ts';
import { familyNamed, familyOf, isGenericListName } from './entity-types.ts';
import { type Entity, isEntity } from './entities.ts';
import { expandLists } from './expand-lists.ts';
import { lookup } from './lookup.ts';
import { englishName } from './label-words.ts';
import { fold, singular, wordsOf } from './names.ts';
import { repeatedElements } from './repeated-elements.ts';
import { type Scope, elementScope, entityScope, rowScope } from './scope.ts';
import type { DataTable } from './data-tables.ts';
import type { ExtractionSource } from './outcome.ts';

/** Scopes that may be the items of an array. */
export interface Records {
  readonly source: ExtractionSource;
  /** True when the list is what the property is named for: any match is enough then. */
  readonly isNamed: boolean;
  readonly scopes: readonly Scope[];
  /** Siblings that nothing calls by the property's name: it takes more than a name, a link and one fact. */
  readonly isGuess?: boolean;
}

/** Candidates by trust. An empty name is the page itself being a list. */
export function findRecords(name: string, scope: Scope, baseUrl: string): Records[] {
  const records: Records[] = [];
  for (const subject of scope.subjects()) {
    for (const group of name === '' ? [] : lookup(subject, name)) {
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

function entityRecords(entities: readonly Entity[], isNamed: boolean): Records {
  return { source: entities[0]?.source ?? 'json-ld', isNamed, scopes: entities.map(entityScope) };
}

/** Siblings of one kind; named where they are marked up as what the property asks for. */
function elementRecords(
  name: string,
  elements: readonly DomElement[],
  baseUrl: string,
  isTitled: boolean,
): Records {
  const scopes = elements.map((element) => elementScope(element, baseUrl));
  const wanted = familyNamed(name);
  const isNamed =
    wanted !== undefined &&
    elements.every((element) => element.hasAttribute('itemscope')) &&
    scopes.slice(0, 3).every((scope) => scope.subjects().some((one) => familyOf(one) === wanted));
  const isCalled = elements.every(({ className }) =>
    wordsOf(className.slice(0, 200)).some((word) => isCalledLike(word, name)),
  );
  return { source: 'label', isNamed, scopes, isGuess: !isNamed && !isCalled && !isTitled };
}

/** `products` and `product`, `producto`, or another word for the kind. */
function isCalledLike(word: string, name: string): boolean {
  const [wanted, given] = [name, word].map((one) => singular(englishName(fold(one))));
  if (wanted === undefined || wanted === '') return false;
  const family = familyNamed(wanted);
  return given === wanted || (family !== undefined && family === familyNamed(given ?? ''));
}

/** ItemLists, and two or more entities of one kind from one source. */
function pageLists(name: string, entities: readonly Entity[]): Records[] {
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
    const alike = byKind.get(`${entity.source} ${kind}`);
    if (alike === undefined) byKind.set(`${entity.source} ${kind}`, [entity]);
    else alike.push(entity);
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

/** Tables with the same headers are one list, unless a caption names the property. */
function tableRecords(name: string, tables: readonly DataTable[]): Records[] {
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
