/** Recorded answers by what was asked: the first request gets the first, the second the second. */
import { exhaustedExchange, missingExchange } from './missing-exchange.ts';
import { type RecordedRequest, requestKey } from './recorded-request.ts';

/** How answers are found. */
export interface SequencesSettings<Answer> {
  /** Path of the recording, for messages. */
  readonly recording: string;
  /** Lower-case names of request headers that count. */
  readonly matchHeaders: readonly string[];
  /** True for a last answer that is given again. */
  readonly repeats: (last: Answer) => boolean;
}

interface Sequence<Answer> {
  readonly request: RecordedRequest;
  readonly answers: Answer[];
  next: number;
}

/** The answers of one recording. */
export class AnswerSequences<Answer> {
  readonly #settings: SequencesSettings<Answer>;
  readonly #sequences = new Map<string, Sequence<Answer>>();

  constructor(settings: SequencesSettings<Answer>) {
    this.#settings = settings;
  }

  /** To be called in the order of the requests. */
  add(request: RecordedRequest, answer: Answer): void {
    const key = requestKey(request, this.#settings.matchHeaders);
    const sequence = this.#sequences.get(key) ?? { request, answers: [], next: 0 };
    this.#sequences.set(key, sequence);
    sequence.answers.push(answer);
  }

  /** The next answer; throws `CACHE_MISS` when there is none. */
  take(asked: RecordedRequest): Answer {
    const { recording, matchHeaders, repeats } = this.#settings;
    const sequence = this.#sequences.get(requestKey(asked, matchHeaders));
    const last = sequence?.answers.at(-1);
    if (sequence === undefined || last === undefined) {
      const recorded = [...this.#sequences.values()].map(({ request }) => request);
      throw missingExchange({ recording, asked, recorded, matchHeaders });
    }
    const next = sequence.answers[sequence.next];
    if (next !== undefined) {
      sequence.next += 1;
      return next;
    }
    if (repeats(last)) return last;
    throw exhaustedExchange(recording, asked, sequence.answers.length);
  }

  /** The requests whose answers were not taken, as often as that. */
  unused(): { engine: string; url: string }[] {
    return [...this.#sequences.values()].flatMap(({ request: { engine, url }, answers, next }) =>
      answers.slice(next).map(() => ({ engine, url })),
    );
  }
}
