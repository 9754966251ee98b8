/** The guard of acts on labels of real sites: nothing that acts for good passes, and ordinary buttons do. */
import { expect, test } from 'vitest';
import { actRisks } from '../../../src/browser/actions/act-recipe.ts';
import { riskOfClick } from '../../../src/browser/act/guard.ts';
import { plainElement } from './plain-element.ts';
import { otherLabels } from './other-labels.ts';
import { siteLabels } from './site-labels.ts';

const page = { url: 'https://site.test/lamp', title: 'Lamp' };

const labelsIn = (text: string): string[] => text.split('|').map((label) => label.trim());

test.each([...Object.entries(siteLabels), ...Object.entries(otherLabels)])(
  'labels in %s',
  (_, table) => {
    const expected = [...actRisks, 'ordinary' as const].flatMap((kind) =>
      labelsIn(table[kind]).map((name) => `${name}: ${kind}`),
    );
    const found = [...actRisks, 'ordinary' as const].flatMap((kind) =>
      labelsIn(table[kind]).map(
        (name) => `${name}: ${riskOfClick(plainElement({ name }), page) ?? 'ordinary'}`,
      ),
    );
    expect(found).toEqual(expected);
  },
);
