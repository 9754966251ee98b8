import {
  type BeforeFormatsState,
  createClient,
  crawl,
  type Hooks,
  type HtmlPage,
  type Metadata,
  type Snapshot,
} from 'pagewright';
import { expectTypeOf } from 'vitest';

export async function aCrawlKnowsItsDocumentsInItsHooks(): Promise<void> {
  const { data } = await crawl('https://example.com', {
    scrapeOptions: { formats: ['links', 'html'] },
    hooks: {
      onDocument: ({ document, skip }) => {
        expectTypeOf(document.links).toEqualTypeOf<string[]>();
        expectTypeOf(document.metadata).toEqualTypeOf<Metadata>();
        // @ts-expect-error -- markdown was not asked for
        void document.markdown;
        if (document.links.length === 0) skip('no links');
      },
    },
  });
  expectTypeOf(data[0]?.links).toEqualTypeOf<string[] | undefined>();
  // @ts-expect-error -- markdown was not asked for
  void data[0]?.markdown;
  void crawl('https://example.com', {
    hooks: { onDocument: ({ document }) => ({ ...document, words: document.markdown.length }) },
  });
}

export function everyHookMayBeAsync(): void {
  createClient({
    hooks: {
      beforeRequest: async ({ headers, url, depth }) => {
        expectTypeOf(headers).toEqualTypeOf<Record<string, string>>();
        expectTypeOf(depth).toEqualTypeOf<number | undefined>();
        headers['x-url'] = await Promise.resolve(url);
      },
      afterResponse: async ({ snapshot }) => {
        expectTypeOf(snapshot).toEqualTypeOf<Snapshot>();
        await Promise.resolve();
        return snapshot.statusCode === 404 ? { statusCode: 410, body: '' } : undefined;
      },
      beforeFormats: ({ page, links }) => {
        expectTypeOf(links).toEqualTypeOf<BeforeFormatsState['links']>();
        if (page.kind !== 'html') return;
        expectTypeOf(page).toEqualTypeOf<HtmlPage>();
        page.document.querySelector('nav')?.remove();
        links.push({ url: '/more' });
      },
      onDocument: ({ document }) => {
        expectTypeOf(document['markdown']).toEqualTypeOf<unknown>();
        document['length'] = 7;
      },
      onError: ({ error }) => (error instanceof TypeError ? { markdown: '' } : new Error('Mine')),
      onSkipped: ({ url, reason }) => [url, reason],
      transformLink: async ({ url, rel }) =>
        rel === 'nofollow' ? false : Promise.resolve(url.toLowerCase()),
    },
  });
}

export function whatIsNoHookIsRefused(): void {
  // @ts-expect-error -- there is no such hook
  createClient({ hooks: { beforeRequests: () => undefined } });
  // @ts-expect-error -- a hook is a function
  createClient({ hooks: { onDocument: 'x' } });
  // @ts-expect-error -- a link becomes a URL, or false
  createClient({ hooks: { transformLink: () => 7 } });
  // @ts-expect-error -- status is called statusCode
  createClient({ hooks: { afterResponse: () => ({ status: 200 }) } });
  // @ts-expect-error -- a link has a URL
  createClient({ hooks: { beforeFormats: () => ({ links: [{ href: '/' }] }) } });
}

export function hooksAreAnObjectOfTheirOwn(): Hooks {
  const read = ({ links }: BeforeFormatsState): Pick<BeforeFormatsState, 'links'> => ({
    links: links.filter(({ rel }) => rel !== 'nofollow'),
  });
  return { beforeFormats: read };
}

export function helpersOfHooksCanBeWritten(): Hooks {
  const textOf = (element: ReturnType<HtmlPage['document']['querySelector']>): string =>
    element?.textContent ?? '';
  const isOld = ({ url }: Pick<BeforeFormatsState, 'url'>): boolean => url.includes('/old/');
  return {
    beforeRequest: (state) => {
      if (isOld(state)) state.skip('old');
    },
    beforeFormats: ({ page }) =>
      page.kind === 'html'
        ? { document: { name: textOf(page.document.querySelector('h1')) } }
        : undefined,
  };
}
