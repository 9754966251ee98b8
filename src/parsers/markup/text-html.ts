/** Plain text as HTML, and the small things that many files tell. */
import { escapeAttribute, escapeText } from '../../html/escape.ts';

/** Paragraphs where lines are empty, breaks where lines end. */
export function paragraphs(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n+/)
    .map((part) => part.trimEnd().replace(/^\n+/, ''))
    .filter((part) => part.trim() !== '')
    .map((part) => `<p>${escapeText(part).replaceAll('\n', '<br>')}</p>`)
    .join('\n');
}

/** A link, where there is something to link to. */
export function anchor(text: string, href: string | undefined): string {
  return href === undefined
    ? escapeText(text)
    : `<a href="${escapeAttribute(href)}">${escapeText(text)}</a>`;
}

/** `1.4 MB`, in steps of 1000 as drives and mail programs count. */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const [size, unit] = bytes < 999_500 ? [bytes / 1e3, 'KB'] : [bytes / 1e6, 'MB'];
  return `${size < 10 ? size.toFixed(1).replace(/\.0$/, '') : Math.round(size)} ${unit}`;
}

/** ISO 8601 of a date in any of the forms that feeds and mails have; undefined for what is none. */
export function isoDate(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 100) return undefined;
  // "UT" is in RFC 822, and in no date that JavaScript knows.
  const time = Date.parse(text.trim().replace(/\bUTC?$/, 'GMT'));
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** A date for readers, with the exact time for programs; what is no date stays as it is written. */
export function timeElement(text: string): string {
  const iso = isoDate(text);
  if (iso === undefined) return escapeText(text.trim().slice(0, 100));
  const [day = '', clock = ''] = iso.slice(0, 16).split('T');
  const words = clock === '00:00' ? day : `${day} ${clock} UTC`;
  return `<time datetime="${iso}">${words}</time>`;
}
