/** Where Chromium is on this machine. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { PagewrightError } from '../../errors.ts';

/** Environment variables that name an executable, as other tools read them too. */
const variables = [
  'PAGEWRIGHT_CHROMIUM',
  'PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH',
  'PUPPETEER_EXECUTABLE_PATH',
  'CHROME_PATH',
];

/** Names under which systems install it. */
const commands = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge',
];

/** Where systems put it outside the PATH. */
const places: readonly string[] =
  process.platform === 'darwin'
    ? [
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
        '/Applications/Chromium.app/Contents/MacOS/Chromium',
      ]
    : process.platform === 'win32'
      ? [
          'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
          'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
        ]
      : ['/usr/bin/chromium', '/usr/bin/google-chrome', '/snap/bin/chromium'];

/**
 * Finds Chromium or Chrome: what an environment variable names, else the download of the driver
 * (`bundled`), else the system's. Throws `BROWSER_UNAVAILABLE` that says how to get one.
 */
export async function findChromium(bundled?: string): Promise<string> {
  for (const variable of variables) {
    const path = process.env[variable];
    if (path === undefined || path === '') continue;
    if (await isExecutable(path)) return path;
    throw new PagewrightError(
      'BROWSER_UNAVAILABLE',
      `${variable} names ${path}, which is not an executable file.`,
    );
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const extension = process.platform === 'win32' ? '.exe' : '';
  const inPath = commands.flatMap((command) =>
    folders.map((folder) => join(folder, command + extension)),
  );
  for (const path of [bundled, ...inPath, ...places]) {
    if (path !== undefined && path !== '' && (await isExecutable(path))) return path;
  }
  throw new PagewrightError(
    'BROWSER_UNAVAILABLE',
    'There is no Chromium or Chrome on this machine. Install one (Debian: apt-get install chromium; elsewhere: npx playwright install chromium), name it in PAGEWRIGHT_CHROMIUM, or hand one over: createClient({ browser: { executablePath } }).',
  );
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
