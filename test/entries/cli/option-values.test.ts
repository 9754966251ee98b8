import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  attributeSelector,
  headerValue,
  jsonObject,
  listValue,
  namedNumbers,
  numberValue,
  siteFolder,
} from '../../../src/entries/cli/option-values.ts';

const folder = mkdtempSync(join(tmpdir(), 'option-values-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a header is split at its first colon, and a second one is added', () => {
  const first = headerValue('Cookie: a=b; c: d');
  expect(first).toEqual({ Cookie: 'a=b; c: d' });
  expect(headerValue('X-One:1', first)).toEqual({ Cookie: 'a=b; c: d', 'X-One': '1' });
});

test.each(['Cookie', ': value', 'Name:'])('%j is no header', (text) => {
  expect(() => headerValue(text)).toThrow('Name: value');
});

test('a list is split at commas and grows with each use', () => {
  expect(listValue('markdown, links', ['html'])).toEqual(['html', 'markdown', 'links']);
  expect(listValue(',')).toEqual([]);
});

test.each(['', ' ', 'ten', '1e999', 'NaN', '5px'])('%j is no number', (text) => {
  expect(() => numberValue(text)).toThrow('Expected a number');
});

test('numbers by name are read', () => {
  expect(namedNumbers('bodyBytes=1000,redirects=0')).toEqual({ bodyBytes: 1000, redirects: 0 });
  expect(() => namedNumbers('bodyBytes')).toThrow('name=number');
  expect(() => namedNumbers('bodyBytes=big')).toThrow('Expected a number');
});

test('an origin and its folder are split at the first equals sign', () => {
  expect(siteFolder('https://a.test=x=y')).toEqual({ 'https://a.test': 'x=y' });
  expect(() => siteFolder('https://a.test')).toThrow('origin=folder');
});

test('a selector may hold an @, the attribute may not', () => {
  expect(attributeSelector('a[href*="@"]@href')).toEqual([
    { selector: 'a[href*="@"]', attribute: 'href' },
  ]);
  expect(() => attributeSelector('a')).toThrow('selector@attribute');
});

test('a JSON file is read, with or without a byte order mark; anything but an object is refused', () => {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  expect(jsonObject(file('bom.json', '\ufeff{"type":"object"}'))).toEqual({ type: 'object' });
  expect(() => jsonObject(file('list.json', '[]'))).toThrow('JSON object');
  expect(() => jsonObject(file('broken.json', '{'))).toThrow('JSON');
  expect(() => jsonObject(join(folder, 'none.json'))).toThrow('ENOENT');
});
