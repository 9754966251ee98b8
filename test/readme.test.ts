import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const markdownFiles = [
  'README.md',
  'bench/README.md',
  ...readdirSync(new URL('../docs', import.meta.url)).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md') && name !== 'docs/public-api.md');

const anchors = new Map<string, ReadonlySet<string>>();

/** The anchors of a page on which GitHub and the site of the docs agree: headings, and `id`. */
function anchorsOf(file: string): ReadonlySet<string> {
  const known = anchors.get(file);
  if (known !== undefined) return known;
  const text = withoutCode(read(file));
  const found = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id));
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const onGitHub = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    const onSite = words.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '');
    if (onGitHub === onSite) found.add(onSite);
  }
  anchors.set(file, found);
  return found;
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[^]*?^```/gm, '');
}

describe('documentation', () => {
  it.each(markdownFiles)('%s links to files and headings that exist', (file) => {
    const text = withoutCode(read(file)).replaceAll(/`[^`\n]*`/g, '');
    const links = [...text.matchAll(/\]\((?!https?:|\/)([^)]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(file, '..', path);
      if (!existsSync(new URL(`../${target}`, import.meta.url))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});
