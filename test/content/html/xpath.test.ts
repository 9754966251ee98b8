import { expect, test } from 'vitest';
import { selectByXPath, xpathError } from '../../../src/content/html/xpath.ts';
import { htmlPage } from '../../support/page.ts';

const { document } =
  htmlPage(`<div id="a" class="x"><p id="b">One</p><p id="c"> Two  words </p></div>
<div id="d"><p id="e" lang="fr">Trois</p><section id="f"><p id="g">Four<b id="h">!</b></p></section></div>
<dl id="i"><dt id="j">Weight</dt><dd id="k">2 kg</dd><dt id="l">Size</dt><dd id="m">XL</dd></dl>`);

function ids(path: string, within = document.documentElement): string {
  return selectByXPath(path, within)
    .map((element) => element.id || element.localName)
    .join(' ');
}

test.each([
  ['//p', 'b c e g'],
  ['//p[1]', 'b e g'],
  ['//p[last()]', 'c e g'],
  ['/html/body/div', 'a d'],
  ['/div', ''],
  ['/html', 'html'],
  ['body/div/p', 'b c e'],
  ['.//b', 'h'],
  ['//div[@class]/p[2]', 'c'],
  ['//*[@lang="fr"]', 'e'],
  ["//p[text()='One']", 'b'],
  ['//p[normalize-space()="Two words"]', 'c'],
  ['//p[contains(., "our!")]', 'g'],
  ['//p[starts-with(text(), "F")]', 'g'],
  ['//p[b]', 'g'],
  ['//p[not(b) and not(@lang)]', 'b c'],
  ['//p[@lang or b]', 'e g'],
  ['//dt[.="Weight"]/following-sibling::dd[1]', 'k'],
  ['//dd[.="XL"]/preceding-sibling::dt[1]', 'l'],
  ['//b/ancestor::div', 'd'],
  ['//b/../..', 'f'],
  ['//div//p', 'b c e g'],
  ['//DIV[@id!="a"]', 'd'],
  ['//*[(@id="b" or @id="c") and @id!="c"]', 'b'],
])('%s finds %s', (path, expected) => {
  expect(ids(path)).toBe(expected);
});

test('a path in an element does not leave it', () => {
  const section = document.querySelector('#f');
  if (section === null) throw new Error('it is in the page');
  expect(ids('//p', section)).toBe('g');
  expect(ids('p', section)).toBe('g');
  expect(ids('..', section)).toBe('');
  expect(ids('//b/ancestor::*', section)).toBe('f g');
});

test.each([
  ['//p[', /expected the name of an element, found its end/],
  ['//p/@id', /x-attribute/],
  ['//p/text()', /x-attribute/],
  ['//p[position()<3]', /not understood|position\(\) is not known/],
  ['//p[count(b)=1]', /count\(\) is not known/],
  ['namespace::p', /the axis namespace is not known/],
  ['//p | //b', /\| is not understood here/],
  ['//p[@id=b]', /expected a text in quotes/],
  ['', /expected the name of an element/],
  [`//${'p/'.repeat(600)}p`, /longer than 1000/],
])('%s is refused', (path, message) => {
  expect(xpathError(path)).toMatch(message);
});

test('a path that would look at a hostile page for minutes stops', () => {
  const nested = htmlPage(`${'<div>x'.repeat(400)}${'<p>yyyyyyyy</p>'.repeat(20_000)}`);
  expect(() => selectByXPath('//*[contains(., "z")]', nested.document.documentElement)).toThrow(
    expect.objectContaining({ code: 'PARSE_LIMIT' }),
  );
});
