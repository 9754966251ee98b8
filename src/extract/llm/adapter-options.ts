/** Checks the options of a model adapter, without a schema library, which this layer may not import. */
import { ValidationError, type ValidationIssue } from '../../core/runtime/errors.ts';
import { preview, unknownName } from '../../core/checks/option-errors.ts';
import { isRecord } from '../../core/runtime/json.ts';
import { structuredChoices } from './structured-output.ts';

/** The check of one key; the sentence describes the expected value. */
export interface OptionCheck {
  readonly fits: (value: unknown) => boolean;
  readonly expected: string;
  /** True when messages must not repeat the value. @default false */
  readonly isSecret?: boolean;
  /** @default false */
  readonly isRequired?: boolean;
}

/** Throws `ValidationError` that names every key which is unknown, missing or wrong. */
export function readOptions(
  subject: string,
  options: unknown,
  checks: Readonly<Record<string, OptionCheck>>,
): void {
  if (!isRecord(options)) {
    const message = `expected an object of options, got ${preview(options)}`;
    throw new ValidationError(subject, [{ path: [], message }]);
  }
  const issues: ValidationIssue[] = [];
  for (const key of Object.keys(options)) {
    if (Object.hasOwn(checks, key)) continue;
    issues.push({ path: [key], message: unknownName('option', key, Object.keys(checks)) });
  }
  for (const [key, { fits, expected, isSecret = false, isRequired = false }] of Object.entries(
    checks,
  )) {
    const value = options[key];
    if (value === undefined ? !isRequired : fits(value)) continue;
    const got = isSecret ? '' : `, got ${preview(value)}`;
    issues.push({ path: [key], message: `${key}: expected ${expected}${got}` });
  }
  if (issues.length > 0) throw new ValidationError(subject, issues);
}

/** Options that adapters have in common. */
export const contextTokensCheck: OptionCheck = {
  fits: (value) => Number.isInteger(value) && (value as number) >= 1000,
  expected: 'a whole number of at least 1000',
};

export const priceCheck: OptionCheck = {
  fits: (value) =>
    isRecord(value) &&
    Object.keys(value).sort().join() === 'input,output' &&
    Object.values(value).every((one) => typeof one === 'number' && one >= 0 && one < Infinity),
  expected: '{ input, output }, each a number of at least 0: the price of a million tokens',
};

export const structuredCheck: OptionCheck = {
  fits: (value) => typeof value === 'string' && structuredChoices.includes(value),
  expected: `one of ${structuredChoices.map((name) => `'${name}'`).join(', ')}`,
};

export const textCheck: OptionCheck = {
  fits: (value) => typeof value === 'string' && value !== '',
  expected: 'a text',
};
