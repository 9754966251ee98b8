/** What a reader finds in a recording, whatever its format. */
import type { HttpMessage } from '../warc/http-message.ts';
import type { RecordedExchange } from './recorded-exchange.ts';
import type { RecordedEngine } from './recording-format.ts';

/** One response of a web archive; a redirect is one of its own. */
export interface ArchivedResponse extends HttpMessage {
  readonly url: string;
}

/** One part of a recording. */
export type RecordingPart =
  | { readonly engine: RecordedEngine }
  | { readonly exchange: RecordedExchange }
  | { readonly archived: ArchivedResponse }
  | { readonly warning: string };
