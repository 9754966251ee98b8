/** What of a caller's secrets lies in stores and files, and what a resumed job is asked for again. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, fileStore, memoryStore, type Store } from '../../src/index.ts';
import { sqliteStore } from '../../src/entries/storage/index.ts';
import { packState, unpackState } from '../../src/browser/chromium/profiles.ts';
import { documentOf } from '../../src/core/jobs/durable/stored-value.ts';
import { type OpenVault, vaultOf } from '../../src/core/storage/vault.ts';
import { openRecording } from '../../src/entries/testing/index.ts';
import { runScenarios } from './run-scenarios.ts';
import { rare, type Routes, type Scenario, type Scene } from './scenario.ts';
import { secret } from './secret.ts';

const key = 'a key of this client, of some length';
const site: Routes = { '/': '<p>Start</p>', '/slow': { body: '<p>Slow</p>', delay: 1500 } };

const clientOf = (storage: Store, secretOfClient?: string): Client =>
  createClient({
    storage,
    cache: false,
    network: { allow: ['127.0.0.1'] },
    secret: secretOfClient,
    logger: { warn: () => undefined },
  });

/** How many keys and values have the secret, packed ones unpacked. */
async function leaksIn(storage: Store): Promise<number> {
  let leaks = 0;
  for await (const name of storage.list('')) {
    const value = (await storage.get(name)) ?? new Uint8Array();
    const texts = [name, Buffer.from(value).toString('latin1')];
    try {
      texts.push(JSON.stringify(documentOf(value)));
    } catch {
      // It is none.
    }
    if (texts.some((text) => text.includes(secret))) leaks += 1;
  }
  return leaks;
}

/** A batch that its client left at once; its options have a secret. */
async function leave(
  scene: Scene,
  storage: Store,
  { options = {}, user = '', key: sealing }: Left,
): Promise<string> {
  const client = clientOf(storage, sealing);
  const urls = [scene.site.url('/'), scene.site.url('/slow').replace('//', `//${user}`)];
  const job = client.batchScrape(urls, { maxConcurrency: 1, ...options });
  for await (const _ of job) break;
  await client.close();
  return job.id;
}

interface Left {
  readonly options?: object;
  /** `ann:password@` */
  readonly user?: string;
  readonly key?: string | undefined;
}

async function outcome(work: PromiseLike<{ status: string }>): Promise<string> {
  try {
    const { status } = await work;
    return status;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message.split(':')[1]?.trim() ?? ''}${/createClient\(\{ secret \}\)/.test(message) ? ', or a key' : ''}`;
  }
}

const resumed = (client: Client, id: string, options: object = {}): Promise<string> =>
  outcome(client.jobs.resume(id, options));

/** One secret among the options of a job: where it is, and the option that a resumed job names. */
function kept(name: string, options: object, option: string): Scenario[] {
  return [
    {
      name: `${name}: not stored without a key, and asked for again by its option`,
      site,
      act: async (scene) => {
        const storage = memoryStore();
        const id = await leave(scene, storage, { options });
        await using client = clientOf(storage);
        return {
          leaks: await leaksIn(storage),
          without: await resumed(client, id),
          again: await resumed(client, id, options),
        };
      },
      expect: {
        value: { leaks: 0, without: `BAD_REQUEST ${option}, or a key`, again: 'completed' },
      },
    },
    {
      name: `${name}: sealed with a key, and opened by no other`,
      site,
      act: async (scene) => {
        const storage = memoryStore();
        const id = await leave(scene, storage, { options, key });
        await using other = clientOf(storage, 'a key of somebody else, as long');
        await using none = clientOf(storage);
        await using same = clientOf(storage, key);
        return {
          leaks: await leaksIn(storage),
          other: await resumed(other, id),
          none: await resumed(none, id),
          same: await resumed(same, id),
        };
      },
      expect: {
        value: {
          leaks: 0,
          other: `BAD_REQUEST ${option}, or a key`,
          none: `BAD_REQUEST ${option}, or a key`,
          same: 'completed',
        },
      },
    },
  ];
}

const headers = (name: string, value = secret): object => ({ headers: { [name]: value } });

/** What is no URL, or none that can be fetched, with a password in it. */
const malformed = [
  `http://ann:${secret}@@exa mple/`,
  `http://ann:${secret}@host:99999/`,
  `http://ann:pa/${secret}@host name/`,
  `http://ann:${secret}/x@127.0.0.1/`,
  `http://ann:${secret}?x@127.0.0.1/`,
  `http://ann:${secret}#x@127.0.0.1/`,
  `http://ann:${secret}\\x@127.0.0.1/`,
  `http://${secret}:x@@[::1/`,
  `http:ann:${secret}@exa mple`,
  `http:/\\ann:${secret}@exa mple/`,
  `ann:${secret}@exa mple`,
  `ann:${secret}/x@exa mple`,
  `//ann:${secret}@exa mple/`,
  `ftp://ann:${secret}/x@host/`,
  `ftp://ann:${secret}@@host/`,
  ` \thttp://ann:${secret}@..host/`,
];

