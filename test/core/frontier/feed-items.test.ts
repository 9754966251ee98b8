import { expect, test } from 'vitest';
import { feedItems } from '../../../src/core/frontier/discover-links.ts';
import type { TextPage } from '../../../src/core/model/page.ts';

const url = 'http://site.test/feed';
const page = (mediaType: string, source: string): TextPage => ({
  kind: 'text',
  url,
  baseUrl: url,
  statusCode: 200,
  mediaType,
  source,
  markdown: '',
  warnings: [],
});

test.each([
  [
    'RSS',
    page(
      'application/rss+xml',
      '<rss><channel><title>Feed</title><link>/home</link><item><title>One &lt;b&gt;bold&lt;/b&gt;</title><link>/1?a=1&amp;b=2</link></item><item><guid>http://site.test/2</guid></item></channel></rss>',
    ),
    [{ href: '/1?a=1&b=2', text: 'One bold' }, { href: 'http://site.test/2' }],
  ],
  [
    'Atom',
    page(
      'application/atom+xml',
      '<feed><link href="/self"/><entry><title> A\n title </title><link rel="enclosure" href="/x.mp3"/><link href="/1"/></entry></feed>',
    ),
    [{ href: '/1', text: 'A title' }],
  ],
  [
    'a sitemap index',
    page('text/xml', '<sitemapindex><sitemap><loc>/a.xml</loc></sitemap></sitemapindex>'),
    [{ href: '/a.xml' }],
  ],
  [
    'JSON Feed',
    page(
      'application/json',
      '{"version":"https://jsonfeed.org/version/1","items":[{"url":"/1","title":"One"},{"external_url":"/2"}]}',
    ),
    [{ href: '/1', text: 'One' }, { href: '/2' }],
  ],
  ['other JSON', page('application/json', '{"items":[{"url":"/1"}]}'), []],
  ['other XML', page('application/xml', '<svg><a href="/1"/></svg>'), []],
  [
    'a broken feed',
    page('text/xml', '<rss><item><link>/1</link></item><item><link>/2'),
    [{ href: '/1' }],
  ],
  ['text', page('text/plain', '<rss><item><link>/1</link></item></rss>'), []],
  ['nothing', page('text/xml', ''), []],
])('the items of %s', (_, feed, items) => {
  expect(feedItems(feed)).toEqual(items);
});

test('of a feed without end no more than 10,000 items are taken', () => {
  const item = '<item><link>/a</link></item>';
  expect(feedItems(page('text/xml', `<rss>${item.repeat(50_000)}</rss>`))).toHaveLength(10_000);
});
