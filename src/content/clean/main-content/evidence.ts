/** Evidence about an element's part in the page: its tag, role, class and id, and the boxes around it. */
import type { DomElement } from '../../html/dom.ts';
import { ownCopy } from '../../../core/runtime/remembered-test.ts';
import { generatorNames } from './documentation-generators.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

const limits = {
  longestName: 80, // characters read of a name
  knownNames: 5000,
  longestPhrase: 4, // words of a phrase in the lists below
};

/** One bit for each kind. */
export const Evidence = {
  /** Menus, breadcrumbs, pagers, skip links, "on this page". */
  navigation: 1,
  /** The site's header, or a section's. */
  header: 2,
  footer: 4,
  /** Sidebars and asides. */
  aside: 8,
  /** Dialogs, drawers, tooltips: boxes over the page. */
  overlay: 16,
  /** Cookie and privacy bars. */
  consent: 32,
  /** Share and follow buttons; signatures under forum posts. */
  share: 64,
  /** Links to other pages that may interest the reader. */
  related: 128,
  /** Newsletter sign-ups, promotions, advertising. */
  promotion: 256,
  /** Readers' comments. */
  comments: 512,
  /** The form to write a comment. */
  commentForm: 1024,
  /** Reviews and testimonials: part of a page, never the whole page. */
  reviews: 2048,
  /** Read by screen readers only. */
  screenReader: 4096,
  /** Author box, tags, date line. */
  byline: 8192,
  /** A box that belongs to the text: note, warning, tip. */
  callout: 16384,
  main: 32768,
  article: 65536,
  /** Navigation, footer, aside or dialog by tag or role, not by name only. */
  structural: 131072,
} as const;

/** A bit that no kind of evidence uses: the element has a class or id of `documentation-generators.ts`. */
export const generatorMark: number = 2 ** 18;

/** The number of kinds. */
const kindCount: number = Object.keys(Evidence).length;

// Evidence about an element's part in the page: its tag, role, class and id.

/** Reads the elements of one page; caches evidence by class attribute. */
export class EvidenceReader {
  /** By whole class attribute. */
  readonly #ofClasses = new Map<string, number>();

  /** All evidence of an element with the class attribute `classes`. */
  read(element: DomElement, classes: string): number {
    let evidence = tagEvidence.get(element.localName) ?? 0;
    const role = element.getAttribute('role');
    if (role !== null) evidence |= roleEvidence.get(role) ?? 0;
    if ((evidence & structuralKinds) !== 0) evidence |= Evidence.structural;
    const id = element.getAttribute('id');
    // The id of a heading is its text.
    if (id !== null && id !== '' && !headingName.test(element.localName))
      evidence |= nameEvidence(id);
    if (classes !== '') evidence |= this.#classed(classes);
    return evidence;
  }

  #classed(classes: string): number {
    return getOrInsert(this.#ofClasses, classes, () => {
      let evidence = 0;
      for (const name of classes.split(' ')) if (name !== '') evidence |= nameEvidence(name);
      return evidence;
    });
  }
}

const headingName = /^h[1-6]$/;

const structuralKinds = Evidence.navigation | Evidence.footer | Evidence.aside | Evidence.overlay;

const tagEvidence: ReadonlyMap<string, number> = new Map([
  ['nav', Evidence.navigation],
  ['menu', Evidence.navigation],
  ['header', Evidence.header],
  ['footer', Evidence.footer],
  ['aside', Evidence.aside],
  ['dialog', Evidence.overlay],
  ['main', Evidence.main],
  ['article', Evidence.article],
]);

const roleEvidence: ReadonlyMap<string, number> = new Map([
  ['navigation', Evidence.navigation],
  ['menu', Evidence.navigation],
  ['menubar', Evidence.navigation],
  ['search', Evidence.navigation],
  ['doc-toc', Evidence.navigation],
  ['banner', Evidence.header],
  ['contentinfo', Evidence.footer],
  ['complementary', Evidence.aside],
  ['dialog', Evidence.overlay],
  ['alertdialog', Evidence.overlay],
  ['main', Evidence.main],
  ['article', Evidence.article],
  ['note', Evidence.callout],
]);

// Class names and ids as evidence: the words that name navigation, a share bar, an advertisement.

/**
 * Evidence of one class name or id.
 *
 * The last word of a name carries its meaning: `sidebar-note` is a note, `article-share` shares.
 * Words for mere boxes may follow: `share-buttons-wrapper`.
 */
export function nameEvidence(name: string): number {
  const read = name.slice(0, limits.longestName);
  let evidence = knownNames.get(read);
  if (evidence === undefined) {
    evidence = readName(read);
    if (knownNames.size === limits.knownNames) knownNames.clear();
    knownNames.set(ownCopy(read), evidence);
  }
  return evidence;
}

