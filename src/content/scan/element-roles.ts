/**
 * The role of an element for a reader, by its name and attributes: chrome, main part, mount point
 * of a framework.
 */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import { keyByWord } from '../../core/runtime/key-by-word.ts';

/** The content of such an element … */
export type RegionKind =
  /** is not the topic of the page: navigation, header, footer, notices. */
  | 'chrome'
  /** is not displayed. */
  | 'hidden'
  /** is the topic of the page. */
  | 'main'
  /** comes from an application. */
  | 'mount';

/** An element that begins a region. */
export interface ElementRole {
  readonly kind: RegionKind;
  /** The name as in the source: `#root`. */
  readonly name: string;
  readonly framework?: string | undefined;
}

// Mount points of applications, and scripts that only applications have.

/** Element names that are mount points of applications. */
const mountTags: ReadonlyMap<string, string> = new Map([
  ['app-root', 'Angular'],
  ['ng-app', 'Angular'],
  ['ion-app', 'Ionic'],
  ['router-view', 'Vue'],
  ['ui-view', 'AngularJS'],
  ['ng-view', 'AngularJS'],
  ['flutter-view', 'Flutter'],
  ['flt-glass-pane', 'Flutter'],
]);

const rolesByTag: ReadonlyMap<string, ElementRole> = new Map([
  ...[...mountTags].map(([tag, framework]): [string, ElementRole] => {
    return [tag, { kind: 'mount', name: `<${tag}>`, framework }];
  }),
  ...'nav header footer aside dialog menu'.split(' ').map((tag): [string, ElementRole] => {
    return [tag, { kind: 'chrome', name: '' }];
  }),
  ['main', { kind: 'main', name: '<main>' }],
]);

/** Whole tokens of a class, or an id. A part of a token may refer to a wrapper of the page. */
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

/** The role of a class; computed once for each class of a page. */
interface ClassRole {
  readonly isChrome: boolean;
  readonly isSkeleton: boolean;
}

const chromeElement: ElementRole = { kind: 'chrome', name: '' };

const hiddenElement: ElementRole = { kind: 'hidden', name: '' };

/** Determines the roles of one page's elements. */
export class ElementRoles {
  readonly #classes = new Map<string, ClassRole>();

