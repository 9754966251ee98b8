/** What was learnt of hosts while a job ran: which of them need a browser, and which signals were wrong. */

/** What came of a page whose static try said something. */
export interface RenderedPage {
  readonly url: string;
  /** The words of `renderingSignal` for the static try. */
  readonly signal: string;
  /** What `wasWorthIt` said of the two. */
  readonly wasWorthIt: boolean;
}

/** Pages in a row that needed the browser before the static try is left out. */
const inARow = 3;
/** False alarms of one signal before it is trusted no more. */
const mostFalseAlarms = 2;
/** After this many pages without a static try there is one again: a host may have changed its mind. */
const probeAfter = 50;
/** Hosts that are remembered; the one that was heard of longest ago is forgotten first. */
const mostHosts = 1000;
/** Signals of a host that are remembered: some carry a name from the page. */
const mostSignals = 20;

interface Host {
  needed: number;
  /** Pages since the static try was left out. */
  skipped: number;
  readonly falseAlarms: Map<string, number>;
}

/**
 * The memory of one job. Ask `reasonToRender` before a page is fetched, `trusts` when its static try
 * has given a signal, and tell what came of it.
 *
 * Pages that are under way at the same time are told in the order in which they end, so with more
 * than one of them a host may be learnt a few pages later or sooner.
 */
export class RenderingMemory {
  readonly #hosts = new Map<string, Host>();

  /** Why the static try of this page is left out, in words for `metadata.engineReason`; undefined when it is not. */
  reasonToRender(url: string): string | undefined {
    const host = this.#hosts.get(hostOf(url));
    if (host === undefined || host.needed < inARow) return undefined;
    host.skipped += 1;
    if (host.skipped > probeAfter) {
      host.skipped = 0;
      return undefined;
    }
    return `needed by the last ${inARow} pages of this host`;
  }

  /** False for a signal that was a false alarm on this host before. */
  trusts(url: string, signal: string): boolean {
    const alarms = this.#hosts.get(hostOf(url))?.falseAlarms.get(signal) ?? 0;
    return alarms < mostFalseAlarms;
  }

  /** The static try was all that there is to the page: the host needs no browser. */
  wasStatic(url: string): void {
    const host = this.#hosts.get(hostOf(url));
    if (host !== undefined) this.#needsNone(host);
  }

  /** A page was rendered for what its static try said. Tell of both, also when it was in vain. */
  wasRendered({ url, signal, wasWorthIt }: RenderedPage): void {
    const host = this.#remember(hostOf(url));
    if (wasWorthIt) {
      host.needed += 1;
      host.falseAlarms.delete(signal);
      return;
    }
    this.#needsNone(host);
    const { falseAlarms } = host;
    if (falseAlarms.size >= mostSignals && !falseAlarms.has(signal)) forgetFirst(falseAlarms);
    falseAlarms.set(signal, (falseAlarms.get(signal) ?? 0) + 1);
  }

  #needsNone(host: Host): void {
    host.needed = 0;
    host.skipped = 0;
  }

  #remember(key: string): Host {
    const known = this.#hosts.get(key);
    const host = known ?? { needed: 0, skipped: 0, falseAlarms: new Map<string, number>() };
    if (known !== undefined) this.#hosts.delete(key);
    else if (this.#hosts.size >= mostHosts) forgetFirst(this.#hosts);
    this.#hosts.set(key, host);
    return host;
  }
}

/** The memories of the jobs of one client. Requests with the same visitor belong to one job. */
export class RenderingMemories {
  readonly #byVisitor = new WeakMap<object, RenderingMemory>();

  /** The memory of the job; one that knows nothing yet for a single page. */
  of(visitor: object | undefined): RenderingMemory {
    if (visitor === undefined) return new RenderingMemory();
    const known = this.#byVisitor.get(visitor) ?? new RenderingMemory();
    this.#byVisitor.set(visitor, known);
    return known;
  }
}

function hostOf(url: string): string {
  return new URL(url).host;
}

function forgetFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
