import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cleanPage } from '../../../src/content/clean/index.ts';
import type { CleanOptions } from '../../../src/core/model/request.ts';
import { blockLines, defaults, foldMarkup, htmlPage } from './page.ts';

interface Case extends Partial<CleanOptions> {
  readonly baseUrl?: string;
  readonly warnings?: readonly string[];
}

const folder = fileURLToPath(new URL('../../../fixtures/pages/clean/', import.meta.url));

describe('cleanPage gives what the fixture expects:', () => {
  for (const name of readdirSync(folder).sort()) {
    it(name.replaceAll('-', ' '), () => {
      const read = (file: string): string => readFileSync(`${folder}${name}/${file}`, 'utf8');
      const { baseUrl, warnings = [], ...options } = JSON.parse(read('options.json')) as Case;
      const page = htmlPage(read('page.html'), 'https://site.test/dir/page.html', baseUrl);
      cleanPage(page, { ...defaults, ...options });
      expect(page.warnings).toEqual(warnings);
      if (existsSync(`${folder}${name}/expected.html`)) {
        expect(foldMarkup(page.root.innerHTML)).toBe(foldMarkup(read('expected.html')));
      } else {
        expect(blockLines(page.root)).toEqual(read('expected.txt').trim().split('\n'));
      }
    });
  }
});
