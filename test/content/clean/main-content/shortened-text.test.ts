import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const whole =
  'Bring the whole family for stories about the sea, from simple songs for the youngest to games.';
const start = 'Bring the whole family for stories about the sea, from si';

const page = (short: string, long: string): string =>
  `<main><h1>Events</h1><div><h3>Tide tales</h3>${short}${long}</div></main>`;

test.each([
  [`<div>${start}... <a href="#">more</a></div>`, `<div>${whole}</div>`],
  [`<p>${start}…</p>`, `<p>${whole}</p>`],
  [`<div class="s"><p>${start} […]</p></div>`, `<div class="l"><p>${whole}</p></div>`],
  [`<p>${start}... weiterlesen</p>`, `<div><p>${whole}</p></div>`],
  [`<p>${start}…</p><p>Tuesday</p>`, `<p>${whole}</p>`],
  [`<p>${whole}</p>`, `<p>${start}...</p>`],
])('a shortened text goes beside the whole one: %s', (short, long) => {
  const markdown = markdownOf(page(short, long));
  expect(markdown.split('Bring the whole')).toHaveLength(2);
  expect(markdown).toContain('simple songs');
});

test.each([
  ['the whole text is elsewhere', `<p>${start}…</p>`, '<p>Other words.</p>'],
  ['both are whole', `<p>${whole}</p>`, `<p>${whole} And more.</p>`],
])('%s', (_, short, long) => {
  expect(markdownOf(page(short, long))).toContain(start);
});
