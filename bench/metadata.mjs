// Author, date and title of real pages: reads the pages of the outside quality bench, when it is there, and
// prints the rates of right, missing and wrong values by suite. Sites are split into two halves by a hash:
// rules are made by looking at the first half only, so that the second shows what holds elsewhere.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { isText, nodesOf } from '../build/content/html/dom.js';
import { readMetadata } from '../build/content/formats/metadata.js';
import { parseHtml } from '../build/content/html/parse.js';
import { registrableDomain } from '../build/core/url/registrable-domain.js';
import { qualityFolder } from './quality-folder.mjs';

const { values: options } = parseArgs({
  options: {
    suite: { type: 'string', default: 'readability,chinese,wcxb,scrapinghub,trafilatura' },
    // Prints the pages of the first half that are not right: `author`, `date` or `title`.
    list: { type: 'string' },
  },
});
const now = Date.now();
const fields = ['author', 'date', 'title'];
const readers = {
  readability,
  chinese,
  wcxb: (source) => devPages(source, 'wcxb'),
  scrapinghub: (source) => devPages(source, 'scrapinghub'),
  trafilatura: (source) => devPages(source, 'trafilatura'),
};

function bench(source) {
  const counts = new Map();
  let milliseconds = 0;
  let pages = 0;
  for (const suite of options.suite.split(',')) {
    const read = readers[suite];
    if (read === undefined) {
      console.error(`metadata: no suite "${suite}"; known: ${Object.keys(readers).join(', ')}`);
      process.exit(1);
    }
    for (const { id, site, page, truth } of read(source)) {
      const half =
        createHash('sha256').update(site).digest().readUInt8() % 2 === 0 ? 'first' : 'second';
      const started = performance.now();
      const metadata = readMetadata(page, now);
      milliseconds += performance.now() - started;
      pages += 1;
      const given = {
        author: metadata.author,
        date: metadata.publishedTime,
        title: metadata.title,
      };
      for (const field of fields) {
        const key = `${suite} ${half} ${field}`;
        const count = counts.get(key) ?? { right: 0, missing: 0, wrong: 0, extra: 0 };
        counts.set(key, count);
        const result = judge[field](truth[field], given[field]);
        if (result === undefined) continue;
        count[result] += 1;
        if (options.list === field && half === 'first' && result !== 'right') {
          console.log(`${suite} ${id} ${result}: ${given[field]} (${truth[field]})`);
        }
      }
    }
  }
  printTable(counts);
  console.log(`\n${(milliseconds / pages).toFixed(2)} ms of metadata a page, ${pages} pages.`);
}

function printTable(counts) {
  console.log('| suite | field | half | right | missing | wrong | right of all | none in truth |');
  console.log('|---|---|---|---|---|---|---|---|');
  const total = new Map();
  const row = (suite, field, half, { right, missing, wrong, extra }) => {
    const all = right + missing + wrong;
    if (all === 0 && extra === 0) return;
    const share = all === 0 ? '' : `${((100 * right) / all).toFixed(1)} %`;
    console.log(
      `| ${suite} | ${field} | ${half} | ${right} | ${missing} | ${wrong} | ${share} | ${extra} |`,
    );
  };
  for (const field of fields) {
    for (const [key, count] of counts) {
      const [suite, half, ofField] = key.split(' ');
      if (ofField !== field) continue;
      row(suite, field, half, count);
      const sum = total.get(`${field} ${half}`) ?? { right: 0, missing: 0, wrong: 0, extra: 0 };
      for (const name of Object.keys(sum)) sum[name] += count[name];
      total.set(`${field} ${half}`, sum);
    }
  }
  for (const [key, count] of total) {
    const [field, half] = key.split(' ');
    row('**all**', field, half, count);
  }
}

/**
 * What a value is beside the truth: `right`, `missing` or `wrong`; `extra` where the truth is that there is
 * none; undefined where nothing is known or expected.
 */
const judge = {
  author: (truth, given) =>
    compare(truth, given, (a, b) => {
      const [wanted, got] = [plainName(a), plainName(b)];
      return wanted.includes(got) || got.includes(wanted);
    }),
  date: (truth, given) => compare(truth, given, (a, b) => sameDay(a, b)),
  title: (truth, given) =>
    compare(truth, given, (a, b) => {
      const [wanted, got] = [plainName(a), plainName(b)];
      return wanted.includes(got) || got.includes(wanted);
    }),
};

function compare(truth, given, isEqual) {
  if (truth === undefined) return undefined;
  if (truth === null) return given === undefined ? undefined : 'extra';
  if (given === undefined || given === '') return 'missing';
  return isEqual(truth, given) ? 'right' : 'wrong';
}

function plainName(text) {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join(' ').replace(/^by /, '');
}

function sameDay(a, b) {
  const days = [a, b].map((text) => {
    const match = /(\d{4})[-/](\d{1,2})[-/](\d{1,2})/.exec(text);
    if (match !== null) return match.slice(1).map(Number).join('-');
    const date = new Date(text);
    if (Number.isNaN(date.getTime())) return text;
    return [date.getFullYear(), date.getMonth() + 1, date.getDate()].join('-');
  });
  return days[0] === days[1];
}

