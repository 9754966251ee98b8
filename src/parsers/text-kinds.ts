/** Kinds of text, by how they begin and by what their files are called. */

/** The media type for the extension of a URL's path, where it is one of a text. */
export function typeByExtension(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { pathname } = new URL(url);
  const name = pathname.slice(pathname.lastIndexOf('/') + 1).toLowerCase();
  const byName = typesByName.get(name);
  if (byName !== undefined) return byName;
  const dot = name.lastIndexOf('.');
  return dot < 0 ? undefined : typesByExtension.get(name.slice(dot + 1));
}

/** Subtitles in the two formats that say what they are. `text` begins without white space. */
export function subtitlesType(text: string): string | undefined {
  if (/^WEBVTT(?:[ \t\r\n]|$)/.test(text)) return 'text/vtt';
  return /^\d{1,6}[ \t]*\r?\n\d{1,3}:\d\d:\d\d[,.]\d{1,3}[ \t]*-->/.test(text)
    ? 'application/x-subrip'
    : undefined;
}

/** True for a text that begins with the fields of a mail (RFC 5322). */
export function isMail(text: string): boolean {
  const head = text.split(/\r?\n\r?\n/, 1)[0] ?? '';
  const names = head.match(/^[\w-]{1,60}:/gm) ?? [];
  return (
    /^(?:[\w-]{1,60}:|From )/.test(head) &&
    names.some((name) => /^(?:from|sender|received|date|subject|to|mime-version):$/i.test(name))
  );
}

/** Not `php`, `pl` and their like: at a URL they are programs that write pages. */
const typesByExtension: ReadonlyMap<string, string> = listed({
  'text/markdown': 'md markdown mkd mdown',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv tab',
  'message/rfc822': 'eml',
  'text/x-c': 'c h',
  'text/x-c++': 'cc cpp cxx hh hpp hxx',
  'text/x-csharp': 'cs',
  'text/css': 'css',
  'text/x-dart': 'dart',
  'text/x-diff': 'diff patch',
  'text/x-elixir': 'ex exs',
  'text/x-erlang': 'erl',
  'text/x-fortran': 'f90 f95',
  'text/x-go': 'go',
  'text/x-graphql': 'graphql gql',
  'text/x-haskell': 'hs',
  'text/x-ini': 'ini cfg',
  'text/x-java': 'java',
  'text/javascript': 'js mjs cjs jsx',
  'text/x-julia': 'jl',
  'text/x-kotlin': 'kt kts',
  'text/x-lua': 'lua',
  'text/x-objectivec': 'mm',
  'text/x-perl': 'pm',
  'text/x-powershell': 'ps1 psm1',
  'text/x-protobuf': 'proto',
  'text/x-python': 'py pyi',
  'text/x-r': 'r',
  'text/x-ruby': 'rb',
  'text/x-rust': 'rs',
  'text/x-scala': 'scala',
  'text/x-scss': 'scss',
  'text/x-sh': 'sh bash zsh',
  'text/x-sql': 'sql',
  'text/x-swift': 'swift',
  'text/x-tex': 'tex',
  'application/toml': 'toml',
  'text/x-typescript': 'ts tsx mts cts',
  'application/yaml': 'yaml yml',
  'application/x-ndjson': 'ndjson jsonl',
});

const typesByName: ReadonlyMap<string, string> = new Map([
  ['dockerfile', 'text/x-dockerfile'],
  ['makefile', 'text/x-makefile'],
]);

function listed(types: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(types).flatMap(([type, extensions]) =>
      extensions.split(' ').map((extension) => [extension, type] as const),
    ),
  );
}
