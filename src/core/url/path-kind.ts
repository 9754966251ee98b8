/** The path of a URL: the part of a site below it, and the kind of file behind it. */
import { decodePercent } from '../runtime/percent-encoding.ts';
import { normalizeEscapes } from './normalize-url.ts';

/**
 * A test of the path alone; the caller compares the host.
 *
 * `/blogs/` admits all paths below, `/blogs` admits itself and all paths below (not `/blogsearch`),
 * `/blogs/a.html` admits all paths in its directory, `/` admits all.
 */
export function pathScope(url: URL): (candidate: URL) => boolean {
  const start = normalizeEscapes(url.pathname);
  if (start.endsWith('/') || fileSegment.test(start)) {
    const directory = start.slice(0, start.lastIndexOf('/') + 1);
    return (candidate) => normalizeEscapes(candidate.pathname).startsWith(directory);
  }
  return (candidate) => {
    const path = normalizeEscapes(candidate.pathname);
    return path === start || path.startsWith(`${start}/`);
  };
}

/** A last segment with an extension that starts with a letter: `a.html`, but not `v1.10`. */
const fileSegment = /[^/]\.[a-z][a-z0-9]{1,5}$/i;

// The kind of a file by the extension of its path.

/**
 * True for extensions that are never pages: images, fonts, styles, scripts, sound, video, archives,
 * programs. HTML, text, feeds, data, mails and office documents are pages: they can be read.
 */
export function isAssetPath(pathname: string): boolean {
  return hasExtension(pathname, assetExtensions);
}

/** True for archives that are read on request: zip, tar, gz, tgz. */
export function isArchivePath(pathname: string): boolean {
  return hasExtension(pathname, archiveExtensions);
}

function hasExtension(pathname: string, extensions: ReadonlySet<string>): boolean {
  const extension = fileExtension(pathname);
  return extension !== undefined && extensions.has(extension);
}

/** The last part of a URL's path, decoded; empty without one. */
export function fileNameOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { pathname } = new URL(url);
  return decodePercent(pathname.slice(pathname.lastIndexOf('/') + 1));
}

/** The extension in lower case: `pdf`. */
export function fileExtension(pathname: string): string | undefined {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1);
  // Wikis have pages about files: /wiki/File:Map.png is HTML.
  if (/^\w+(?::|%3A)/i.test(segment)) return undefined;
  const dot = segment.lastIndexOf('.');
  return dot < 0 ? undefined : segment.slice(dot + 1).toLowerCase();
}

const archiveExtensions: ReadonlySet<string> = new Set(['zip', 'tar', 'gz', 'tgz']);

const assetExtensions: ReadonlySet<string> = new Set(
  [
    'apng avif bmp cur eps gif heic heif ico jfif jpe jpeg jpg jxl png psd raw svg svgz tif tiff webp',
    'eot otf ttc ttf woff woff2',
    'cjs css js less map mjs sass scss webmanifest',
    '3gp aac aif aiff avi flac flv m3u m3u8 m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg',
    'oga ogg ogv opus swf wav webm wma wmv',
    '7z bz2 cab gz lz lzma rar tar tgz xz zip zst',
    'apk bin crx deb dll dmg exe img ipa iso jar msi pkg rpm so wasm whl xpi',
    'db ics parquet sqlite torrent vcf',
  ].flatMap((line) => line.split(' ')),
);
