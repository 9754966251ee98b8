// A format in a module of its own: a worker loads it by `worker`, so it can take its time.
import { defineFormat, type Format } from 'pagewright';

export const wordCount: Format<'wordCount', number, undefined> = defineFormat({
  name: 'wordCount',
  needs: 'content',
  worker: import.meta.url,
  run: (page) =>
    page.kind === 'html' ? (page.root.textContent ?? '').trim().split(/\s+/).length : 0,
});
