/** The model of a client for an option that cannot do without. */
import { PagewrightError } from '../errors.ts';
import type { Model } from './model.ts';

/** Throws `MODEL_REQUIRED` where there is none; `instead` says what can be done without one. */
export function requireModel(model: Model | undefined, what: string, instead: string): Model {
  if (model !== undefined) return model;
  throw new PagewrightError(
    'MODEL_REQUIRED',
    `${what} is read by a model, and this client has none: createClient({ model }). ${instead}`,
  );
}