/** Pages of readability's tests with the metadata that its own tests expect. */
function* readability(source) {
  const folder = join(source, 'extra', 'readability');
  for (const id of readdirSync(folder)) {
    if (!existsSync(join(folder, id, 'source.html.gz'))) continue;
    const { byline, publishedTime, title } = JSON.parse(
      readFileSync(join(folder, id, 'expected-metadata.json'), 'utf8'),
    );
    const page = htmlPage(readHtml(join(folder, id, 'source.html.gz')), 'http://fakehost/test/');
    const truth = {
      // What readability cannot find is not known to be absent.
      author: byline ?? undefined,
      date: publishedTime ?? undefined,
      title: title ?? undefined,
    };
    yield { id, site: id.replace(/-\d+$/, ''), page, truth };
  }
}

/** Chinese pages: texts, forums and news. */
function* chinese(source) {
  const folder = join(source, 'extra', 'chinese');
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const id = file.slice(0, -'.json'.length);
    const { author, date } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const html = readHtml(join(folder, `${id}.html.gz`));
    const known = (value) => (/^UNKN|^$/.test(value.trim()) ? null : value);
    const truth = { author: known(author), date: known(date), title: undefined };
    yield { id, site: id, page: htmlPage(html, 'http://fakehost/test/'), truth };
  }
}

/**
 * Pages without a truth about author and date: what their markup says is the truth if it can be seen, and the
 * page is read without that markup. Title: the truth of the suite.
 */
function* devPages(source, suite) {
  const folder = join(source, 'dev-data', suite);
  const truths = JSON.parse(
    gunzipSync(readFileSync(join(folder, 'ground-truth.json.gz'))).toString(),
  );
  for (const [id, { url, title, type }] of Object.entries(truths)) {
    const html = readHtml(join(folder, 'html', `${id}.html.gz`));
    const address = url || 'https://example.com/';
    const page = htmlPage(html, address);
    const isArticle = suite !== 'wcxb' || type === 'article';
    const marked = readMetadata(htmlPage(takeMarkup(page.document), address), now);
    const isSite = plainName(marked.author ?? '') === plainName(marked.ogSiteName ?? '');
    const truth = {
      author: isArticle && !isSite && showsName(page, marked.author) ? marked.author : undefined,
      date: isArticle && showsDate(page, marked.publishedTime) ? marked.publishedTime : undefined,
      title,
    };
    yield { id, site: registrableDomain(new URL(address).hostname), page, truth };
  }
}

function showsName(page, name) {
  return name !== undefined && ` ${plainName(textOf(page))} `.includes(` ${plainName(name)} `);
}

/** Roughly: the day of the month stands near the year. */
function showsDate(page, date) {
  const [, year, , day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(date ?? '') ?? [];
  if (year === undefined) return false;
  const near = `(?:${year}.{0,12}\\b0?${Number(day)}\\b|\\b0?${Number(day)}\\D.{0,20}${year})`;
  return new RegExp(near).test(textOf(page));
}

function textOf(page) {
  const texts = [];
  for (const node of nodesOf(page.root)) {
    if (isText(node) && !/^(?:script|style|noscript)$/.test(node.parentElement?.localName ?? '')) {
      texts.push(node.data);
    }
  }
  return texts.join(' ').replace(/\s+/g, ' ');
}

/** Removes the markup of author and dates; gives it as a page without anything that is seen. */
function takeMarkup(document) {
  const taken = [`<title>${document.querySelector('title')?.innerHTML ?? ''}</title>`];
  for (const element of document.querySelectorAll('meta, script')) {
    const names = ['name', 'property', 'itemprop'].map((key) => element.getAttribute(key) ?? '');
    const isTaken =
      element.localName === 'script'
        ? /ld\+json/i.test(element.getAttribute('type') ?? '')
        : /author|creator|byl|date|time|publish|modif|updated|twitter:(?:label|data)/i.test(
            names.join(' '),
          );
    if (isTaken || names.includes('og:site_name')) taken.push(element.outerHTML);
    if (isTaken) element.remove();
  }
  return taken.join('');
}

/** @returns {import('../build/core/model/page.js').HtmlPage} */
function htmlPage(source, url) {
  const document = parseHtml(source, { nodes: 1_000_000, depth: 512 });
  return {
    kind: 'html',
    url,
    baseUrl: url,
    statusCode: 200,
    mediaType: 'text/html',
    source,
    warnings: [],
    document,
    root: document.body,
  };
}

/** The stored pages are in UTF-8 or in the encoding that they name. */
function readHtml(path) {
  const bytes = gunzipSync(readFileSync(path));
  const start = bytes.subarray(0, 4096).toString('latin1');
  const encoding = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1] ?? 'windows-1252';
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(/utf-?8/i.test(encoding) ? 'windows-1252' : encoding).decode(bytes);
  }
}

const source = qualityFolder();
if (source !== undefined) bench(source);
