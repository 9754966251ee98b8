import { describe, expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const text = (html: string): string => markdownOf(html, { onlyMainContent: false });

describe('counters', () => {
  test.each([
    [
      '<span data-duration="2000" data-to-value="340" data-from-value="0">0</span> houses',
      '340 houses',
    ],
    ['<div class="counter" data-count="1,250">0</div>', '1,250'],
    ['<b class="odometer" data-target="98.5">0.0</b>', '**98.5**'],
    ['<h3 data-purecounter-start="0" data-purecounter-end="62">0</h3>', '### 62'],
    ['<p><span data-counter-value="15"><i>0</i></span> years</p>', '*15* years'],
    ['<span data-count-to="77" data-speed="100"> 0 </span>', '77'],
  ])('have the number that they run to: %s', (html, markdown) => {
    expect(text(html)).toBe(markdown);
  });

  test.each([
    ['<span data-duration="2000">0</span>'],
    ['<span data-id="17">0</span>'],
    ['<span data-value="5">0 of 5</span>'],
  ])('other zeros stay: %s', (html) => {
    expect(text(html)).toMatch(/^0/);
  });
});

describe('data for calendars goes', () => {
  const page = '<h1>Storytime</h1><p>Songs and a game about boats.</p>';
  test.each([
    [
      'AddToCalendar',
      '<var class="atc_event"><var class="atc_date_start">2023-01-10 10:30:00</var><var>2023-01-10 11:00:00</var><var class="atc_timezone">America/Chicago</var><var>GONE</var></var>',
    ],
    [
      'its button',
      '<div class="addtocalendar">Add to Calendar <var>2023-01-10 10:30:00</var> <var>2023-01-10 11:00:00</var> <var>Europe/Berlin</var> <var>GONE</var></div>',
    ],
    [
      'AddEvent',
      '<div class="addeventatc">GONE<span class="start">03/01/2018 08:00 AM</span><span class="end">03/01/2018</span><span class="timezone">America/Los_Angeles</span><span>GONE</span></div>',
    ],
    [
      'without names',
      '<div><span>GONE</span><span>2026-03-01T10:00</span><span>Asia/Tokyo</span></div>',
    ],
    [
      'without a time zone',
      '<span class="addeventatc">GONE <span>1.3.2026 10:00</span><span>1.3.2026 11:00</span><span>GONE</span></span>',
    ],
  ])('%s', (_, data) => {
    expect(text(`${page}${data}`)).toBe('# Storytime\n\nSongs and a game about boats.');
  });

  test('a time zone in a text stays', () => {
    expect(text('<p>Zone: <span>Europe/Berlin</span></p>')).toBe('Zone: Europe/Berlin');
  });
});

test.each([
  ['<i class="material-icons">keyboard_arrow_down</i>'],
  ['<span class="material-symbols-outlined">home</span>'],
  ['<mat-icon>close</mat-icon>'],
  ['<i class="q-icon notranslate material-icons-round">search</i>'],
  ['<span class="icon-font">arrow_forward</span>'],
])('names of icons go: %s', (icon) => {
  expect(text(`<p>Opening hours ${icon}</p>`)).toBe('Opening hours');
});

test('words in elements named after icons stay', () => {
  expect(text('<p><span class="icon-label">home</span> <i>snake_case</i></p>')).toContain('home');
});
