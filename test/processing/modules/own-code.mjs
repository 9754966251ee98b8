// Formats and a parser of a caller, for a worker.
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
