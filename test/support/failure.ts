/** What a piece of work fails with. */
import { PagewrightError } from 'pagewright';

/** The error; work that succeeds, or fails with something else, is what the test did not expect. */
export async function failure(work: PromiseLike<unknown>): Promise<PagewrightError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PagewrightError)) throw new Error(`no PagewrightError: ${String(error)}`);
  return error;
}
