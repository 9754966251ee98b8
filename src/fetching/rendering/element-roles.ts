/** What an element is to a reader, from its name and attributes: chrome, main part, mount point. */
import { mountIds, mountTags } from './mount-points.ts';
import type { ToldAttributes } from './read-attributes.ts';

/** What is inside such an element … */
export type RegionKind =
  /** is not what the page is about: navigation, header, footer, notices. */
  | 'chrome'
  /** is not shown. */
  | 'hidden'
  /** is what the page is about. */
  | 'main'
  /** comes from an application. */
  | 'mount';

/** An element that begins a region. */
export interface ElementRole {
  readonly kind: RegionKind;
  /** As a reader of the source would call it. */
  readonly name: string;
  readonly framework?: string | undefined;
}

const rolesByTag: ReadonlyMap<string, ElementRole> = new Map([
  ...[...mountTags].map(([tag, framework]): [string, ElementRole] => {
    return [tag, { kind: 'mount', name: `<${tag}>`, framework }];
  }),
  ...'nav header footer aside dialog menu'.split(' ').map((tag): [string, ElementRole] => {
    return [tag, { kind: 'chrome', name: '' }];
  }),
  ['main', { kind: 'main', name: '<main>' }],
]);

/** Whole tokens of a class, or an id. A word within a token may be about a wrapper of the page. */
const chromeTokens: ReadonlySet<string> = new Set(
  (
    'header footer nav navbar navigation sidebar menu topbar top-bar breadcrumb breadcrumbs toolbar ' +
    'site-header site-footer site-nav main-nav main-menu main-header main-footer global-header ' +
    'global-footer app-header app-footer page-footer skip-link skip-links'
  ).split(' '),
);
const noticeToken =
  /^(?:(?:cookies?|consent|gdpr|onetrust)(?:$|[-_A-Z])|cookie|consent|cc-(?:window|banner))/;
const skeletonToken =
  /^(?:skeleton|shimmer|spinner|loader|loading|preloader|placeholder-glow|ghost|lds-\w+)(?:$|[-_])|[-_](?:skeleton|shimmer|spinner|loader)$/i;

/** What the tokens of a class say; asked once for each class of a page. */
interface ClassVerdict {
  readonly isChrome: boolean;
  readonly isSkeleton: boolean;
}

const chromeElement: ElementRole = { kind: 'chrome', name: '' };
const hiddenElement: ElementRole = { kind: 'hidden', name: '' };

/** Tells the roles of one page's elements. */
export class ElementRoles {
  readonly #classes = new Map<string, ClassVerdict>();

  /** The role of an element by its name and what `readAttributes` found; most have none. */
  of(tag: string, given: ToldAttributes): ElementRole | undefined {
    const { id, classes, role } = given;
    const byTag = rolesByTag.get(tag);
    if (byTag?.kind === 'mount') return byTag;
    if (given.isView || (id !== '' && mountIds.has(id))) {
      const name = id === '' ? `<${tag}>` : `#${id}`;
      return { kind: 'mount', name, framework: mountIds.get(id) };
    }
    if (given.isHidden && !streamed.test(id)) return hiddenElement;
    if (byTag !== undefined) return byTag;
    if (role === 'main') return { kind: 'main', name: `<${tag}>` };
    const isChrome =
      (role !== '' && chromeRoles.has(role)) ||
      (id !== '' && isChromeToken(id)) ||
      (classes !== '' && this.#verdict(classes).isChrome);
    return isChrome ? chromeElement : undefined;
  }

  /** True for what is drawn where something is still to come. */
  isSkeleton({ classes, isBusy }: ToldAttributes): boolean {
    return isBusy || (classes !== '' && this.#verdict(classes).isSkeleton);
  }

  #verdict(classes: string): ClassVerdict {
    const known = this.#classes.get(classes);
    if (known !== undefined) return known;
    const tokens = classes.split(/\s+/, mostTokens);
    const isSkeleton = tokens.some((token) => skeletonToken.test(token));
    const verdict = { isChrome: tokens.some(isChromeToken), isSkeleton };
    this.#classes.set(classes, verdict);
    return verdict;
  }
}

/** React sends these parts later than the rest, and a script only moves them to their place. */
const streamed = /^S:[\da-f]+$/;

/** Tokens of a class that are looked at. */
const mostTokens = 30;

const chromeRoles: ReadonlySet<string> = new Set(
  'navigation banner contentinfo dialog alertdialog search complementary'.split(' '),
);

function isChromeToken(token: string): boolean {
  return chromeTokens.has(token) || noticeToken.test(token);
}
