import { describe, expect, test } from 'vitest';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import type { Page } from '../../../src/core/model/page.ts';
import { defaultPdfReading } from '../../../src/core/model/request.ts';
import type { Snapshot } from '../../../src/core/model/snapshot.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';
import { parseSnapshot, wouldParse } from '../../../src/core/page/parsers.ts';
import type { Parser } from '../../../src/content/parsers/parser.ts';
import { textPage } from '../../../src/content/parsers/text-page.ts';
import { archive } from '../../support/office-file.ts';

const url = 'http://site.test/dir/page';

function snapshot(
  contentType: string | undefined,
  body: string | Uint8Array,
  more: Partial<Snapshot> = {},
): Snapshot {
  return {
    url,
    statusCode: 200,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    engine: 'http',
    redirects: [],
    warnings: [],
    requests: 1,
    bytes: body.length,
    ...more,
  };
}

const options = { limits: defaultLimits, pdf: defaultPdfReading };

async function parse(contentType: string | undefined, body: string | Uint8Array): Promise<Page> {
  return parseSnapshot(snapshot(contentType, body), [], options);
}

async function markdown(contentType: string | undefined, body: string): Promise<string> {
  const page = await parse(contentType, body);
  if (page.kind !== 'text') throw new Error(`it is ${page.mediaType}`);
  expect(page.source).toBe(body.replace(/^\ufeff/, ''));
  return page.markdown;
}

async function code(work: Promise<unknown>): Promise<[code: string, message: string]> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (!(error instanceof PagewrightError)) throw new Error('it was parsed');
  return [error.code, error.message];
}

describe('HTML', () => {
  test('becomes a document', async () => {
    const page = await parse(
      'text/html; charset=windows-1251',
      Buffer.from('<p>\xcf<p>b', 'latin1'),
    );
    expect(page).toMatchObject({
      kind: 'html',
      url,
      baseUrl: url,
      statusCode: 200,
      mediaType: 'text/html',
      source: '<p>П<p>b',
      warnings: [],
    });
    if (page.kind === 'html') expect(page.root.querySelector('p')?.textContent).toBe('П');
  });

  test.each([
    ['/base/', 'http://site.test/base/'],
    ['sub/', 'http://site.test/dir/sub/'],
    ['//cdn.test/x', 'http://cdn.test/x'],
    ['https://other.test', 'https://other.test/'],
    ['', url],
    ['  ', url],
    ['javascript:alert(1)', url],
    ['data:text/html,x', url],
    ['http://', url],
    ['http://a b/', url],
  ])('with the base %j resolves against %s', async (href, expected) => {
    const html = `<head><base target=_top><base href="${href}"><base href="/second/"></head>`;
    expect((await parse('text/html', html)).baseUrl).toBe(expected);
  });

  test('of content that has no URL keeps a usable base', async () => {
    const given = snapshot('text/html', '<base href="/x"><p>', { url: 'about:blank' });
    expect((await parseSnapshot(given, [], options)).baseUrl).toBe('about:blank');
  });

  test('beyond the limits is PARSE_LIMIT', async () => {
    const limits = { ...defaultLimits, nodes: 10 };
    const given = snapshot('text/html', '<p>x</p>'.repeat(20));
    expect((await code(parseSnapshot(given, [], { ...options, limits })))[0]).toBe('PARSE_LIMIT');
  });

  test('in XHTML is HTML', async () => {
    const page = await parse(
      'application/xhtml+xml',
      '<?xml version="1.0"?><html><body><p>x</p></body></html>',
    );
    expect(page).toMatchObject({ kind: 'html', mediaType: 'application/xhtml+xml' });
  });
});

