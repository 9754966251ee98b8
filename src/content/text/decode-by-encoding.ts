/** Decodes text that may not be UTF-8. Costly to import: loaded when first needed. */
import { isUtf8 } from 'node:buffer';
import { getBOMEncoding, normalizeEncoding } from '@exodus/bytes/encoding.js';
// @ts-expect-error -- the package has no types
import untypedSniffer from 'html-encoding-sniffer';
import { guessEncoding } from './guess-encoding.ts';
import { TextDecoder } from './text-decoder.ts';
import { utf16Encoding } from './utf16.ts';
import { firstDefined } from '../../core/runtime/first-defined.ts';

const limits = {
  lateMeta: 65_536, // bytes searched for a late `<meta>` (HTML, "change the encoding")
  languageBytes: 4096, // searched for the language: it is on the first element or in the head
};

/** A text, and the name of its encoding in lower case. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: string;
}

/** Decodes by BOM, `charset`, declaration, then by a guess from the bytes. `url` gives the country. */
export function decodeByEncoding(
  bytes: Uint8Array,
  charset: string | undefined,
  kind: TextKind,
  url: string | undefined,
): DecodedText {
  const encoding =
    getBOMEncoding(bytes) ??
    knownEncoding(charset) ??
    knownEncoding(declaredEncoding(bytes, kind)) ??
    likelyEncoding(bytes, { charset, kind, url });
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

/** Ignores `replacement`, the standard's substitute for unsafe encodings: all text would be lost. */
function knownEncoding(label: string | undefined): string | undefined {
  const name = label === undefined ? null : normalizeEncoding(label);
  return name === null || name === 'replacement' ? undefined : name;
}

function declaredEncoding(bytes: Uint8Array, kind: TextKind): string | undefined {
  if (kind === 'html') return metaEncoding(bytes) ?? xmlEncoding(bytes);
  return kind === 'xml' ? xmlEncoding(bytes) : undefined;
}

/** The encoding of a `<meta>` in the first 1,024 bytes, else the default. */
const sniffHtml = untypedSniffer as (
  bytes: Uint8Array,
  options: { readonly defaultEncoding: string },
) => string;

function metaEncoding(bytes: Uint8Array): string | undefined {
  const nothing = 'nothing';
  try {
    const name = sniffHtml(bytes, { defaultEncoding: nothing });
    return name === nothing ? undefined : name;
  } catch {
    // html-encoding-sniffer 6.0 throws on content="text/html; charset".
    return undefined;
  }
}

/** The XML declaration, also in UTF-16 without a BOM (XML 1.0, appendix F; HTML, "get an XML encoding"). */
function xmlEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  if (head.startsWith('<\0?\0x\0')) return 'utf-16le';
  if (head.startsWith('\0<\0?\0x')) return 'utf-16be';
  const [, label] = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]*)["']/.exec(head) ?? [];
  // A declaration that is readable as ASCII is not UTF-16, whatever it declares.
  return label !== undefined && /^\s*utf-16/i.test(label) ? 'utf-8' : label;
}

/** The likely encoding of a text without a known declaration. */
function likelyEncoding(
  bytes: Uint8Array,
  facts: {
    readonly charset: string | undefined;
    readonly kind: TextKind;
    readonly url: string | undefined;
  },
): string {
  const { charset, kind, url } = facts;
  const utf16 = utf16Encoding(bytes);
  if (utf16 !== undefined) return utf16;
  if (isIso2022Jp(bytes)) return 'iso-2022-jp';
  if (isMostlyUtf8(bytes)) return 'utf-8';
  const isMarkup = kind === 'html' || kind === 'xml';
  return (
    similarEncoding(charset) ??
    (kind === 'html' ? lateMetaEncoding(bytes) : undefined) ??
    (isMarkup ? similarEncoding(xmlEncoding(bytes)) : undefined) ??
    guessEncoding(bytes, {
      language: isMarkup ? documentLanguage(bytes) : undefined,
      domain: topLevelDomain(url),
    })
  );
}

/** True for ASCII with the escape sequences that switch to Japanese characters and back. */
function isIso2022Jp(bytes: Uint8Array): boolean {
  if (!bytes.includes(0x1b)) return false;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return /\x1b\$[@B](?:[\x21-\x7e]{2})+\x1b\([BJ]/.test(text) && !/[\x80-\xff]/.test(text);
}

/**
 * True for UTF-8, also if a few bytes are damaged or the text was cut in the middle of a character.
 * Quotation marks, dashes and emoji have bytes that no other encoding has in a row: each outweighs one
 * damaged byte.
 */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return true;
  const sample = new TextDecoder().decode(bytes.subarray(0, 1_000_000));
  let wellFormed = 0;
  let damaged = 0;
  for (let index = 0; index < sample.length; index++) {
    const code = sample.charCodeAt(index);
    if (code === 0xfffd) damaged += 1;
    else if (isSurelyUtf8(code)) wellFormed += damageWeight;
    else if (code >= 0x80) wellFormed += 1;
  }
  return wellFormed >= damaged * damageWeight;
}

