import { describe, expect, test } from 'vitest';
import { PagePaths } from '../../../src/entries/export/page-paths.ts';

const pathOf = (url: string): string => new PagePaths({ byHost: false }).take(url);
const pathsOf = (...urls: string[]): string[] => {
  const paths = new PagePaths({ byHost: false });
  return urls.map((url) => paths.take(url));
};

describe('the path of one page', () => {
  test.each([
    ['https://docs.test/', 'index.md'],
    ['https://docs.test', 'index.md'],
    ['https://docs.test/docs/', 'docs/index.md'],
    ['https://docs.test/docs/index.html', 'docs/index.md'],
    ['https://docs.test/a/b.html', 'a/b.md'],
    ['https://docs.test/a/b.PHP', 'a/b.md'],
    ['https://docs.test/a/b', 'a/b.md'],
    ['https://docs.test/readme.md', 'readme.md'],
    ['https://docs.test/v1.2', 'v1.2.md'],
    ['https://docs.test/paper.pdf', 'paper.pdf.md'],
    ['https://docs.test//a///b', 'a/b.md'],
    ['https://docs.test/caf%C3%A9/%E6%9D%B1%E4%BA%AC', 'café/東京.md'],
    ['https://docs.test/cafe%CC%81', 'café.md'],
  ])('%s is %s', (url, path) => {
    expect(pathOf(url)).toBe(path);
  });

  test.each([
    ['https://docs.test/list?page=2', 'list_page=2.md'],
    ['https://docs.test/?q=a+b&lang=de', 'index_q=a_b_lang=de.md'],
    ['https://docs.test/list?next=/../../etc/passwd', 'list_next=_.._.._etc_passwd.md'],
    ['https://docs.test/app#/users/7', 'app_users_7.md'],
  ])('a query or a route becomes part of the name: %s is %s', (url, path) => {
    expect(pathOf(url)).toBe(path);
  });

  test.each([
    ['https://docs.test/a%2F..%2F..%2Fb', 'a%2F..%2F..%2Fb.md'],
    ['https://docs.test/%252e%252e/x', '%252e%252e/x.md'],
    ['https://docs.test/a%5C..%5Cb', 'a%5C..%5Cb.md'],
    ['https://docs.test/nul%00byte', 'nul%00byte.md'],
    ['https://docs.test/wiki/Talk:Main', 'wiki/Talk%3AMain.md'],
    ['https://docs.test/.../x', '%2E.%2E/x.md'],
    ['https://docs.test/a./x', 'a%2E/x.md'],
    ['https://docs.test/.git/config', '%2Egit/config.md'],
    ['https://docs.test/aux/con.txt', 'aux_/con_.txt.md'],
    ['https://docs.test/COM¹', 'COM¹_.md'],
    ['https://docs.test/com²/lpt³.txt', 'com²_/lpt³_.txt.md'],
    ['https://docs.test/LPT%C2%B9/a', 'LPT¹_/a.md'],
    ['https://docs.test/conout$/a', 'conout$_/a.md'],
    ['https://docs.test/nul%20.txt', 'nul_ .txt.md'],
    ['https://docs.test/com10', 'com10.md'],
    ['https://docs.test/%E2%80%AEtxt', '%E2%80%AEtxt.md'],
    ['https://docs.test/100%', '100%25.md'],
  ])('what a file system dislikes is escaped: %s is %s', (url, path) => {
    expect(pathOf(url)).toBe(path);
  });

  test('with byHost the host is the first folder', () => {
    const paths = new PagePaths({ byHost: true });
    expect(paths.take('https://docs.test/a')).toBe('docs.test/a.md');
    expect(paths.take('http://127.0.0.1:8080/a')).toBe('127.0.0.1_8080/a.md');
  });
});

