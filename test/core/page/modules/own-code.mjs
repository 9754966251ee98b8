// Formats, a parser and a hook of a caller, for a worker.
import { readFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

export const thread = {
  name: 'thread',
  needs: 'content',
  run: (page, { add }) => ({ threadId: threadId + add, text: page.root.textContent.trim() }),
};

export const failing = {
  name: 'failing',
  needs: 'page',
  run: () => readFileSync('/no/such/file'),
};

export const strange = {
  name: 'strange',
  needs: 'page',
  run() {
    throw Object.assign(new Error('strange'), { cause: { give: () => 1 } });
  },
};

export const uncloneable = { name: 'uncloneable', needs: 'page', run: () => ({ give: () => 1 }) };

export const hanging = {
  name: 'hanging',
  needs: 'page',
  run() {
    for (;;);
  },
};

export default {
  name: 'shout',
  accepts: (mediaType) => mediaType === 'text/plain',
  parse: ({ url, statusCode, body }, { mediaType }) => ({
    kind: 'text',
    url,
    baseUrl: url,
    statusCode,
    mediaType,
    warnings: [],
    source: '',
    markdown: `${body.length} BYTES in thread ${threadId}`,
  }),
};

export function beforeFormats({ url, page, skip }) {
  const kind = page.document.querySelector('p')?.getAttribute('class');
  if (kind === 'hanging') for (;;);
  if (kind === 'failing') throw new Error('out of paper');
  if (kind === 'skip') skip('not today');
  if (kind === 'own') return { document: { from: `${url} in thread ${threadId}` } };
  if (kind === 'uncloneable') return { document: { give: () => 1 } };
  const place = page.document.querySelector('#thread');
  if (place !== null) place.textContent = `thread ${threadId}`;
  return undefined;
}
