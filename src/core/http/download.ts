/** Responses that a browser saves instead of showing them. */
import { withoutCredentials } from '../url/links.ts';
import { decodeLocation } from './redirect.ts';
import { decodePercent } from '../runtime/percent-encoding.ts';

/** The deciding part of a response. */
export interface DownloadHead {
  readonly statusCode: number;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * True for an attachment, and for types Chromium does not display: archives, programs, office
 * documents, tables. It displays PDF, text, JSON, XML, pictures, sound, video and responses without
 * a type.
 */
export function isDownload({ statusCode, headers }: DownloadHead): boolean {
  if (statusCode < 200 || statusCode > 299 || statusCode === 204 || statusCode === 205)
    return false;
  if (isAttachment(headers)) return true;
  const [type = ''] = (headers['content-type'] ?? '')
    .trim()
    .toLowerCase()
    .split(/[;,\s]/);
  return type !== '' && !isDisplayable(type);
}

/** True if the server declares it, for any type. */
export function isAttachment(headers: DownloadHead['headers']): boolean {
  return /^\s*attachment\b/i.test(headers['content-disposition'] ?? '');
}

function isDisplayable(type: string): boolean {
  if (savedText.test(type)) return false;
  return /^(?:text|image|audio|video|multipart)\/|^application\/(?:pdf|json|xml|(?:x-)?(?:java|ecma)script)$|\+(?:json|xml)$/.test(
    type,
  );
}

const savedText =
  /^text\/(?:x-)?(?:calendar|comma-separated-values|csv|directory|ldif|ofx|qif|rtf|tab-separated-values|tsv|vcalendar|vcard|vcf)$/;

/**
 * The name under which a browser would save it: from the header (RFC 6266), else the last part of
 * the path.
 */
export function downloadName(url: string, headers: DownloadHead['headers'] = {}): string {
  const disposition = headers['content-disposition'] ?? '';
  const [, encoded = ''] =
    /;\s*filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^']*'([^;\s]+)/i.exec(disposition) ?? [];
  const [, quoted, token] =
    /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) ?? [];
  const plain = quoted?.replace(/\\(.)/g, '$1') ?? token ?? '';
  // Chromium has decoded characters beyond Latin-1.
  const named =
    decodePercent(encoded) || (/[\u0100-\uffff]/.test(plain) ? plain : decodeLocation(plain));
  const [path = ''] = url.split(/[?#]/, 1);
  const name = named || decodePercent(path.replace(/^[a-z]+:(?:\/\/[^/]*)?/i, ''));
  return oneName(name) || 'download';
}

/** Warnings about downloads that the page started: `names` by URL. */
export function downloadWarnings(names: ReadonlyMap<string, string>): string[] {
  const warnings = [...names].slice(0, mostWarnings).map(([url, name]) => {
    const displayUrl = /^data:/i.test(url) ? `${url.slice(0, 60)}…` : withoutCredentials(url);
    return `The page started a download, which was not saved: ${displayUrl.slice(0, 2_000)} (suggested name ${JSON.stringify(oneName(name))}).`;
  });
  if (names.size > mostWarnings)
    warnings.push(`The page started ${names.size - mostWarnings} more downloads.`);
  return warnings;
}

const mostWarnings = 20;

/** A file name without folders and control characters. */
function oneName(name: string): string {
  return (name.split(/[/\\]/).at(-1) ?? '')
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 200);
}