describe('two pages never share a file', () => {
  test('when their paths differ in what is left out', () => {
    const [html, plain, query] = pathsOf(
      'https://docs.test/a.html',
      'https://docs.test/a',
      'https://docs.test/a.htm',
    );
    expect(html).toBe('a.md');
    expect(plain).toMatch(/^a-[0-9a-f]{8}\.md$/);
    expect(query).toMatch(/^a-[0-9a-f]{8}\.md$/);
    expect(query).not.toBe(plain);
  });

  test('when their paths differ in upper and lower case only', () => {
    const [first, second] = pathsOf('https://docs.test/API/Login', 'https://docs.test/api/login');
    expect(first).toBe('API/Login.md');
    expect(second).toMatch(/^api\/login-[0-9a-f]{8}\.md$/);
  });

  test('when one is a file where the other needs a folder, in either order', () => {
    expect(pathsOf('https://docs.test/a', 'https://docs.test/a.md/b')).toEqual([
      'a.md',
      'a.md_/b.md',
    ]);
    const [below, above] = pathsOf('https://docs.test/a.md/b', 'https://docs.test/a');
    expect(below).toBe('a.md/b.md');
    expect(above).toMatch(/^a-[0-9a-f]{8}\.md$/);
  });

  test('when the same URL comes twice', () => {
    expect(new Set(pathsOf('https://docs.test/a', 'https://docs.test/a')).size).toBe(2);
  });
});

test('no page lies in a reserved folder, or has a reserved name', () => {
  const paths = new PagePaths({ byHost: false });
  paths.reserve('assets', 'folder');
  paths.reserve('contents.md', 'file');
  const own = [
    'https://docs.test/assets/0123456789abcdef.png/x',
    'https://docs.test/Assets/',
    'https://docs.test/ASSETS//a/b',
    'https://docs.test/%61ssets/y',
    'https://docs.test/assets',
    'https://docs.test/contents.md/x',
  ].map((url) => paths.take(url));
  expect(own).toEqual([
    'assets_/0123456789abcdef.png/x.md',
    'Assets_/index.md',
    'ASSETS_/a/b.md',
    'assets_/y.md',
    'assets.md',
    'contents.md_/x.md',
  ]);
  const hosts = new PagePaths({ byHost: true });
  hosts.reserve('assets', 'folder');
  expect(hosts.take('http://assets/a')).toBe('assets_/a.md');
});

describe('names are short enough for every file system', () => {
  test('a long name is cut between characters and keeps its difference', () => {
    const long = '東'.repeat(120);
    const [first = '', second = ''] = pathsOf(
      `https://docs.test/${long}a`,
      `https://docs.test/${long}b`,
    );
    expect(Buffer.byteLength(first)).toBeLessThanOrEqual(200);
    expect(first).toMatch(/^東+-[0-9a-f]{8}\.md$/);
    expect(second).not.toBe(first);
  });

  test('a long query is cut, too', () => {
    const path = pathOf(`https://docs.test/a?q=${'x'.repeat(1000)}`);
    expect(path.length).toBeLessThanOrEqual(200);
    expect(path).toMatch(/^a_q=x+-[0-9a-f]{8}\.md$/);
  });

  test('a path of thousands of folders stays below what systems open', () => {
    const deep = `https://docs.test/${'folder/'.repeat(2000)}`;
    const [first = '', second = ''] = pathsOf(`${deep}a`, `${deep}x/a`);
    expect(Buffer.byteLength(first)).toBeLessThan(1100);
    expect(second).not.toBe(first);
  });
});

test('whatever the URL, the path stays inside the folder, is legal and is unique', () => {
  const pieces = [
    '..', '.', '%2e%2e', '%2F', '%5C', '%00', 'a', 'A', 'a.md', 'a.html', 'con', 'con.md', ' ', '%20',
    'x'.repeat(300), '%F0%9F%98%80'.repeat(80), '~', '%ff', 'index', '', '-rf', 'é', 'e%CC%81', 'a:b',
  ]; // prettier-ignore
  let seed = 7;
  const pick = (): string => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return pieces[seed % pieces.length] ?? '';
  };
  const paths = new PagePaths({ byHost: false });
  const files = new Set<string>();
  for (let count = 0; count < 3000; count += 1) {
    const path = paths.take(`https://docs.test/${pick()}/${pick()}/${pick()}?${pick()}`);
    const names = path.split('/');
    for (const name of names) {
      expect(name).not.toMatch(/^\.|^$|[\0\\:]|[. ]$/);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
    }
    const folded = path.normalize().toLowerCase();
    expect(files).not.toContain(folded);
    files.add(folded);
  }
  for (const file of files) {
    const names = file.split('/');
    for (let depth = 1; depth < names.length; depth += 1) {
      expect(files).not.toContain(names.slice(0, depth).join('/'));
    }
  }
});
