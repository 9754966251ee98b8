import { expect, test } from 'vitest';
import { html, rawHtml } from '../../../src/content/formats/html.ts';
import { context, htmlPage, textPage } from '../../support/page.ts';

test('html is the content without the body tag', () => {
  const page = htmlPage('<body class="x">\n <nav>n</nav><p>a &amp; b<br>c</p>\n</body>');
  page.root.querySelector('nav')?.remove();
  expect(html.run(page, undefined, context)).toBe('<p>a &amp; b<br>c</p>');
});

test('html of text is preformatted and escaped', () => {
  expect(html.run(textPage('a < b && c > d\n  </pre>'), undefined, context)).toBe(
    '<pre>a &lt; b &amp;&amp; c &gt; d\n  &lt;/pre&gt;</pre>',
  );
});

test('html of a binary file shows the markdown made of it', () => {
  expect(html.run(textPage('', '# Title'), undefined, context)).toBe('<pre># Title</pre>');
});

test('rawHtml is the source, untouched', () => {
  const source = ' <P CLASS=x>a</P>\r\n';
  expect(rawHtml.run(htmlPage(source), undefined, context)).toBe(source);
  expect(rawHtml.needs).toBe('page');
});
