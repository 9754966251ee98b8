/** Reads a mail: its header fields, the best of its bodies, its attachments, and nested mails. */
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { PagewrightError } from '../../core/runtime/errors.ts';
import { escapeText } from '../../content/html/serialize.ts';
import { parseHtml } from '../../content/html/parse.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { TextDecoder } from '../../content/text/text-decoder.ts';
import type { FileContent, ReadFile } from '../../content/parsers/file-parser.ts';
import {
  fileSize,
  isoDate,
  paragraphs,
  safeFragment,
  timeElement,
} from '../../content/parsers/html-fragment.ts';
import type { ParseContext } from '../../content/parsers/parser.ts';

const bounds = {
  depth: 3, // nested mails that are read; deeper ones are listed as attachments
  mails: 50, // nested mails that are read in total
  nesting: 64, // parts inside parts; ordinary mails have four levels
  headerBytes: 1_000_000,
  listedAddresses: 50, // of one field
  quotes: 10, // nested quotes; ordinary mails have at most four levels
  listedFiles: 200,
};

/** Reads a mail. Throws `PARSE_LIMIT` for parts nested too deep or a header section that is too long. */
export const readEmail: ReadFile = async ({ url, body }, context) => {
  const email = await parseMail(withoutEnvelope(body), url);
  const subject = oneLine(email.subject ?? '') || undefined;
  const count = { mails: 0 };
  const parts = [
    ...(subject === undefined ? [] : [`<h1>${escapeText(subject)}</h1>`]),
    await mailHtml(email, { context, url, depth: 0, count }),
  ];
  const { from } = email;
  return {
    html: parts.join('\n'),
    title: subject,
    author: from === undefined ? undefined : from.name || from.address,
    publishedTime: isoDate(email.date),
    language: email.headers.find(({ key }) => key === 'content-language')?.value.split(',')[0],
  } satisfies FileContent;
};

interface MailLocation {
  readonly context: ParseContext;
  readonly url: string;
  readonly depth: number;
  readonly count: { mails: number };
}

async function parseMail(bytes: Uint8Array, url: string): Promise<Email> {
  try {
    return withWindowsLetters(
      await PostalMime.parse(bytes, {
        forceRfc822Attachments: true,
        maxNestingDepth: bounds.nesting,
        maxHeadersSize: bounds.headerBytes,
      }),
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PagewrightError('PARSE_LIMIT', `The mail at ${url} cannot be read: ${why}.`, {
      url,
      cause: error,
    });
  }
}

const windows1252 = new TextDecoder('windows-1252');

/**
 * Restores the windows-1252 characters that Node 20's decoder, which the package uses, turns into control
 * characters: curly quotes, dashes, the euro sign.
 */
function withWindowsLetters<Value>(value: Value): Value {
  if (typeof value === 'string') {
    const text = value.replace(/[\u0080-\u009f]+/g, (letters) =>
      windows1252.decode(Buffer.from(letters, 'latin1')),
    );
    return text as Value;
  }
  if (Array.isArray(value)) {
    const list: unknown[] = value;
    return list.map((item) => withWindowsLetters(item)) as Value;
  }
  if (typeof value !== 'object' || value === null || isBytes(value)) return value;
  const entries = Object.entries(value as Record<string, unknown>).map(([key, one]) => [
    key,
    withWindowsLetters(one),
  ]);
  return Object.fromEntries(entries) as Value;
}

function isBytes(value: object): boolean {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** Mailbox files put a line before each mail that is not a field. */
function withoutEnvelope(body: Uint8Array): Uint8Array {
  const line = Buffer.from(body.subarray(0, 1_000)).toString('latin1');
  const end = /^From [^\n]*\n/.exec(line)?.[0].length ?? 0;
  return body.subarray(end);
}

async function mailHtml(email: Email, location: MailLocation): Promise<string> {
  const files: Attachment[] = [];
  const mails: Attachment[] = [];
  for (const attachment of email.attachments) {
    const isMail = attachment.mimeType === 'message/rfc822';
    if (isMail && location.depth < bounds.depth && location.count.mails < bounds.mails) {
      location.count.mails += 1;
      mails.push(attachment);
    } else if (!isInline(attachment, email)) files.push(attachment);
  }
  const nested: string[] = [];
  for (const mail of mails) nested.push(await nestedHtml(mail, location));
  return [
    headHtml(email),
    bodyHtml(email, location.context),
    attachmentList(files),
    ...nested,
  ].join('\n');
}

async function nestedHtml(
  { content, filename }: Attachment,
  location: MailLocation,
): Promise<string> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  const email = await parseMail(bytes, location.url);
  const subject = oneLine(email.subject ?? '') || (filename ?? 'Attached mail');
  const inner = await mailHtml(email, { ...location, depth: location.depth + 1 });
  return `<h2>${escapeText(subject)}</h2>\n<blockquote>${inner}</blockquote>`;
}

/** Header fields in the order of mail programs. */
function headHtml(email: Email): string {
  const { from, replyTo, to, cc, date } = email;
  const fields: [name: string, value: string][] = [
    ['From', from === undefined ? '' : escapeText(addressText(from))],
    ['Reply-To', addressList(replyTo)],
    ['To', addressList(to)],
    ['Cc', addressList(cc)],
    ['Date', date === undefined ? '' : timeElement(date)],
    ['Subject', escapeText(email.subject ?? '')],
  ];
  const lines = fields
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `<b>${name}:</b> ${value}`);
  return lines.length === 0 ? '' : `<p>${lines.join('<br>')}</p>`;
}

