/** Decoding of everything that is not surely UTF-8. Costly to import: loaded when first needed. */
import { isUtf8 } from 'node:buffer';
import { getBOMEncoding, normalizeEncoding, TextDecoder } from '@exodus/bytes/encoding.js';
// @ts-expect-error -- the package has no types
import untypedSniffer from 'html-encoding-sniffer';
import type { TextKind } from './text-kind.ts';

/** Decodes by BOM, `charset`, declaration, then by what the bytes look like. */
export function decodeByEncoding(
  bytes: Uint8Array,
  charset: string | undefined,
  kind: TextKind,
): string {
  const encoding =
    getBOMEncoding(bytes) ??
    knownEncoding(charset) ??
    knownEncoding(declaredEncoding(bytes, kind)) ??
    likelyEncoding(bytes);
  // Node's own decoder is wrong for 27 bytes of windows-1252 and for several other encodings.
  return new TextDecoder(encoding).decode(bytes);
}

/** `replacement` is what the standard makes of encodings that are unsafe: all text would be lost. */
function knownEncoding(label: string | undefined): string | undefined {
  const name = label === undefined ? null : normalizeEncoding(label);
  return name === null || name === 'replacement' ? undefined : name;
}

function declaredEncoding(bytes: Uint8Array, kind: TextKind): string | undefined {
  if (kind === 'html') return metaEncoding(bytes) ?? xmlEncoding(bytes);
  return kind === 'xml' ? xmlEncoding(bytes) : undefined;
}

/** The encoding that a `<meta>` in the first 1,024 bytes names, else the default. */
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
  // A declaration that can be read as ASCII is not in UTF-16, whatever it says.
  return label !== undefined && /^\s*utf-16/i.test(label) ? 'utf-8' : label;
}

/** UTF-8 also when a few bytes are damaged or the text was cut in the middle of a character. */
function likelyEncoding(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return 'utf-8';
  const sample = new TextDecoder().decode(bytes.subarray(0, 1_000_000));
  let wellFormed = 0;
  let damaged = 0;
  for (let index = 0; index < sample.length; index++) {
    const code = sample.charCodeAt(index);
    if (code === 0xfffd) damaged += 1;
    else if (code >= 0x80) wellFormed += 1;
  }
  return wellFormed >= damaged * 20 ? 'utf-8' : 'windows-1252';
}
