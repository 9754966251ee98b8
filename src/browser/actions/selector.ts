/** Selectors of actions: CSS, `text=Load more` and `role=button[name="Load more"]`, as Playwright reads them. */

/** A sentence about a selector that cannot be right; CSS is checked in the page. */
export function selectorProblem(selector: string): string | undefined {
  const [, engine, body = ''] = locator.exec(selector) ?? [];
  if (engine === 'text') {
    const [, pattern] = /^\/(.+)\/[a-z]*$/.exec(body) ?? [];
    if (body === '') return 'expected a text after text=';
    return pattern === undefined ? undefined : patternProblem(pattern);
  }
  if (engine !== 'role') return selector.trim() === '' ? expectedSelector : undefined;
  if (!role.test(body)) return expectedRole;
  for (const [, name = '', pattern] of body.matchAll(roleAttribute)) {
    if (!roleAttributes.includes(name)) {
      return `${expectedRole}; attributes are ${roleAttributes.join(', ')}`;
    }
    const problem = pattern === undefined ? undefined : patternProblem(pattern);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The selector for Playwright, with its engine. */
export function engineSelector(selector: string): string {
  return locator.test(selector) ? selector.trim() : `css=${selector}`;
}

/** The kind of a selector, in words. */
export function selectorKind(selector: string): string {
  const [, engine] = locator.exec(selector) ?? [];
  return engine === undefined ? 'CSS selector' : `${engine}= selector`;
}

const locator = /^\s*(text|role)=\s*([^]*?)\s*$/;

const expectedSelector = 'expected a CSS selector, text=… or role=…';

const expectedRole = 'expected a role such as role=button or role=button[name="Load more"]';

const roleAttributes: readonly string[] =
  'name description checked disabled expanded include-hidden level pressed selected'.split(' ');

const quoted = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
const pattern = String.raw`\/((?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+)\/[a-z]*`;
const attribute = String.raw`\[\s*([\w-]+)\s*(?:=\s*(?:(?:${quoted}|[\w-]+)(?:\s*[is])?|${pattern})\s*)?\]`;

const roleAttribute = new RegExp(attribute, 'g');

/** A role with attributes, and maybe further selectors inside of it. */
const role = new RegExp(String.raw`^[a-z]+\s*(?:${attribute}\s*)*(?:>>[^]+)?$`);

function patternProblem(source: string): string | undefined {
  try {
    new RegExp(source);
    return undefined;
  } catch {
    return `/${source}/ is not a regular expression`;
  }
}
