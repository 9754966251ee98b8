/** What is personal data in a text, in forms of several countries, and what only looks like it. */
import { describe, expect, test } from 'vitest';
import type { PersonalDataKind } from '../../../src/content/text/personal-data.ts';
import { Redactor } from '../../../src/content/text/redactor.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const redacted = (kind: PersonalDataKind, text: string): string =>
  new Redactor([kind], 'about:blank').text(text);

const positives: Readonly<Record<PersonalDataKind, readonly string[]>> = {
  email: [
    'jane@example.org',
    'jane.o-neil+news@mail.example.co.uk',
    'jürgen@müller.de',
    'jane@xn--mller-kva.de',
    'jane&#64;example.org',
    'jane%40example.org',
    'jane [at] example.org',
    'jane(at)example(dot)org',
  ],
  phone: [
    '+49 30 1234567',
    '+49 (0)30 1234567',
    '+4915112345678',
    '0049 30 1234567',
    '030 12345678',
    '0151/12345678',
    '(030) 123 456 78',
    '+44 20 7946 0958',
    '020 7946 0958',
    '01 23 45 67 89',
    '+33 1 23 45 67 89',
    '+1 (202) 555-0123',
    '(202) 555-0123',
    '202-555-0123',
    '1-202-555-0123',
    '+81 3-1234-5678',
    '03-1234-5678',
    '0412 345 678',
    '+39 06 1234 5678',
    '+420 222 333 444',
    '+1.2025550123',
  ],
  card: [
    '4111111111111111',
    '4111 1111 1111 1111',
    '5555-5555-5555-4444',
    '378282246310005',
    '3782 822463 10005',
    '6011111111111117',
    '3530111333300000',
    '30569309025904',
  ],
  iban: [
    'DE89370400440532013000',
    'DE89 3704 0044 0532 0130 00',
    'GB29 NWBK 6016 1331 9268 19',
    'FR14 2004 1010 0505 0001 3M02 606',
    'NL91ABNA0417164300',
    'no9386011117947',
  ],
  ip: ['192.168.1.20', '93.184.216.34', '2001:db8::8a2e:370:7334', '::ffff:93.184.216.34'],
  ssn: ['078-05-1120', '219-09-9999'],
};

const negatives: Readonly<Record<PersonalDataKind, readonly string[]>> = {
  email: [
    'icon@2x.png',
    'react@18.2.0',
    '@types/node',
    'follow @jane',
    'a @ b.com',
    'x@localhost',
    'https://maps.test/@48.85,2.35,15z',
  ],
  phone: [
    '1,299.00',
    '1 299 000 000 EUR',
    '01.02.2024 10:30',
    '2024-01-02 12:30:15',
    '978-3-16-148410-0',
    '0-306-40615-2',
    '0306406152',
    '48.856613, 2.352222',
    '+48.856613',
    '+10 000 000 000',
    'v1.2.3.4567',
    '012-3456789-1234567',
    '4006381333931',
    '1609459200000',
    '10.0.0.1',
    '078-05-1120',
    '912 345 678',
    '20-30-40',
  ],
  card: ['4111111111111112', '1609459200000', '9783161484100', '0000000000000000'],
  iban: ['DE89370400440532013001', 'DE8937040044053201300', 'ZZ89370400440532013000', 'AB12 CD34'],
  ip: [
    '1.2.3',
    '256.1.1.1',
    'version 10.0.0.1',
    'v1.2.3.4',
    '10:30:45',
    'std::vector',
    '00:1a:2b:3c:4d:5e',
  ],
  ssn: [
    '000-12-3456',
    '666-12-3456',
    '912-12-3456',
    '123-00-4567',
    '123-45-0000',
    '123-45-67890',
    '1-123-45-6789',
  ],
};

for (const kind of Object.keys(positives) as PersonalDataKind[]) {
  describe(kind, () => {
    test.each(positives[kind])('finds %s', (value) => {
      expect(redacted(kind, value)).toBe(`[${kind}]`);
      expect(redacted(kind, `At the start: ${value}, and more.`)).toBe(
        `At the start: [${kind}], and more.`,
      );
    });

    test.each(negatives[kind])('leaves %s', (value) => {
      expect(redacted(kind, `It is ${value} here`)).toBe(`It is ${value} here`);
    });
  });
}

