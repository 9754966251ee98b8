/**
 * Falls back from engine to engine for one page: the cheapest first, then a browser or stealth if
 * needed.
 */
import { chooseEngine, type EngineChoice } from './choose-engine.ts';
import type { Engine } from '../model/engine.ts';
import type { Capability, FetchRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ProxyTier } from '../http/proxies/proxy.ts';
import { challengeOf } from './challenge-page.ts';
import { renderingAddedContent, renderingSignal } from './rendering/rendering-signal.ts';

/** Chooses the next engine; `choice` and `tier` belong to the current step. */
export class EngineFallback {
  choice: EngineChoice;
  tier: ProxyTier;
  /** Why a stealth engine was passed over. */
  problem: Error | undefined;
  readonly #engines: readonly Engine[];
  readonly #request: FetchRequest;
  #static: { readonly snapshot: Snapshot; readonly signal: string } | undefined;

  /** Throws the errors of `chooseEngine`. */
  constructor(engines: readonly Engine[], request: FetchRequest) {
    this.#engines = engines;
    this.#request = request;
    this.tier = request.proxy === 'stealth' ? 'stealth' : 'basic';
    this.choice = this.#first();
  }

  /** The rendering signal of a static attempt that a browser still has to complete. */
  get missing(): string | undefined {
    return this.#static?.signal;
  }

  /**
   * Escalates to a rendering engine if the page needs it. A page already rendered is recorded as a
   * hint for others instead. `wait` waits for the hints of other pages.
   */
  async escalateToBrowser(
    snapshot: Snapshot,
    wait: (answer: Promise<boolean>) => Promise<boolean>,
  ): Promise<boolean> {
    if (this.#static !== undefined) {
      const { signal, snapshot: before } = this.#static;
      this.#static = undefined;
      if (isWhole(snapshot)) {
        const outcome = renderingAddedContent(before, snapshot) ? 'wasRight' : 'wasWrong';
        this.#request.renderHints?.record({ signal, outcome });
      }
      return false;
    }
    if (!this.#isOpen) return false;
    // What only a method is required for is not rendered, and a warning says so.
    if ([...this.#request.requires.keys()].some((one) => one !== 'method')) return false;
    const signal = renderingSignal(snapshot);
    if (signal === undefined) {
      if (isWhole(snapshot)) this.#request.renderHints?.record('static');
      return false;
    }
    const isReliable = this.#request.renderHints?.isReliable(signal) ?? true;
    if (!(typeof isReliable === 'boolean' ? isReliable : await wait(isReliable))) {
      if (isWhole(snapshot)) this.#request.renderHints?.record({ signal, outcome: 'ignored' });
      return false;
    }
    this.#static = { snapshot, signal };
    const next = this.#choose({ render: signal });
    if (next !== undefined) this.choice = { ...next, reason: signal };
    return next !== undefined;
  }

  /** Escalates after a refusal: to stealth, then to a browser in stealth. Engines with a problem are passed over. */
  escalateToStealth(): boolean {
    const next = this.#stealthier();
    if (next === undefined) return false;
    this.choice = next;
    this.tier = 'stealth';
    return true;
  }

  /** True for a browser after which no other engine is tried. */
  get isLastBrowser(): boolean {
    return this.#renders && this.#stealthier() === undefined;
  }

  #stealthier(): EngineChoice | undefined {
    const { proxy, rendering } = this.#request;
    // Stealth does not restore a lost login.
    if (rendering.profile !== undefined) return undefined;
    if (proxy === 'basic' || (proxy === 'stealth' && this.#renders)) return undefined;
    // An engine for certain URLs is the only engine for them.
    if (this.choice.engine.handles !== undefined) return undefined;
    const why = { stealth: 'a page that refused' };
    const engines = this.#engines.filter((engine) => {
      const problem = engine.can.has('stealth') ? engine.problem?.() : undefined;
      this.problem ??= problem;
      return problem === undefined;
    });
    const isFirst = this.tier === 'basic' && proxy === 'auto';
    if (!isFirst && (this.#renders || !this.#request.mayRender)) return undefined;
    const keepsEngine = isFirst && !this.#renders;
    return this.#choose(keepsEngine ? why : { ...why, render: why.stealth }, engines);
  }

  get #renders(): boolean {
    return this.choice.engine.can.has('render');
  }

  /** Other engines may be tried: the current one serves all URLs, and does not render. */
  get #isOpen(): boolean {
    return this.#request.mayRender && this.choice.engine.handles === undefined && !this.#renders;
  }

  #first(): EngineChoice {
    const plain = chooseEngine(this.#engines, this.#request);
    this.choice = plain;
    if (!this.#isOpen || this.#request.requires.size > 0) return plain;
    const reason = this.#request.renderHints?.reasonToRender;
    const rendering = reason === undefined ? undefined : this.#choose({ render: reason });
    return rendering === undefined ? plain : { ...rendering, reason: reason ?? rendering.reason };
  }

  #choose(
    more: Partial<Record<Capability, string>>,
    engines = this.#engines,
  ): EngineChoice | undefined {
    const requires = new Map(this.#request.requires);
    for (const [capability, reason] of Object.entries(more)) {
      requires.set(capability as Capability, reason);
    }
    try {
      return chooseEngine(engines, { ...this.#request, requires });
    } catch {
      return undefined;
    }
  }
}

/**
 * True for a snapshot that is evidence about the host: no error page, partial page or challenge.
 */
function isWhole(snapshot: Snapshot): boolean {
  const { statusCode, isCut = false } = snapshot;
  return statusCode >= 200 && statusCode < 300 && !isCut && challengeOf(snapshot) === undefined;
}