  /** The role of an element by its name and the result of `readAttributes`; most have none. */
  of(tag: string, given: RoleAttributes): ElementRole | undefined {
    const { id, classes, role } = given;
    const byTag = rolesByTag.get(tag);
    if (byTag?.kind === 'mount') return byTag;
    if (given.isView || (id !== '' && mountIds.has(id))) {
      const name = id === '' ? `<${tag}>` : `#${id}`;
      return { kind: 'mount', name, framework: mountIds.get(id) || undefined };
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

  /** True for a placeholder of content that is still loading. */
  isSkeleton({ classes, isBusy }: RoleAttributes): boolean {
    return isBusy || (classes !== '' && this.#verdict(classes).isSkeleton);
  }

  #verdict(classes: string): ClassRole {
    return getOrInsert(this.#classes, classes, () => {
      const tokens = classes.split(/\s+/, mostTokens);
      const isSkeleton = tokens.some((token) => skeletonToken.test(token));
      return { isChrome: tokens.some(isChromeToken), isSkeleton };
    });
  }
}

/** React streams these parts late, and a script only moves them into position. */
const streamed = /^S:[\da-f]+$/;

const mostTokens = 30; // tokens of a class that are examined

const chromeRoles: ReadonlySet<string> = new Set(
  'navigation banner contentinfo dialog alertdialog search complementary'.split(' '),
);

function isChromeToken(token: string): boolean {
  return chromeTokens.has(token) || noticeToken.test(token);
}

// The attributes of a tag that decide the role of an element; all others are skipped.

/** Values are empty for missing attributes. */
interface RoleAttributes {
  readonly id: string;
  readonly classes: string;
  readonly role: string;
  readonly isBusy: boolean;
  readonly isHidden: boolean;
  /** It belongs to a template that a script of the page fills in. */
  readonly isBound: boolean;
  /** An application inserts a view here. */
  readonly isView: boolean;
}

const noAttributes: RoleAttributes = {
  id: '',
  classes: '',
  role: '',
  isBusy: false,
  isHidden: false,
  isBound: false,
  isView: false,
};

/**
 * Reads the part of `source` after the name of a tag. Written by hand: it takes most of the time of
 * a pass over a page, and much less than a regular expression would.
 */
export function readAttributes(source: string, from: number, to: number): RoleAttributes {
  if (to - from < 4) return noAttributes;
  let [id, classes, role] = ['', '', ''];
  let [isBusy, isHidden, isBound, isView] = [false, false, false, false];
  let at = from;
  for (;;) {
    while (at < to && isGap(source.charCodeAt(at))) at += 1;
    if (at >= to) break;
    const start = at;
    while (at < to && !endsName(source.charCodeAt(at))) at += 1;
    // Skips a character that cannot begin a name.
    if (at === start) at += 1;
    const nameEnd = at;
    while (at < to && source.charCodeAt(at) <= 32) at += 1;
    let [valueFrom, valueTo] = [at, at];
    if (source.charCodeAt(at) === equals) {
      at += 1;
      while (at < to && source.charCodeAt(at) <= 32) at += 1;
      const quote = source.charCodeAt(at);
      valueFrom = at;
      if (quote === doubleQuote || quote === singleQuote) {
        valueFrom += 1;
        const end = source.indexOf(quote === doubleQuote ? '"' : "'", valueFrom);
        valueTo = end < 0 || end > to ? to : end;
        at = valueTo + 1;
      } else {
        while (at < to && source.charCodeAt(at) > 32) at += 1;
        valueTo = at;
      }
    }
    // Names of framework attributes are longer than most; `data-testid` and the like are not
    // sliced.
    if (nameEnd - start > longestName) continue;
    const name = source.slice(start, nameEnd);
    switch (name) {
      case 'id':
      case 'ID':
        id ||= source.slice(valueFrom, valueTo);
        break;
      case 'class':
      case 'CLASS':
        classes ||= source.slice(valueFrom, valueTo);
        break;
      case 'role':
        role ||= source.slice(valueFrom, valueTo);
        break;
      case 'style':
      case 'STYLE':
        isHidden ||= /display\s?:\s?none/i.test(source.slice(valueFrom, valueTo));
        break;
      case 'hidden':
        isHidden ||= source.slice(valueFrom, valueTo) !== 'until-found';
        break;
      case 'aria-busy':
        isBusy ||= source.slice(valueFrom, valueTo) === 'true';
        break;
      case 'ng-view':
      case 'ui-view':
        isView = true;
        break;
      case 'v-cloak':
      case 'x-cloak':
        isHidden = true;
        break;
      default:
        isBound ||= bindings.has(name);
    }
  }
  return { id, classes, role, isBusy, isHidden, isBound, isView };
}

const bindings: ReadonlySet<string> = new Set(
  (
    'ng-app data-ng-app ng-controller ng-repeat ng-bind ng-if v-for v-if v-text v-html x-data x-for ' +
    'x-text x-html *ngFor *ngIf data-bind'
  ).split(' '),
);

const longestName = 13; // characters of the longest name that is searched

const [equals, doubleQuote, singleQuote, slash, greaterThan] = [61, 34, 39, 47, 62];

function isGap(code: number): boolean {
  return code <= 32 || code === slash;
}

function endsName(code: number): boolean {
  return code <= 32 || code === slash || code === equals || code === greaterThan;
}

/** Ids that frameworks and their starters use; other mount points are detected by their content. */
const mountIds = keyByWord({
  // Of no framework in particular.
  '':
    'root app application app-container app-wrapper app-mount app-root approot main-app app-main ' +
    'spa mount root-app single-page-app page-root site-root',
  React: 'react-root reactroot react-app react-container react',
  'Next.js': '__next',
  Nuxt: '__nuxt',
  Vue: 'vue vue-app vueapp',
  Quasar: 'q-app',
  Gatsby: '___gatsby',
  Svelte: 'svelte svelte-app sapper',
  Ember: 'ember-app ember ember-basic-dropdown-wormhole',
  Elm: 'elm elm-app elm-root',
  Docusaurus: '__docusaurus',
  Remix: 'remix-app',
});

/** Detects the framework by scripts and data, for pages without any other mark. */
export function frameworkOf(source: string): string | undefined {
  return scriptMarks.find(([, mark]) => mark.test(source))?.[0];
}

const scriptMarks: readonly (readonly [framework: string, mark: RegExp])[] = [
  ['Flutter', /flutter(?:_bootstrap|_service_worker)?\.js|main\.dart\.js|_flutter\.loader/],
  ['Blazor', /blazor\.(?:webassembly|web|server)\.js/],
  ['GWT', /\.nocache\.js/],
  ['Meteor', /__meteor_runtime_config__/],
  ['Elm', /\bElm\.[\w.]{1,60}\.init\(/],
  ['Svelte', /__sveltekit|sveltekit:|new \w{1,40}\(\{\s{0,20}target:/],
  ['Nuxt', /__NUXT__|\/_nuxt\//],
  ['Next.js', /__NEXT_DATA__|\/_next\/static/],
  ['Gatsby', /window\.___/],
  ['Ember', /\/assets\/vendor-[\da-f]{6,40}\.js|EmberENV/],
  ['AngularJS', /\bangular\.module\(/],
];
