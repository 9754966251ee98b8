/** The language of a code block, as highlighters write it into class names. */
import type { DomElement } from '../../html/dom.ts';
import { elementsOf } from '../../html/nodes.ts';

/** Elements that are looked at inside: the ones that matter come before the highlighted words. */
const maxInside = 100;

/** The language named on the element, on a `code` or `pre` inside, or on what is wrapped around it. */
export function codeLanguage(element: DomElement): string {
  let left = maxInside;
  for (const inner of elementsOf(element)) {
    if (--left < 0) break;
    if (inner !== element && inner.localName !== 'code' && inner.localName !== 'pre') continue;
    const language = languageOn(inner);
    if (language !== '') return language;
  }
  let around = element.parentElement;
  for (let level = 0; level < 6 && around !== null && wrappers.has(around.localName); level++) {
    const language = languageOn(around);
    if (language !== '') return language;
    around = around.parentElement;
  }
  return '';
}

const wrappers = new Set([
  'code',
  'div',
  'figure',
  'pre',
  'section',
  'span',
  'table',
  'tbody',
  'td',
  'tr',
]);

function languageOn(element: DomElement): string {
  const named =
    element.getAttribute('data-lang') ??
    element.getAttribute('data-language') ??
    element.getAttribute('data-code-language') ??
    element.getAttribute('data-enlighter-language') ??
    element.getAttribute('data-syntax');
  if (named !== null && accepted(named) !== '') return accepted(named);
  if (element.hasAttribute('class')) {
    const language = languageInClass(element.className);
    if (language !== '') return language;
  }
  const attribute = element.getAttribute('lang')?.toLowerCase() ?? '';
  const isCode = element.localName === 'pre' || element.localName === 'code';
  if (!isCode) return '';
  // Without a highlighter's class, a name of one letter may stand for anything.
  const only = element.className.trim().toLowerCase();
  return known.has(attribute) ? attribute : only.length > 1 ? knownLanguage(only) : '';
}

function languageInClass(names: string): string {
  const brush = /(?:^|\s)brush:\s*([^\s;]+)/.exec(names)?.[1];
  if (brush !== undefined) return accepted(brush);
  const prefixed = /(?:^|\s)(?:language|lang)[-:]([^\s;]+)/i.exec(names)?.[1];
  if (prefixed !== undefined) return accepted(prefixed);
  const highlighted = /(?:^|\s)(?:highlight|src)-(?:source-|text-)?([^\s;]+)/.exec(names)?.[1];
  if (highlighted !== undefined && !notLanguages.test(highlighted)) return accepted(highlighted);
  if (
    !/(?:^|\s)(?:hljs|source-?code|(?:syntax)?highlight(?:er)?|prettyprint|prism|code)(?:\s|$)/i.test(
      names,
    )
  ) {
    return '';
  }
  return (
    names
      .toLowerCase()
      .split(/\s+/)
      .find((name) => known.has(name)) ?? ''
  );
}

const notLanguages =
  /^(?:area|block|body|box|code|container|content|copy|inner|lines?|pre|table|title|wrap(?:per)?)$/i;

/** The language that a word names, as readers see it: `Python`, `C++`; else nothing. */
export function knownLanguage(word: string): string {
  const name = word.toLowerCase();
  return known.has(name) && name !== 'text' ? name : '';
}

/** What can stand behind the fence; words for "no language" are none. */
function accepted(name: string): string {
  const language = name.trim().toLowerCase();
  if (!/^[\w#+.-]{1,30}$/.test(language)) return '';
  return /^(?:none|no-?highlight|default|auto|undefined|null|unknown)$/.test(language)
    ? ''
    : language;
}

/** Class names that are taken for a language beside the class of a highlighter. */
const known = new Set(
  (
    'apache bash c c# c++ clojure cmake console cpp cs csharp css d dart diff docker dockerfile elixir ' +
    'elm erlang f# fortran fsharp go golang graphql groovy haskell hcl html http ini java javascript ' +
    'js json jsx julia kotlin latex less lisp lua make makefile markdown matlab md mermaid nginx nix ' +
    'objc objective-c ocaml pascal perl php plaintext powershell prolog properties proto protobuf py ' +
    'python r rb rs ruby rust scala scheme scss sh shell solidity sql swift tcl terraform tex text ' +
    'toml ts tsx typescript vb vim vue wasm xml yaml yml zig zsh'
  ).split(' '),
);
