/** Lengths and numbers of CSS, in the pixels of the window that a reader is assumed to have. */

/** What a length may be relative to; px. */
export interface LengthContext {
  /** Of the element. */
  readonly fontSize: number;
  /** What a percentage is of; undefined: not known. */
  readonly whole?: number | undefined;
}

const window = { width: 1280, height: 720 };
const defaultContext: LengthContext = { fontSize: 16 };

/** Pixels of one of a unit. */
function unitSize(unit: string, { fontSize, whole }: LengthContext): number | undefined {
  switch (unit) {
    case 'em':
    case 'ic':
    case 'cap':
      return fontSize;
    case 'ex':
    case 'ch':
      return fontSize / 2;
    case 'rem':
    case 'ric':
      return 16;
    case 'lh':
    case 'rlh':
      return fontSize * 1.2;
    case '%':
      return whole === undefined ? undefined : whole / 100;
    default:
      break;
  }
  const absolute = absoluteUnits[unit];
  if (absolute !== undefined) return absolute;
  const [, side] = /^(?:[sld]?v|cq)(w|i|h|b|min|max)$/.exec(unit) ?? [];
  if (side === undefined) return undefined;
  return (side === 'w' || side === 'i' || side === 'max' ? window.width : window.height) / 100;
}

const absoluteUnits: Readonly<Record<string, number>> = {
  ...{ px: 1, pt: 96 / 72, pc: 16, in: 96, cm: 96 / 2.54, mm: 96 / 25.4, q: 96 / 101.6 },
};

/** A length, also one that is calculated; undefined for anything else. A number without a unit is 0 only. */
export function lengthInPixels(
  text: string,
  context: LengthContext = defaultContext,
): number | undefined {
  const value = text.trim();
  const plain = numeral.exec(value);
  if (plain !== null) {
    const [, digits = '', unit] = plain;
    if (unit === undefined) return Number(digits) === 0 ? 0 : undefined;
    const size = unitSize(unit, context);
    return size === undefined ? undefined : Number(digits) * size;
  }
  return calculate(value, (unit) => unitSize(unit, context));
}

/** A number, or a percentage as a share of 1. */
export function numberOf(text: string): number | undefined {
  const value = text.trim();
  const plain = numeral.exec(value);
  if (plain === null) return calculate(value, (unit) => (unit === '%' ? 0.01 : undefined));
  const [, digits = '', unit] = plain;
  if (unit === undefined) return Number(digits);
  return unit === '%' ? Number(digits) / 100 : undefined;
}

const numeral = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?$/;

const longestCalculation = 300;
const mostDepth = 12;

/** `calc()`, `min()`, `max()`, `clamp()` and `abs()`. */
function calculate(text: string, sizeOf: (unit: string) => number | undefined): number | undefined {
  if (!/^(?:calc|min|max|clamp|abs)\(/.test(text) || text.length > longestCalculation)
    return undefined;
  const tokens =
    text.match(/(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:[a-z]+|%)?|[a-z-]+\(|[-+*/(),]|[^\s]/g) ?? [];
  let at = 0;
  const sum = (depth: number): number => {
    let total = product(depth);
    while (tokens[at] === '+' || tokens[at] === '-') {
      total += tokens[at++] === '+' ? product(depth) : -product(depth);
    }
    return total;
  };
  const product = (depth: number): number => {
    let total = factor(depth);
    while (tokens[at] === '*' || tokens[at] === '/') {
      total = tokens[at++] === '*' ? total * factor(depth) : total / factor(depth);
    }
    return total;
  };
  const factor = (depth: number): number => {
    const token = tokens[at++] ?? '';
    if (token === '-') return -factor(depth + 1);
    if (token === '+') return factor(depth + 1);
    if (depth > mostDepth) return NaN;
    if (token.endsWith('(')) {
      const values = [sum(depth + 1)];
      while (tokens[at] === ',') {
        at += 1;
        values.push(sum(depth + 1));
      }
      return tokens[at++] === ')' ? applied(token, values) : NaN;
    }
    const [, digits, unit] = numeral.exec(token) ?? [];
    if (digits === undefined) return NaN;
    return Number(digits) * (unit === undefined ? 1 : (sizeOf(unit) ?? NaN));
  };
  const result = factor(0);
  return at === tokens.length && Number.isFinite(result) ? result : undefined;
}

function applied(name: string, values: readonly number[]): number {
  const [first = NaN, second = NaN, third = NaN] = values;
  switch (name) {
    case '(':
    case 'calc(':
      return values.length === 1 ? first : NaN;
    case 'min(':
      return Math.min(...values);
    case 'max(':
      return Math.max(...values);
    case 'clamp(':
      return Math.max(first, Math.min(second, third));
    default:
      return name === 'abs(' ? Math.abs(first) : NaN;
  }
}
