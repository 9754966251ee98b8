/** Fonts of TeX, whose short names say how they look. */
import { expect, test } from 'vitest';
import { fontStyle } from '../../../src/documents/pdf/text-runs.ts';

test.each([
  'WPJQOJ+SFBX1000',
  'GYGFAY+SFSX1000',
  'QCZVSD+SFXC1000',
  'SFBI1095',
  'SFRB1000',
  'ECSO1200',
  'CMBX12',
  'CMSSBX10',
  'CMSSDC10',
  'CMMIB10',
  'CMBSY10',
  'LMRoman10-Bold',
])('%s is bold', (name) => {
  expect(fontStyle(name, 'serif').isBold).toBe(true);
});

test.each([
  'SFRM1000',
  'SFSS1000',
  'SFCC1000',
  'SFSI1000',
  'SFTT1000',
  'CMR10',
  'CMSY10',
  'SFSoft',
])('%s is not bold', (name) => {
  expect(fontStyle(name, 'serif').isBold).toBe(false);
});
