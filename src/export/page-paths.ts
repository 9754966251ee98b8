/** The files of pages: paths that mirror URL paths and are legal in every file system. */
import { createHash } from 'node:crypto';

/**
 * Gives each page a path of its own, relative, with `/`: `/a/` is a/index.md, `/a/b.html` a/b.md.
 *
 * No path leaves the folder. Paths that are one where upper and lower case are, or where one page
 * would be a file and a folder, are told apart by a hash of the URL.
 */
export class PagePaths {
  readonly #byHost: boolean;
  /** Folded paths that are taken. */
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  /** `byHost` puts each host's pages into a folder of its own. */
  constructor(options: { readonly byHost: boolean }) {
    this.#byHost = options.byHost;
  }

  /** The path of a page; call it once for each. */
  take(href: string): string {
    const url = new URL(href);
    const names = url.pathname.split('/').slice(1);
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

  /** A path for a file that belongs to a page: `a/b.md` and `.png` give a/b.png. */
  takeBeside(page: string, ending: string): string {
    const stem = page.slice(0, -extension.length);
    let path = stem + ending;
    for (let attempt = 0; this.#isTaken(path); attempt += 1) {
      path = `${stem}-${hashOf(`${page} ${attempt}`)}${ending}`;
    }
    this.#files.add(folded(path));
    return path;
  }

  /** Keeps a name at the top of the folder from pages; call it before them. */
  reserve(name: string, kind: 'file' | 'folder'): void {
    (kind === 'file' ? this.#files : this.#folders).add(folded(name));
  }

  #takeFolder(names: readonly string[]): string {
    let path = '';
    for (const name of names.filter((part) => part !== '')) {
      // Far above any site's depth, and below what file systems refuse; the rest stays in this folder.
      if (path.length > 600) break;
      let folder = path + shortened(safeName(name), '');
      while (this.#files.has(folded(folder))) folder += '_';
      this.#folders.add(folded(folder));
      path = `${folder}/`;
    }
    return path;
  }

  #isTaken(path: string): boolean {
    return this.#files.has(folded(path)) || this.#folders.has(folded(path));
  }
}

/** Bytes of a file's name, extension included; file systems end at 255. */
const nameBytes = 200;
const extension = '.md';

/** Extensions that say "a page", as opposed to `.pdf` or `.5`. */
const pageExtension = /\.(?:x?html?|shtml|md|markdown|php\d?|aspx?|jspx?|cfm|cgi)$/i;

/** The last part of the path with what follows it; a query is reduced to letters and digits. */
function stemOf(name: string, queryAndRoute: string): string {
  const page = safeName(name.replace(pageExtension, '')) || 'index';
  const rest = decoded(queryAndRoute).replace(/[^\p{L}\p{N}=.-]+/gu, '_');
  return rest === '' || rest === '_' ? page : page + rest.replace(/_$/, '');
}

function fileName(stem: string, suffix: string): string {
  return shortened(stem, suffix + extension);
}

/** Cut to the limit between characters; what was cut is told by its hash, so that names stay different. */
function shortened(name: string, suffix: string): string {
  if (Buffer.byteLength(name + suffix) <= nameBytes) return name + suffix;
  const end = `-${hashOf(name)}${suffix}`;
  let room = nameBytes - Buffer.byteLength(end);
  let kept = '';
  for (const character of name) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    kept += character;
  }
  return kept + end;
}

/** Names that Windows keeps for devices, whatever follows the first dot; superscript digits are digits to it. */
const deviceName = /^(?:aux|con|nul|prn|(?:com|lpt)[\d¹²³]|con(?:in|out)\$)(?= *(?:\.|$))/i;

/** A part of a path as the name of a file: readable letters, everything that a file system dislikes escaped. */
function safeName(part: string): string {
  return decoded(part)
    .normalize()
    .replace(/[\p{C}<>:"|?*\\/%]/gu, escaped)
    .replace(/^[. ]|[. ]$/g, escaped)
    .replace(deviceName, '$&_');
}

function escaped(character: string): string {
  const bytes = [...Buffer.from(character)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Percent escapes undone; as it is when they are malformed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Where upper and lower case are one, or composed and decomposed letters, these are one file. */
function folded(path: string): string {
  return path.normalize().toLowerCase();
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
