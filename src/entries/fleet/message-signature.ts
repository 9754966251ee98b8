/**
 * Signatures of the messages about the pages of a job. Their key is in the storage: a writer to Redis without access
 * to the storage can neither have another page visited nor give a result.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { VisitTask } from '../../core/model/page-visitor.ts';

/** A page in transit to a worker. */
export interface SignedTask extends VisitTask {
  readonly signature: string;
}

/** The signatures of one job. */
export class MessageSignature {
  readonly #key: string;

  constructor(messageKey: string) {
    this.#key = messageKey;
  }

  sign(task: VisitTask): SignedTask {
    return { ...task, signature: this.#of('task', contentOf(task)).toString('base64url') };
  }

  isOf(task: SignedTask): boolean {
    const given = Buffer.from(task.signature, 'base64url');
    return isSame(given, this.#of('task', contentOf(task)));
  }

  /** `url` is the hash of the URL of a visit that is stored. */
  ofResult(url: string, facts: Uint8Array | undefined): Buffer {
    return this.#of(`result ${url} ${facts === undefined ? 'stored' : 'facts'}`, facts ?? '');
  }

  isOfResult(given: Uint8Array, url: string, facts: Uint8Array | undefined): boolean {
    return isSame(given, this.ofResult(url, facts));
  }

  #of(kind: string, content: string | Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update(`${kind}\n`).update(content).digest();
  }
}

/** The same text before and after the message was JSON; a worker without a browser changes `needsBrowser`. */
function contentOf({ jobId, url, page, delay, needsModel, renderHints }: VisitTask): string {
  return JSON.stringify([jobId, url, page, delay, needsModel, renderHints]);
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The content of a queue message, if it has the form of a page; anyone may have written it. */
export function signedTask(data: unknown): SignedTask | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const task = data as Partial<Record<keyof SignedTask, unknown>>;
  const isTask =
    typeof task.jobId === 'string' &&
    typeof task.url === 'string' &&
    typeof task.needsModel === 'boolean' &&
    typeof task.signature === 'string';
  return isTask ? (data as SignedTask) : undefined;
}
