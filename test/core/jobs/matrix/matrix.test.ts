/** Each scenario of a job, by each verb, in each place: the same expectations in every cell. */
import { type Client, createClient } from 'pagewright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from '../../../support/deep.ts';
import type { Cell, Whole } from './cell.ts';
import * as one from './one-client.ts';
import { placeNames, type Place, type PlaceName, Places } from './places.ts';
import * as several from './several-clients.ts';
import { JobSite } from './site.ts';
import { eventsOf, type JobOptions, outcomeOf, type Verb, verbs } from './verbs.ts';

type VerbName = Verb['name'];

/** Why a cell does not exist, and what says so. */
interface Absence {
  readonly why: string;
  readonly shows: (cell: Cell) => Promise<void>;
}

interface Scenario {
  readonly name: string;
  readonly run: (cell: Cell) => Promise<void>;
  readonly absent?: Partial<Record<VerbName | PlaceName, Absence>>;
  /** True where the place has the most part in it: else all but memory and files are rare cases. */
  readonly everywhere?: true;
}

const unknownElsewhere: Absence = {
  why: 'only its client knows a job without a store',
  shows: several.isUnknownElsewhere,
};
const notResumed: Absence = { why: 'an extraction is not resumed', shows: several.isNotResumed };
const noPages: Absence = {
  why: 'an extraction has no documents',
  shows: async ({ verb, place, site }) => {
    const job = verb.start(place.client(), site);
    expect(Symbol.asyncIterator in job || 'explain' in job).toBe(false);
    await job;
  },
};
const elsewhere = { memory: unknownElsewhere, extract: notResumed } as const;

/** Of a verb without the option. */
function lacks(option: string, value: unknown): Absence {
  const start = {
    batchScrape: (client, site, given) => client.batchScrape([site.url('/')], given),
    extract: (client, site, given) =>
      client.extract({ urls: [site.url('/')], schema: {}, ...given }),
    crawl: (client, site, given) => client.crawl(site.url('/'), given),
  } satisfies Record<VerbName, (client: Client, site: JobSite, given: object) => unknown>;
  return {
    why: `it has no option ${option}`,
    shows: ({ verb, place, site }) => {
      const refused = (): unknown => start[verb.name](place.client(), site, { [option]: value });
      expect(refused).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }) as Error);
      expect(refused).toThrow(option);
      return Promise.resolve();
    },
  };
}

/** Of a verb to which nothing can be added. */
const notAddedTo: Absence = {
  why: 'it is not given a list that grows',
  shows: async ({ verb, place, site }) => {
    const job = verb.start(place.client(), site);
    expect('add' in job).toBe(false);
    await job;
  },
};