/** Modes of all that is below a folder, the folder itself left out; files, then folders. */
async function modesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const modes = await Promise.all(
    entries.map(async (entry) => {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      return `${entry.isDirectory() ? 'folder' : 'file'} ${(mode & 0o777).toString(8)}`;
    }),
  );
  return [...new Set(modes)].sort();
}

async function temporary(scene: Scene): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pagewright-modes-'));
  scene.defer(() => rm(folder, { recursive: true }));
  return folder;
}

const state = {
  cookies: [
    {
      name: 'sid',
      value: secret,
      domain: '127.0.0.1',
      path: '/',
      expires: -1,
      httpOnly: true,
      secure: false,
      sameSite: 'Lax' as const,
    },
  ],
  origins: [],
};

runScenarios([
  ...['Authorization', 'X-Own'].flatMap((name) =>
    kept(`the header ${name}`, headers(name), 'headers'),
  ),
  ...['Cookie', 'X-Api-Key', 'X-Auth-Token', 'Referer'].flatMap((name) =>
    kept(`the header ${name}`, headers(name), 'headers').map(rare),
  ),
  ...kept(
    'the text of fill',
    { actions: [{ type: 'fill', selector: 'input', text: secret }] },
    'actions',
  )
    .map(withoutBrowser)
    .map((scenario, at) => (at === 0 ? rare(scenario) : scenario)),
  ...kept('the text of write', { actions: [{ type: 'write', text: secret }] }, 'actions')
    .map(withoutBrowser)
    .map(rare),
  ...kept(
    'a token in the query of a webhook',
    { webhook: `http://127.0.0.1:2/h?t=${secret}` },
    'webhook',
  ),
  ...kept(
    'a token in the path of a webhook',
    { webhook: { url: `http://127.0.0.1:2/services/T0${secret}a1b2c3d4e5f6g7h8` } },
    'webhook',
  ),
  ...kept(
    'the secret of a webhook',
    { webhook: { url: 'http://127.0.0.1:2/h', secret } },
    'webhook',
  ),
  ...kept(
    'a header of a webhook',
    { webhook: { url: 'http://127.0.0.1:2/h', ...headers('Authorization') } },
    'webhook',
  ),
  {
    name: 'passwords in the URLs of a batch: not stored without a key, and asked for again',
    site,
    act: async (scene) => {
      const storage = memoryStore();
      const user = `ann:${secret}@`;
      const id = await leave(scene, storage, { user });
      await using client = clientOf(storage);
      const without = await resumed(client, id);
      const urls = [scene.site.url('/slow').replace('//', `//${user}`)];
      const again = await resumed(client, id, { urls });
      return { leaks: await leaksIn(storage), without, again };
    },
    expect: { value: { leaks: 0, without: 'BAD_REQUEST urls, or a key', again: 'completed' } },
  },
  {
    name: 'passwords in the URLs of a batch: sealed with a key, and sent again',
    site,
    act: async (scene) => {
      const storage = memoryStore();
      const id = await leave(scene, storage, { user: `ann:${secret}@`, key });
      await using client = clientOf(storage, key);
      const end = await resumed(client, id);
      const basic = `Basic ${Buffer.from(`ann:${secret}`).toString('base64')}`;
      const last = scene.site.log.findLast(({ url }) => url === '/slow');
      return [await leaksIn(storage), end, last?.headers['authorization'] === basic];
    },
    expect: { value: [0, 'completed', true] },
  },
  {
    name: 'a job is not resumed as somebody else, unless the secret was renewed',
    site,
    act: async (scene) => {
      const storage = memoryStore();
      const id = await leave(scene, storage, { options: headers('Cookie') });
      await using client = clientOf(storage);
      const other = headers('Cookie', 'session=of-somebody-else');
      return [
        await resumed(client, id, other),
        await resumed(client, id, { ...other, renewedCredentials: true }),
      ];
    },
    expect: { value: ['BAD_REQUEST headers', 'completed'] },
  },
  {
    name: 'a sealed value cannot be changed, moved to another job, or opened with another key',
    act: async () => {
      const vault = await vaultOf(key)();
      const other = await vaultOf('a key of somebody else, as long')();
      const sealed = vault.seal(secret, 'job 1');
      const opened = Array.from(sealed, (letter, index) => {
        const other = letter === 'A' ? 'B' : 'A';
        return vault.open(sealed.slice(0, index) + other + sealed.slice(index + 1), 'job 1');
      });
      return {
        own: vault.open(sealed, 'job 1') === secret,
        // The last letter of base64 may have bits that nothing is made of.
        changed: opened.slice(0, -3).filter((text) => text !== undefined).length,
        cut: [0, 1, 10, 29, sealed.length - 8].filter(
          (length) => vault.open(sealed.slice(0, length), 'job 1') !== undefined,
        ).length,
        moved: vault.open(sealed, 'job 2'),
        other: other.open(sealed, 'job 1'),
        twice: vault.seal(secret, 'job 1') === sealed,
      };
    },
    expect: {
      value: { own: true, changed: 0, cut: 0, moved: undefined, other: undefined, twice: false },
    },
  },
  {
    name: 'a profile is sealed with a key, under its own name',
    act: async () => {
      const vault = await vaultOf(key)();
      const bytes = packState(state, 'profiles/ann', vault);
      const { cookies } = unpackState(bytes, 'profiles/ann', vault);
      return [Buffer.from(bytes).includes(secret), cookies[0]?.value === secret];
    },
    expect: { value: [false, true] },
  },
  ...[
    ['without a key', undefined],
    ['with another key', vaultOf('a key of somebody else, as long')],
  ].map(([how, vault]): Scenario => ({
    name: `a sealed profile is not opened ${how as string}`,
    act: async () => {
      const bytes = packState(state, 'profiles/ann', await vaultOf(key)());
      return unpackState(bytes, 'profiles/ann', await (vault as OpenVault | undefined)?.());
    },
    expect: { code: 'STORAGE', message: /createClient\(\{ secret \}\)/ },
  })),
  {
    name: 'a key that is too short is refused, and not repeated',
    act: () => createClient({ secret: secret.slice(0, 8) }),
    expect: { code: 'BAD_REQUEST', message: /secret: expected a string of at least 16 characters/ },
  },
  {
    name: 'files and folders of a file store are for their owner only',
    site,
    act: async (scene) => {
      const folder = await temporary(scene);
      await leave(scene, fileStore(join(folder, 'store')), {});
      return modesBelow(folder);
    },
    expect: { value: ['file 600', 'folder 700'] },
  },
  {
    name: 'the files of SQLite are for their owner only, also while it is open',
    site,
    act: async (scene) => {
      const folder = await temporary(scene);
      const storage = sqliteStore({ file: join(folder, 'state', 'store.db') });
      await storage.set('a', new Uint8Array(3));
      const files = (await readdir(join(folder, 'state'))).length;
      const modes = await modesBelow(folder);
      await storage.dispose?.();
      return [files > 1, modes];
    },
    expect: { value: [true, ['file 600', 'folder 700']] },
  },
  ...['run.jsonl', 'run.warc'].map((file): Scenario => ({
    name: `the recording ${file} has no secret, and is for its owner only`,
    site,
    act: async (scene) => {
      const folder = await temporary(scene);
      const path = join(folder, file);
      const names = [
        'Authorization',
        'Cookie',
        'X-Api-Key',
        'X-Auth-Token',
        'X-Access-Token',
        'Api-Key',
      ];
      {
        await using recording = await openRecording(path);
        await using client = createClient({
          engines: recording.engines,
          network: { allow: ['127.0.0.1'] },
        });
        const sent = Object.fromEntries(names.map((name) => [name, secret]));
        await client.scrape(scene.site.url('/'), { headers: sent });
        await client.scrape(scene.site.url('/').replace('//', `//ann:${secret}@`));
      }
      const { readFile } = await import('node:fs/promises');
      const bytes = await readFile(path);
      return [bytes.length > 100, bytes.includes(secret), await modesBelow(folder)];
    },
    expect: { value: [true, false, ['file 600']] },
  })),
  ...malformed.map((url): Scenario => ({
    name: `nothing of the password is in the error for ${JSON.stringify(url.replaceAll(secret, 'word'))}`,
    act: ({ client }) => client.scrape(url, { retries: 0 }),
    expect: /^(?:ftp|ann):/.test(url)
      ? { code: 'UNSUPPORTED_PROTOCOL', message: /Use an http: or https: URL/ }
      : { code: 'INVALID_URL', message: /is not a URL: / },
  })),
  {
    name: 'nothing of the password is among the invalid URLs of a batch or an extraction',
    site,
    act: async (scene) => {
      const storage = memoryStore();
      await using client = clientOf(storage);
      const batch = client.batchScrape([...malformed, scene.site.url('/')]);
      await batch;
      const schema = { type: 'object', properties: { title: { type: 'string' } } };
      const extraction = client.extract({ urls: [...malformed, scene.site.url('/')], schema });
      await Promise.allSettled([extraction]);
      return {
        batch: batch.invalidURLs.length,
        leaks: [
          JSON.stringify(batch.invalidURLs),
          JSON.stringify(await client.jobs.get(batch.id).status()),
        ].filter((text) => text.includes(secret)).length,
        stored: await leaksIn(storage),
      };
    },
    expect: { value: { batch: malformed.length, leaks: 0, stored: 0 } },
  },
  ...[
    { headers: `Authorization: Bearer ${secret}` },
    { headers: [secret] },
    { headers: { Authorization: [secret] } },
    { actions: [{ type: 'fill', selector: 'input', text: [secret] }] },
    { actions: [{ type: 'write', text: { password: secret } }] },
  ].map((options, index): Scenario => ({
    name: `a secret in options of the wrong type is not in the error (${index + 1})`,
    act: ({ client, site: { url } }) => client.scrape(url('/'), options as never),
    expect: { code: 'BAD_REQUEST', message: /expected/ },
  })),
]);

/** The pages of these have no field to fill, which fails them and not their job. */
function withoutBrowser(scenario: Scenario): Scenario {
  return {
    ...scenario,
    site: {
      '/': '<p>Start</p><input autofocus>',
      '/slow': { body: '<input autofocus>', delay: 500 },
    },
  };
}
