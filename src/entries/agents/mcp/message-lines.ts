/** The messages on stdin, a line each: one that is too long is answered with an error and left out. */
import { Transform } from 'node:stream';

/** Bytes of a message at most. */
export const longestMessage = 10_000_000;

const edge = 300; // bytes of a skipped message that are searched for its id: first or last
const invalidRequest = -32_600; // code of an invalid request in JSON-RPC 2.0, section 5.1

/** Passes whole lines on. `refuse` gets the answer to a line that is too long, as soon as the line ends. */
export function messageLines(
  refuse: (answer: string) => void,
  longest: number = longestMessage,
): Transform {
  let parts: Buffer[] = [];
  let length = 0;
  let [head, tail]: Buffer[] = [];

  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= longest) {
      parts.push(part);
      return;
    }
    head ??= Buffer.concat([...parts, part]).subarray(0, edge);
    tail = Buffer.concat([tail ?? Buffer.concat(parts).subarray(-edge), part.subarray(-edge)]);
    tail = Buffer.from(tail.subarray(-edge));
    parts = [];
  };
  const end = (stream: Transform): void => {
    if (head === undefined) stream.push(Buffer.concat(parts));
    else refuse(refusal(idIn(head.toString(), tail?.toString() ?? ''), length, longest));
    parts = [];
    length = 0;
    head = tail = undefined;
  };

  return new Transform({
    transform(chunk: Buffer, _, done) {
      let start = 0;
      for (;;) {
        const newline = chunk.indexOf(10, start);
        if (newline < 0) break;
        add(chunk.subarray(start, newline + 1));
        end(this);
        start = newline + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
      done();
    },
    flush(done) {
      if (length > 0) end(this);
      done();
    },
  });
}

function refusal(id: unknown, length: number, longest: number): string {
  const message = `The message has ${length} bytes; ${longest} are allowed.`;
  return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: invalidRequest, message } })}\n`;
}

/** Null where it is neither before nor after the other members. */
function idIn(head: string, tail: string): unknown {
  const value = /("(?:[^"\\]|\\.){0,100}"|-?\d{1,20})/.source;
  const first = new RegExp(
    `^\\s*\\{\\s*(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?"id"\\s*:\\s*${value}`,
  );
  const last = new RegExp(
    `"id"\\s*:\\s*${value}\\s*(?:,\\s*"jsonrpc"\\s*:\\s*"2\\.0"\\s*)?\\}\\s*$`,
  );
  const found = (first.exec(head) ?? last.exec(tail))?.[1];
  try {
    return found === undefined ? null : JSON.parse(found);
  } catch {
    return null;
  }
}
