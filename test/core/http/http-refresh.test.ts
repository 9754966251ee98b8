import { describe, expect, test } from 'vitest';
import { failure, get, type Lab, serve, serveTls, text } from './http-lab.ts';

/** `/from` is this page; every other path answers with its URL. */
function servePage(
  page: string | Buffer,
  headers: Record<string, string | string[]> = {},
  status = 200,
): Promise<Lab> {
  return serve((request, response) => {
    if (request.url !== '/from') return void response.end(`at ${request.url ?? ''}`);
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(page);
  });
}

const meta = (content: string): string => `<meta http-equiv="refresh" content="${content}">`;

/** The path that a page at /from leads to; `/from` when it is kept without a word. */
async function destination(
  page: string | Buffer,
  headers: Record<string, string> = {},
): Promise<string> {
  const { origin } = await servePage(page, headers);
  const snapshot = await get(`${origin}/from`);
  expect(snapshot.warnings).toEqual([]);
  return snapshot.url.slice(origin.length);
}

describe('a page that refreshes to another one', () => {
  test('is followed like a redirect', async () => {
    const page = `<!doctype html><title>Moved</title>${meta('0; url=/to')}<p>Please wait.`;
    const { origin, log } = await servePage(page);
    const snapshot = await get(`${origin}/from`);
    expect(snapshot).toMatchObject({
      url: `${origin}/to`,
      redirects: [`${origin}/from`],
      requests: 2,
      bytes: page.length + 'at /to'.length,
      warnings: [],
    });
    expect(text(snapshot)).toBe('at /to');
    expect(log).toEqual(['/from', '/to']);
  });

  test('by a Refresh header, too, whatever its type', async () => {
    expect(await destination('wait', { refresh: '0; url=/to' })).toBe('/to');
    expect(await destination('wait', { refresh: '3;/to', 'content-type': 'text/plain' })).toBe(
      '/to',
    );
    expect(await destination('', { refresh: '0;url=/gr\xfc\xdfe' })).toBe('/gr%C3%BC%C3%9Fe');
  });

  const contents: [content: string, path: string][] = [
    ['0;url=/to', '/to'],
    ['0; URL=/to', '/to'],
    ['0,/to', '/to'],
    ['0 /to', '/to'],
    ['0 url=/to', '/to'],
    ['  5 ;  url  =  /to  ', '/to'],
    ["0; url='/to' and more", '/to'],
    ['0; url=&quot;/to&quot;', '/to'],
    ["0; '/to'", '/to'],
    ["0; url='/to", '/to'],
    ['0.9; url=/to', '/to'],
    ['.5; url=/to', '/to'],
    ['1.2.3; url=/to', '/to'],
    ['10; url=/to', '/to'],
    ['0; url=to?a=1&amp;b=2', '/to?a=1&b=2'],
    ['0; url=/to?a=1&b=2', '/to?a=1&b=2'],
    ['0; url=&#47;t&#x6f;', '/to'],
    ['0; unit.html', '/unit.html'],
    ['0; url.html', '/url.html'],
    ['0; url', '/url'],
    ['0; url=//a b@:', '/from'],
    ['0; url=/to#part', '/to'],
    ['', '/from'],
    ['x', '/from'],
    ['-1; url=/to', '/from'],
    ['; url=/to', '/from'],
    ['0x; url=/to', '/from'],
    ['0', '/from'],
    ['5;', '/from'],
    ['0; url=', '/from'],
    ['0; url=/from', '/from'],
    ['0; url=#part', '/from'],
    ['11; url=/to', '/from'],
    ['300; url=/to', '/from'],
    ['99999999999999999999; url=/to', '/from'],
    ['0; url=javascript:alert(1)', '/from'],
    ['0; url=data:text/html,hi', '/from'],
    ['0; url=file:///etc/passwd', '/from'],
    ['0; url=mailto:a@b.test', '/from'],
    ['0; url=http://', '/from'],
    ['3; url=/files/photo.jpg', '/from'],
  ];
  test.each(contents)('content=%j leads to %s', async (content, path) => {
    expect(await destination(`<head>${meta(content)}<p>content`)).toBe(path);
  });

  const pages: [name: string, page: string | Buffer, path: string][] = [
    ['in capitals', '<META HTTP-EQUIV="REFRESH" CONTENT="0;URL=/to">', '/to'],
    ['without quotes', '<meta http-equiv=refresh content=0;url=/to>', '/to'],
    ['in single quotes', "<meta content='0;url=/to' http-equiv='Refresh' />", '/to'],
    ['over lines', '<meta\n http-equiv\n=\n"refresh"\n content="0;\nurl=/to"\n>', '/to'],
    ['with a slash', '<meta/http-equiv="refresh"/content="0;url=/to"/>', '/to'],
    ['in the body', `<body><p>text</p>${meta('0;url=/to')}`, '/to'],
    ['of two, the first', meta('0;url=/to') + meta('0;url=/other'), '/to'],
    ['of two, the first that is one', meta('soon') + meta('0;url=/to'), '/to'],
    ['of two, though the first is for the page itself', meta('300') + meta('0;url=/to'), '/from'],
    ['with an attribute twice', '<meta http-equiv=refresh content="0;/to" content="0;/b">', '/to'],
    ['relative to the base', `<base href="/dir/">${meta('0;url=to')}`, '/dir/to'],
    ['before the base', `${meta('0;url=to')}<base href="/dir/">`, '/to'],
    ['with a bad base', `<base href="http://">${meta('0;url=to')}`, '/to'],
    ['after an empty comment', `<!-->${meta('0;url=/to')}<!-- -->`, '/to'],
    ['after a comment', `<!-- <meta> --!>${meta('0;url=/to')}`, '/to'],
    ['after a script', `<script>if (a < b) "<!--"</script >${meta('0;url=/to')}`, '/to'],
    ['in UTF-16', Buffer.from(`\ufeff<html>${meta('0;url=/to')}`, 'utf16le'), '/to'],
    ['in Latin-1', Buffer.from(meta('0;url=/gr\xfcn'), 'latin1'), '/gr%C3%BCn'],
    ['in UTF-8', Buffer.from(meta('0;url=/grün')), '/gr%C3%BCn'],
    ['in a comment', `<!-- ${meta('0;url=/to')} -->`, '/from'],
    ['in a script', `<script>write('${meta('0;url=/to')}')</script>`, '/from'],
    ['in a style', `<style>/* ${meta('0;url=/to')} */</style>`, '/from'],
    ['in noscript', `<noscript>${meta('0;url=/nojs')}</noscript>`, '/from'],
    ['in a template', `<template><template></template>${meta('0;url=/to')}</template>`, '/from'],
    ['in a textarea', `<textarea>${meta('0;url=/to')}</textarea>`, '/from'],
    ['in an open script', `<script>${meta('0;url=/to')}`, '/from'],
    ['in another attribute', '<p title=\'<meta http-equiv="refresh" content="0;/to"\'>', '/from'],
    ['without an end', '<meta http-equiv="refresh" content="0;url=/to"', '/from'],
    ['of another name', '<meta name="refresh" content="0;url=/to">', '/from'],
    ['that is no meta', '<metadata http-equiv="refresh" content="0;url=/to">', '/from'],
    ['far behind', ' '.repeat(20_000) + meta('0;url=/to'), '/from'],
  ];
  test.each(pages)('%s', async (_, page, path) => {
    expect(await destination(page)).toBe(path);
  });

  test('is a page where its status is no success, or its type is not HTML', async () => {
    for (const status of [404, 403, 503]) {
      const { origin } = await servePage(meta('0;url=/to'), { refresh: '0;url=/to' }, status);
      expect(await get(`${origin}/from`)).toMatchObject({ statusCode: status, redirects: [] });
    }
    for (const type of ['text/plain', 'application/json', 'image/svg+xml']) {
      expect(await destination(meta('0;url=/to'), { 'content-type': type })).toBe('/from');
    }
    expect(await destination(meta('0;url=/to'), { 'content-type': '' })).toBe('/to');
  });

  test('has its header before its meta', async () => {
    expect(await destination(meta('0;url=/b'), { refresh: '0;url=/a' })).toBe('/a');
    expect(await destination(meta('0;url=/b'), { refresh: '600' })).toBe('/from');
    expect(await destination(meta('0;url=/b'), { refresh: 'nonsense' })).toBe('/b');
  });

  test('of hostile markup is judged in no time', async () => {
    for (const part of [
      '<meta "',
      '<meta a=',
      '<!--',
      '<script>',
      '<meta/',
      '<template ',
      '<a b="',
    ]) {
      const start = performance.now();
      const page = part.repeat(5000) + 'refresh';
      expect(await destination(`refresh ${page}`)).toBe('/from');
      expect(performance.now() - start).toBeLessThan(2000);
    }
  });
});