test('a number after a label is one, in whatever form', () => {
  expect(redacted('phone', 'Tel.: 5551234')).toBe('Tel.: [phone]');
  expect(redacted('phone', 'Móvil: 612 345 678')).toBe('Móvil: [phone]');
  expect(redacted('phone', 'Телефон 2345678')).toBe('Телефон [phone]');
  expect(redacted('phone', 'Phone number: 0306406152')).toBe('Phone number: [phone]');
  expect(redacted('phone', 'Hotel 5551234')).toBe('Hotel 5551234');
});

describe('a redactor', () => {
  const all = (): Redactor =>
    new Redactor(['email', 'phone', 'card', 'iban', 'ip', 'ssn'], 'https://site.test/');

  test('counts each value once, in whatever form it is written', () => {
    const redactor = all();
    expect(redactor.text('Jane@x.org, jane [at] x [dot] org or +49 30 1234567')).toBe(
      '[email], [email] or [phone]',
    );
    expect(redactor.url('mailto:jane@x.org')).toBe('mailto:[email]');
    expect(redactor.url('tel:+49-30-1234567')).toBe('tel:[phone]');
    expect(redactor.counts).toEqual({ email: 1, phone: 1 });
  });

  test('changes nothing that is redacted already', () => {
    const text = '[email], [phone] and [card]';
    expect(all().text(text)).toBe(text);
  });

  test('keeps paths of URLs, and redacts their queries', () => {
    expect(
      all().url('https://x.test/4111111111111111?to=jane%40x.org&card=4111111111111111#a'),
    ).toBe('https://x.test/4111111111111111?to=[email]&card=[card]#a');
    expect(all().url('https://wa.me/493012345678?text=hi')).toBe('https://wa.me/[phone]?text=hi');
  });

  test('keeps JSON valid', () => {
    const text = all().text('{"card":4111111111111111,"to":["a@x.org"]}', { isJson: true });
    expect(JSON.parse(text)).toEqual({ card: '[card]', to: ['[email]'] });
  });

  test('takes what a function finds, and names the page where it fails', () => {
    const staff = (text: string) =>
      [...text.matchAll(/EMP-\d+/g)].map(({ index, 0: { length } }) => ({
        type: 'staff',
        start: index,
        end: index + length,
      }));
    const redactor = new Redactor([staff, 'email'], 'https://site.test/');
    expect(redactor.text('EMP-12 is a@x.org')).toBe('[staff] is [email]');
    expect(redactor.counts).toEqual({ email: 1, staff: 1 });
    const wrong = new Redactor([() => [{ type: 'x', start: 0, end: 99 }]], 'https://site.test/');
    expect(() => wrong.text('short')).toThrow(
      expect.objectContaining({ code: 'HOOK_FAILED', url: 'https://site.test/' }),
    );
  });
});

describe('a megabyte of hostile text takes less than two seconds:', () => {
  const parts = [
    '1',
    '@',
    '+',
    'a@',
    '0 ',
    '+1 ',
    '(0',
    '1-',
    '4111 ',
    'DE89 ',
    'a.',
    '::',
    '1.1.1.',
    'tel ',
    'a'.repeat(63) + '@',
    '[at]',
    '00',
    '202 555 ',
    '\u200b',
    '%40',
    'ab12',
    '1:',
    '<b>1',
    '</b><b>1',
    '1<!--',
    '1<![CDATA[',
    '1]]>',
    '<script>1',
    '<a hidden ',
    '<a hidden>1',
    '<svg ',
    '1<? ',
    '1&#97',
    '&amp;amp;1',
    '\\\\\\\\1',
    '\\u0031',
    '%2531',
    '1\u0301',
    '1\u2014',
    '@a\u2014',
    '1 \n',
    '\uff11',
    '\u{1d7ce}',
    '"tel":"1',
  ];
  test.each(parts)('%j', (part) => {
    const text = part.repeat(1_000_000 / part.length);
    const redactor = new Redactor(['email', 'phone', 'card', 'iban', 'ip', 'ssn'], 'about:blank');
    const start = cpuTime();
    redactor.text(text);
    redactor.url(text);
    expect(cpuTime() - start).toBeLessThan(2000);
  });
});
