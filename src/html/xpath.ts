/** XPath expressions as parsed steps: the part of XPath 1.0 that selects elements. */

/** One step of a path. */
export interface XPathStep {
  readonly axis: XPathAxis;
  /** Lower-case; `*` for every element. */
  readonly name: string;
  readonly predicates: readonly XPathPredicate[];
}

export type XPathAxis =
  | 'child'
  | 'descendant-or-self'
  | 'self'
  | 'parent'
  | 'ancestor'
  | 'following-sibling'
  | 'preceding-sibling';

/** What is kept of a step's elements. */
export type XPathPredicate =
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'last' }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly XPathPredicate[] }
  | { readonly kind: 'not'; readonly part: XPathPredicate }
  | { readonly kind: 'exists'; readonly of: XPathOperand }
  | {
      readonly kind: 'equals' | 'differs' | 'contains' | 'starts-with';
      readonly of: XPathOperand;
      readonly text: string;
    };

/** What is looked at: an attribute, the element's text, its own text nodes, a child element. */
export interface XPathOperand {
  readonly kind: 'attribute' | 'text' | 'own-text' | 'child';
  readonly name: string;
  /** White space collapsed, as by `normalize-space()`. */
  readonly isNormal: boolean;
}

/** A parsed path. */
export interface XPath {
  /** True for `/…` and `//…`: the element that is searched is a step of the path. */
  readonly isAbsolute: boolean;
  readonly steps: readonly XPathStep[];
}

const token =
  /\s*(?:(\/\/|\/|\.\.|::|!=|[[\]().@*=,|])|("[^"]*"|'[^']*')|(\d+)|([\p{L}_][\p{L}\p{N}_-]*))\s*/uy;
const maxLength = 1000;
const axes = new Set<string>(
  'child descendant-or-self self parent ancestor following-sibling preceding-sibling'.split(' '),
);

/** Parses a path. Throws `Error` that says what is not understood, and where. */
export function parseXPath(source: string): XPath {
  if (source.length > maxLength) throw new Error(`it is longer than ${maxLength} characters`);
  const tokens = tokensOf(source);
  let at = 0;
  const peek = (): string => tokens[at] ?? '';
  const take = (): string => tokens[at++] ?? '';
  const accept = (expected: string): boolean => peek() === expected && take() !== '';
  const expect = (expected: string): void => {
    const found = take();
    if (found !== expected) throw new Error(`expected ${expected}, found ${found || 'its end'}`);
  };

  const path = (): XPath => {
    const isAbsolute = peek() === '/' || peek() === '//';
    const steps: XPathStep[] = [];
    if (!isAbsolute) steps.push(...step());
    while (peek() === '/' || peek() === '//') {
      if (take() === '//') steps.push({ axis: 'descendant-or-self', name: '*', predicates: [] });
      steps.push(...step());
    }
    return { isAbsolute, steps };
  };

  const step = (): XPathStep[] => {
    if (accept('.')) return [];
    if (accept('..')) return [{ axis: 'parent', name: '*', predicates: predicates() }];
    if (peek() === '@' || tokens[at + 1] === '(') {
      throw new Error('a path ends at an element; name an attribute with x-attribute');
    }
    let axis: XPathAxis = 'child';
    if (tokens[at + 1] === '::') {
      if (!axes.has(peek()))
        throw new Error(`the axis ${peek()} is not known; known: ${[...axes].join(', ')}`);
      axis = take() as XPathAxis;
      take();
    }
    return [{ axis, name: elementName(), predicates: predicates() }];
  };

  const elementName = (): string => {
    const name = take();
    if (name !== '*' && !/^[\p{L}_]/u.test(name)) {
      throw new Error(`expected the name of an element, found ${name || 'its end'}`);
    }
    return name.toLowerCase();
  };

  const predicates = (): XPathPredicate[] => {
    const all: XPathPredicate[] = [];
    while (accept('[')) {
      all.push(either());
      expect(']');
    }
    return all;
  };

  const chain = (word: 'and' | 'or', inner: () => XPathPredicate): XPathPredicate => {
    const parts = [inner()];
    while (accept(word)) parts.push(inner());
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: word, parts };
  };
  const either = (): XPathPredicate => chain('or', both);
  const both = (): XPathPredicate => chain('and', test);

  const test = (): XPathPredicate => {
    if (/^\d/.test(peek())) return { kind: 'position', position: Number(take()) };
    if (accept('(')) {
      const inner = either();
      expect(')');
      return inner;
    }
    const isCall = tokens[at + 1] === '(';
    if (isCall && peek() === 'last') return call({ kind: 'last' });
    if (isCall && peek() === 'not') {
      at += 2;
      const part = either();
      expect(')');
      return { kind: 'not', part };
    }
    if (isCall && (peek() === 'contains' || peek() === 'starts-with')) {
      const kind = take() as 'contains' | 'starts-with';
      expect('(');
      const of = operand();
      expect(',');
      const text = literal();
      expect(')');
      return { kind, of, text };
    }
    const of = operand();
    if (accept('=')) return { kind: 'equals', of, text: literal() };
    if (accept('!=')) return { kind: 'differs', of, text: literal() };
    return { kind: 'exists', of };
  };

  const call = (made: XPathPredicate): XPathPredicate => {
    at += 1;
    expect('(');
    expect(')');
    return made;
  };

  const operand = (): XPathOperand => {
    if (accept('@')) return { kind: 'attribute', name: elementName(), isNormal: false };
    if (accept('.')) return { kind: 'text', name: '', isNormal: false };
    if (tokens[at + 1] !== '(') return { kind: 'child', name: elementName(), isNormal: false };
    const name = take();
    expect('(');
    if (name === 'text') {
      expect(')');
      return { kind: 'own-text', name: '', isNormal: false };
    }
    if (name !== 'normalize-space') {
      throw new Error(
        `${name}() is not known; known: text, normalize-space, contains, starts-with, not, last`,
      );
    }
    const inner: XPathOperand =
      peek() === ')' ? { kind: 'text', name: '', isNormal: true } : operand();
    expect(')');
    return { ...inner, isNormal: true };
  };

  const literal = (): string => {
    const text = take();
    if (!/^["']/.test(text))
      throw new Error(`expected a text in quotes, found ${text || 'its end'}`);
    return text.slice(1, -1);
  };

  const parsed = path();
  if (at < tokens.length) throw new Error(`${peek()} is not understood here`);
  return parsed;
}

function tokensOf(source: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (let at = 0; at < source.length; at = token.lastIndex) {
    token.lastIndex = at;
    const match = token.exec(source);
    if (match === null) throw new Error(`${source.slice(at, at + 10)} is not understood`);
    tokens.push(match[1] ?? match[2] ?? match[3] ?? match[4] ?? '');
  }
  return tokens;
}
