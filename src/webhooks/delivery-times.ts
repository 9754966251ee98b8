/** How long deliveries take at most. */

/** All in ms. */
export interface DeliveryTimes {
  /** For one attempt. */
  readonly attempt: number;
  /** Between the attempts for one event, of which there is one more; each a quarter more or less. */
  readonly gaps: readonly number[];
  /** That Retry-After can make a gap last. */
  readonly longestPause: number;
  /** Between two attempts while the receiver is down. */
  readonly probeGap: number;
  /** After the job's end. */
  readonly afterEnd: number;
  /** After the client was closed. */
  readonly afterClose: number;
}

/** Five attempts over about a minute. */
export const deliveryTimes: DeliveryTimes = {
  attempt: 10_000,
  gaps: [1_000, 4_000, 15_000, 40_000],
  longestPause: 60_000,
  probeGap: 30_000,
  afterEnd: 60 * 60 * 1000,
  afterClose: 5_000,
};
