/** The signals that a page needs a browser, the surest first. Each needs something that is missing, not only little text. */
import { checksCookies } from '../challenge-page.ts';
import { isLoadingText } from './loading-text.ts';
import { frameworkOf } from './mount-points.ts';
import type { Filling, PageOutline } from './page-outline.ts';

/** A rule: the words of its signal, or undefined where it sees none. */
type Signal = (page: PageOutline) => string | undefined;

/** Letters of content from which a page is judged to be complete, whatever its scripts do. */
export const enoughContent = 1000;
/** Letters that a shell may have beside what its script brings. */
const shell = 400;
/** The same where the main part is marked. */
const largeShell = 700;
/** A sentence or two. */
const little = 150;
/** A name, a slogan. */
const almostNothing = 60;

/** What tells that this page needs a browser, in words; undefined when nothing does. */
export function signalOf(page: PageOutline): string | undefined {
  // Nothing would happen in a browser; or there is another page in each frame.
  if (!page.scripts.any || page.isFrameset || page.content >= enoughContent) return undefined;
  // The text for readers without scripts is the page's text: it is read where there is no other.
  if (page.fallback >= shortestFallback && page.fallback > page.shown) return undefined;
  const sure = firstOf(signalsOfPlaces, page);
  return sure ?? (page.readable > shell ? undefined : firstOf(signalsOfLittleText, page));
}

/** Letters of a `<noscript>` that is more than a request to turn scripts on. */
const shortestFallback = 300;

