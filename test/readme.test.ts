import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');

describe('README', () => {
  it('links to files that exist', () => {
    for (const [, target = ''] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      const isThere = existsSync(new URL(`../${target}`, import.meta.url));
      expect({ target, isThere }).toEqual({ target, isThere: true });
      expect(target).not.toMatch(/^(?:node_modules|\.\.)/);
    }
  });
});

describe('docs', () => {
  const guides = readdirSync(new URL('../docs', import.meta.url)).filter((name) => {
    return name.endsWith('.md') && name !== 'public-api.md';
  });

  it.each(guides)('%s links to files that exist', (guide) => {
    const text = read(`docs/${guide}`).replace(/`[^`\n]*`/g, '');
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|\/)([^)#]+)\)/g)) {
      const isThere = existsSync(new URL(`../docs/${target}`, import.meta.url));
      expect({ target, isThere }).toEqual({ target, isThere: true });
    }
  });
});
