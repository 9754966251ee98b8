import { expect, test } from 'vitest';
import { nestedScriptEnds } from '../../../src/content/html/nested-scripts.ts';
import { parseHtml } from '../../../src/content/html/parse.ts';

function textOf(html: string): string {
  const { body } = parseHtml(`<body>${html}`, { nodes: 1_000, depth: 100 });
  for (const script of [...body.querySelectorAll('script')]) script.remove();
  return (body.textContent ?? '').replace(/\s+/g, ' ').trim();
}

test.each([
  [
    '<p>a</p><script><!--\nwrite("<script src=a.js></script>");\nvar leaked;\n//--></script><p>b</p>',
    'ab',
  ],
  ['<script><!-- "<SCRIPT>x</SCRIPT\n>" leaked --></script>a', 'a'],
  ['<script>/*<!--*/"<script>1</script>";"<script>2</script>";leaked</script>a', 'a'],
  ['<script type="text/x"><!-- <script></script> leaked --></script>a<script>x</script>b', 'ab'],
  ['<!-- <script> --><script><!-- <script></script> leaked </script>a', 'a'],
  ['<script><!--> "<script></script>a', 'a'],
  ['<script>"<script>"</script>a', 'a'],
  ['<script><!-- x --> "<script>"</script>a', 'a'],
  ['<!--[if IE]><script></script><![endif]-->a', 'a'],
])('a script that writes scripts does not leak: %s', (html, text) => {
  expect(textOf(html)).toBe(text);
});

test('a script that nothing ends ends at the first end tag', () => {
  expect(textOf('<script><!-- <script></script>a')).toBe('a');
  expect(nestedScriptEnds('<script><!--<script></script>'.repeat(2))).toEqual([]);
});

test('time is linear', () => {
  const many = '<script><!--<script></script>'.repeat(100_000);
  expect(nestedScriptEnds(`${many}</script>`).length).toBeGreaterThan(0);
});
