/** Which engines a client works with. */
import type { Engine } from '../engines/engine.ts';
import { ValidationError } from '../errors.ts';

/** Engines of the caller beside the built-in ones, or a function that makes the whole list of these. */
export type ClientEngines = readonly Engine[] | ((builtIn: readonly Engine[]) => readonly Engine[]);

/** The engines, those of the caller first. Throws `BAD_REQUEST` when the function gives none. */
export function clientEngines(
  chosen: ClientEngines | undefined,
  builtIn: readonly Engine[],
): readonly Engine[] {
  if (typeof chosen !== 'function') return [...(chosen ?? []), ...builtIn];
  const engines: unknown = chosen(builtIn);
  if (Array.isArray(engines) && engines.every(isEngine)) return engines;
  const message = 'engines: the function has to give a list of engines, objects with fetch()';
  throw new ValidationError('createClient', [{ path: ['engines'], message }]);
}

function isEngine(value: unknown): value is Engine {
  return typeof (value as Partial<Engine> | null)?.fetch === 'function';
}
