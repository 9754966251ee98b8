/** Reads HTML as text, headings, cells and code: the main content of a page, and the HTML of markdown. */
import { parseHTML } from 'linkedom';

/** Parts that no reader of a page takes for its text, and anchors of headings in all generators. */
const nowhere =
  'script, style, noscript, template, svg, button, input, select, [hidden], a.headerlink, a.anchor, ' +
  'a.header-anchor, a.hash-link, a.self-link, nav, .MathJax_Preview';

/** What a page has to give: `{ text, title, headings, cells, codes }`. */
export function readTruth(html, path, generator) {
  const { document } = parseHTML(html);
  const all = [...document.querySelectorAll(generator.content)];
  const roots = all.filter((root) => !all.some((other) => other !== root && other.contains(root)));
  if (roots.length === 0) throw new Error(`${path}: no ${generator.content}`);
  for (const root of roots) {
    removeAll(root, nowhere);
    if (generator.chrome !== undefined) removeAll(root, generator.chrome);
    removeContents(root, path);
  }
  const title = roots
    .map((root) => findIn(root, generator.title ?? 'h1'))
    .find((element) => element !== undefined);
  const truth = { text: '', headings: [], levels: [], cells: [], codes: [] };
  for (const root of roots) readInto(truth, root, generator);
  const titleWords = title === undefined ? '' : words(textOf(title));
  if (titleWords !== '' && !truth.headings.includes(titleWords)) truth.headings.unshift(titleWords);
  return { ...truth, title: titleWords };
}

/** What a piece of HTML has, read in the same way. */
export function readHtml(html) {
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  const outcome = { text: '', headings: [], levels: [], cells: [], codes: [] };
  readInto(outcome, document.body, {});
  return outcome;
}

function findIn(root, selector) {
  return root.matches(selector) ? root : (root.querySelector(selector) ?? undefined);
}

function removeAll(root, selector) {
  for (const element of root.querySelectorAll(selector)) element.remove();
}

/** Removes lists of the headings of the page itself. */
function removeContents(root, path) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (const list of root.querySelectorAll(
    '.toc, .contents, .contents-local, #toc, #TOC, #table-of-contents',
  )) {
    if (list === root) continue;
    const links = [...list.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'));
    const own = links.filter((href) => href.startsWith('#') || href.startsWith(`${name}#`));
    if (own.length > 0 && own.length >= links.length * 0.8) list.remove();
  }
}

function readInto(result, root, { code = undefined, languages = [], layout = 'no-table' }) {
  const codeSelector = code === undefined ? 'pre' : `pre, ${code}`;
  for (const element of withDescendants(root)) {
    const name = element.localName;
    if (/^h[1-6]$/.test(name)) {
      const text = words(textOf(element));
      if (text === '') continue;
      result.headings.push(text);
      result.levels.push(Number(name[1]));
    } else if (element.matches(codeSelector)) {
      if (element.parentElement?.closest(codeSelector)) continue;
      const text = codeOf(element);
      if (words(text) === '') continue;
      result.codes.push({ text, language: languageOf(element, root, languages) });
    } else if (name === 'table' && isDataTable(element) && !element.matches(layout)) {
      for (const cell of element.querySelectorAll('td, th')) {
        if (cell.querySelector('h1, h2, h3, h4, h5, h6') !== null) continue;
        const text = words(textOf(cell));
        if (text !== '' && text.split(' ').length < 120 && !result.cells.includes(text)) {
          result.cells.push(text);
        }
      }
    }
  }
  result.text += `${textOf(root)}\n`;
}

function* withDescendants(root) {
  yield root;
  yield* root.querySelectorAll('*');
}

function isDataTable(table) {
  if (table.querySelector('table, details, pre') !== null) return false;
  const rows = [...table.querySelectorAll('tr')];
  return rows.length > 1 && rows.some((row) => row.children.length > 1);
}

const inline = new Set(
  'a abbr b bdi bdo cite code data dfn em font i kbd mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** The text, with a space around what is not in a line. */
function textOf(element) {
  let text = '';
  for (const child of element.childNodes) {
    if (child.nodeType === 3) text += child.data.replaceAll('\u200b', '');
    else if (child.nodeType === 1) {
      text += inline.has(child.localName) ? textOf(child) : ` ${textOf(child)} `;
    }
  }
  return text;
}

/** Lower-case words: what is compared of texts. */
export const words = (text) => (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(' ');

/** Lines of code without space at their ends, and without empty lines around them. */
function codeOf(element) {
  let text = '';
  (function walk(parent) {
    for (const child of parent.childNodes) {
      if (child.nodeType === 3) text += child.data;
      else if (child.localName === 'br') text += '\n';
      else if (child.nodeType === 1) {
        const isLine = child.localName === 'div';
        if (isLine && text !== '' && !text.endsWith('\n')) text += '\n';
        walk(child);
        if (isLine && !text.endsWith('\n')) text += '\n';
      }
    }
  })(element);
  const lines = text
    .replaceAll('\u00a0', ' ')
    .replaceAll(/[\u200b\ufeff]/g, '')
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
  return lines.join('\n').replace(/^\n+/, '').trimEnd();
}

/** The language that a class or an attribute names; empty where none does. */
function languageOf(element, root, languages) {
  const own = element.className.split(/\s+/).find((name) => languages.includes(name));
  if (own !== undefined) return canonical(own);
  const inner = element.querySelector('code');
  for (let around = inner ?? element, level = 0; around && level < 5; level++) {
    const named =
      around.getAttribute('data-lang') ??
      around.getAttribute('data-language') ??
      /(?:^|\s)(?:language|lang|highlight|src)-([\w#+.-]+)/.exec(around.className)?.[1];
    if (typeof named === 'string') return canonical(named);
    if (around === root) break;
    around = around.parentElement;
  }
  return '';
}

const names = {
  'c++': 'cpp',
  golang: 'go',
  javascript: 'js',
  py: 'python',
  python3: 'python',
  rs: 'rust',
  shell: 'sh',
  typescript: 'ts',
  yml: 'yaml',
};

/** One name for each language; none for names that say that there is no language, or that it is guessed. */
export function canonical(language) {
  const name = language.toLowerCase();
  return /^(?:default|none|no-?highlight|text|txt|plain(?:text)?)$/.test(name)
    ? ''
    : (names[name] ?? name);
}
