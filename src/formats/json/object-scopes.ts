/** Where the members of an object property are: in an entity, on the page itself, beside a prefix. */
import { isEntity } from './entities.ts';
import { familyNamed } from './entity-types.ts';
import type { Shape } from './json-schema.ts';
import { lookup } from './lookup.ts';
import { mainEntities } from './main-entity.ts';
import { fold, singular } from './names.ts';
import { entityScope, type Scope } from './scope.ts';

/** The places to look, best first; never empty. */
export function scopesOfObject(name: string, shape: Shape, scope: Scope): Scope[] {
  const scopes: Scope[] = [];
  const inScope = nameIn(scope, name);
  for (const subject of scope.subjects()) {
    for (const group of lookup(subject, inScope)) {
      const entity = group.find(isEntity);
      if (entity !== undefined) scopes.push(entityScope(entity));
    }
  }
  const family = familyNamed(name);
  if (scope.page !== undefined && family !== undefined) {
    const about = aboutPage(shape, scope, family);
    if (about.subjects().length > 0) scopes.push(about);
  }
  if (isGroupName(name)) scopes.push(scope.page === undefined ? scope : aboutPage(shape, scope));
  // `price: { amount, currency }` is what others write as priceAmount and priceCurrency.
  scopes.push({ ...scope, prefix: inScope });
  return scopes;
}

/** The page with the entity that it is about, as seen from the object that is wanted. */
export function aboutPage(shape: Shape, scope: Scope, family?: string): Scope {
  const { page } = scope;
  if (page === undefined) return scope;
  const names = Object.keys(shape.schema.properties ?? {});
  const subjects = mainEntities(page.entities, names, page.hints, family);
  return { ...scope, subjects: () => subjects };
}

/** The name under which a member is looked for. */
export function nameIn(scope: Scope, name: string): string {
  if (scope.prefix === '') return name;
  return `${scope.prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Objects that only group properties of the thing itself; singular. */
const groupNames = new Set(
  (
    'data detail info information spec specification attribute feature parameter metadata meta ' +
    'result page overview summary fact technicaldata dimension measurement nutrition ' +
    'nutritionfact contact contactinfo contactdetail'
  ).split(' '),
);

/** True for the name of such an object: `details`, `specs`. */
export function isGroupName(name: string): boolean {
  const folded = fold(name);
  return groupNames.has(folded) || groupNames.has(singular(folded));
}
