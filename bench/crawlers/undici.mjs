// undici's request() of pages whose URLs are known: what fetching alone costs.
import { Agent, request } from 'undici';
import { pagePath } from '../site.mjs';
import { concurrency, origin, pages, report } from './peer.mjs';

const dispatcher = new Agent();
let next = 0;
const work = async () => {
  while (next < pages) {
    const { body } = await request(origin + pagePath(next++), { dispatcher });
    await body.text();
  }
};
await Promise.all(Array.from({ length: concurrency }, work));
await dispatcher.close();
report({ pages });
