/** Kinds of entities: which of them a page can be about, and what callers call them. */
import type { Entity } from './entities.ts';
import { fold, singular } from './names.ts';

/** Words that name a family of types: a property `jobs` asks for JobPosting entities. */
const familyNames: ReadonlyMap<string, string> = new Map(
  (
    'product:product article:article post:article story:article newsarticle:article ' +
    'blogpost:article paper:article recipe:recipe event:event concert:event job:jobposting ' +
    'jobposting:jobposting vacancy:jobposting opening:jobposting person:person member:person ' +
    'employee:person staff:person team:person organization:organization company:organization ' +
    'book:book movie:movie film:movie course:course video:videoobject faq:question ' +
    'question:question review:review offer:offer breadcrumb:breadcrumblist restaurant:restaurant ' +
    'business:localbusiness place:place property:residence home:residence listing:residence'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

const families: ReadonlyMap<string, string> = new Map(
  (
    'individualproduct:product productmodel:product productgroup:product vehicle:product ' +
    'car:product newsarticle:article blogposting:article techarticle:article report:article ' +
    'scholarlyarticle:article opinionnewsarticle:article analysisnewsarticle:article ' +
    'reviewnewsarticle:article liveblogposting:article socialmediaposting:article ' +
    'medicalscholarlyarticle:article festival:event aggregateoffer:offer corporation:organization ' +
    'newsmediaorganization:organization educationalorganization:organization ' +
    'realestatelisting:residence apartment:residence house:residence ' +
    'singlefamilyresidence:residence accommodation:residence webpage:webpage itempage:webpage ' +
    'collectionpage:webpage aboutpage:webpage contactpage:webpage profilepage:webpage ' +
    'searchresultspage:webpage faqpage:webpage qapage:webpage'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

/** Parts of a page or a site: never what a page is about unless they are asked for by name. */
const parts = new Set(
  (
    'website breadcrumblist listitem itemlist offercatalog searchaction readaction entrypoint ' +
    'sitenavigationelement wpheader wpfooter wpsidebar imageobject imagegallery speakablespecification ' +
    'contactpoint postaladdress propertyvalue offer rating aggregaterating review comment'
  ).split(' '),
);

/** Who runs the site or wrote the page, and the page itself. */
const background = new Set(['organization', 'person', 'webpage']);

/** The type that stands for the entity's kind: `newsarticle` → `article`. `` for none. */
export function familyOf(entity: Entity): string {
  const [first = ''] = entity.types;
  for (const type of entity.types) {
    const family = families.get(type);
    if (family !== undefined) return family;
    if (type.endsWith('event')) return 'event';
  }
  return first;
}

/** How likely a page is about such an entity: 2 content, 1 background, 0 a part of a page. */
export function rankOf(entity: Entity): 0 | 1 | 2 {
  const family = familyOf(entity);
  if (family === '' || parts.has(family)) return 0;
  return background.has(family) ? 1 : 2;
}

/** The family a property name asks for: `jobPostings` → `jobposting`. */
export function familyNamed(name: string): string | undefined {
  const folded = fold(name);
  return familyNames.get(folded) ?? familyNames.get(singular(folded));
}

/** True when the name says nothing about the kind: `items`, `results`. */
export function isGenericListName(name: string): boolean {
  return /^(item|result|entry|entrie|listing|element|row|record|data|list|hit)s?$/.test(fold(name));
}