describe('a page that refreshes to a download', () => {
  const told = (url: string, name: string): string =>
    `The page started a download, which was not saved: ${url} (suggested name "${name}").`;

  test('is kept; a file by its name is not asked for', async () => {
    const { origin, log } = await servePage(meta('3; url=/files/setup%201.exe?a=1'));
    const snapshot = await get(`${origin}/from`);
    expect(snapshot).toMatchObject({ url: `${origin}/from`, redirects: [], requests: 1 });
    const url = `${origin}/files/setup%201.exe?a=1`;
    expect(snapshot.warnings).toEqual([told(url, 'setup 1.exe')]);
    expect(log).toEqual(['/from']);
  });

  test.each([
    ['an attachment', { 'content-type': 'text/html', 'content-disposition': 'attachment' }, 'get'],
    [
      'a named one',
      { 'content-disposition': 'Attachment; filename="../a \\"b\\".pdf"' },
      'a \\"b\\".pdf',
    ],
    ['a type that is saved', { 'content-type': 'application/octet-stream' }, 'get'],
    ['a table', { 'content-type': 'text/csv; charset=utf-8' }, 'get'],
  ])('is kept where it is %s, whose body is not read', async (_, headers, name) => {
    const { origin, log } = await serve((request, response) => {
      if (request.url === '/from') {
        response.writeHead(200, { 'content-type': 'text/html' }).end(meta('0; url=/moved'));
      } else if (request.url === '/moved') {
        response.writeHead(302, { location: '/get' }).end();
      } else {
        response.writeHead(200, { ...headers, 'content-length': '99999999999' }).write('more');
      }
    });
    const snapshot = await get(`${origin}/from`);
    expect(snapshot).toMatchObject({ url: `${origin}/from`, redirects: [], requests: 3 });
    expect(text(snapshot)).toBe(meta('0; url=/moved'));
    expect(snapshot.warnings).toEqual([told(`${origin}/get`, name)]);
    expect(log).toEqual(['/from', '/moved', '/get']);
  });

  test('is followed to what a browser shows, and a redirect to whatever there is', async () => {
    for (const type of ['application/pdf', 'application/json', 'text/plain', 'image/png']) {
      const { origin } = await serve((request, response) => {
        const isFrom = request.url === '/from';
        response.writeHead(200, { 'content-type': isFrom ? 'text/html' : type });
        response.end(isFrom ? meta('0; url=/file') : 'file');
      });
      expect(text(await get(`${origin}/from`))).toBe('file');
    }
    const { origin } = await serve((request, response) => {
      if (request.url === '/from') return void response.writeHead(302, { location: '/get' }).end();
      response.writeHead(200, { 'content-disposition': 'attachment' }).end('saved');
    });
    const snapshot = await get(`${origin}/from`);
    expect([text(snapshot), snapshot.warnings]).toEqual(['saved', []]);
  });
});

