/** A website stored as a folder: files, and a site.json for statuses, headers and delays. */
import { readFile, stat } from 'node:fs/promises';
import { STATUS_CODES } from 'node:http';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ValidationError } from '../../core/runtime/errors.ts';
import { contentTypeOf } from '../../core/http/content-types.ts';
import { decodePercent } from '../../core/runtime/percent-encoding.ts';

/** The response of a site. */
export interface SiteResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Delay of the response in milliseconds. */
  readonly delay: number;
}

/** An open site. Files are read when requested, site.json once. */
export interface Site {
  /** Responds to a path with its query, such as `/a/?page=2`; `origin` replaces `{{origin}}`. */
  respond(pathAndQuery: string, origin: string): Promise<SiteResponse>;
}

/**
 * Opens a folder, by its path or a `file:` URL. `/a/` is a/index.html, `/a` the file a or a redirect to `/a/`; anything else is
 * a 404 with the file that site.json names as `notFound`. `responses` in site.json say more:
 *
 *     { "notFound": "404.html",
 *       "responses": { "/old": { "status": 301, "headers": { "location": "/new" } },
 *                      "/list?page=2": { "file": "list-2.html", "delay": 50 } } }
 *
 * A key is a path, or a path with its query; otherwise the query is ignored. `{{origin}}` in html,
 * xml, txt and json files and in headers becomes the origin. Throws `BAD_REQUEST` when the folder
 * does not exist or its site.json is wrong.
 */
export async function openSite(directory: string | URL): Promise<Site> {
  const root = resolve(pathOf(directory));
  const { notFound, rules } = await readRules(root);

  return {
    async respond(pathAndQuery, origin) {
      const [path = '', query] = split(pathAndQuery);
      const key = decodePercent(path);
      const rule = rules.get(query === undefined ? key : `${key}?${query}`) ?? rules.get(key);
      const plain = await plainAnswer(root, path, query, rule);
      const status = rule?.status ?? plain.status;
      const page = await withBody(root, { ...plain, status }, notFound, origin);
      const body = rule?.gzip === true ? await promisify(gzip)(page.body) : page.body;
      const headers: Record<string, string> = {
        ...page.headers,
        ...(rule?.gzip === true ? { 'content-type': 'application/gzip' } : {}),
        'content-length': String(body.length),
      };
      for (const [name, value] of Object.entries(rule?.headers ?? {})) {
        headers[name.toLowerCase()] = value.replaceAll(originMark, origin);
      }
      return { status, headers, body, delay: rule?.delay ?? 0 };
    },
  };
}

/** One entry of `responses`. Missing fields come from the file at the path. */
interface Rule {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly delay?: number;
  /** Another file of the folder. */
  readonly file?: string;
  /** Compress the body: for paths that end in .gz. */
  readonly gzip?: boolean;
}

const ruleKeys = new Set(['status', 'headers', 'delay', 'file', 'gzip']);

async function readRules(
  root: string,
): Promise<{ readonly notFound: string | undefined; readonly rules: ReadonlyMap<string, Rule> }> {
  if (!(await isKind(root, 'folder'))) throw wrong(`There is no folder ${root}.`);
  const file = join(root, 'site.json');
  if (!(await isKind(file, 'file'))) return { notFound: undefined, rules: new Map() };
  let json: { readonly notFound?: string; readonly responses?: Readonly<Record<string, Rule>> };
  try {
    json = JSON.parse(await readFile(file, 'utf8')) as typeof json;
  } catch (error) {
    throw wrong(`${file} is not JSON: ${String(error)}`);
  }
  const rules = new Map<string, Rule>();
  for (const [key, rule] of Object.entries(json.responses ?? {})) {
    const unknown = Object.keys(rule).find((name) => !ruleKeys.has(name));
    if (unknown !== undefined) throw wrong(`${file}: "${key}" has an unknown key "${unknown}".`);
    const [path = '', query] = split(key);
    rules.set(query === undefined ? decodePercent(path) : `${decodePercent(path)}?${query}`, rule);
  }
  return { notFound: json.notFound, rules };
}

/** A response whose body is still in its file, or empty. */
interface FileResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly file?: string;
}

async function plainAnswer(
  root: string,
  path: string,
  query: string | undefined,
  rule: Rule | undefined,
): Promise<FileResponse> {
  if (rule?.file !== undefined) return { status: 200, headers: {}, file: rule.file };
  const name = fileName(path);
  if (name === undefined) return { status: 404, headers: {} };
  const file = name === '' || name.endsWith('/') ? `${name}index.html` : name;
  if (await isKind(join(root, file), 'file')) return { status: 200, headers: {}, file };
  if (await isKind(join(root, file, 'index.html'), 'file')) {
    const location = `${path}/${query === undefined ? '' : `?${query}`}`;
    return { status: 301, headers: { location } };
  }
  return { status: 404, headers: {} };
}

/** The file of a path, relative to the root; undefined for paths without a file of the site. */
function fileName(path: string): string | undefined {
  const parts = path.split('/').map(decodePercent);
  const isOdd = (part: string, index: number): boolean =>
    part === '.' ||
    part === '..' ||
    /[/\\\0]/.test(part) ||
    (part === '' && index !== 0 && index !== parts.length - 1);
  if (parts[0] !== '' || parts.length < 2 || parts.some(isOdd)) return undefined;
  const name = parts.slice(1).join('/');
  return name.toLowerCase() === 'site.json' ? undefined : name;
}

async function withBody(
  root: string,
  answer: FileResponse,
  notFound: string | undefined,
  origin: string,
): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array }> {
  const file = answer.file ?? (answer.status === 404 ? notFound : undefined);
  if (file === undefined) {
    const text = answer.status < 400 ? '' : `${answer.status} ${STATUS_CODES[answer.status] ?? ''}`;
    const headers = { 'content-type': 'text/plain; charset=utf-8', ...answer.headers };
    return { headers, body: Buffer.from(text) };
  }
  const path = resolve(root, file);
  if (!path.startsWith(root + sep)) throw wrong(`${file} is outside of ${root}.`);
  const bytes = await readFile(path);
  return {
    headers: { 'content-type': contentTypeOf(file), ...answer.headers },
    body: /\.(?:html|xml|txt|json)$/i.test(file) ? withOrigin(bytes, origin) : bytes,
  };
}

const originMark = '{{origin}}';

/** Works on bytes: the page may be in any encoding. */
function withOrigin(bytes: Buffer, origin: string): Buffer {
  if (!bytes.includes(originMark)) return bytes;
  return Buffer.from(bytes.toString('latin1').replaceAll(originMark, origin), 'latin1');
}

function split(pathAndQuery: string): [path: string, query: string | undefined] {
  const mark = pathAndQuery.indexOf('?');
  if (mark === -1) return [pathAndQuery, undefined];
  return [pathAndQuery.slice(0, mark), pathAndQuery.slice(mark + 1)];
}

async function isKind(path: string, kind: 'file' | 'folder'): Promise<boolean> {
  try {
    const found = await stat(path);
    return kind === 'file' ? found.isFile() : found.isDirectory();
  } catch {
    return false;
  }
}

function pathOf(directory: string | URL): string {
  if (typeof directory === 'string') return directory;
  if (directory.protocol !== 'file:') throw wrong(`${directory.href} is not a file: URL.`);
  return fileURLToPath(directory);
}

function wrong(message: string): ValidationError {
  return new ValidationError('Site folder', [{ path: [], message }]);
}
