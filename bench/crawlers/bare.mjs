// The least that makes markdown of a site: undici, one pass of htmlparser2 over each page for links,
// title, description and the markdown of <main>. No robots.txt, no redirects, no recovery from errors.
import { Parser } from 'htmlparser2';
import { Agent, request } from 'undici';
import { concurrency, origin, report } from './peer.mjs';

const around = { strong: '**', b: '**', em: '_', i: '_' };
const left = new Set(['script', 'style', 'nav', 'form']);

const dispatcher = new Agent();
const start = `${origin}/`;
const seen = new Set([start]);
const waiting = [start];
const done = { pages: 0, characters: 0 };
let running = 0;
await new Promise((resolve, reject) => {
  const next = () => {
    if (waiting.length === 0 && running === 0) resolve(undefined);
    while (running < concurrency && waiting.length > 0) {
      running += 1;
      visit(waiting.shift() ?? '').then(() => {
        running -= 1;
        next();
      }, reject);
    }
  };
  next();
});
await dispatcher.close();
report(done);

async function visit(url) {
  const { body } = await request(url, { dispatcher });
  const { links, markdown } = read(await body.text(), url);
  done.pages += 1;
  done.characters += markdown.length;
  for (const link of links) {
    if (!link.startsWith(start) || seen.has(link)) continue;
    seen.add(link);
    waiting.push(link);
  }
}

function read(html, base) {
  const page = { title: '', description: '', links: [], markdown: '' };
  let [inMain, inLeft, inTitle, inPre, cells] = [0, 0, false, false, 0];
  const hrefs = [];
  const lists = [];
  const write = (text) => {
    if (inMain > 0 && inLeft === 0) page.markdown += text;
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'main') inMain += 1;
      if (left.has(name)) inLeft += 1;
      if (name === 'title') inTitle = true;
      if (name === 'meta' && attributes.name === 'description')
        page.description = attributes.content ?? '';
      if (name === 'a') {
        const href = attributes.href ?? '';
        const url = URL.parse?.(href, base) ?? new URL(href, base);
        url.hash = '';
        page.links.push(url.href);
        hrefs.push(url.href);
        write('[');
      }
      if (/^h[1-6]$/.test(name)) write(`\n\n${'#'.repeat(Number(name[1]))} `);
      if (name === 'p') write('\n\n');
      if (name === 'blockquote') write('\n\n> ');
      if (name === 'ul' || name === 'ol') lists.push(name === 'ol' ? 1 : 0);
      if (name === 'li') {
        const number = lists.at(-1) ?? 0;
        if (number > 0) lists[lists.length - 1] = number + 1;
        write(`\n${'  '.repeat(lists.length - 1)}${number > 0 ? `${number}.` : '-'} `);
      }
      if (name === 'pre') {
        inPre = true;
        write('\n\n```\n');
      } else if (name === 'code' && !inPre) write('`');
      if (name === 'tr') {
        cells = 0;
        write('\n|');
      }
      if (name === 'td' || name === 'th') cells += 1;
      write(around[name] ?? '');
    },
    ontext(text) {
      if (inTitle) page.title += text;
      else write(inPre ? text : text.replaceAll(/\s+/g, ' '));
    },
    onclosetag(name) {
      write(around[name] ?? '');
      if (name === 'a') write(`](${hrefs.pop()})`);
      if (name === 'ul' || name === 'ol') lists.pop();
      if (name === 'pre') {
        inPre = false;
        write('```');
      } else if (name === 'code' && !inPre) write('`');
      if (name === 'td' || name === 'th') write(' |');
      if (name === 'thead') write(`\n|${' --- |'.repeat(cells)}`);
      if (name === 'title') inTitle = false;
      if (left.has(name)) inLeft -= 1;
      if (name === 'main') inMain -= 1;
    },
  });
  parser.end(html);
  return page;
}