describe('refreshes that do not end', () => {
  /** `/0` leads to `/1`, that to `/2`, and so on. */
  const serveEndless = (): Promise<Lab> =>
    serve((request, response) => {
      const next = Number((request.url ?? '').slice(1)) + 1;
      response.writeHead(200, { 'content-type': 'text/html' }).end(meta(`0;url=/${next}`));
    });

  test('end at limits.redirects with the page that is there', async () => {
    const { origin, log } = await serveEndless();
    const snapshot = await get(`${origin}/0`);
    expect(snapshot.url).toBe(`${origin}/10`);
    expect(snapshot.redirects).toHaveLength(10);
    expect(snapshot.warnings).toEqual([
      `The page refreshes to ${origin}/11, which was not followed: limits.redirects is 10.`,
    ]);
    expect(log).toHaveLength(11);
  });

  test('share their limit with redirects', async () => {
    const { origin } = await serve((request, response) => {
      const next = Number((request.url ?? '').slice(1)) + 1;
      const headers = { 'content-type': 'text/html', location: `/${next}` };
      if (next % 2 === 0) response.writeHead(302, headers).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(meta(`0;url=/${next}`));
    });
    expect((await failure(get(`${origin}/0`, { limits: { redirects: 5 } }))).code).toBe(
      'TOO_MANY_REDIRECTS',
    );
    expect((await get(`${origin}/0`, { limits: { redirects: 4 } })).url).toBe(`${origin}/4`);
  });

  test('are not followed at all where redirects are not', async () => {
    const { origin } = await serveEndless();
    expect((await get(`${origin}/0`, { limits: { redirects: 0 } })).url).toBe(`${origin}/0`);
  });

  test('in a loop end before its second round, as in a slide show', async () => {
    const { origin, log } = await serve((request, response) => {
      const next = request.url === '/a' ? '/b' : '/a';
      response.writeHead(200, { 'content-type': 'text/html' }).end(meta(`5;url=${next}`));
    });
    const snapshot = await get(`${origin}/a`);
    expect(snapshot.url).toBe(`${origin}/b`);
    expect(snapshot.warnings).toEqual([
      `The page refreshes to ${origin}/a, which was not followed: it leads in a loop.`,
    ]);
    expect(log).toEqual(['/a', '/b']);
  });

  test('go back to a page that only wanted to see its cookie', async () => {
    const { origin, log } = await serve((request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.headers.cookie === 'seen=1') return void response.end('<p>welcome');
      if (request.url === '/check') response.setHeader('set-cookie', 'seen=1; path=/');
      response.end(meta(request.url === '/' ? '0;url=/check' : '0;url=/'));
    });
    expect(text(await get(origin))).toBe('<p>welcome');
    expect(log).toEqual(['/', '/check', '/']);
  });
});

