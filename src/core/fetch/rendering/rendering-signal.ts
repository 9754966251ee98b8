/** Detects pages that need a browser from their plain HTTP response, and false alarms from the rendered page. */
import { isUtf8 } from 'node:buffer';
import type { Snapshot } from '../../model/snapshot.ts';
import { wordsOf } from '../../../content/text/words.ts';
import { challengeOf, checksCookies } from '../challenge-page.ts';
import { frameworkOf } from '../../../content/scan/element-roles.ts';
import type { SourceOutline, RegionContent } from '../../../content/scan/source-outline.ts';
import { outlineOf } from '../../../content/scan/page-scanner.ts';
import { sourceOf } from '../../../content/scan/page-source.ts';
import { firstDefined } from '../../runtime/first-defined.ts';

const limits = {
  bytes: 5_000_000, // of a page: 25 ms; larger pages are full of text or data anyway
  startBytes: 24 * 1024, // examined first: most pages have enough content there
  longestNotice: 120, // characters of a text that may be only a notice
  noticeWords: 6, // other texts go on: "Loading docks", "Please wait to be seated"
  enoughContent: 1000, // letters from which a page counts as complete, whatever its scripts do
  shellLetters: 400, // that a shell may have besides the content of its script
  largeShell: 700, // letters; the same if the main part is marked
  little: 150, // letters of a sentence or two
  almostNothing: 60, // letters of a name or a slogan
  shortestFallback: 300, // letters of a `<noscript>` that is more than a request to enable scripts
  comparedCharacters: 200_000, // of a text; script content appears before that
  leastShare: 0.25, // of new words: an ad, a like count or a clock adds less
  leastWords: 2, // new ones: a page may gain one that is not content
  lettersPerWord: 5, // on average
};

/**
 * The signal that a script makes the content of this page, in words for `metadata.engineReason`;
 * undefined when the page is complete, when there is nothing to render (an error, a redirect, a
 * file), and when the response is not evidence: cut, or the page of a bot protection.
 *
 * One pass over the bytes, in linear time for any input: 0.2 ms for 46 KB.
 */
export function renderingSignal(snapshot: Snapshot): string | undefined {
  const { statusCode, body, isCut = false } = snapshot;
  if (statusCode < 200 || statusCode > 299 || isCut) return undefined;
  if (body.length === 0 || body.length > limits.bytes) return undefined;
  if (!/html|^\s*$/i.test(snapshot.headers['content-type'] ?? '')) return undefined;
  if (body.length > limits.startBytes && startsWithContent(body)) return undefined;
  const source = sourceOf(body);
  if (!/^[\s\ufeff\xef\xbb\xbf]{0,1000}</.test(source)) return undefined;
  const signal = signalOf(outlineOf(source, { enough: limits.enoughContent }));
  return signal === undefined || challengeOf(snapshot) !== undefined ? undefined : signal;
}

/** True when the start of a page, up to its last whole tag, has enough content whatever follows. */
function startsWithContent(body: Uint8Array): boolean {
  const start = sourceOf(body.subarray(0, limits.startBytes));
  const source = start.slice(0, Math.max(0, start.lastIndexOf('<')));
  return (
    outlineOf(source, { enough: limits.enoughContent, isCut: true }).content >= limits.enoughContent
  );
}

// Loading notices: words in a page until its script has run.

const loadingWords = [
  'loading|please wait|one moment|just a (?:moment|second|sec)|hang on|initiali[sz]ing|starting(?: up)?|preparing|connecting|fetching',
  'wird geladen|lade[nt]?|bitte warten|einen moment|chargement|veuillez patienter|cargando|espere|un momento',
  'caricamento|attendere|carregando|aguarde|laster|laddar|indlæser|ladataan|ładowanie|wczytywanie|načítání|yükleniyor|lütfen bekleyin',
  'загрузка|загружается|подождите|завантаження|зачекайте',
  '読み込み中|ロード中|お待ちください|加载中|載入中|正在加载|请稍候|請稍候|로딩|불러오는 중|جار(?:ي)? التحميل',
];

const loadingNotice = new RegExp(`(?<![\\p{L}\\p{N}])(?:${loadingWords.join('|')})`, 'iu');

