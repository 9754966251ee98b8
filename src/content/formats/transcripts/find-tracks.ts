/** The captions and transcripts that a page names. Plain data out: it runs in a worker. */
import { readJsonLd } from '../../../extract/facts/json-ld.ts';
import { type DomElement, elementsOf } from '../../html/dom.ts';
import type { Page } from '../../../core/model/page.ts';
import { resolveLink } from '../../../core/url/normalize-url.ts';
import { fileExtension } from '../../../core/url/path-kind.ts';
import { parseJson, isRecord } from '../../../core/runtime/json.ts';

const limits = {
  tracks: 200, // of one page
  longestLabel: 300, // characters
  longestText: 2_000_000, // characters of a text in JSON-LD
  longestList: 500_000, // characters of the list of a player
};

/** The kind of a transcript: of a `track`, or `transcript` for text or a file that the page links to. */
export type TranscriptKind = 'captions' | 'subtitles' | 'descriptions' | 'transcript';

/** A transcript that a page names: with a `url` it is a file, else `text` is all of it. */
export interface FoundTrack {
  readonly kind: TranscriptKind;
  readonly url?: string;
  /** As the page names it: `en`, `pt-BR`. */
  readonly language?: string;
  readonly label?: string;
  /** Made by a machine, according to the page. */
  readonly isAutomatic?: boolean;
  readonly text?: string;
}

/** Each URL once, in the order: elements of the page, links, players, JSON-LD, feeds. */
export function findTracks(page: Page): FoundTrack[] {
  const found = new Map<string, FoundTrack>();
  for (const track of tracksIn(page)) {
    if (found.size >= limits.tracks) break;
    const key = track.url ?? track.text ?? '';
    if (key !== '' && !found.has(key)) found.set(key, track);
  }
  return [...found.values()];
}

function* tracksIn(page: Page): Generator<FoundTrack> {
  if (page.kind === 'html') {
    for (const element of elementsOf(page.root)) {
      const track = trackOf(element, page.baseUrl);
      if (track !== undefined) yield track;
    }
    yield* playerTracks(page.source, page.baseUrl);
    for (const node of readJsonLd(page.document, () => undefined))
      yield* videoTexts(node, page.baseUrl);
  }
  yield* feedTracks(page.source, page.baseUrl);
}

function trackOf(element: DomElement, base: string): FoundTrack | undefined {
  const { localName } = element;
  if (localName === 'track') {
    const kind = (element.getAttribute('kind') ?? 'subtitles').trim().toLowerCase();
    if (kind !== 'captions' && kind !== 'subtitles' && kind !== 'descriptions') return undefined;
    return named(element.getAttribute('src'), base, {
      kind,
      language: element.getAttribute('srclang'),
      label: element.getAttribute('label'),
    });
  }
  const href = localName === 'a' ? element.getAttribute('href') : null;
  const url = href === null ? undefined : resolveLink(href, base);
  const extension = url && fileExtension(url.pathname);
  if (extension !== 'vtt' && extension !== 'srt') return undefined;
  const [language, label] = [element.getAttribute('hreflang'), element.textContent];
  return named(href, base, { kind: 'transcript', language, label });
}