function addressList(addresses: readonly Address[] = []): string {
  const listed = addresses.slice(0, bounds.listedAddresses).map(addressText);
  const more = addresses.length - listed.length;
  return escapeText([...listed, ...(more > 0 ? [`and ${more} more`] : [])].join(', '));
}

function addressText(address: Address): string {
  if (address.group !== undefined) {
    return `${address.name}: ${address.group.slice(0, bounds.listedAddresses).map(addressText).join(', ')}`;
  }
  const { name, address: mail } = address;
  return name === '' || name === mail ? mail : mail === '' ? name : `${name} <${mail}>`;
}

/** The HTML body if it has content, else the text. */
function bodyHtml({ html, text = '', attachments }: Email, { limits }: ParseContext): string {
  if (html !== undefined && hasContent(html, limits)) {
    const inlined = new Map(
      attachments.flatMap(({ contentId, filename }) =>
        contentId === undefined
          ? []
          : [[contentId.replace(/^<|>$/g, '').toLowerCase(), filename ?? 'picture'] as const],
      ),
    );
    return `<div>${safeFragment(html, { limits, base: undefined, headingsFrom: 2, inlined })}</div>`;
  }
  return `<div>${quotedText(text, 0)}</div>`;
}

/** Lines that begin with `>` quote an earlier mail. */
function quotedText(text: string, level: number): string {
  const parts: string[] = [];
  let lines: string[] = [];
  let isQuote = false;
  const close = (): void => {
    const part = lines.join('\n');
    const quote = isQuote && level < bounds.quotes;
    parts.push(
      quote ? `<blockquote>${quotedText(part, level + 1)}</blockquote>` : paragraphs(part),
    );
    lines = [];
  };
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    const starts = line.startsWith('>');
    if (starts !== isQuote && lines.length > 0) close();
    isQuote = starts;
    lines.push(starts && level < bounds.quotes ? line.slice(1).replace(/^ /, '') : line);
  }
  close();
  return parts.join('\n');
}

function hasContent(html: string, { nodes }: ParseContext['limits']): boolean {
  return (
    /<img\b/i.test(html) || /\S/.test(parseHtml(html, { nodes, depth: 256 }).body.textContent ?? '')
  );
}

/** True for a picture that the HTML displays by its Content-ID. */
function isInline({ related, mimeType }: Attachment, { html }: Email): boolean {
  return related === true && html !== undefined && mimeType.startsWith('image/');
}

function attachmentList(files: readonly Attachment[]): string {
  if (files.length === 0) return '';
  const items = files.slice(0, bounds.listedFiles).map(({ filename, mimeType, content }) => {
    const size = typeof content === 'string' ? content.length : content.byteLength;
    const name = filename?.replace(/[\0-\x1f]/g, ' ').trim() || 'without a name';
    return `<li>${escapeText(`${name} (${mimeType}, ${fileSize(size)})`)}</li>`;
  });
  const more = files.length - items.length;
  const rest = more > 0 ? `<li>and ${more} more</li>` : '';
  return `<p><b>Attachments:</b></p>\n<ul>${items.join('')}${rest}</ul>`;
}