const table: readonly Scenario[] = [
  {
    name: 'gives the same documents, numbers and events at any speed',
    run: one.sameAtAnySpeed,
    everywhere: true,
  },
  {
    name: 'gives all documents to each loop, and tells of each URL',
    run: one.loopsAndStatus,
    absent: { extract: noPages },
  },
  {
    name: 'keeps its limit exactly',
    run: one.exactLimit,
    absent: { batchScrape: lacks('limit', 3) },
  },
  { name: 'ends with its budget at the same page at any speed', run: one.countedBudget },
  { name: 'ends with its seconds, with what it has', run: one.secondsOfBudget },
  {
    name: 'fails as a whole',
    run: one.failsAsAWhole,
    absent: {
      batchScrape: {
        why: 'pages that fail are its data',
        shows: async ({ verb, place, site }) => {
          for (const path of verb.expected.pages) site.failing.add(path);
          const outcome = await outcomeOf(verb.start(place.client(), site), site);
          expect(outcome).toMatchObject({ status: 'completed', success: true, pages: [] });
          expect(outcome.failures).toHaveLength(15);
          expect(await place.client().batchScrape([])).toMatchObject({ status: 'completed' });
        },
      },
    },
  },
  { name: 'tells its webhook each page in its order', run: one.webhookEvents },
  {
    name: 'asks the hooks of its client',
    run: one.hooksOfTheClient,
    absent: { extract: noPages },
  },
  { name: 'is cancelled, with what it has', run: one.cancelled },
  {
    name: 'is cancelled where its only loop is left',
    run: one.leftByItsLoop,
    absent: { extract: noPages },
  },
  { name: 'ends with its client, and says so', run: one.closedWithItsClient },
  {
    name: 'forgets documents that were read',
    run: one.forgottenDocuments,
    absent: { extract: lacks('keepDocuments', false) },
  },
  { name: 'leaves nothing with zeroDataRetention', run: one.nothingRetained },
  { name: 'expires', run: one.expired },
  {
    name: 'takes URLs that are added',
    run: one.addedTo,
    absent: { crawl: notAddedTo, extract: notAddedTo },
  },
  {
    name: 'goes on in another client, with the same end',
    run: several.resumed,
    absent: elsewhere,
    everywhere: true,
  },
  {
    name: 'is followed from another client',
    run: several.followed,
    absent: elsewhere,
  },
  {
    name: 'is cancelled by one that follows it',
    run: several.cancelledByAReader,
    absent: elsewhere,
  },
  {
    name: 'that nobody runs is cancelled when it is resumed',
    run: several.cancelledWhileLeft,
    absent: elsewhere,
  },
  {
    name: 'that its signal ends is so for those who follow it',
    run: several.abortedForItsReaders,
    absent: elsewhere,
  },
  {
    name: 'is resumed by one of two',
    run: several.onceResumed,
    absent: elsewhere,
  },
  { name: 'retries its failed pages', run: several.retried, absent: elsewhere, everywhere: true },
  { name: 'is removed', run: several.removed, absent: elsewhere },
  {
    name: 'is run again for what changed',
    run: several.crawledAgain,
    absent: {
      batchScrape: lacks('since', 'a job'),
      extract: lacks('since', 'a job'),
      memory: {
        why: 'earlier crawls are in a store',
        shows: ({ verb, place, site }) => {
          expect(() => verb.start(place.client(), site, { since: 'a job' })).toThrow(
            /createClient\(\{ storage \}\), or memoryStore\(\) for this process alone/,
          );
          return Promise.resolve();
        },
      },
    },
  },
];

let places: Places;
beforeAll(async () => {
  places = await Places.start();
});
afterAll(() => places[Symbol.asyncDispose]());

const wholes = new Map<string, Promise<Whole>>();

/** What the verb gives in memory, which is found out once. */
function wholeOf(verb: Verb, options: JobOptions = {}, isHealed = false): Promise<Whole> {
  const key = JSON.stringify([verb.name, options, isHealed]);
  const whole = wholes.get(key) ?? inMemory(verb, options, isHealed);
  wholes.set(key, whole);
  return whole;
}

async function inMemory(verb: Verb, options: JobOptions, isHealed: boolean): Promise<Whole> {
  await using site = await JobSite.open();
  if (isHealed) site.failing.clear();
  await using client = createClient({ cache: false, network: { allow: ['127.0.0.1'] } });
  const job = verb.start(client, site, options);
  const events = eventsOf(job, site);
  const outcome = await outcomeOf(job, site);
  return { outcome, events };
}

async function cellOf(verb: Verb, place: Place, site: JobSite): Promise<Cell> {
  return {
    verb,
    place,
    site,
    whole: await wholeOf(verb),
    inMemory: async (...given) => (await wholeOf(verb, ...given)).outcome,
  };
}

for (const { name, run, absent = {}, everywhere = false } of table) {
  describe(`a job ${name}`, () => {
    for (const verb of Object.values(verbs)) {
      for (const place of placeNames) {
        const absence = absent[verb.name] ?? absent[place];
        const cell = `${verb.name} in ${place}${absence === undefined ? '' : `: absent, ${absence.why}`}`;
        const isRare = !everywhere && place !== 'memory' && place !== 'files';
        test.runIf(!isRare || isDeep(`${name} ${cell}`))(cell, { timeout: 90_000 }, async () => {
          await using opened = await places.open(place);
          await using site = await JobSite.open();
          await (absence?.shows ?? run)(await cellOf(verb, opened, site));
        });
      }
    }
  });
}
