import { describe, expect, it } from 'vitest';
import { largestCandidate, parseSrcset } from '../../../src/content/html/image-urls.ts';

describe('parseSrcset', () => {
  it('reads widths and densities', () => {
    expect(parseSrcset('a.jpg 320w, b.jpg 1.5x,c.jpg')).toEqual([
      { url: 'a.jpg', width: 320 },
      { url: 'b.jpg', density: 1.5 },
      { url: 'c.jpg' },
    ]);
  });

  it('keeps commas inside URLs', () => {
    expect(parseSrcset('https://x.test/w_1,h_2/a.jpg 1x, data:image/png;base64,AA== 2x')).toEqual([
      { url: 'https://x.test/w_1,h_2/a.jpg', density: 1 },
      { url: 'data:image/png;base64,AA==', density: 2 },
    ]);
  });

  it('ends a URL without descriptors at its trailing comma', () => {
    expect(parseSrcset('a.jpg, b.jpg')).toEqual([{ url: 'a.jpg' }, { url: 'b.jpg' }]);
    expect(parseSrcset('a.jpg,b.jpg')).toEqual([{ url: 'a.jpg,b.jpg' }]);
    expect(parseSrcset('a.jpg,,, b.jpg')).toEqual([{ url: 'a.jpg' }, { url: 'b.jpg' }]);
  });

  it('leaves out candidates with bad descriptors, as browsers do', () => {
    expect(parseSrcset('a 1q, b 2x 3x, c 100w 2x, d -1x, e 0w, f 50w 20h')).toEqual([
      { url: 'f', width: 50 },
    ]);
  });

  it('does not split at commas in parentheses', () => {
    expect(parseSrcset('a calc(1, 2), b 2x')).toEqual([{ url: 'b', density: 2 }]);
  });

  it('gives nothing for empty and comma-only values', () => {
    expect(parseSrcset('')).toEqual([]);
    expect(parseSrcset(' , ,, ')).toEqual([]);
  });
});

describe('largestCandidate', () => {
  it('takes the widest, or the densest, and the first of equals', () => {
    expect(largestCandidate(parseSrcset('a 1x, b 3x, c 2x'))?.url).toBe('b');
    expect(largestCandidate(parseSrcset('a 10w, b 30w, c 30w'))?.url).toBe('b');
    expect(largestCandidate([])).toBeUndefined();
  });
});