describe('JSON', () => {
  test('is indented like JSON.stringify does it', async () => {
    const values = [
      { a: 1, b: [1, 'two', null, true, { c: {} }], d: [], e: '' },
      [[[]], [{}], ['a,b:{"}']],
      'text \\ "quoted"',
      -1.5e10,
      null,
    ];
    for (const value of values) {
      const pretty = `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
      expect(await markdown('application/json', JSON.stringify(value))).toBe(pretty);
      expect(await markdown('application/json', JSON.stringify(value, null, 7))).toBe(pretty);
    }
  });

  test('keeps long numbers, repeated keys and their order', async () => {
    const json = '{"id":12345678901234567890,"2":1.0,"1":2,"1":3,"__proto__":{"a":1e400}}';
    expect(await markdown('application/json', json)).toBe(
      '```json\n{\n  "id": 12345678901234567890,\n  "2": 1.0,\n  "1": 2,\n  "1": 3,\n  "__proto__": {\n    "a": 1e400\n  }\n}\n```',
    );
  });

  test('keeps strings as they are written', async () => {
    const json = String.raw`{"a":"\\","b":"\"","c":"\\\"","d":"\u00e9  x"}`;
    const lines = json
      .slice(1, -1)
      .split(',')
      .map((line) => `  ${line.replace(':', ': ')}`);
    expect(await markdown('application/json', json)).toBe(
      `\`\`\`json\n{\n${lines.join(',\n')}\n}\n\`\`\``,
    );
  });

  test('that is broken stays as it is', async () => {
    expect(await markdown('application/json', '{"a":1,}\n')).toBe('```json\n{"a":1,}\n```');
  });

  test('cannot end its fence', async () => {
    expect(await markdown('application/json', '"```` x"')).toBe('`````json\n"```` x"\n`````');
  });

  test('nested without end is not indented without end', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect(await markdown('application/json', deep)).toBe(`\`\`\`json\n${deep}\n\`\`\``);
    const wide = `${'['.repeat(5000)}${'1,'.repeat(100_000)}1${']'.repeat(5000)}`;
    expect((await markdown('application/json', wide)).length).toBe(wide.length + 12);
  });

  test('of one long string is read', async () => {
    const long = JSON.stringify({ a: 'x"\\'.repeat(300_000) });
    expect((await markdown('application/json', long)).length).toBeGreaterThan(long.length);
  });

  test('of more than 2 MB stays as it is', async () => {
    const large = JSON.stringify(Array(700_000).fill(12));
    expect(await markdown('application/json', large)).toBe(`\`\`\`json\n${large}\n\`\`\``);
  });

  test('is read under every name', async () => {
    for (const type of [
      'application/json',
      'text/json',
      'application/ld+json',
      'text/html',
      undefined,
    ]) {
      expect(await markdown(type, '\ufeff{"a":1}')).toBe('```json\n{\n  "a": 1\n}\n```');
    }
  });
});

describe('XML', () => {
  test.each(['application/xml', 'text/xml', 'application/rss+xml', 'image/svg+xml', 'text/html'])(
    'as %s is fenced',
    async (type) => {
      const xml = '<?xml version="1.0"?>\n<rss>```</rss>';
      expect(await markdown(type, xml)).toBe(`\`\`\`\`xml\n${xml}\n\`\`\`\``);
    },
  );

  test('is decoded by its declaration, and its entities are left alone', async () => {
    const xml =
      '<?xml version="1.0" encoding="windows-1251"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;\xcf</a>';
    const page = await parse('application/xml', Buffer.from(xml, 'latin1'));
    expect(page.source.endsWith('<a>&x;П</a>')).toBe(true);
  });
});

describe('text', () => {
  test.each(['text/plain', 'text/markdown', 'text/calendar', 'text/x-unknown'])(
    'as %s is untouched',
    async (type) => {
      const text = '  # a\r\n\n*b*,<c>\n\n';
      expect(await markdown(type, text)).toBe(text);
    },
  );

  test.each([
    ['text/css', 'css'],
    ['text/javascript', 'javascript'],
    ['application/javascript; charset=utf-8', 'javascript'],
    ['application/x-javascript', 'javascript'],
    ['text/x-python', 'python'],
    ['text/x-script.python', 'python'],
    ['application/x-sh', 'bash'],
    ['text/x-c++src', 'cpp'],
    ['application/yaml', 'yaml'],
    ['application/x-yaml', 'yaml'],
    ['application/sql', 'sql'],
    ['application/x-ndjson', 'json'],
    ['application/x-httpd-php', 'php'],
  ])('as %s is a block of %s', async (type, language) => {
    expect(await markdown(type, 'a\n')).toBe(`\`\`\`${language}\na\n\`\`\``);
  });
});

