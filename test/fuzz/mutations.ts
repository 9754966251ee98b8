/** Damage to valid input: what is nearly right reaches deeper into a parser than what is random. */
import fc from 'fast-check';

/** One change of a byte sequence. Places are parts of its length, so that they fit any. */
export type Mutation =
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'flip'; readonly at: number; readonly mask: number }
  | { readonly kind: 'remove' | 'repeat'; readonly at: number; readonly length: number }
  | { readonly kind: 'insert'; readonly at: number; readonly token: string };

const place: fc.Arbitrary<number> = fc.nat(9_999).map((number) => number / 10_000);

/** Up to `count` changes, with pieces to insert that matter to the format at hand. */
export function mutations(tokens: readonly string[], count = 6): fc.Arbitrary<readonly Mutation[]> {
  const length = fc.integer({ min: 1, max: 200 });
  const mutation: fc.Arbitrary<Mutation> = fc.oneof(
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut'), at: place }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('flip'),
        at: place,
        mask: fc.integer({ min: 1, max: 255 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('remove', 'repeat'), at: place, length }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('insert'),
        at: place,
        token: fc.constantFrom(...tokens),
      }),
    },
  );
  return fc.array(mutation, { maxLength: count });
}

/** Applies the changes in order. */
export function mutate(bytes: Uint8Array, changes: readonly Mutation[]): Buffer {
  return changes.reduce<Buffer>(mutateOnce, Buffer.from(bytes));
}

function mutateOnce(bytes: Buffer, change: Mutation): Buffer {
  const at = Math.floor(change.at * bytes.length);
  const head = bytes.subarray(0, at);
  const tail = bytes.subarray(at);
  switch (change.kind) {
    case 'cut':
      return head;
    case 'flip':
      return Buffer.concat([head, Buffer.of((tail[0] ?? 0) ^ change.mask), tail.subarray(1)]);
    case 'remove':
      return Buffer.concat([head, tail.subarray(change.length)]);
    case 'repeat':
      return Buffer.concat([head, tail.subarray(0, change.length), tail]);
    case 'insert':
      return Buffer.concat([head, Buffer.from(change.token), tail]);
  }
}

/** Text out of pieces, in any order and number. */
export function soup(tokens: readonly string[], maxLength = 30): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...tokens) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
  );
  return fc.array(piece, { maxLength }).map((pieces) => pieces.join(''));
}
