/** Parses text: unchanged, or source code in a fenced block. */
import { fence, readSource, textPage } from './text-page.ts';
import type { Parser } from './parser.ts';
import { keyByWord } from '../../core/runtime/key-by-word.ts';

/** Reads every kind of text; code becomes a block in its language. */
export const textParser: Parser = {
  name: 'text',
  accepts: (mediaType) => mediaType.startsWith('text/') || isCodeType(mediaType),
  parse: async (snapshot, context) => {
    const text = await readSource(snapshot, context, 'text');
    const language = languages.get(subtype(context.mediaType));
    const markdown = language === undefined ? text.source : fence(text.source, language);
    return textPage(snapshot, context, { ...text, markdown });
  },
};

/** True for source code and machine-written data: `application/javascript`, `application/yaml`. */
export function isCodeType(mediaType: string): boolean {
  return /^(?:application|text)\//.test(mediaType) && languages.has(subtype(mediaType));
}

/** `application/x-sh` → `sh` */
function subtype(mediaType: string): string {
  return mediaType.slice(mediaType.indexOf('/') + 1).replace(/^(?:x-)?(?:script\.)?/, '');
}

const languages: ReadonlyMap<string, string> = keyByWord({
  bash: 'sh shellscript bash csh',
  c: 'c csrc chdr',
  cpp: 'c++ c++src c++hdr',
  csharp: 'csharp',
  dart: 'dart',
  dockerfile: 'dockerfile',
  elixir: 'elixir',
  erlang: 'erlang',
  fortran: 'fortran',
  haskell: 'haskell',
  ini: 'ini',
  julia: 'julia',
  makefile: 'makefile',
  objectivec: 'objectivec',
  powershell: 'powershell',
  protobuf: 'protobuf',
  r: 'r',
  scss: 'scss',
  css: 'css',
  diff: 'diff patch',
  go: 'go',
  graphql: 'graphql',
  java: 'java java-source',
  javascript: 'javascript ecmascript jscript',
  json: 'ndjson jsonl jsonlines json-seq',
  kotlin: 'kotlin',
  latex: 'tex latex',
  lua: 'lua',
  perl: 'perl',
  php: 'php httpd-php',
  python: 'python',
  ruby: 'ruby',
  rust: 'rust',
  scala: 'scala',
  sql: 'sql',
  swift: 'swift',
  toml: 'toml',
  typescript: 'typescript',
  yaml: 'yaml',
});