const damageWeight = 20;

/** General punctuation and currency signs, and the first half of characters of four bytes. */
function isSurelyUtf8(code: number): boolean {
  return (code >= 0x2000 && code < 0x20d0) || (code >= 0xd800 && code < 0xdc00);
}

/** The encoding of a `<meta>`, even beyond the first 1,024 bytes or misspelled. */
function lateMetaEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, limits.lateMeta));
  const markup = head.toString('latin1').replace(/<!--.*?(?:-->|$)/gs, '');
  // Cut after the last tag: the end of an unclosed tag would be searched from each start.
  const tags = markup.slice(0, markup.lastIndexOf('>') + 1);
  const metas = [...tags.matchAll(/<meta[\s/][^>]*>/gi)]
    .map(([meta]) => meta)
    .filter((meta) => /http-?equiv|content-?type|<meta\s+ch/i.test(meta));
  const named = firstDefined(metas, (meta) =>
    knownEncoding(metaEncoding(Buffer.from(meta, 'latin1'))),
  );
  if (named !== undefined) return named;
  // Descriptions may be about encodings.
  const labels = metas
    .filter((meta) => !/\s(?:name|property|itemprop)\s*=/i.test(meta))
    .map((meta) => meta.slice('<meta'.length).replace(/(?<=[a-z]) (?=\d)/gi, '-'))
    .flatMap((words) => words.match(/[a-z][\w.-]{2,30}/gi) ?? []);
  return firstDefined(labels, similarEncoding);
}

// Misspelled labels:

/** Names of encodings without their hyphens; Windows code pages without `windows`. */
const encodingsByName: ReadonlyMap<string, string> = new Map([
  ['gb2312', 'gbk'],
  ['gb18030', 'gb18030'],
  ['gbk', 'gbk'],
  ['euccn', 'gbk'],
  ['936', 'gbk'],
  ['big5', 'big5'],
  ['950', 'big5'],
  ['shiftjis', 'shift_jis'],
  ['sjis', 'shift_jis'],
  ['932', 'shift_jis'],
  ['eucjp', 'euc-jp'],
  ['iso2022jp', 'iso-2022-jp'],
  ['euckr', 'euc-kr'],
  ['ksc5601', 'euc-kr'],
  ['949', 'euc-kr'],
  ['tis620', 'windows-874'],
  ['874', 'windows-874'],
  ['koi8u', 'koi8-u'],
  ['koi8', 'koi8-r'],
  ['866', 'ibm866'],
  ...Array.from({ length: 9 }, (_, at) => [`125${at}`, `windows-125${at}`] as const),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16].map(
    (part) => [`iso8859${part}`, `iso-8859-${part}`] as const,
  ),
]);

/** The encoding whose name is the beginning of the label. */
function similarEncoding(label: string | undefined): string | undefined {
  const name = (label ?? '')
    .toLowerCase()
    .slice(0, 40)
    .replace(/[^a-z0-9]/g, '')
    .replace(/^x/, '')
    .replace(/^(?:windows|win|cp|ms|dos|ibm)(?=\d)/, '');
  const isCodePage = /^\d/.test(name);
  for (let end = name.length; end >= 3; end--) {
    const encoding = encodingsByName.get(name.slice(0, end));
    if (encoding !== undefined) return knownEncoding(encoding);
    // 1251 is not 125.
    if (isCodePage) return undefined;
  }
  return undefined;
}

function topLevelDomain(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  return /\.([a-z][\w-]*)\.?$/.exec(new URL(url).hostname)?.[1];
}

// The language that a page declares.

/** The language tag of `<html lang>`, else of `<meta http-equiv="content-language">`. */
function documentLanguage(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.length, limits.languageBytes),
  );
  const text = head.toString('latin1');
  const [root = ''] = /<html\s[^>]*>/i.exec(text) ?? [];
  const [, lang] = /\s(?:xml:)?lang\s*=\s*["']?\s*([a-z][\w-]*)/i.exec(root) ?? [];
  if (lang !== undefined) return lang;
  for (const [meta] of text.matchAll(/<meta\s[^>]*>/gi)) {
    if (!/http-equiv\s*=\s*["']?content-language\b/i.test(meta)) continue;
    const [, content] = /content\s*=\s*["']?\s*([a-z][\w-]*)/i.exec(meta) ?? [];
    if (content !== undefined) return content;
  }
  return undefined;
}

// The kind of a text, which decides how its encoding may be declared.

export type TextKind = 'html' | 'xml' | 'text' | 'json';
