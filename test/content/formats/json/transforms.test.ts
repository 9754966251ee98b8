import { expect, test } from 'vitest';
import { extractFromPage } from '../../../../src/content/formats/json.ts';
import { compileSchema, type JsonSchema } from '../../../../src/extract/schema/compile-schema.ts';
import { htmlPage } from '../../../support/page.ts';

const source = `<html lang="de"><body>
  <p class="sku">  Art.-Nr. AB-1234 / 7 </p>
  <p class="price">ab 1.299,50 € inkl. MwSt.</p>
  <p class="date">Stand: 3. Mai 2026</p>
  <p class="tags">Rot | Grün |  | Blau</p>
  <p class="path" data-path="../bild.png">Bild</p>
  <ul><li>Eins</li><li>Zwei</li></ul>
</body></html>`;

async function read(property: JsonSchema): Promise<unknown> {
  const { jsonSchema } = await compileSchema({ type: 'object', properties: { it: property } });
  const { value } = await extractFromPage(htmlPage(source), jsonSchema);
  return (value as { it?: unknown }).it;
}

test.each<[string, JsonSchema, unknown]>([
  [
    'the first group of a pattern is the value',
    { type: 'string', 'x-selector': '.sku', 'x-transform': { regex: '([A-Z]+)-(\\d+)' } },
    'AB',
  ],
  [
    'another group can be named, and the text becomes the type',
    {
      type: 'integer',
      'x-selector': '.sku',
      'x-transform': { regex: '([A-Z]+)-(\\d+)', group: 2 },
    },
    1234,
  ],
  [
    'a pattern without groups gives the whole match, then the next step follows',
    {
      type: 'string',
      'x-selector': '.sku',
      'x-transform': [{ regex: '[A-Z]+-\\d+' }, 'lowercase'],
    },
    'ab-1234',
  ],
  [
    'a number is read as the language of the page writes it',
    { type: 'string', 'x-selector': '.price', 'x-transform': 'number' },
    '1299.5',
  ],
  [
    'a date becomes ISO 8601',
    { type: 'string', 'x-selector': '.date', 'x-transform': 'date' },
    '2026-05-03',
  ],
  [
    'an attribute becomes an absolute URL',
    { type: 'string', 'x-selector': '.path', 'x-attribute': 'data-path', 'x-transform': 'url' },
    'http://example.test/bild.png',
  ],
  [
    'a text is split into a list',
    {
      type: 'array',
      items: { type: 'string' },
      'x-selector': '.tags',
      'x-transform': [{ split: '|' }, 'uppercase'],
    },
    ['ROT', 'GRÜN', 'BLAU'],
  ],
  [
    'all matches are joined into one text',
    { type: ['string', 'null'], 'x-selector': 'li', 'x-transform': { join: ', ' } },
    'Eins, Zwei',
  ],
  [
    'the next selector is asked when the first gives nothing that the step can read',
    { type: 'string', 'x-selector': ['li', '.date'], 'x-transform': 'date' },
    '2026-05-03',
  ],
  [
    'what a step cannot read is absent',
    { type: 'string', 'x-selector': '.tags', 'x-transform': 'number' },
    undefined,
  ],
  [
    'an XPath finds by the text beside it',
    { type: 'string', 'x-selector': 'xpath://p[contains(., "Stand")]/preceding-sibling::p[1]' },
    'ab 1.299,50 € inkl. MwSt.',
  ],
  [
    'XPath and CSS are alternatives in one list',
    { type: 'number', 'x-selector': ['.gone', 'xpath://b', 'xpath://p[@class="price"]'] },
    1299.5,
  ],
  [
    'a list is one item for each match of an XPath',
    { type: 'array', items: { type: 'string' }, 'x-selector': 'xpath://ul/li' },
    ['Eins', 'Zwei'],
  ],
])('%s', async (_name, property, expected) => {
  expect(await read(property)).toEqual(expected);
});

test.each<[string, JsonSchema, RegExp]>([
  [
    'a step that is not known',
    { type: 'string', 'x-transform': 'reverse' },
    /"reverse" is not known; known: "trim"/,
  ],
  [
    'a pattern that RE2 does not have',
    { type: 'string', 'x-transform': { regex: '(?=a)b' } },
    /RE2.*no look-around/,
  ],
  [
    'a group that the pattern has not',
    { type: 'string', 'x-transform': { regex: '(a)', group: 2 } },
    /"group" is a whole number from 0 to 1/,
  ],
  [
    'a key that is not known',
    { type: 'string', 'x-transform': { regex: 'a', to: 'b' } },
    /unknown key "to"/,
  ],
  [
    'two kinds in one step',
    { type: 'string', 'x-transform': { split: ',', join: ';' } },
    /expected one of/,
  ],
  [
    'a number in place of a step',
    { type: 'string', 'x-transform': [3] },
    /expected one of .* got 3/,
  ],
  [
    'split where a text is wanted',
    { type: 'string', 'x-transform': { split: ',' } },
    /split makes a list/,
  ],
  [
    'steps on an object',
    { type: 'object', properties: {}, 'x-transform': 'trim' },
    /this is an object/,
  ],
])('%s is refused when the schema is compiled, with its place', (_name, property, message) => {
  const schema = { type: 'object', properties: { it: { 'x-selector': 'p', ...property } } };
  expect(() => compileSchema(schema)).toThrow(message);
  expect(() => compileSchema(schema)).toThrow(/properties\.it\.x-transform/);
});

test('an XPath that is not known is refused with its place', () => {
  const schema = { type: 'object', properties: { it: { 'x-selector': 'xpath://p/@id' } } };
  expect(() => compileSchema(schema)).toThrow(/properties\.it\.x-selector.*x-attribute/);
});

test('steps without a selector are refused', () => {
  const schema = { type: 'object', properties: { it: { type: 'string', 'x-transform': 'trim' } } };
  expect(() => compileSchema(schema)).toThrow(/needs x-selector or x-attribute/);
});
