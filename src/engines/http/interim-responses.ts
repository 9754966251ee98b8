/** Responses before the response (1xx): a few are normal, an endless row of them is an attack. */
import { PagewrightError } from '../../errors.ts';

/** Servers send one or two: 100, 102 while they work, 103 with hints. */
const most = 20;

/** Counts the interim responses of one exchange and tells `fail` when there are too many. */
export function countInterim(url: URL, fail: (error: PagewrightError) => void): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count <= most) return;
    const message = `${url.href} was answered with more than ${most} interim responses (1xx) and no final one. Check that this is the right server.`;
    fail(new PagewrightError('PROTOCOL_ERROR', message, { url: url.href }));
  };
}