function firstOf(signals: readonly Signal[], page: PageOutline): string | undefined {
  for (const signal of signals) {
    const found = signal(page);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The place of the content is marked, and there is nothing in it, whatever is beside. */
const signalsOfPlaces: readonly Signal[] = [scriptRedirect, emptyMount, emptyMain];

/** The page as a whole says little, and why. */
const signalsOfLittleText: readonly Signal[] = [
  templateText,
  emptyCustomElement,
  emptyBody,
  loadingText,
  noscriptNotice,
  skeletonOnly,
  emptyRows,
  emptyPlace,
  cookieCheck,
  muchScript,
];

function scriptRedirect({ shown, fields, scripts }: PageOutline): string | undefined {
  if (shown > little || fields > 0 || scripts.inline > 4000) return undefined;
  return redirect.test(scripts.source) ? 'a script sends its visitors on (location)' : undefined;
}

const redirect =
  /(?:^|[\s;{(,])(?:(?:window|document|self|top|parent)\.)?location(?:\.href)?\s?=\s?["'`\w]|location\.(?:replace|assign)\s?\(/;

function emptyMount({ mounts, content, fields, media, text }: PageOutline): string | undefined {
  if (content > shell || fields > 1 || media > 2) return undefined;
  const empty = mounts.find((mount) => isEmpty(mount) || (isSmall(mount) && isLoadingText(text)));
  if (empty === undefined || mounts.some((mount) => isFilled(mount))) return undefined;
  return empty.framework === undefined
    ? `empty root of an app (${shortName(empty.name)})`
    : `shell of ${empty.framework} (${shortName(empty.name)})`;
}

function isEmpty({ shown, fields, media }: Filling): boolean {
  return shown < 4 && fields === 0 && media < 3;
}

function isSmall({ shown, fields }: Filling): boolean {
  return shown <= almostNothing && fields === 0;
}

/** What a server rendered: its text is there, whatever the script adds. */
function isFilled({ shown, fields, media }: Filling): boolean {
  return shown > almostNothing || fields > 0 || media > 2;
}

/** A server filled the place of the content, be it with a sentence only. */
function isServed({ mounts, mains }: PageOutline): boolean {
  return mounts.some(isFilled) || mains.some(isFilled);
}

function emptyMain({ mains, content, media }: PageOutline): string | undefined {
  if (mains.length === 0 || content > largeShell || media > 5) return undefined;
  return mains.every(isEmpty) ? 'empty main part (<main>)' : undefined;
}

function templateText({ text, bindings, content }: PageOutline): string | undefined {
  if (bindings === 0 || content > shell) return undefined;
  return /\{\{[^{}]{1,200}\}\}/.test(text) ? 'templates that a script fills in ({{ }})' : undefined;
}

function emptyBody(page: PageOutline): string | undefined {
  const { shown, media, fields, scripts, templates } = page;
  if (shown > 3 || media > 0 || fields > 0) return undefined;
  const framework = frameworkOf(`${scripts.sources}${scripts.source}`);
  if (framework !== undefined) return `shell of ${framework} (no text)`;
  if (/document\.write(?:ln)?\s?\(/.test(scripts.source)) return 'document.write makes the page';
  if (templates > 0) return 'content is in a template only';
  if (scripts.json > 100) return 'content is in a JSON island only';
  return 'no text beside scripts';
}

function loadingText({ text, content, fields, media }: PageOutline): string | undefined {
  if (content > almostNothing || fields > 0 || media > 2) return undefined;
  return isLoadingText(text) ? 'loading text in place of content' : undefined;
}

function noscriptNotice(page: PageOutline): string | undefined {
  const { asksForScript, content, fields, headings, media } = page;
  if (!asksForScript || content > little || fields > 1 || media > 5) return undefined;
  // A page that a server made complete keeps its notice, however short it is.
  if (headings > 0 || isServed(page)) return undefined;
  return 'noscript says that JavaScript is needed';
}

function skeletonOnly({ skeletons, content, media, fields }: PageOutline): string | undefined {
  if (skeletons === 0 || content > little || media > 5 || fields > 1) return undefined;
  return 'placeholders in place of content';
}

function emptyCustomElement(page: PageOutline): string | undefined {
  const { emptyCustom, content, media, fields, headings } = page;
  if (content > almostNothing || media > 2 || fields > 1) return undefined;
  const name = emptyCustom.find((custom) => !sideId.test(custom));
  if (name === undefined || headings > 0 || isServed(page)) return undefined;
  return `empty element of an app (${shortName(`<${name}>`)})`;
}

function emptyRows({ emptyRows, content, media, fields }: PageOutline): string | undefined {
  const [first] = emptyRows;
  if (first === undefined || content > shell || media > 5 || fields > 1) return undefined;
  return `an empty ${first}`;
}

function emptyPlace(page: PageOutline): string | undefined {
  const { emptyIds, content, media, fields, headings } = page;
  if (content > little || media > 2 || fields > 1 || isServed(page)) return undefined;
  const saysNothing = content <= almostNothing && headings === 0;
  const place = emptyIds.find((id) => contentId.test(id) || (saysNothing && !sideId.test(id)));
  return place === undefined ? undefined : `empty place for content (${shortName(`#${place}`)})`;
}

const contentId =
  /^(?:app|main|content|contents|results?|list|items?|products?|posts?|articles?|feed|grid|cards?|catalog(?:ue)?|view|page|output|stage|screen|outlet|story|entries|data)$|[-_](?:results|list|items|products|posts|articles|feed|grid|cards|view|outlet|content)$/i;
/** Places for what is beside the content. */
const sideId =
  /^(?:fb-root|ad|ads)|ad-|-ads?$|banner|modal|popup|overlay|toast|portal|dialog|tooltip|cookie|consent|captcha|widget|icons?\b|assets|preloaded|feedback|newsletter|notification|player|lightbox|disqus|comment|share|social|chat|gtm|analytics|tracking|top|back|anchor|skip|clear|menu|nav|header|footer|search|progress|year|date/i;

/** A challenge that comes with a good status: it looks whether there is a browser. */
function cookieCheck({ fields, headings, media, scripts }: PageOutline): string | undefined {
  if (fields > 0 || headings > 1 || media > 2) return undefined;
  return checksCookies(scripts.source)
    ? 'a script sets a cookie and loads the page again'
    : undefined;
}

function muchScript(page: PageOutline): string | undefined {
  const { content, shown, media, fields, scripts, headings } = page;
  if (content > little || shown > shell || media > 2 || fields > 0) return undefined;
  if (headings > 0 || isServed(page)) return undefined;
  if (scripts.json > 2000) return 'content is in a JSON island only';
  return scripts.inline < 10_000 ? undefined : 'little text beside much script';
}

/** Names come from the page. */
function shortName(name: string): string {
  return name.replace(/[^\w#<>.:-]/g, '').slice(0, 40);
}
