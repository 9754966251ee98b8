/** A request queue for the tests of orders: first in, first out. */
import type { RequestQueue } from '../../../../src/core/frontier/queue/request-queue.ts';

type Request = Parameters<RequestQueue['add']>[0][number];

export function plainQueue(): RequestQueue {
  const requests: Request[] = [];
  return {
    add: (added) => Promise.resolve(void requests.push(...added)),
    next: () => {
      const request = requests.shift();
      return Promise.resolve(request === undefined ? undefined : { ...request, retryCount: 0 });
    },
    markHandled: () => Promise.resolve(),
    drop: () => Promise.resolve(),
  };
}
