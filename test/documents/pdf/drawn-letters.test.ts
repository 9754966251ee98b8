/** Letters drawn twice or apart, form fields and typed notes, columns, monospaced pages. */
import { afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client.ts';
import { onePage, pdfOf, type PdfObject } from '../../support/pdf-file.ts';

const client = createClient();
afterAll(() => client.close());

const fonts = { fonts: '/F 5 0 R/B 6 0 R/M 7 0 R' };
const type1 = (name: string): string =>
  `<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`;

async function markdownOf(content: string, annotations: readonly string[] = []): Promise<string> {
  const refs = annotations.map((_, at) => `${8 + at} 0 R`).join(' ');
  const others: PdfObject[] = [type1('Helvetica-Bold'), type1('Courier'), ...annotations];
  const body = pdfOf(onePage(content, others, { ...fonts, page: `/Annots[${refs}]` }));
  const { markdown } = await client.parse(body, { url: 'https://harbour.test/a.pdf' });
  return markdown;
}

function at(x: number, y: number, text: string, font = 'F', size = 9, more = ''): string {
  const plain = text.replace(/[()\\]/g, '\\$&');
  return `BT ${more} /${font} ${size} Tf ${x} ${y} Td (${plain}) Tj 0 Tc ET\n`;
}

const text = at(20, 150, 'The keeper wrote this by the light of the lamp.');

describe('letters set apart', () => {
  test.each([
    ['a heading', at(20, 200, 'HARBOUR BOOK', 'F', 16, '4 Tc'), 'HARBOUR BOOK'],
    ['small letters', at(20, 200, 'the second year', 'F', 10, '3 Tc'), 'the second year'],
    [
      'letters of their own',
      [...'LANTERN'].map((one, n) => at(20 + n * 13, 200, one, 'F', 11)).join(''),
      'LANTERN',
    ],
    [
      'a word in a line',
      `${at(20, 200, 'It was', 'F', 10)}${at(55, 200, 'never', 'F', 10, '2.5 Tc')}`,
      'It was never',
    ],
    ['an alphabet', at(20, 200, 'A B C D E F G', 'F', 10), 'A B C D E F G'],
    [
      'marks of a table',
      [...'YNYYN'].map((one, n) => at(20 + n * 20, 200, one, 'F', 10)).join(''),
      'Y N Y Y N',
    ],
  ])('%s', async (_, drawn, words) => {
    expect((await markdownOf(drawn + text)).replace(/[|#*]+/g, '').replace(/\s+/g, ' ')).toContain(
      words,
    );
  });
});

describe('letters drawn twice', () => {
  const twice = (parts: readonly (readonly [number, string])[], shift: number): string =>
    parts.map(([x, one]) => at(x, 200, one, 'F', 12) + at(x + shift, 200, one, 'F', 12)).join('');
  test.each([
    ['a line', twice([[20, 'Storm warning']], 0.3), 'Storm warning'],
    ['at one position', twice([[20, 'Storm warning']], 0), 'Storm warning'],
    [
      'word by word',
      twice(
        [
          [20, 'Storm'],
          [58, 'warning'],
        ],
        0.4,
      ),
      'Storm warning',
    ],
    [
      'letter by letter',
      twice(
        [
          [20, 'S'],
          [29, 'T'],
          [38, 'O'],
          [48, 'R'],
          [58, 'M'],
        ],
        0.4,
      ),
      'STORM',
    ],
    ['a word that is there twice', at(20, 200, 'ding ding'), 'ding ding'],
  ])('%s', async (_, drawn, words) => {
    const markdown = await markdownOf(drawn + text);
    expect(markdown.replace(/[#*]+/g, '').trim().split(/\n/)[0]?.trim()).toBe(words);
  });
});

describe('annotations', () => {
  const field = (entries: string, y = 196): string =>
    `<</Type/Annot/Subtype/Widget/T(f)/Rect[90 ${y} 200 ${y + 14}]/F 4/DA(/F 9 Tf 0 g)${entries}>>`;
  test.each([
    ['a text field', field('/FT/Tx/V(Bergen)'), 'Port: Bergen'],
    ['lines of a field', field('/FT/Tx/Ff 4096/V(Quay 4\nBergen)/Rect[90 170 200 210]'), 'Quay 4'],
    ['a choice', field('/FT/Ch/Ff 131072/V(no)/Opt[[(se)(Sweden)][(no)(Norway)]]'), 'Norway'],
    ['a checked box', field('/FT/Btn/V/Yes/AS/Yes/AP<</N<</Yes 4 0 R/Off 4 0 R>>>>'), '☑'],
    ['an open box', field('/FT/Btn/V/Off/AS/Off/AP<</N<</Yes 4 0 R/Off 4 0 R>>>>'), '☐'],
    [
      'a typed note',
      '<</Type/Annot/Subtype/FreeText/Rect[90 90 250 120]/F 4/Contents(Mind the step)/DA(/F 9 Tf 0 g)>>',
      'Mind the step',
    ],
  ])('%s', async (_, annotation, words) => {
    expect(await markdownOf(at(20, 200, 'Port:') + text, [annotation])).toContain(words);
  });

  test.each([
    ['a password', field('/FT/Tx/Ff 8192/V(secret)')],
    ['a hidden field', field('/FT/Tx/V(secret)').replace('/F 4', '/F 2')],
    ['a pop-up note', '<</Type/Annot/Subtype/Text/Rect[90 90 110 110]/F 4/Contents(secret)>>'],
  ])('%s is not shown', async (_, annotation) => {
    expect(await markdownOf(at(20, 200, 'Port:') + text, [annotation])).not.toContain('secret');
  });

  test('a page may have nothing else', async () => {
    expect(await markdownOf('', [field('/FT/Tx/V(Bergen)')])).toBe('Bergen');
  });
});

describe('columns', () => {
  const [left, right] = [
    [
      'FIRST the harbour is',
      'closed in winter, as',
      'the ice would break',
      'the boats. In spring',
      'they go out again,',
      'all of them. LAST',
    ],
    [
      'BEGIN a lamp stands',
      'on the pier, and it',
      'is lit at dusk by a',
      'keeper who lives in',
      'the small house that',
      'leans on it. END',
    ],
  ];
  const column = (x: number, y: number, texts: readonly string[] = []): string[] =>
    texts.map((one, n) => at(x, y - n * 11, one));
  const mixed = (a: readonly string[], b: readonly string[]): string =>
    a.map((one, n) => one + (b[n] ?? '')).join('');
  test.each([
    ['line by line', mixed(column(20, 250, left), column(160, 250, right))],
    ['at other heights', mixed(column(20, 250, left), column(160, 247, right))],
    ['column by column', [...column(20, 250, left), ...column(160, 250, right)].join('')],
  ])('are read one after the other: %s', async (_, content) => {
    const markdown = await markdownOf(content);
    expect(markdown.replace(/\s+/g, ' ')).toMatch(
      /FIRST the harbour is closed in winter, as .*LAST BEGIN a lamp stands on the pier, and .*END/,
    );
    expect(markdown).not.toContain('|');
  });

  test('cards side by side have a heading each', async () => {
    const card = (x: number, name: string, texts: readonly string[]): string[] => [
      at(x, 250, name, 'B', 11),
      ...texts.map((one, n) => at(x, 236 - n * 12, one)),
    ];
    const cards = [
      card(20, 'Tea', ['Black leaves of', 'the second crop,', 'dried in smoke.']),
      card(120, 'Coffee', ['Beans of a farm', 'in the hills that', 'are roasted here.']),
      card(220, 'Cocoa', ['A powder for hot', 'drinks, without', 'any sugar in it.']),
    ];
    const rows = [0, 1, 2, 3].map((n) => cards.map((one) => one[n] ?? '').join('')).join('');
    const markdown = await markdownOf(rows);
    expect(markdown).toMatch(
      /Tea\s+Black leaves of the second crop, dried in smoke\.\s+#+ Coffee\s+Beans of/,
    );
  });

  test('rows of a table stay rows', async () => {
    const rows = [
      ['red lamp', 'port side of a ship'],
      ['green lamp', 'starboard side of it'],
      ['white lamp', 'the mast and the stern'],
      ['no lamp', 'a ship that is at rest'],
    ];
    const content = rows
      .map(([a = '', b = ''], n) => at(20, 250 - n * 14, a) + at(120, 250 - n * 14, b))
      .join('');
    expect(await markdownOf(content)).not.toMatch(/red lamp\s+green lamp/);
  });
});

describe('a file in one monospaced font', () => {
  const page = (texts: readonly string[]): string =>
    texts
      .map((one, n) =>
        one === ''
          ? ''
          : at(20 + /^ */.exec(one)![0].length * 4.8, 270 - n * 10, one.trimStart(), 'M', 8),
      )
      .join('');
  test.each([
    [
      'a listing',
      [
        'def lit(lamps):',
        '    for lamp in lamps:',
        '        if lamp.oil > 0:',
        '            yield lamp',
        '',
        'print(list(lit([])))',
      ],
    ],
    [
      'a statement',
      [
        'Date        Text            Amount',
        '2026-01-02  Oil of lamps    -12.50',
        '2026-01-09  Harbour dues     40.00',
        '            Total            27.50',
      ],
    ],
    ['a drawing', ['+------+     +------+', '| pier |---->| ship |', '+------+     +------+']],
  ])('%s keeps its lines', async (_, texts) => {
    expect(await markdownOf(page(texts))).toBe(`\`\`\`\n${texts.join('\n')}\n\`\`\``);
  });

  test('wrapped text is joined, a table in it is not', async () => {
    const paragraph = [
      'The lamp of the pier is lit at dusk by the keeper,',
      'who climbs the stair with a can of oil and a rag in',
      'the pocket, and stays there until the ships are in.',
    ];
    const markdown = await markdownOf(
      page([
        ...paragraph,
        '',
        'Lamp     Oil    Hours',
        'north     12      9',
        'south      8      7',
      ]),
    );
    expect(markdown).toContain('by the keeper, who climbs the stair');
    expect(markdown).toContain('Lamp     Oil    Hours\nnorth     12      9\n');
  });
});