describe('credentials and the policy', () => {
  test('hold for refreshes as for redirects', async () => {
    const echo = await serve((request, response) => {
      response.end(JSON.stringify([request.headers.authorization, request.headers.cookie]));
    });
    const headers = { authorization: 'A', cookie: 'c=1' };
    const own = await serve((request, response) => {
      const { authorization, cookie } = request.headers;
      const answer = JSON.stringify([authorization, cookie]);
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(request.url === '/from' ? meta('0;url=/to') : answer);
    });
    expect(text(await get(`${own.origin}/from`, { headers }))).toBe('["A","c=1"]');
    const near = await servePage(meta(`0;url=${echo.origin}/`));
    expect(text(await get(`${near.origin}/from`, { headers }))).toBe('[null,null]');
    const sameSite = { headers, redirectCredentials: 'same-site' } as const;
    expect(text(await get(`${near.origin}/from`, sameSite))).toBe('["A","c=1"]');
    const far = await servePage(meta(`0;url=${echo.origin.replace('127.0.0.1', 'localhost')}/`));
    expect(text(await get(`${far.origin}/from`, { headers }))).toBe('[null,null]');
    const secure = await serveTls((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(meta(`0;url=${echo.origin}/`));
    });
    expect(text(await get(secure.origin, { headers }))).toBe('[null,null]');
  });

  test('refuse a private address', async () => {
    const { origin } = await servePage(meta('0;url=http://169.254.169.254/latest/'));
    const error = await failure(get(`${origin}/from`));
    expect(error.code).toBe('BLOCKED_ADDRESS');
  });
});