describe('a file', () => {
  const pdf = Buffer.from('%PDF-1.4\n1 0 obj');
  const film = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0', 'latin1');

  test('that is a PDF is base64 where PDFs are not to be parsed', async () => {
    const given = snapshot('text/html', pdf);
    const page = await parseSnapshot(given, [], { ...options, pdf: undefined });
    const base64 = pdf.toString('base64');
    expect(page).toMatchObject({
      kind: 'text',
      mediaType: 'application/pdf',
      source: base64,
      markdown: base64,
    });
  });

  test('that is the beginning of a PDF only is PDF_DAMAGED where they are', async () => {
    expect(await code(parse('application/pdf', pdf))).toEqual([
      'PDF_DAMAGED',
      'http://site.test/dir/page is a damaged PDF: Invalid PDF structure. parsers: [] returns the file as base64.',
    ]);
  });

  test('of another kind is UNSUPPORTED_CONTENT and named', async () => {
    for (const pdf of [defaultPdfReading, undefined]) {
      const work = parseSnapshot(snapshot('text/html', film), [], { ...options, pdf });
      expect(await code(work)).toEqual([
        'UNSUPPORTED_CONTENT',
        'http://site.test/dir/page is video/mp4, which cannot be turned into text. Bring a parser that reads it: createClient({ parsers: [...] }).',
      ]);
    }
  });
});

describe('an empty body', () => {
  test.each([
    ['text/html', 'html'],
    ['application/json', 'text'],
    ['text/plain', 'text'],
    ['application/xml', 'text'],
    ['application/pdf', 'text'],
    ['image/png', 'text'],
    [undefined, 'text'],
  ])('of %s is an empty %s page with a warning', async (type, kind) => {
    const page = await parseSnapshot(snapshot(type, '', { statusCode: 204 }), [], options);
    expect(page).toMatchObject({
      kind,
      source: '',
      warnings: ['The response has no content (status 204).'],
    });
    if (page.kind === 'text') expect(page.markdown).toBe('');
    else expect(page.root.textContent).toBe('');
  });
});

describe("the caller's parsers", () => {
  test('are asked for files in an archive, before the built-in ones', async () => {
    const own: Parser = {
      name: 'own',
      accepts: (mediaType) => mediaType === 'application/msword' || mediaType === 'text/markdown',
      parse: (given, context) =>
        textPage(given, context, { source: '', markdown: `mine: ${given.url}` }),
    };
    const given = snapshot('application/zip', archive({ 'a.md': '# A', 'b.txt': 'theirs' }));
    const archived = { ...options, archive: { maxFiles: 10 } };
    const page = await parseSnapshot(given, [own], archived);
    if (page.kind !== 'html') throw new Error('it is no HTML');
    expect(page.root.textContent).toContain('mine: file:///a.md');
    expect(page.root.textContent).toContain('theirs');
    // They cannot be sent to another thread, and what is in it is not known before.
    expect(wouldParse([own], given, archived)).toBe(true);
    expect(wouldParse([own], given, options)).toBe(false);
    expect(wouldParse([], given, archived)).toBe(false);
  });

  const upper: Parser = {
    name: 'upper',
    accepts: (mediaType) => mediaType === 'text/html' || mediaType === 'image/png',
    parse: (given, context) => textPage(given, context, { source: 'own', markdown: 'OWN' }),
  };

  test('are asked first', async () => {
    for (const body of ['<html>', '\x89PNG\r\n\x1a\n\0']) {
      const given = snapshot(undefined, Buffer.from(body, 'latin1'));
      expect(await parseSnapshot(given, [upper], options)).toMatchObject({ markdown: 'OWN' });
    }
    expect(await parseSnapshot(snapshot('text/plain', 'x'), [upper], options)).toMatchObject({
      markdown: 'x',
    });
  });

  test('are told what the page is', async () => {
    let told: unknown;
    const curious: Parser = {
      ...upper,
      accepts: (mediaType, context) => {
        told = [mediaType, context.charset, context.pdf, context.limits.depth];
        return false;
      },
    };
    await parseSnapshot(snapshot('text/html; charset=koi8-r', '<p>'), [curious], options);
    expect(told).toEqual(['text/html', 'koi8-r', defaultPdfReading, 512]);
  });
});

test('the warnings of the snapshot are those of the page', async () => {
  const given = snapshot('text/plain', 'x', { warnings: ['The body ended early.'] });
  expect((await parseSnapshot(given, [], options)).warnings).toEqual(['The body ended early.']);
});
