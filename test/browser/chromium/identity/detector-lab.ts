/** The page of `fixtures/sites/detector` on loopback, and what it found. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserType, Page } from 'playwright-core';
import {
  findChromium,
  type LaunchSettings,
} from '../../../../src/browser/chromium/open-browser.ts';
import { chromiumFlags } from '../../../support/chromium.ts';

/** A check of the detector. */
export interface Finding {
  readonly passed: boolean;
  readonly value: string;
}

export interface DetectorLab {
  readonly url: string;
  close(): Promise<void>;
}

const mediaTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
};

/** Serves the page; `/echo` answers with the request's headers. */
export async function openDetectorLab(): Promise<DetectorLab> {
  const server = http.createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.html`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts Chromium with these settings, without a request of its own. */
export async function launchAs(
  type: BrowserType,
  { headless, args, ignoreDefaultArgs }: LaunchSettings,
): Promise<Browser> {
  return type.launch({
    executablePath: await findChromium(),
    headless,
    args: [...chromiumFlags, ...args],
    ignoreDefaultArgs,
  });
}

/** Opens the page and waits for its findings. */
export async function findings(page: Page, lab: DetectorLab): Promise<Record<string, Finding>> {
  await page.goto(lab.url);
  const body = page.locator('body[data-detected]');
  await body.waitFor();
  return JSON.parse((await body.getAttribute('data-detected')) ?? '{}');
}

/** The checks that tell a program, with what they saw. */
export function failures(found: Readonly<Record<string, Finding>>): Record<string, string> {
  const failed = Object.entries(found).filter(([, { passed }]) => !passed);
  return Object.fromEntries(failed.map(([name, { value }]) => [name, value]));
}

async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const name = (request.url ?? '').slice(1);
  if (name === 'echo') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.headers));
    return;
  }
  const file = await readFile(`fixtures/sites/detector/${name}`).catch(() => undefined);
  response.setHeader('content-type', mediaTypes[name.split('.').at(-1) ?? ''] ?? 'text/plain');
  response.writeHead(file === undefined ? 404 : 200).end(file);
}