/** `captionTracks` in the inline JSON of a player. */
function* playerTracks(source: string, base: string): Generator<FoundTrack> {
  let end = 0;
  for (const match of source.matchAll(/"captionTracks"\s{0,9}:\s{0,9}\[/g)) {
    // Text is not read twice: a page may have nothing but beginnings of lists.
    if (match.index < end) continue;
    const start = match.index + match[0].length - 1;
    end = endOfList(source, start);
    const list = parseJson(source.slice(start, end));
    for (const entry of Array.isArray(list) ? list : []) {
      if (!isRecord(entry) || typeof entry['baseUrl'] !== 'string') continue;
      const url = resolveLink(entry['baseUrl'], base);
      if (url === undefined) continue;
      // Players that know formats give WebVTT; the others ignore it.
      if (url.search !== '' && !url.searchParams.has('fmt')) url.searchParams.set('fmt', 'vtt');
      const track = named(url.href, base, {
        kind: 'captions',
        language: entry['languageCode'],
        label: nameIn(entry['name']),
      });
      if (track !== undefined)
        yield entry['kind'] === 'asr' ? { ...track, isAutomatic: true } : track;
    }
  }
}

/** The position after the list that begins at `start`, or where the search for its end has stopped. */
function endOfList(source: string, start: number): number {
  const last = Math.min(source.length, start + limits.longestList);
  let depth = 0;
  let isText = false;
  for (let at = start; at < last; at += 1) {
    const sign = source[at];
    if (sign === '\\') at += 1;
    else if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if (sign === '[') depth += 1;
    else if (sign === ']' && (depth -= 1) === 0) return at + 1;
  }
  return last;
}

/** `{ simpleText }`, or `{ runs: [{ text }] }`. */
function nameIn(name: unknown): unknown {
  if (!isRecord(name)) return name;
  const { simpleText, runs } = name;
  if (!Array.isArray(runs)) return simpleText;
  return runs.map((run: unknown) => (isRecord(run) ? run['text'] : '')).join('');
}

/** `transcript` and `caption` of a VideoObject or AudioObject, at any depth. */
function* videoTexts(value: unknown, base: string, depth = 0): Generator<FoundTrack> {
  if (depth > 20) return;
  if (Array.isArray(value)) for (const one of value) yield* videoTexts(one, base, depth + 1);
  if (!isRecord(value)) return;
  for (const [name, one] of Object.entries(value)) {
    if (name !== 'transcript' && name !== 'caption') yield* videoTexts(one, base, depth + 1);
    else if (isMedia(value['@type'])) yield* mediaTexts(name, one, base);
  }
}

function isMedia(type: unknown): boolean {
  return [type].flat().some((one) => typeof one === 'string' && /(?:Video|Audio)Object$/.test(one));
}

function* mediaTexts(
  name: 'transcript' | 'caption',
  value: unknown,
  base: string,
): Generator<FoundTrack> {
  const kind = name === 'caption' ? 'captions' : name;
  for (const one of [value].flat().slice(0, limits.tracks)) {
    if (isRecord(one)) {
      const { contentUrl, url, inLanguage, name: label } = one;
      const track = named(contentUrl ?? url, base, { kind, language: inLanguage, label });
      if (track !== undefined) yield track;
    } else if (typeof one === 'string' && name === 'transcript' && /\S/.test(one)) {
      yield { kind, text: one.slice(0, limits.longestText).trim() };
    }
  }
}

/** `<podcast:transcript url type language>` of a feed (podcast namespace 1.0). */
function* feedTracks(source: string, base: string): Generator<FoundTrack> {
  for (const [, text = ''] of source.matchAll(/<podcast:transcript\s([^<>]{1,3000})>/g)) {
    const attributes = new Map<string, string>();
    for (const [, name = '', double, single] of text.matchAll(
      /([a-z]{1,20})=(?:"([^"]*)"|'([^']*)')/g,
    )) {
      attributes.set(name, (double ?? single ?? '').replaceAll('&amp;', '&'));
    }
    // HTML and plain text have no times.
    if (!/vtt|srt|subrip|json/i.test(attributes.get('type') ?? '')) continue;
    const language = attributes.get('language');
    const track = named(attributes.get('url'), base, {
      kind: 'transcript',
      language,
      label: undefined,
    });
    if (track !== undefined) yield track;
  }
}

function named(
  href: unknown,
  base: string,
  {
    kind,
    language,
    label,
  }: { readonly kind: TranscriptKind; readonly language: unknown; readonly label: unknown },
): FoundTrack | undefined {
  const url = typeof href === 'string' ? resolveLink(href, base) : undefined;
  if (url === undefined) return undefined;
  url.hash = '';
  const text = (value: unknown): string =>
    typeof value === 'string'
      ? value.slice(0, limits.longestLabel).replace(/\s+/g, ' ').trim()
      : '';
  return {
    kind,
    url: url.href,
    ...(text(language) === '' ? {} : { language: text(language) }),
    ...(text(label) === '' ? {} : { label: text(label) }),
  };
}
