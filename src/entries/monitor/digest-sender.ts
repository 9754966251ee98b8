/** Sends the digests of a monitor to its webhook, one after the other, each under an id of its own. */
import type { PostClient } from '../../core/http/post.ts';
import type { WebhookSettings } from '../../core/model/webhook.ts';
import { mayPass, retryPolicies } from '../../core/runtime/retry.ts';
import type { ClientParts } from '../../parts.ts';
import { webhookIdOf, writeMessage } from '../../core/jobs/webhooks/webhook-message.ts';
import { deliveryTimes, WebhookReceiver } from '../../core/jobs/webhooks/webhook-receiver.ts';
import type { MonitorDigest } from './digest.ts';

/** Reuses the connection to the receiver between digests. */
export class DigestSender {
  readonly #monitorId: string;
  readonly #parts: ClientParts;
  #open:
    | { readonly url: string; readonly poster: PostClient; readonly receiver: WebhookReceiver }
    | undefined;

  constructor(monitorId: string, parts: ClientParts) {
    this.#monitorId = monitorId;
    this.#parts = parts;
  }

  /** False if it is to be sent again later; a digest that the receiver refuses for good is given up. */
  async send(
    digest: MonitorDigest,
    webhook: WebhookSettings,
    signal: AbortSignal,
  ): Promise<boolean> {
    const receiver = await this.#receiver(webhook);
    if (receiver.down !== undefined) return false;
    const sender = { source: 'monitor.check', jobId: this.#monitorId, webhook } as const;
    const webhookId = webhookIdOf(this.#monitorId, digest.round);
    const message = await writeMessage(sender, { event: 'completed', data: [digest] }, webhookId);
    const { attempts, failed } = await receiver.send(message, { halt: signal, hurry: signal });
    if (failed === undefined) return true;
    if (signal.aborted) return false;
    const { code } = failed;
    const mayRetry = mayPass(retryPolicies.webhook, failed);
    const type = 'monitor.check.completed';
    const what = mayRetry ? 'waits for the next round' : 'was given up';
    this.#parts.telemetry.undelivered(
      { jobId: this.#monitorId, type, errorCode: code, attempts },
      `Digest ${digest.round} of monitor ${this.#monitorId} did not reach its webhook and ${what}: ${failed.message}`,
    );
    return !mayRetry;
  }

  async close(): Promise<void> {
    await this.#open?.poster.close().catch(() => undefined);
    this.#open = undefined;
  }

  async #receiver({ url }: WebhookSettings): Promise<WebhookReceiver> {
    if (this.#open?.url !== url) {
      await this.close();
      const poster = this.#parts.openPoster();
      const receiver = new WebhookReceiver(new URL(url), poster, deliveryTimes);
      this.#open = { url, poster, receiver };
    }
    return this.#open.receiver;
  }
}