/** A cache: pages of a site share their names. */
const knownNames = new Map<string, number>();

function readName(name: string): number {
  const words = splitWords(name);
  let evidence = generatorNames.has(name) ? generatorMark : 0;
  if (words.length > 1 && negations.has(words[0] as string)) return evidence;
  for (let end = words.length; end > 0; end--) {
    let phrase = '';
    for (let start = end - 1; start >= 0 && start >= end - limits.longestPhrase; start--) {
      phrase = words[start] + phrase;
      evidence |= phrases.get(phrase) ?? 0;
      if (phrase.endsWith('s')) evidence |= phrases.get(phrase.slice(0, -1)) ?? 0;
    }
    if (!isBoxWord(words[end - 1] as string)) break;
  }
  for (const [others, kind] of otherMeanings) {
    if ((evidence & kind) !== 0 && words.some((word) => others.has(word))) evidence &= ~kind;
  }
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (calloutWords.has(word)) evidence |= Evidence.callout;
    if (consentSubjects.has(word) && consentObjects.has(words[index + 1] ?? '')) {
      evidence |= Evidence.consent;
    }
  }
  return evidence;
}

/** Evidence of a heading's text, as if it were a class name: "You may also like". */
export function headingEvidence(heading: DomElement): number {
  const text = (heading.textContent ?? '').replace(/[:…\d]+/g, '').trim();
  return text === '' || text.length > 40 ? 0 : nameEvidence(text.replace(/\s+/g, '-'));
}

/** `relatedPosts_box` → related, posts, box. Suffixes of build tools (`-sc-1a2b3c`, `__x1Y2z`) are dropped. */
function splitWords(name: string): string[] {
  const own = name.includes('__')
    ? name.replace(/(_[A-Za-z][A-Za-z\d]*)__[\w-]{5,6}$/, '$1')
    : name;
  const lower = own.toLowerCase();
  const parted = lower === own ? own : own.replace(/([a-z\d])([A-Z])/g, '$1-$2').toLowerCase();
  const plain = /\d/.test(parted)
    ? parted.replace(/(?:-sc)?-(?=[a-z]*\d)[a-z\d]{5,}(?:-\d+)?$/, '')
    : parted;
  return plain.match(/[a-z\d\u00c0-\uffff]+/g) ?? [];
}

