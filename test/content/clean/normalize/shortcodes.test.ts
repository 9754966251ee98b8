import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const text = (html: string): string => markdownOf(html, { onlyMainContent: false });

test.each([
  [
    '<p>[vc_row bg="#fff"][vc_column width="1/1"]</p><p>Words.</p><p>[/vc_column][/vc_row]</p>',
    'Words.',
  ],
  ['<p>[et_pb_section fb_built=”1″ _builder=”4.9″]Words.[/et_pb_section]</p>', 'Words.'],
  ['<p>[fusion_text columns=&#8221;2&#8221;]Words.[/fusion_text]</p>', 'Words.'],
  ['<div>[row][col span="6"]Words.[/col][/row]</div>', '[row]Words.[/row]'],
  ["<p>Words.</p><p>[contact-form-7 id='12' title='Write to us']</p>", 'Words.'],
  ['<p>Words.</p><p>[mc4wp_form]</p>', 'Words.'],
  ['<p>[fancy-ul icon="x"]</p><ul><li>Words.</li></ul><p>[/fancy-ul]</p>', '- Words.'],
  [
    '<p>[vc_column_text css=".a{margin: 1px !important;}"]Words[1].[/vc_column_text]</p>',
    'Words[1].',
  ],
])('%s', (html, markdown) => {
  expect(text(html)).toBe(markdown);
});

test.each([
  ['<p>See [1] and [note] of [the_book].</p>', 'See [1] and [note] of [the_book].'],
  ['<p>Write [b]bold[/b] here.</p>', 'Write [b]bold[/b] here.'],
  ['<p>Use <code>[vc_row a="1"][/vc_row]</code>.</p>', 'Use `[vc_row a="1"][/vc_row]`.'],
  ['<pre>[vc_row][/vc_row]</pre>', '```\n[vc_row][/vc_row]\n```'],
])('other brackets stay: %s', (html, markdown) => {
  expect(text(html)).toBe(markdown);
});
