/** The files of pages: paths that mirror URL paths and are legal in every file system. */
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { decodePercent } from '../../core/runtime/percent-encoding.ts';
import { sha256Of } from '../../core/runtime/identifiers.ts';

/**
 * Gives each page a path of its own, relative, with `/`: `/a/` is a/index.md, `/a/b.html` a/b.md.
 *
 * No path leaves the folder. Paths that collide on case-insensitive file systems, or where one page
 * would be a file and a folder, get a hash of the URL.
 */
export class PagePaths {
  readonly #byHost: boolean;
  readonly #below: string;
  /** Folded paths in use. */
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  /** Folders that no page lies in. */
  readonly #reserved = new Set<string>();

  /** With `byHost` each host's pages have a folder of their own; `below` is the path of the top folder. */
  constructor({ byHost, below = '/' }: { readonly byHost: boolean; readonly below?: string }) {
    this.#byHost = byHost;
    this.#below = below;
  }

  /** The path of a page; call it once for each. */
  take(href: string): string {
    const url = new URL(href);
    const { pathname } = url;
    const isBelow = pathname.startsWith(this.#below);
    const names = pathname.slice(isBelow ? this.#below.length : 1).split('/');
    const folder = this.#takeFolder([
      ...(this.#byHost ? [url.host.replaceAll(':', '_')] : []),
      ...names.slice(0, -1),
    ]);
    const stem = stemOf(names.at(-1) ?? '', url.search + url.hash);
    let path = folder + fileName(stem, '');
    for (let attempt = 0; this.#isTaken(path); attempt += 1) {
      path = folder + fileName(stem, `-${hashOf(`${href} ${attempt}`)}`);
    }
    this.#files.add(folded(path));
    return path;
  }

  /** A path for a file that belongs to a page: `a/b.md` and `.png` make a/b.png. */
  takeBeside(page: string, ending: string): string {
    const stem = page.slice(0, -extension.length);
    let path = stem + ending;
    for (let attempt = 0; this.#isTaken(path); attempt += 1) {
      path = `${stem}-${hashOf(`${page} ${attempt}`)}${ending}`;
    }
    this.#files.add(folded(path));
    return path;
  }

  /** Reserves a name at the top of the folder, of a folder with its content; call it before `take`. */
  reserve(name: string, kind: 'file' | 'folder'): void {
    (kind === 'file' ? this.#files : this.#reserved).add(folded(name));
  }

  #takeFolder(names: readonly string[]): string {
    let path = '';
    for (const name of names.filter((part) => part !== '')) {
      // Far above any site's depth, and below the limits of file systems; deeper pages stay in this folder.
      if (path.length > 600) break;
      let folder = path + shortened(safeName(name), '');
      while (this.#files.has(folded(folder)) || this.#reserved.has(folded(folder))) folder += '_';
      this.#folders.add(folded(folder));
      path = `${folder}/`;
    }
    return path;
  }

  #isTaken(path: string): boolean {
    const name = folded(path);
    return this.#files.has(name) || this.#folders.has(name) || this.#reserved.has(name);
  }
}

/** The name of a file with this content: readable, the same on all systems, and unique to this content. */
export function assetName(url: string, sha256: string, ending: string): string {
  const name = canParseUrl(url) ? new URL(url).pathname.split('/').at(-1) : '';
  const stem = safeName((name ?? '').replace(/\.[^.]*$/, '')) || 'file';
  return shortened(stem, `-${sha256.slice(0, 16)}${ending}`);
}

const nameBytes = 200; // bytes of a file's name, extension included; file systems end at 255
const extension = '.md';

/** Extensions of pages, as opposed to `.pdf` or `.5`. */
const pageExtension = /\.(?:x?html?|shtml|md|markdown|php\d?|aspx?|jspx?|cfm|cgi)$/i;

/** The last part of the path with its query and route; a query is reduced to letters and digits. */
function stemOf(name: string, queryAndRoute: string): string {
  const page = safeName(name.replace(pageExtension, '')) || 'index';
  const rest = decodePercent(queryAndRoute).replace(/[^\p{L}\p{N}=.-]+/gu, '_');
  return rest === '' || rest === '_' ? page : page + rest.replace(/_$/, '');
}

function fileName(stem: string, suffix: string): string {
  return shortened(stem, suffix + extension);
}

/** Cuts the name to the limit between characters, and adds a hash so that names stay different. */
function shortened(name: string, suffix: string): string {
  if (Buffer.byteLength(name + suffix) <= nameBytes) return name + suffix;
  const end = `-${hashOf(name)}${suffix}`;
  let room = nameBytes - Buffer.byteLength(end);
  let prefix = '';
  for (const character of name) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    prefix += character;
  }
  return prefix + end;
}

/** Device names of Windows, whatever follows the first dot; it treats superscript digits as digits. */
const deviceName = /^(?:aux|con|nul|prn|(?:com|lpt)[\d¹²³]|con(?:in|out)\$)(?= *(?:\.|$))/i;

/** A part of a path as a file name: letters stay readable, characters that file systems reject are escaped. */
function safeName(part: string): string {
  return decodePercent(part)
    .normalize()
    .replace(/[\p{C}<>:"|?*\\/%]/gu, escaped)
    .replace(/^[. ]|[. ]$/g, escaped)
    .replace(deviceName, '$&_');
}

function escaped(character: string): string {
  const bytes = [...Buffer.from(character)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Folds case and composed letters: some file systems treat such paths as one file. */
function folded(path: string): string {
  return path.normalize().toLowerCase();
}

function hashOf(text: string): string {
  return sha256Of(text).slice(0, 8);
}
