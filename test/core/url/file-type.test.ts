import { expect, test } from 'vitest';
import { isAssetPath } from '../../../src/core/url/path-kind.ts';

test.each([
  '/logo.png',
  '/LOGO.PNG',
  '/a/b.min.css',
  '/app.mjs',
  '/font.woff2',
  '/film.mp4',
  '/data.tar.gz',
  '/setup.exe',
  '/icon.svg',
])('%s is never a page', (path) => {
  expect(isAssetPath(path)).toBe(true);
});

test.each([
  '/',
  '/a',
  '/a.html',
  '/a.php',
  '/report.pdf',
  '/report.docx',
  '/slides.pptx',
  '/sheet.xlsx',
  '/feed.xml',
  '/data.json',
  '/notes.txt',
  '/table.csv',
  '/readme.md',
  '/logo.png/',
  '/v1.2',
  '/about.png-files',
  '/wiki/File:Map.png',
  '/png',
  '/constructor.toString',
])('%s may be a page', (path) => {
  expect(isAssetPath(path)).toBe(false);
});
