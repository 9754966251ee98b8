import { expect, test } from 'vitest';
import { sentencesOf } from '../../../src/content/text/sentences.ts';

test.each<[what: string, text: string, sentences: string[]]>([
  ['marks', 'One. Two! Three? Four', ['One.', 'Two!', 'Three?', 'Four']],
  [
    'quotes and brackets',
    'He said "No." Then (she too!) left.',
    ['He said "No."', 'Then (she too!) left.'],
  ],
  [
    'titles and initials',
    'Dr. Hill met J. R. Carrick. They left.',
    ['Dr. Hill met J. R. Carrick.', 'They left.'],
  ],
  [
    'abbreviations',
    'The U.S. survey, e.g. Fig. 3, ended. So be it.',
    ['The U.S. survey, e.g. Fig. 3, ended.', 'So be it.'],
  ],
  [
    'dates in German',
    'Am 3. Mai kam z. B. Dr. Hill. Er blieb.',
    ['Am 3. Mai kam z. B. Dr. Hill.', 'Er blieb.'],
  ],
  [
    'numbers and URLs',
    'See http://a.test/b?c=1.5&d for 2.5 metres. Done.',
    ['See http://a.test/b?c=1.5&d for 2.5 metres.', 'Done.'],
  ],
  ['Chinese', '潮起。潮落！为什么？因为月亮。', ['潮起。', '潮落！', '为什么？', '因为月亮。']],
  [
    'Hindi and Arabic',
    'यह एक है। वह दो है। هل هذا صحيح؟ نعم.',
    ['यह एक है।', 'वह दो है।', 'هل هذا صحيح؟', 'نعم.'],
  ],
  [
    'lines',
    'A line\nthat goes on. Next.\n\nAfter a gap',
    ['A line\nthat goes on.', 'Next.', 'After a gap'],
  ],
  ['marks of markdown', '*All of it.* **More.** End.', ['*All of it.*', '**More.**', 'End.']],
])('%s', (_, text, sentences) => {
  const found = sentencesOf(text);
  expect(found.join('')).toBe(text);
  expect(found.map((sentence) => sentence.trim())).toEqual(sentences);
});

test('no text has no sentences', () => {
  expect(sentencesOf('')).toEqual([]);
});

test('a text that is longer than what is looked at at a time has the same sentences', () => {
  const sentences = [
    ...Array.from({ length: 400 }, (_, at) => `Sentence ${at} goes to the end of its line. `),
    `A ${'word '.repeat(5000)}ends. `,
    ...Array.from({ length: 400 }, () => '潮起潮落。'),
    `${'𠮷'.repeat(5000)}。`,
  ];
  expect(sentencesOf(sentences.join(''))).toEqual(sentences);
});

// Where the time grows with the square of the length, this takes minutes.
test('a paragraph of megabytes is cut into its sentences', { timeout: 20_000 }, () => {
  const sentence = 'The quick brown fox goes home to its family. ';
  expect(sentencesOf(sentence.repeat(50_000))).toHaveLength(50_000);
});
