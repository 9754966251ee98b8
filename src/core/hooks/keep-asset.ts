/** The client's `assets`: its function that stores files, with checks. */
import { hookFailed } from '../runtime/errors.ts';
import type { Asset, AssetKeeper } from '../model/snapshot.ts';

/** The text that represents the file in the document. Rejects with `HOOK_FAILED`. */
export async function keepAsset(keep: AssetKeeper, asset: Asset): Promise<string> {
  try {
    const reference: unknown = await keep(asset);
    if (typeof reference === 'string') return reference;
    throw new TypeError('it must return a string, which goes into the document');
  } catch (error) {
    throw hookFailed('assets', asset.url, error);
  }
}
