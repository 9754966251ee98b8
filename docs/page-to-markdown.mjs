// Draws docs/pictures/page-to-markdown.png: a page of a fixture site in Chromium, and the markdown that scrape() makes
// of it. Needs the build, and Chromium: /usr/bin/chromium, or the one that CHROME_PATH names.
import { fileURLToPath } from 'node:url';
import { scrape } from 'pagewright';
import { serve } from 'pagewright/testing';
import { chromium } from 'playwright-core';

const root = new URL('../', import.meta.url);
const site = await serve(fileURLToPath(new URL('fixtures/sites/docs', root)));
const path = '/docs/reference/line-format.html';
const html = await (await fetch(site.url(path))).text();
const { markdown } = await scrape({ html, url: `https://tidewater.example${path}` });

const browser = await chromium.launch({
  executablePath: process.env.CHROME_PATH ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const page = await browser.newPage({ viewport: { width: 1180, height: 730 } });
await page.goto(site.url(path));
const before = (await page.screenshot()).toString('base64');
const text = markdown.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
await page.setViewportSize({ width: 1360, height: 440 });
await page.setContent(`<style>
  body { margin: 0; padding: 20px; display: flex; gap: 20px; background: #e9edf1; box-sizing: border-box; height: 440px }
  div { flex: 1; overflow: hidden; border-radius: 8px; box-shadow: 0 1px 6px #0003; background: #fff }
  img { width: 100% }
  pre { margin: 0; padding: 18px 22px; height: 100%; background: #171b22; color: #d7dde5; white-space: pre-wrap; box-sizing: border-box;
    font: 12.5px/1.5 'DejaVu Sans Mono', monospace }
</style><div><img src="data:image/png;base64,${before}"></div><div><pre>${text}</pre></div>`);
await page.screenshot({ path: fileURLToPath(new URL('docs/pictures/page-to-markdown.png', root)) });
await browser.close();
await site.close();
