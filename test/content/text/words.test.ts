import { expect, test } from 'vitest';
import { wordLikeness } from '../../../src/content/text/relevance.ts';
import { wordsOf } from '../../../src/content/text/words.ts';
import { cpuTime } from '../../support/cpu-time.ts';

test.each([
  ['Hello, World! 2024', ['hello', 'world', '2024']],
  ['Straße ÜBER Café naïve', ['strasse', 'uber', 'cafe', 'naive']],
  ['ＦＵＬＬ ﬁne ｶﾞｿﾘﾝ', ['full', 'fine', 'ガソリン']],
  ['Ночной поезд', ['ночнои', 'поезд']],
  ['ΧΆΡΤΗΣ χάρτης', ['χαρτησ', 'χαρτησ']],
  ['古地図', ['古地', '地図']],
  ['旧地图里', ['旧地', '地图', '图里']],
  ['海', ['海']],
  ['パンの店', ['パン', 'の店']],
  ['שָׁעוֹן', ['שעונ']],
  ['كِتَابٌ الأولى', ['كتاب', 'الاولي']],
  ['नक्शे की', ['नक्शे', 'की']],
  ['호밀빵을 굽는', ['호밀빵을', '굽는']],
  ['', []],
  ['?! — …', []],
])('the words of %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test('Thai is cut into words', () => {
  expect(wordsOf('รถไฟกลางคืน')).toContain('รถไฟ');
});

test('a long text without spaces costs little time', () => {
  const started = cpuTime();
  expect(wordsOf('รถไฟกลางคืน'.repeat(20_000)).length).toBeGreaterThan(10_000);
  expect(wordsOf('地'.repeat(200_000))).toHaveLength(199_999);
  expect(cpuTime() - started).toBeLessThan(10_000);
});

const likeness = (sought: string, word: string): number =>
  wordLikeness(wordsOf(sought)[0] ?? '', wordsOf(word)[0] ?? '');

test.each([
  ['maps', 'map'],
  ['map', 'maps'],
  ['stories', 'story'],
  ['price', 'pricing'],
  ['Uhr', 'Uhren'],
  ['Brot', 'Brote'],
  ['mappa', 'mappe'],
  ['карта', 'картами'],
  ['хлеб', 'хлеба'],
  ['χάρτης', 'χάρτες'],
  ['εταιρείας', 'εταιρεία'],
  ['λόγος', 'λόγον'],
  ['מפה', 'המפות'],
  ['השעון', 'שעון'],
  ['خريطة', 'الخريطة'],
  ['नक्शा', 'नक्शों'],
  ['रोटी', 'रोटियाँ'],
  ['지도', '지도를'],
  ['빵', '빵을'],
])('%s finds its form %s, after the word itself', (sought, word) => {
  const value = likeness(sought, word);
  expect(value).toBeGreaterThan(0.5);
  expect(value).toBeLessThan(likeness(sought, sought));
});

test.each([
  ['Brot', 'Roggenbrot'],
  ['Brot', 'Brotkasten'],
  ['kayak', 'kayaking'],
  ['열차', '야간열차'],
  ['海', '北海'],
])('%s finds %s, which has it as a part, after its forms', (sought, word) => {
  expect(likeness(sought, word)).toBeGreaterThan(0);
  expect(likeness(sought, word)).toBeLessThan(1);
});

test.each([
  ['rain', 'train'],
  ['art', 'start'],
  ['car', 'career'],
  ['bread', 'break'],
  ['then', 'them'],
  ['plane', 'plans'],
  ['2024', '20245'],
  ['v1', 'v12'],
  ['карта', 'парта'],
  ['地図', '地下'],
  ['map', 'мар'],
])('%s does not find %s', (sought, word) => {
  expect(likeness(sought, word)).toBe(0);
});
