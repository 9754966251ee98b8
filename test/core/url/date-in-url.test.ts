import { describe, expect, it } from 'vitest';
import { dateInUrl } from '../../../src/core/url/readable-url.ts';

const read = (path: string): ReturnType<typeof dateInUrl> =>
  dateInUrl(new URL(path, 'http://site.test/'));

describe('the date in a URL', () => {
  it.each([
    ['/2024/05/', '/{date}/', [2024, 5, undefined]],
    ['/2024/5', '/{date}', [2024, 5, undefined]],
    ['/events/2024-05-03', '/events/{date}', [2024, 5, 3]],
    ['/events/2024_05', '/events/{date}', [2024, 5, undefined]],
    ['/events/20240503.html', '/events/{date}.html', [2024, 5, 3]],
    ['/events/202405', '/events/{date}', [2024, 5, undefined]],
    ['/05-2024/', '/{date}/', [2024, 5, undefined]],
    ['/03.05.2024', '/{date}', [2024, 5, 3]],
    ['/may-2024', '/{date}', [2024, 5, undefined]],
    ['/2024/Mai/3', '/{date}', [2024, 5, 3]],
    ['/2024-w07', '/{date}', [2024, 107, undefined]],
    ['/calendar/2024', '/calendar/{date}', [2024, undefined, undefined]],
    ['/2024/05/12345-title', '/{date}/12345-title', [2024, 5, undefined]],
    ['/2024/05/a-title', '/{date}/a-title', [2024, 5, undefined]],
    ['/cal?month=2024-05', '/cal?month={date}', [2024, 5, undefined]],
    ['/cal?year=2024&month=5', '/cal?year={date}&month={date}', [2024, 5, undefined]],
    ['/cal?y=2024&m=05&d=3&view=month', '/cal?y={date}&m={date}&d={date}&view=month', [2024, 5, 3]],
    ['/cal?startDate=1714694400', '/cal?startDate={date}', [2024, 5, 3]],
    ['/login?next=%2Fcal%2F2024-05', '/login?next=/cal/{date}', [2024, 5, undefined]],
  ])('%s', (path, pattern, [year, month, day]) => {
    expect(read(path)).toMatchObject({ pattern, year, month, day });
    expect(read(path)?.shape).toBe(`http://site.test${pattern}`);
  });

  it.each([
    '/',
    '/p/2024',
    '/item/1234',
    '/thread/1234/7',
    '/item?id=2024',
    '/docs/2024.1/',
    '/docs/v2.10.2024x',
    '/2024/13/',
    '/order/20249903',
    '/phone/0049301234567',
    '/page/2/1',
    '/cal?month=5',
  ])('is none in %s', (path) => {
    expect(read(path)).toBeUndefined();
  });

  it('names the parameters that hold it, where it is in the query alone', () => {
    expect(read('/cal?view=1&year=2024&month=5')?.parameters).toEqual(['year', 'month']);
    expect(read('/2024/05/?date=2024-06')?.parameters).toEqual([]);
  });
});
