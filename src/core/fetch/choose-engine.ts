/** Chooses the engine that fetches a page: the cheapest one that supports the options. */
import { PagewrightError } from '../runtime/errors.ts';
import type { Capability, ScrapeRequest } from '../model/request.ts';
import type { Engine } from '../model/engine.ts';

/** An engine, and the signal that decided it. */
export interface EngineChoice {
  readonly engine: Engine;
  readonly reason: string;
}

/**
 * Chooses among engines by capability; the cheapest wins, then the first. `requires` maps each
 * needed capability to the option that needs it.
 *
 * Throws `UNSUPPORTED_PROTOCOL` when no engine serves the URL, `BROWSER_UNAVAILABLE` when none of
 * those that serve it has all capabilities.
 */
export function chooseEngine(
  engines: readonly Engine[],
  { url, requires, mayRender }: Pick<ScrapeRequest<never>, 'url' | 'requires' | 'mayRender'>,
): EngineChoice {
  const allowed = mayRender ? engines : engines.filter(({ can }) => !can.has('render'));
  const serving = allowed.filter((engine) => serves(engine, url));
  if (serving.length === 0) throw unsupported(engines, url);
  const [first, ...others] = serving.filter((engine) =>
    [...requires.keys()].every((capability) => engine.can.has(capability)),
  );
  if (first === undefined) throw unavailable(serving, url, requires);
  const engine = others.reduce((best, next) => (next.cost < best.cost ? next : best), first);
  return { engine, reason: reasonFor(requires) };
}

function serves(engine: Engine, url: string): boolean {
  return engine.handles === undefined ? /^https?:/i.test(url) : engine.handles(url);
}

function reasonFor(requires: ReadonlyMap<Capability, string>): string {
  if (requires.size === 0) return 'static: nothing asked for a browser';
  return [...requires].map(([capability, option]) => `${option} needs ${capability}`).join(', ');
}

function unsupported(engines: readonly Engine[], url: string): PagewrightError {
  const names = engines.map((engine) => engine.name).join(', ') || 'none';
  return new PagewrightError(
    'UNSUPPORTED_PROTOCOL',
    `No engine of this client serves ${url} (engines: ${names}). Use an http: or https: URL, or add one that does: createClient({ engines: [...] }).`,
    { url },
  );
}

function unavailable(
  serving: readonly Engine[],
  url: string,
  requires: ReadonlyMap<Capability, string>,
): PagewrightError {
  const unserved = [...requires].filter(([capability]) => {
    return !serving.some((engine) => engine.can.has(capability));
  });
  const missing = unserved.length > 0 ? unserved : [...requires];
  const options = missing.map(([, option]) => option).join(', ');
  const capabilities = missing.map(([capability]) => capability).join(', ');
  const names = serving.map((engine) => engine.name).join(', ');
  if (requires.has('method')) {
    const message = `No engine of this client (${names}) sends what ${options} asks for to ${url}. An engine of your own that does has can: new Set(['method']).`;
    return new PagewrightError('BAD_REQUEST', message, { url });
  }
  return new PagewrightError(
    'BROWSER_UNAVAILABLE',
    `No engine of this client (${names}) can do what ${options} needs: ${capabilities}. Leave that out, or give the client a browser, createClient({ browser }), or an engine that can, createClient({ engines }).`,
    { url },
  );
}
