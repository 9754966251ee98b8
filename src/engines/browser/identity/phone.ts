/** The phone that `mobile` stands for: a common Android one, with the Chrome of the running version. */

/** Options of a context: the page's size on that phone, with the browser's bars in place. */
export const phone: {
  readonly viewport: { width: number; height: number };
  readonly screen: { width: number; height: number };
  readonly deviceScaleFactor: number;
  readonly isMobile: true;
  readonly hasTouch: true;
} = {
  viewport: { width: 412, height: 839 },
  screen: { width: 412, height: 915 },
  deviceScaleFactor: 2.625,
  isMobile: true,
  hasTouch: true,
};

/** Chrome for Android tells all phones alike, with the main version only (User-Agent reduction). */
export function phoneUserAgent(version: string): string {
  return `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version.split('.')[0] ?? ''}.0.0.0 Mobile Safari/537.36`;
}

/** What Chrome for Android says in `navigator.platform`, on every phone. */
export const phonePlatform = 'Linux armv81';
