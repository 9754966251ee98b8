/** Profiles in a real browser, on a site whose login ends. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  hasLoginForm,
  profileKey,
  Profiles,
  type ProfileVisit,
  refuseLostLogin,
} from '../../../../src/browser/chromium/profiles.ts';
import { memoryStore } from '../../../../src/core/storage/memory-store.ts';
import { launchChromium } from '../../../support/chromium.ts';
import { type LoginLab, openLoginLab } from './login-lab.ts';
import { rareTest, usualAnd } from '../../../support/deep.ts';

let browser: Browser;
let lab: LoginLab;

beforeAll(async () => {
  [browser, lab] = await Promise.all([launchChromium(), openLoginLab()]);
});
afterAll(async () => {
  await browser.close();
  await lab.close();
});

interface Visited {
  readonly page: Page;
  readonly statusCode: number;
  readonly visit: ProfileVisit;
  /** Checks the end, saves and closes, as an engine does. */
  end(): Promise<readonly string[]>;
}

async function visit(
  profiles: Profiles,
  path: string,
  profile: { readonly name: string; readonly saveChanges?: boolean } = { name: 'rower' },
): Promise<Visited> {
  const opened = await profiles.open(profile);
  const { storageState } = opened;
  const context = await browser.newContext(storageState === undefined ? {} : { storageState });
  const page = await context.newPage();
  const response = await page.goto(lab.origin + path);
  const statusCode = response?.status() ?? 0;
  return {
    page,
    statusCode,
    visit: opened,
    end: async () => {
      try {
        const last = { url: page.url(), statusCode };
        await refuseLostLogin(page, opened, lab.origin + path, last);
        return await opened.save(context);
      } finally {
        await context.close();
      }
    },
  };
}

async function logIn(profiles: Profiles, name = 'rower'): Promise<void> {
  const { page, end } = await visit(profiles, '/login', { name });
  await page.fill('[name=password]', lab.password);
  await page.click('button');
  await page.waitForURL('**/members');
  await page.locator('#visits:not(:empty)').waitFor();
  expect(await end()).toEqual([]);
}

test('a login is kept, with its cookies, localStorage and IndexedDB', async () => {
  const profiles = new Profiles(memoryStore());
  await logIn(profiles);
  const { page, statusCode, end } = await visit(profiles, '/members');
  expect(statusCode).toBe(200);
  await page.locator('#visits:not(:empty)').waitFor();
  expect(await page.textContent('#visits')).toBe('2 2');
  await end();
  const third = await visit(profiles, '/members');
  await third.page.locator('#visits:not(:empty)').waitFor();
  expect(await third.page.textContent('#visits')).toBe('3 3');
  await third.end();
});

rareTest('another profile is logged out', async () => {
  const profiles = new Profiles(memoryStore());
  await logIn(profiles);
  const { page, visit: opened, end } = await visit(profiles, '/members', { name: 'guest' });
  expect(page.url()).toContain('/login');
  expect(opened.storageState).toBeUndefined();
  // It never was logged in, so that nothing is lost.
  await end();
});

test('saveChanges: false leaves the profile as it was', async () => {
  const store = memoryStore();
  const profiles = new Profiles(store);
  await logIn(profiles);
  const before = await store.get(profileKey('rower'));
  const { end } = await visit(profiles, '/members', { name: 'rower', saveChanges: false });
  await end();
  expect(await store.get(profileKey('rower'))).toEqual(before);
});

rareTest('visits at the same time keep what each of them changed', async () => {
  const profiles = new Profiles(memoryStore());
  await logIn(profiles);
  const visits = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const visited = await visit(profiles, '/members');
      await visited.page.evaluate(`localStorage.setItem('seen-${name}', '1')`);
      await visited.page.evaluate(`document.cookie = 'mark-${name}=1; max-age=600'`);
      return visited;
    }),
  );
  await Promise.all(visits.map(({ end }) => end()));
  const { storageState } = await profiles.open({ name: 'rower' });
  const cookies = storageState?.cookies.map(({ name }) => name).sort();
  const items = storageState?.origins[0]?.localStorage.map(({ name }) => name).sort();
  expect(cookies).toEqual(['mark-a', 'mark-b', 'mark-c', 'session']);
  expect(items).toEqual(['seen-a', 'seen-b', 'seen-c', 'visits']);
  expect((await visit(profiles, '/members')).page.url()).toContain('/members');
});

describe('a lost login is an error that says how to log in again', () => {
  test.each(
    usualAnd(1, [
      ['the status says so', '/api', /answered 401/],
      ['the site redirects', '/members', /redirected to .*\/login\. Log in again/],
      ['the page shows the form', '/inbox', /asks for a password/],
    ] as const),
  )('when %s', async (_, path, message) => {
    const store = memoryStore();
    const profiles = new Profiles(store);
    await logIn(profiles);
    lab.expire();
    const before = await store.get(profileKey('rower'));
    const { end } = await visit(profiles, path);
    const error = await end().catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'BLOCKED_BY_SITE', url: lab.origin + path });
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(String(error)).not.toMatch(/session-\d|next=/);
    expect(await store.get(profileKey('rower'))).toEqual(before);
    if (path !== '/members') return;
    await logIn(profiles);
    await (await visit(profiles, path)).end();
  });

  rareTest('but not when a new password is chosen', async () => {
    const profiles = new Profiles(memoryStore());
    await logIn(profiles);
    const { page, end } = await visit(profiles, '/settings');
    expect(await hasLoginForm(page)).toBe(true);
    await end();
  });
});

describe('what is stored and cannot be read is an error without a secret in it', () => {
  test.each([
    ['cut off', '{"cookies":[{"name":"session","value":"hunter2'],
    ['another type', '["hunter2"]'],
    ['no cookies', '{"cookies":["hunter2"],"origins":[]}'],
    [
      'no origins',
      '{"cookies":[],"origins":[{"origin":"https://a.test","localStorage":"hunter2"}]}',
    ],
  ])('%s', async (_, text) => {
    const store = memoryStore();
    await store.set(profileKey('rower'), Buffer.from(text));
    const error = await new Profiles(store)
      .open({ name: 'rower' })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(/Delete it .*profiles\/rower/),
    });
    expect(String((error as Error).stack) + String((error as Error).cause)).not.toContain(
      'hunter2',
    );
  });
});

test('names become keys of their own', () => {
  const names = ['a', 'A', 'a/b', 'a%2Fb', '.', '..', '../x', '', 'ü', 'a b', '\ud800'];
  const keys = names.map(profileKey);
  expect(new Set(keys).size).toBe(names.length);
  for (const key of keys) expect(key).toMatch(/^profiles\/[^/.]*$/);
});
