/** Profiles through the client: a login is done once, kept, and never taken for granted. */
import { type Client, createClient, memoryStore } from 'pagewright';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Profiles } from '../../src/browser/chromium/profiles.ts';
import { type LoginLab, openLoginLab } from '../browser/chromium/profiles/login-lab.ts';
import { rareTest } from '../support/deep.ts';

const network = { allow: ['127.0.0.1'] };

let lab: LoginLab;
let store: ReturnType<typeof memoryStore>;
let client: Client;
let members: string;
/** What the store holds after a login. */
let loggedIn: Uint8Array;

beforeAll(async () => {
  lab = await openLoginLab();
  members = `${lab.origin}/members`;
  store = memoryStore();
  client = createClient({ network, storage: store });
  await logIn('maya');
  loggedIn = (await store.get('profiles/maya')) ?? Buffer.of();
}, 60_000);

beforeEach(async () => {
  for (const key of await keys()) await store.delete(key);
  await store.set('profiles/maya', loggedIn);
});

afterAll(async () => {
  await client.close();
  await lab.close();
});

type Options = NonNullable<Parameters<Client['scrape']>[1]>;

const logIn = (name: string, options: Options = {}): ReturnType<Client['scrape']> =>
  client.scrape(`${lab.origin}/login`, {
    ...options,
    profile: { name, ...options.profile },
    actions: [
      { type: 'fill', selector: '[name=name]', text: 'maya' },
      { type: 'fill', selector: '[name=password]', text: lab.password },
      { type: 'click', selector: 'button' },
      { type: 'wait', selector: 'h1:has-text("Boats")' },
    ],
  });

const keys = async (): Promise<string[]> => {
  const found: string[] = [];
  for await (const key of store.list('profiles/')) found.push(key);
  return found;
};

describe('a profile', { timeout: 60_000 }, () => {
  test('is logged in by actions once, and the next scrape is a member', async () => {
    await store.delete('profiles/maya');
    const login = await logIn('maya');
    expect(login.metadata).toMatchObject({ url: members, statusCode: 200 });
    const { markdown, metadata } = await client.scrape(members, { profile: { name: 'maya' } });
    expect(markdown).toContain('The coxed four is free on Tuesday evenings');
    expect(metadata).toMatchObject({ engine: 'browser', url: members });
    expect(metadata.engineReason).toBe('profile needs profile');
    expect(await keys()).toEqual(['profiles/maya']);
  });

  test('keeps cookies, localStorage and IndexedDB', async () => {
    const options = { profile: { name: 'maya' }, onlyMainContent: false };
    expect((await client.scrape(members, options)).markdown).toMatch(/^2 2$/m);
    expect((await client.scrape(members, options)).markdown).toMatch(/^3 3$/m);
  });

  test('is nobody else: not another name, not a scrape without one, not another client', async () => {
    await using stranger = createClient({ network });
    for (const page of [
      await client.scrape(members, { engine: 'browser' }),
      await client.scrape(members, { profile: { name: 'ines' } }),
      await stranger.scrape(members, { profile: { name: 'maya' } }),
    ]) {
      expect(page.metadata.url).toMatch(/\/login\?next=/);
      expect(page.markdown).toContain('Sign in');
    }
  });

  rareTest('goes on in another client on the same storage', async () => {
    await using later = createClient({ network, storage: store });
    const { markdown } = await later.scrape(members, { profile: { name: 'maya' } });
    expect(markdown).toContain('Boats for members');
  });

  test('does not keep the Cookie header of a caller', async () => {
    const page = await client.scrape(members, {
      profile: { name: 'maya' },
      headers: { cookie: 'caller=secret' },
    });
    expect(page.markdown).toContain('Boats for members');
    const { storageState } = await new Profiles(store).open({ name: 'maya' });
    expect(storageState?.cookies.map(({ name }) => name)).not.toContain('caller');
  });

  rareTest('with saveChanges: false is used and not changed', async () => {
    await client.scrape(members, { profile: { name: 'ines', saveChanges: false } });
    expect(await keys()).toEqual(['profiles/maya']);
    const { markdown } = await client.scrape(members, {
      profile: { name: 'maya', saveChanges: false },
      onlyMainContent: false,
    });
    expect(markdown).toMatch(/^2 2$/m);
    expect(await store.get('profiles/maya')).toEqual(loggedIn);
  });

  test('with zeroDataRetention is used, and nothing at all is written', async () => {
    await client.scrape(members, { profile: { name: 'ines' }, zeroDataRetention: true });
    expect(await keys()).toEqual(['profiles/maya']);
    const { markdown } = await client.scrape(members, {
      profile: { name: 'maya', saveChanges: true },
      zeroDataRetention: true,
    });
    expect(markdown).toContain('Boats for members');
    expect(await store.get('profiles/maya')).toEqual(loggedIn);
  });

  rareTest(
    'whose session has expired is an error that says what to do, and no document',
    async () => {
      lab.expire();
      for (const path of ['/members', '/inbox', '/api']) {
        const call = client.scrape(lab.origin + path, { profile: { name: 'maya' } });
        await expect(call).rejects.toMatchObject({
          code: 'BLOCKED_BY_SITE',
          message: expect.stringMatching(
            /profile "maya" is no longer logged in.*Log in again/,
          ) as string,
        });
      }
      expect(await store.get('profiles/maya')).toEqual(loggedIn);
      // Nothing stands in the way of a new login.
      await logIn('maya');
      loggedIn = (await store.get('profiles/maya')) ?? Buffer.of();
      const { markdown } = await client.scrape(members, { profile: { name: 'maya' } });
      expect(markdown).toContain('Boats for members');
    },
  );

  rareTest('serves a batch, page beside page', async () => {
    const urls = ['/members?a', '/members?b', '/members?c'].map((path) => lab.origin + path);
    const { data } = await client.batchScrape(urls, { profile: { name: 'maya' } });
    expect(data.map(({ metadata }) => metadata.url)).toEqual(urls);
    for (const { markdown } of data) expect(markdown).toContain('Boats for members');
  });

  test('that is damaged is STORAGE, without any of its content', async () => {
    await store.set('profiles/maya', Buffer.from('{"cookies": "session-1"'));
    const call = client.scrape(members, { profile: { name: 'maya' }, retries: 0 });
    await expect(call).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.not.stringContaining('session-1') as string,
    });
  });

  test.each([{ name: '' }, { name: 'x'.repeat(201) }, {}, { name: 'a', save: true }])(
    '%j is refused',
    async (profile) => {
      const call = client.scrape(members, { profile: profile as { name: string } });
      await expect(call).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    },
  );
});
