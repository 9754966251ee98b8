import { expect, test } from 'vitest';
import {
  ExtractError,
  MissingDependencyError,
  PagewrightError,
  ValidationError,
} from '../../../src/core/runtime/errors.ts';
import { serializeError, deserializeError } from '../../../src/core/page/serialized-error.ts';

const issues = [{ path: ['a', 0], message: 'a[0]: expected a number' }];

test.each([
  new PagewrightError('PARSE_LIMIT', 'too deep', { url: 'http://a.test/', cause: new Error('x') }),
  new PagewrightError('TIMEOUT', 'too late'),
  new PagewrightError('HOST_BUSY', 'asks for time', { statusCode: 429, retryAfter: 1000 }),
  new ExtractError('not found', issues, { url: 'http://a.test/' }),
  new ValidationError('schema', issues),
  new MissingDependencyError('redis', 'It is too old.', { installedVersion: '4.7.0' }),
  new RangeError('too much'),
])('%s is the same error after it was sent', (error) => {
  const sent = deserializeError(structuredClone(serializeError(error)));
  expect(Object.getPrototypeOf(sent)).toBe(Object.getPrototypeOf(error));
  expect(sent).toStrictEqual(error);
  expect((sent as Error).stack).toBe(error.stack);
  expect((sent as Error).cause).toEqual(error.cause);
  if (sent instanceof PagewrightError && error instanceof PagewrightError) {
    expect(sent.toJSON()).toEqual(error.toJSON());
    expect(sent.retryable).toBe(error.retryable);
  }
});
