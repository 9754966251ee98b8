/** One answer of a proxy, read from its socket without taking what follows. */
import type { Socket } from 'node:net';
import { checkAddress, TunnelFailure } from './tunnel-failure.ts';

/** An answer, and how many bytes of what was received it is. */
export interface Reply<T> {
  readonly value: T;
  readonly length: number;
}

/**
 * Reads until `parse` finds its answer in what was received; it throws when that can be none. The
 * bytes after the answer go back into the socket, which is left paused.
 */
export function readReply<T>(
  socket: Socket,
  parse: (received: Buffer) => Reply<T> | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const finish = (settle: () => void): void => {
      socket.off('readable', read).off('error', fail).off('end', end).off('close', end);
      settle();
    };
    const fail = (error: Error): void => finish(() => reject(error));
    const end = (): void => {
      fail(new TunnelFailure('it closed the connection without an answer', checkAddress));
    };
    const read = (): void => {
      try {
        for (let chunk = next(socket); chunk !== null; chunk = next(socket)) {
          received = Buffer.concat([received, chunk]);
          const reply = parse(received);
          if (reply === undefined) continue;
          const rest = received.subarray(reply.length);
          return finish(() => {
            if (rest.length > 0) socket.unshift(rest);
            resolve(reply.value);
          });
        }
      } catch (error) {
        fail(error as Error);
      }
    };
    if (socket.destroyed) return end();
    socket.on('readable', read).on('error', fail).on('end', end).on('close', end);
  });
}

function next(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}