function isBoxWord(word: string): boolean {
  return boxWords.has(word) || /^\d+$/.test(word);
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** `has-sidebar` is not a sidebar. */
const negations = wordSet('has with no not without is show hide hidden');

/** Words that change the meaning of a phrase next to them. */
const otherMeanings: readonly (readonly [ReadonlySet<string>, number])[] = [
  // A `hero-overlay` or `image-has-overlay` is text on a picture, not a box that covers the page.
  [wordSet('background bg hero text has'), Evidence.overlay],
  // The comments of a live ticker are the reports of its authors.
  [wordSet('ticker liveticker liveblog live'), Evidence.comments],
  // The signature of a function, not of the author of a post.
  [wordSet('type member method function'), Evidence.share],
];

/** Words that may follow a noun without changing what the box is. */
const boxWords = wordSet(
  'area bar block bottom box col column container content desktop div fixed footer global group ' +
    'header holder inner item items left list main mobile module outer panel primary region right ' +
    'row secondary section side sticky top widget wrap wrapper wrp buttons icons links',
);

const calloutWords = wordSet(
  'note notes callout admonition tip warning caution hint important alert infobox pullquote quote ' +
    'highlight example summary takeaway takeaways',
);

const consentSubjects = wordSet('cookie cookies gdpr consent ccpa');

const consentObjects = wordSet(
  'banner bar consent notice notification popup message law dialog modal overlay warning prompt ' +
    'disclaimer alert status info',
);

/** Written without hyphens and in the singular: `socialmedia` stands for `social-media` too. */
const phrasesByKind: readonly (readonly [number, string])[] = [
  [
    Evidence.navigation,
    'nav navi navbar navigation navmenu menu menubar mainmenu megamenu submenu breadcrumb crumb ' +
      'pagination pager paging prevnext nextprev toc tableofcontents onthispage skiplink ' +
      'skiptocontent skiptomain topbar toolbar languageswitcher languageselector searchform ' +
      'searchbox backtotop',
  ],
  [Evidence.header, 'header masthead banner topnav'],
  [Evidence.footer, 'footer colophon copyright footnav footerlink legal'],
  [Evidence.aside, 'sidebar aside rail widgetarea sidebarwidget sidecolumn sidecol'],
  [
    Evidence.overlay,
    'modal popup overlay lightbox navdrawer menudrawer cartdrawer mobiledrawer searchdrawer ' +
      'offcanvas tooltip popover toast snackbar flyout',
  ],
  [
    Evidence.consent,
    'cookie gdpr consent cookieconsent cookiebar cookiebanner cookienotice cookielaw',
  ],
  [
    Evidence.share,
    'share sharing sharebar sharebutton sharelink shareicon sharetool sharethis sharepost ' +
      'sharearticle sharedaddy social socialmedia sociallink socialicon socialshare socialsharing ' +
      'socialbutton socialnav socialnetwork socialfollow socialbar addthis addtoany followus ' +
      'printbutton a2a signature jumpbox reactionsbar quickreply',
  ],
  [
    Evidence.related,
    'related relatedpost relatedarticle relatedcontent relatedstories relatednews relatedlink ' +
      'relatedtopic relatedproduct relateditem relatedpage relatedreading relatedvideo recommended ' +
      'recommendation recommend youmaylike youmightlike youmayalsolike youmightalsolike alsolike ' +
      'morefrom morestories morearticle morenews morepost morelikethis readmore readnext readalso ' +
      'upnext nextup mostread mostpopular mostviewed mostshared popular popularpost trending ' +
      'latestnews latestpost latestarticle lateststories recentpost recentarticle recentnews ' +
      'recentcomment seealso similar crosssell upsell teaser teaserlist teasergrid teasertext ' +
      'outbrain taboola',
  ],
  [
    Evidence.promotion,
    'newsletter newslettersignup newsletterform newslettercta newslettersubscribe subscribe ' +
      'subscription signup mailinglist mailchimp promo promotion promoted ad adv advert ' +
      'advertisement advertising adslot adunit adcontainer adwrapper adzone adspace adbanner ' +
      'bannerad sponsor sponsored dfp gpt paywall cta calltoaction donate donation announcement ' +
      'appbanner hellobar',
  ],
  [
    Evidence.comments,
    'comment commentsarea commentlist disqus disqusthread commentsection discussion response ' +
      'fbcomment livefyre readercomment',
  ],
  [
    Evidence.commentForm,
    'respond commentrespond commentform replyform leaveareply leavereply leaveacomment ' +
      'leavecomment postcomment addcomment',
  ],
  [Evidence.reviews, 'review rating testimonial'],
  [
    Evidence.screenReader,
    'sronly visuallyhidden screenreader screenreadertext screenreaderonly hiddenvisually a11yhidden ' +
      'elementinvisible printonly assistivetext offscreen',
  ],
  [
    Evidence.byline,
    'author authorbio authorbox authorinfo authorcard authorprofile authormeta authorname ' +
      'authordetail abouttheauthor aboutauthor bio byline meta tag posttag articletag postrating ' +
      'ratethis articlerating taglist tagcloud categories catlink postdate postinfo postedon ' +
      'postedby publishdate timestamp dateline entryfooter postfooter articlefooter',
  ],
];

const phrases: ReadonlyMap<string, number> = indexPhrases();

function indexPhrases(): Map<string, number> {
  const index = new Map<string, number>();
  for (const [kind, list] of phrasesByKind) {
    for (const phrase of list.split(' ')) index.set(phrase, (index.get(phrase) ?? 0) | kind);
  }
  return index;
}

// The evidence around an element: the kinds of the boxes that contain it.

/** By kind of evidence, in the order of `Evidence`; -1 if the element is not in such a box. */
export interface SurroundingEvidence {
  /** Index of the outermost box. */
  readonly outermost: readonly number[];
  /** Depth of the innermost box. */
  readonly innermost: readonly number[];
}

const nowhere: SurroundingEvidence = {
  outermost: new Array<number>(kindCount).fill(-1),
  innermost: new Array<number>(kindCount).fill(-1),
};

/** The surroundings of an element, from its own evidence and its parent's surroundings. */
export function surroundingEvidence(
  evidence: number,
  index: number,
  depth: number,
  around: SurroundingEvidence = nowhere,
): SurroundingEvidence {
  if ((evidence & ~generatorMark) === 0) return around;
  const outermost = around.outermost.slice();
  const innermost = around.innermost.slice();
  for (let kind = 0; kind < kindCount; kind++) {
    if ((evidence & (1 << kind)) === 0) continue;
    if (outermost[kind] === -1) outermost[kind] = index;
    innermost[kind] = depth;
  }
  return { outermost, innermost };
}

/** True for a box with this kind of evidence, and inside of it. */
export function isInside({ outermost }: SurroundingEvidence, kind: number): boolean {
  return outermost[Math.log2(kind)] !== -1;
}