/** True for a text that is only a loading notice: "Loading…", "Please wait, loading the shop". */
function isLoadingText(text: string): boolean {
  const plain = text
    .replace(/&(?:#8230|hellip|nbsp);/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (plain === '' || plain.length > limits.longestNotice || !loadingNotice.test(plain))
    return false;
  const wordCount = plain.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return wordCount <= limits.noticeWords;
}

// The signals that a page needs a browser, the most certain first. Each needs a missing part, not
// only little text.

/** A rule: returns the words of its signal, or undefined. */
type SignalDetector = (page: SourceOutline) => string | undefined;

/** The signal that this page needs a browser, in words; undefined if there is none. */
function signalOf(page: SourceOutline): string | undefined {
  // A browser would change nothing, or each frame is its own page.
  if (!page.scripts.any || page.isFrameset || page.content >= limits.enoughContent)
    return undefined;
  // The fallback for readers without scripts is used as the page's text if there is no other.
  if (page.fallback >= limits.shortestFallback && page.fallback > page.visible) return undefined;
  const isShort = page.readable <= limits.shellLetters;
  const signals = isShort ? [...structuralSignals, ...signalsOfLittleText] : structuralSignals;
  return firstDefined(signals, (signal) => signal(page));
}

const redirect =
  /(?:^|[\s;{(,])(?:(?:window|document|self|top|parent)\.)?location(?:\.href)?\s?=\s?["'`\w]|location\.(?:replace|assign)\s?\(/;

/** The content element is marked and empty, whatever is next to it. */
const structuralSignals: readonly SignalDetector[] = [scriptRedirect, emptyMount, emptyMain];

/** Ids of non-content elements. */
const sideId =
  /^(?:fb-root|ad|ads)|ad-|-ads?$|banner|modal|popup|overlay|toast|portal|dialog|tooltip|cookie|consent|captcha|widget|icons?\b|assets|preloaded|feedback|newsletter|notification|player|lightbox|disqus|comment|share|social|chat|gtm|analytics|tracking|top|back|anchor|skip|clear|menu|nav|header|footer|search|progress|year|date/i;

const contentId =
  /^(?:app|main|content|contents|results?|list|items?|products?|posts?|articles?|feed|grid|cards?|catalog(?:ue)?|view|page|output|stage|screen|outlet|story|entries|data)$|[-_](?:results|list|items|products|posts|articles|feed|grid|cards|view|outlet|content)$/i;

/** The page as a whole has little text, for a known reason. */
const signalsOfLittleText: readonly SignalDetector[] = [
  templateText,
  emptyCustomElement,
  emptyBody,
  loadingText,
  noscriptNotice,
  skeletonOnly,
  emptyRows,
  emptyContainer,
  cookieCheck,
  muchScript,
];

function scriptRedirect({ visible: letters, fields, scripts }: SourceOutline): string | undefined {
  if (letters > limits.little || fields > 0 || scripts.inline > 4000) return undefined;
  return redirect.test(scripts.source) ? 'a script redirects visitors (location)' : undefined;
}

function emptyMount({ mounts, content, fields, media, text }: SourceOutline): string | undefined {
  if (content > limits.shellLetters || fields > 1 || media > 2) return undefined;
  const empty = mounts.find((mount) => isEmpty(mount) || (isSmall(mount) && isLoadingText(text)));
  if (empty === undefined || mounts.some((mount) => isFilled(mount))) return undefined;
  return empty.framework === undefined
    ? `empty root of an app (${shortName(empty.name)})`
    : `shell of ${empty.framework} (${shortName(empty.name)})`;
}

function isEmpty({ visible: letters, fields, media }: RegionContent): boolean {
  return letters < 4 && fields === 0 && media < 3;
}

function isSmall({ visible: letters, fields }: RegionContent): boolean {
  return letters <= limits.almostNothing && fields === 0;
}

/** True for a server-rendered region: it has its text, whatever the script adds. */
function isFilled({ visible: letters, fields, media }: RegionContent): boolean {
  return letters > limits.almostNothing || fields > 0 || media > 2;
}

/** The server filled the content element, if only with one sentence. */
function isServed({ mounts, mains }: SourceOutline): boolean {
  return mounts.some(isFilled) || mains.some(isFilled);
}

function emptyMain({ mains, content, media }: SourceOutline): string | undefined {
  if (mains.length === 0 || content > limits.largeShell || media > 5) return undefined;
  return mains.every(isEmpty) ? 'empty main part (<main>)' : undefined;
}

function templateText({ text, bindings, content }: SourceOutline): string | undefined {
  if (bindings === 0 || content > limits.shellLetters) return undefined;
  return /\{\{[^{}]{1,200}\}\}/.test(text) ? 'templates that a script fills in ({{ }})' : undefined;
}

function emptyBody(page: SourceOutline): string | undefined {
  const { visible: letters, media, fields, scripts, templates } = page;
  if (letters > 3 || media > 0 || fields > 0) return undefined;
  const framework = frameworkOf(`${scripts.sources}${scripts.source}`);
  if (framework !== undefined) return `shell of ${framework} (no text)`;
  if (/document\.write(?:ln)?\s?\(/.test(scripts.source)) return 'document.write makes the page';
  if (templates > 0) return 'content is in a template only';
  if (scripts.json > 100) return 'content is in a JSON island only';
  return 'no text besides scripts';
}

function loadingText({ text, content, fields, media }: SourceOutline): string | undefined {
  if (content > limits.almostNothing || fields > 0 || media > 2) return undefined;
  return isLoadingText(text) ? 'loading text in place of content' : undefined;
}

function noscriptNotice(page: SourceOutline): string | undefined {
  const { requestsScript, content, fields, headings, media } = page;
  if (!requestsScript || content > limits.little || fields > 1 || media > 5) return undefined;
  // A complete page may contain such a notice, however short it is.
  if (headings > 0 || isServed(page)) return undefined;
  return 'noscript says that JavaScript is needed';
}

function skeletonOnly({ skeletons, content, media, fields }: SourceOutline): string | undefined {
  if (skeletons === 0 || content > limits.little || media > 5 || fields > 1) return undefined;
  return 'placeholders in place of content';
}

function emptyCustomElement(page: SourceOutline): string | undefined {
  const { emptyCustom, content, media, fields, headings } = page;
  if (content > limits.almostNothing || media > 2 || fields > 1) return undefined;
  const name = emptyCustom.find((custom) => !sideId.test(custom));
  if (name === undefined || headings > 0 || isServed(page)) return undefined;
  return `empty element of an app (${shortName(`<${name}>`)})`;
}

function emptyRows({ emptyRows, content, media, fields }: SourceOutline): string | undefined {
  const [first] = emptyRows;
  if (first === undefined || content > limits.shellLetters || media > 5 || fields > 1)
    return undefined;
  return `an empty ${first}`;
}

function emptyContainer(page: SourceOutline): string | undefined {
  const { emptyIds, content, media, fields, headings } = page;
  if (content > limits.little || media > 2 || fields > 1 || isServed(page)) return undefined;
  const saysNothing = content <= limits.almostNothing && headings === 0;
  const container = emptyIds.find((id) => contentId.test(id) || (saysNothing && !sideId.test(id)));
  return container === undefined
    ? undefined
    : `empty place for content (${shortName(`#${container}`)})`;
}

/** A challenge with a good status: it checks for a browser. */
function cookieCheck({ fields, headings, media, scripts }: SourceOutline): string | undefined {
  if (fields > 0 || headings > 1 || media > 2) return undefined;
  return checksCookies(scripts.source)
    ? 'a script sets a cookie and loads the page again'
    : undefined;
}

function muchScript(page: SourceOutline): string | undefined {
  const { content, visible: letters, media, fields, scripts, headings } = page;
  if (content > limits.little || letters > limits.shellLetters || media > 2 || fields > 0)
    return undefined;
  if (headings > 0 || isServed(page)) return undefined;
  if (scripts.json > 2000) return 'content is in a JSON island only';
  return scripts.inline < 10_000 ? undefined : 'little text and much script';
}

/** Shortens a name, which comes from the page. */
function shortName(name: string): string {
  return name.replace(/[^\w#<>.:-]/g, '').slice(0, 40);
}

// Compares a rendered page with its plain HTTP response, to detect false alarms.

/**
 * True when the rendered page has content that the static one lacks: new words, a quarter of the
 * old number and at least two, or another URL. Navigation, footers, notices and hidden text do not
 * count; text in encodings other than UTF-8 is compared by length.
 */
export function renderingAddedContent(
  staticSnapshot: Snapshot,
  renderedSnapshot: Snapshot,
): boolean {
  if (pageOf(staticSnapshot.url) !== pageOf(renderedSnapshot.url)) return true;
  const [before, after] = [staticSnapshot, renderedSnapshot].map(({ body }) => {
    return outlineOf(sourceOf(body), { storedText: limits.comparedCharacters, keepsLinks: true });
  });
  if (before === undefined || after === undefined) return false;
  if (!isUtf8(staticSnapshot.body) || !isUtf8(renderedSnapshot.body)) {
    return (
      after.readable >
      before.readable * (1 + limits.leastShare) + limits.leastWords * limits.lettersPerWord
    );
  }
  const known = new Set(wordsOf(before.text));
  let fresh = 0;
  for (const word of new Set(wordsOf(after.text))) if (!known.has(word)) fresh += 1;
  return fresh >= Math.max(limits.leastWords, known.size * limits.leastShare);
}

/** The part of a URL that a server sees: client-side routers change the fragment. */
function pageOf(url: string): string {
  return url.replace(/#.*$/s, '');
}
