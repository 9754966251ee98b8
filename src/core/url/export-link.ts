/** Turns share links of document hosts into URLs of the files behind them. */

/**
 * The URL of the file behind a share link, which needs no browser: Google Docs, Sheets, Slides,
 * Drawings and Drive, Dropbox, OneDrive, SharePoint, and source on GitHub, GitLab and Bitbucket.
 * Undefined for any other URL, and for links to folders.
 */
export function exportLink(url: URL): URL | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  const host = url.hostname.replace(/^www\./, '');
  const rule = exportRules.find(({ hosts }) => hosts.test(host));
  const href = rule?.to(url);
  return href !== undefined && URL.canParse(href) && href !== url.href ? new URL(href) : undefined;
}

interface ExportRule {
  /** Host names, without `www.`. */
  readonly hosts: RegExp;
  /** The file's URL; undefined if the link is of another kind. */
  to(url: URL): string | undefined;
}

const exportRules: readonly ExportRule[] = [
  { hosts: /^docs\.google\.com$/, to: googleDocument },
  { hosts: /^drive\.google\.com$/, to: googleFile },
  { hosts: /^dropbox\.com$/, to: dropboxFile },
  { hosts: /^(?:1drv\.ms|onedrive\.live\.com)$/, to: oneDriveFile },
  { hosts: /^[a-z0-9-]+\.sharepoint\.com$/, to: sharePointFile },
  { hosts: /^github\.com$/, to: gitHubFile },
  { hosts: /^gist\.github\.com$/, to: gist },
  {
    hosts: /^gitlab\.com$/,
    to: ({ origin, pathname }) => swapped(origin, pathname, /\/-\/blob\//, '/-/raw/'),
  },
  {
    hosts: /^bitbucket\.org$/,
    to: ({ origin, pathname }) =>
      swapped(origin, pathname, /^(\/[^/]+\/[^/]+)\/src\/(?=[^/]+\/.*[^/]$)/, '$1/raw/'),
  },
];

/** For each kind of Google document, the file type that preserves the most. */
const googleExports: Readonly<Record<string, string>> = {
  document: 'export?format=docx',
  spreadsheets: 'export?format=xlsx',
  presentation: 'export/pptx',
  drawings: 'export/svg',
};

/**
 * `/document/d/<id>/edit`, also `/document/u/0/d/<id>` and, for companies, `/a/<domain>/document/…`.
 * `/d/e/` are already published pages.
 */
function googleDocument({ pathname, searchParams }: URL): string | undefined {
  const [, kind = '', id] =
    /^(?:\/a\/[^/]+)?\/(document|spreadsheets|presentation|drawings)\/(?:u\/\d+\/)?d\/(?!e\/)([\w-]+)(?:\/(?:edit|view|preview|copy|mobilebasic|htmlview)?)?$/.exec(
      pathname,
    ) ?? [];
  if (id === undefined) return undefined;
  const file = new URL(`https://docs.google.com/${kind}/d/${id}/${googleExports[kind]}`);
  const key = searchParams.get('resourcekey');
  if (key !== null) file.searchParams.set('resourcekey', key);
  return file.href;
}

function googleFile({ pathname, searchParams }: URL): string | undefined {
  const inPath =
    /^(?:\/a\/[^/]+)?\/file\/(?:u\/\d+\/)?d\/([\w-]+)(?:\/(?:view|edit|preview)?)?$/.exec(
      pathname,
    )?.[1];
  const id =
    inPath ??
    (/^(?:\/a\/[^/]+)?\/(?:open|uc)$/.test(pathname) ? searchParams.get('id') : undefined);
  if (id === undefined || id === null || !/^[\w-]+$/.test(id)) return undefined;
  const key = searchParams.get('resourcekey');
  const query = new URLSearchParams({
    export: 'download',
    id,
    ...(key === null ? {} : { resourcekey: key }),
  });
  return `https://drive.google.com/uc?${query}`;
}

/** `dl=1` gets the file instead of a page around it; folders (`/sh/`, `/scl/fo/`) have no file. */
function dropboxFile(url: URL): string | undefined {
  if (!/^\/(?:s|scl\/fi)\/./.test(url.pathname)) return undefined;
  return withQuery(url, { raw: undefined, dl: '1' });
}

/** Uses the encoded link (Microsoft Graph, "Access shared items"). */
function oneDriveFile(url: URL): string | undefined {
  const isShort = url.hostname === '1drv.ms' && /^\/[a-eg-z]\/./.test(url.pathname);
  const isLong = url.searchParams.has('authkey') && url.searchParams.has('resid');
  if (!isShort && !isLong) return undefined;
  const token = Buffer.from(url.href).toString('base64url');
  return `https://api.onedrive.com/v1.0/shares/u!${token}/root/content`;
}

/** `/:w:/…` is a Word file, `/:x:/…` a sheet; `/:f:/…` is a folder. */
function sharePointFile(url: URL): string | undefined {
  return /^\/:[a-eg-z]:\//.test(url.pathname) ? withQuery(url, { download: '1' }) : undefined;
}

function gitHubFile({ pathname }: URL): string | undefined {
  const [, repository, rest] = /^(\/[^/]+\/[^/]+)\/blob\/([^/]+\/.+)$/.exec(pathname) ?? [];
  return repository === undefined || rest === undefined
    ? undefined
    : `https://raw.githubusercontent.com${repository}/${rest}`;
}

/** A gist of one file. */
function gist({ pathname }: URL): string | undefined {
  return /^\/[\w-]+\/[0-9a-f]{20,}\/?$/.test(pathname)
    ? `https://gist.githubusercontent.com${pathname.replace(/\/$/, '')}/raw`
    : undefined;
}

function swapped(origin: string, path: string, part: RegExp, by: string): string | undefined {
  return part.test(path) ? origin + path.replace(part, by) : undefined;
}

function withQuery(url: URL, changes: Readonly<Record<string, string | undefined>>): string {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) changed.searchParams.delete(name);
    else changed.searchParams.set(name, value);
  }
  changed.hash = '';
  return changed.href;
}
