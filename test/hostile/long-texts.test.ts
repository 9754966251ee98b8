/** Pages that are long for everybody who reads them: the work leaves the caller's thread and ends with the deadline. */
import { createHash } from 'node:crypto';
import type { FormatInput } from '../../src/content/formats/index.ts';
import type { Model } from '../../src/index.ts';
import { runScenarios } from './run-scenarios.ts';
import { rare, type Scenario } from './scenario.ts';

const megabyte = 1024 * 1024;
const filled = (bytes: number, part: (index: number) => string): string => {
  const parts: string[] = [];
  for (let size = 0, index = 0; size < bytes; index += 1) {
    const text = part(index);
    parts.push(text);
    size += text.length;
  }
  return parts.join('');
};
const word = (index: number): string => createHash('md5').update(String(index)).digest('hex');

/** Bodies that cost most where texts are cut, folded, ranked and compared. */
const shapes: Readonly<Record<string, (bytes: number) => string>> = {
  paragraphs: (bytes) =>
    filled(
      bytes,
      (at) => `<p>Sentence ${at} about lamps and ${word(at)}, which cost ${at}.50 EUR.</p>`,
    ),
  'one paragraph': (bytes) => `<p>${filled(bytes, (at) => `Lamp ${at} costs ${at} EUR. `)}</p>`,
  'rows of a table': (bytes) =>
    `<table><tr><th>Name</th><th>Price</th></tr>${filled(bytes, (at) => `<tr><td>Lamp ${at}</td><td>${at}.99</td></tr>`)}</table>`,
  headings: (bytes) =>
    filled(bytes, (at) => `<h${(at % 6) + 1}>Lamp ${at}</h${(at % 6) + 1}><p>${word(at)}</p>`),
  'words without spaces': (bytes) => `<p>${filled(bytes, (at) => `价格${at}元。灯`)}</p>`,
};

/** Answers each format at once with something that fits. */
const model: Model = {
  name: 'a model',
  contextTokens: 1_000_000,
  generate: ({ system }) => {
    const text = system.startsWith('You choose')
      ? '{"passages":[1]}'
      : system.startsWith('You answer a question')
        ? '{"answer":"It costs 1 EUR","quotes":["costs 1"]}'
        : system.startsWith('You take data')
          ? '{"name":"Lamp 1","price":1}'
          : '{"summary":"Lamps cost 1 EUR."}';
    return Promise.resolve({ text, usage: { inputTokens: 1, outputTokens: 1 } });
  },
};

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, price: { type: 'number' } },
} as const;

const formats: Readonly<
  Record<string, { readonly format: FormatInput; readonly hasModel: boolean }>
> = {
  highlights: { format: { type: 'highlights', query: 'what does a lamp cost' }, hasModel: false },
  'highlights with a model': { format: { type: 'highlights', query: 'price' }, hasModel: true },
  question: { format: { type: 'question', question: 'What does it cost?' }, hasModel: true },
  'json with a model': { format: { type: 'json', schema }, hasModel: true },
  'json with a model and provenance': {
    format: { type: 'json', schema, provenance: true },
    hasModel: true,
  },
  'summary with a model': { format: 'summary', hasModel: true },
};

const clientOf = (hasModel: boolean): NonNullable<Scenario['client']> => ({
  network: { allow: ['127.0.0.0/8', 'localhost'] },
  ...(hasModel ? { model } : {}),
});

/** A page that is read to its end: run-scenarios looks at the event loop meanwhile. */
function read(name: string, shape: string): Scenario {
  const { format, hasModel } = formats[name] ?? { format: 'markdown', hasModel: false };
  return {
    name: `${name} of a page of ${shape} does not hold up the process`,
    client: clientOf(hasModel),
    site: { '/': `<main><h1>Lamps</h1>${shapes[shape]?.(0.12 * megabyte) ?? ''}</main>` },
    options: { formats: [format], timeout: 20_000 },
    act: async ({ scrape, site }) =>
      Object.keys((await scrape(site.url('/'))) as object).length > 1,
    expect: { value: true },
  };
}

/** A page that takes longer than there is time. */
function late(name: string, shape: string): Scenario {
  const { format, hasModel } = formats[name] ?? { format: 'markdown', hasModel: false };
  return {
    name: `${name} of 6 MB of ${shape} ends with the deadline`,
    client: clientOf(hasModel),
    site: { '/': `<main><h1>Lamps</h1>${shapes[shape]?.(6 * megabyte) ?? ''}</main>` },
    options: { formats: [format], timeout: 1000 },
    expect: { code: 'TIMEOUT', message: /took longer than 1000 ms/ },
  };
}

const names = Object.keys(formats);
/** Those that have work of their own; the others do theirs as one of these does. */
const usualNames = ['highlights', 'json with a model'];
const rareNames = names.filter((name) => !usualNames.includes(name));
let version = 0;

runScenarios(
  [
    ...usualNames.map((name) => read(name, 'paragraphs')),
    ...rareNames.map((name) => rare(read(name, 'paragraphs'))),
    rare(read('highlights', 'one paragraph')),
    rare(read('highlights', 'rows of a table')),
    rare(read('question', 'headings')),
    rare(read('json with a model', 'rows of a table')),
    rare(read('summary with a model', 'words without spaces')),
    ...names.map((name) => late(name, 'paragraphs')),
    {
      name: 'the diff of a page that changed in every line does not hold up the process',
      client: clientOf(false),
      site: {
        '/': ({ response }) => {
          version += 1;
          const html = filled(megabyte / 8, (at) => `<p>Lamp ${at} ${word(at * version)}</p>`);
          response.writeHead(200, { 'content-type': 'text/html' }).end(`<main>${html}</main>`);
        },
      },
      options: {
        formats: ['markdown', { type: 'changeTracking', modes: ['git-diff'] }],
        timeout: 20_000,
      },
      act: async ({ scrape, site }) => {
        await scrape(site.url('/'));
        const { changeTracking } = (await scrape(site.url('/'))) as {
          changeTracking: { changeStatus: string };
        };
        return changeTracking.changeStatus;
      },
      expect: { value: 'changed' },
    },
    {
      name: 'a page of 35 KB whose rules are all about all of its elements does not hold up the process',
      client: clientOf(true),
      site: {
        '/': `<style>${Array.from({ length: 150 }, (_, at) => `.x{width:${at + 1}px;opacity:.${at + 1}}`).join('')}</style><h1>Lamps</h1><p>They cost 1 EUR.</p>${'<i class=x>x</i>'.repeat(1000)}`,
      },
      options: { formats: [{ type: 'question', question: 'What?' }] },
      act: async ({ scrape, site }) => {
        const { warning = '' } = (await scrape(site.url('/'))) as { warning?: string };
        return /Style rules of the page that take too long were left out/.test(warning);
      },
      expect: { value: true },
    },
    {
      name: 'a page of 7 KB of rules that match nothing does not hold up the process',
      client: clientOf(true),
      site: {
        '/': `<style>${filled(4500, (at) => `.a .b .c .d .n${at}{display:none}`)}</style>${'<div class="a b c">'.repeat(200)}${filled(2000, (at) => `<i class="n${at % 150}">x</i>`)}<b class=d></b><h1>Lamps</h1><p>They cost 1 EUR.`,
      },
      options: { formats: [{ type: 'question', question: 'What?' }] },
      act: async ({ scrape, site }) =>
        Object.keys((await scrape(site.url('/'))) as object).includes('question'),
      expect: { value: true },
    },
  ],
  { memory: 1200 },
);
