/** Files that a document holds as `data:` URIs. */
import { createHash } from 'node:crypto';

/** A file in a `data:` URI. */
export interface DataFile {
  readonly bytes: Buffer;
  /** `.png`; none of these is run by what opens it, but for scripts in `.svg`. */
  readonly extension: string;
}

/** The file of a URI; undefined for another text, and for what is no picture and no PDF. */
export function dataFile(uri: string): DataFile | undefined {
  const comma = uri.indexOf(',');
  const [, type = '', base64] =
    /^data:([^;,\s]+)(?:;[^;,\s]*)*?(;base64)?$/i.exec(uri.slice(0, Math.min(comma, 200))) ?? [];
  const extension = extensions[type.toLowerCase()];
  if (comma < 0 || extension === undefined) return undefined;
  const text = unescaped(uri.slice(comma + 1));
  return { bytes: Buffer.from(text, base64 === undefined ? 'utf8' : 'base64'), extension };
}

/**
 * Puts what `place` gives in place of each picture in the markdown that is a `data:` URI. `place` gets
 * a name made of the content: two equal pictures are one file.
 */
export function moveDataFiles(
  markdown: string,
  place: (name: string, bytes: Uint8Array) => string,
): string {
  return markdown.replace(dataTarget, (whole, open: string, angled?: string, plain?: string) => {
    const file = dataFile((angled ?? plain ?? '').replaceAll('&amp;', '&'));
    if (file === undefined) return whole;
    const hash = createHash('sha256').update(file.bytes).digest('hex').slice(0, 32);
    return open + place(hash + file.extension, file.bytes);
  });
}

/** The target of a link or an image, without what follows the URI. */
const dataTarget =
  /(\]\(<?)(?:(?<=<)(data:[^<>\n]+)|(?<!<)(data:[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*){0,99}))/g;

const extensions: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/avif': '.avif',
  'image/bmp': '.bmp',
  'image/svg+xml': '.svg',
  'image/x-icon': '.ico',
  'image/vnd.microsoft.icon': '.ico',
  'application/pdf': '.pdf',
};

function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
