/** Whether a job keeps its documents, checked against what needs them later. */
import { ValidationError } from '../errors.ts';

/** True unless the caller says no; throws `BAD_REQUEST` where a webhook needs them. */
export function keepsDocuments(
  subject: string,
  given: { readonly keepDocuments?: boolean | undefined; readonly webhook?: unknown },
): boolean {
  const { keepDocuments = true, webhook } = given;
  if (!keepDocuments && webhook !== undefined) {
    const message =
      'keepDocuments: false and webhook: a webhook is sent documents later. Leave one of them out.';
    throw new ValidationError(subject, [{ path: ['keepDocuments'], message }]);
  }
  return keepDocuments;
}
