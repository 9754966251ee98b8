/** The stream in which workers report the visits of one job. Anyone who can write to Redis can write to it. */
import type { FleetConnection } from './redis-connections.ts';
import { runScript, scriptOf } from './redis-script.ts';

const bounds = {
  reason: 1000, // characters of the reason why a worker does not visit a page
  entries: 200, // read at a time
  bytes: 2 ** 20, // read at a time
  fields: 6, // of an entry, and their values
};

/** Bytes of packed facts that are sent; larger ones are read from the store. */
export const mostFacts = 65_536;

/** Bytes of one entry: larger entries are not from workers. */
const mostEntryBytes = mostFacts + 4096;

/** An entry of the stream. */
export interface ResultEntry {
  readonly id: string;
  /** The hash of the URL. */
  readonly url: string;
  /** Of the stored visit, packed. */
  readonly facts: Uint8Array | undefined;
  /** Of a visit that is stored. */
  readonly signature: Uint8Array | undefined;
  /** The reason that no worker can visit the page. A worker that cannot read the job has no key to sign it. */
  readonly refusal: string | undefined;
}

/** The fields of an entry for a visit that is stored. */
export function visitFields(
  url: string,
  signature: Uint8Array,
  facts: Uint8Array | undefined,
): (string | Uint8Array)[] {
  return ['u', url, 's', signature, ...(facts === undefined ? [] : ['f', facts])];
}

/** The fields of an entry for a page that no worker can visit. */
export function refusalFields(url: string, reason: string): string[] {
  return ['u', url, 'e', shortened(reason)];
}

/** Reads the entries after the id `last`; also returns the id to continue from. */
export async function readResults(
  { sendForBytes }: FleetConnection,
  key: string,
  last: string,
): Promise<{ readonly last: string; readonly entries: readonly ResultEntry[] }> {
  const limits = [bounds.entries, mostEntryBytes, bounds.bytes, 2 * bounds.fields];
  const reply = await runScript(sendForBytes, read, [key], [last, ...limits]);
  const [end, entries] = reply as [Buffer, [Buffer, Buffer[]][]];
  return { last: end.toString(), entries: entries.map(([id, fields]) => entryOf(id, fields)) };
}

/**
 * Redis has no limit for the bytes of a reply: a script leaves out entries that are larger than any from a worker.
 * ARGV: the id to begin after, entries, bytes of an entry, bytes of all, parts of an entry.
 */
const read = scriptOf(`
local last, most, mostEntry, mostAll, mostParts = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local found, size = {}, 0
repeat
  local entries = redis.call('XRANGE', KEYS[1], '(' .. last, '+', 'COUNT', 20)
  for _, entry in ipairs(entries) do
    local bytes = 0
    for _, part in ipairs(entry[2]) do bytes = bytes + #part end
    if bytes <= mostEntry and #entry[2] <= mostParts then
      if size + bytes > mostAll or #found >= most then return { last, found } end
      found[#found + 1] = entry
      size = size + bytes
    end
    last = entry[1]
  end
until #entries < 20
return { last, found }
`);

function entryOf(id: Buffer, parts: readonly Buffer[]): ResultEntry {
  const fields = new Map<string, Buffer | undefined>();
  for (let at = 0; at < parts.length; at += 2) fields.set(String(parts[at]), parts[at + 1]);
  const refusal = fields.get('e');
  return {
    id: id.toString(),
    url: String(fields.get('u') ?? ''),
    facts: fields.get('f'),
    signature: fields.get('s'),
    refusal: refusal && shortened(refusal.toString()),
  };
}

/** One line without control and format characters: it becomes part of an error. */
function shortened(text: string): string {
  return text
    .slice(0, bounds.reason)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
}
