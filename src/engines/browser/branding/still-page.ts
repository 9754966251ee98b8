/** Transitions switched off while the page is looked at, so that each colour is the final one. */
import type { IsolatedWorld } from '../../../actions/isolated-world.ts';

/**
 * Switches them off until it is disposed. The style sheet is the inspector's: no script sees it.
 * Costs two calculations of all styles.
 */
export async function stillPage(world: IsolatedWorld): Promise<AsyncDisposable> {
  await world.send('DOM.enable');
  await world.send('CSS.enable');
  const { styleSheetId } = await world.send('CSS.createStyleSheet', { frameId: world.frameId });
  const write = async (text: string): Promise<void> => {
    await world.send('CSS.setStyleSheetText', { styleSheetId, text });
  };
  await write('*, *::before, *::after { transition: none !important; }');
  return {
    // When the page is gone or hangs there is nothing to put back.
    [Symbol.asyncDispose]: () => write('').catch(() => undefined),
  };
}
