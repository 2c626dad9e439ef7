import { domainToUnicode } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emailActivity } from '../../../lib/activities/email-activity.ts';
import { mailtoLink } from '../../../lib/activities/mailto-link.ts';
import { mailRecipient } from '../../../lib/contacts/mail-recipient.ts';

describe('the recipient', () => {
  test.each([
    ['anna.weber@bau-nord.de', 'anna.weber@bau-nord.de'],
    ['  anna@x.de ', 'anna@x.de'],
    ["o'neil+x@exämple.de", "o'neil+x@xn--exmple-cua.de"],
    ['o’neil+x@exämple.de', 'o’neil+x@xn--exmple-cua.de'],
    ['müller@straße.de', 'müller@xn--strae-oqa.de'],
    ['mu\u0308ller@x.de', 'müller@x.de'],
    ['a&b=c#d?e%f/g@x.de', 'a&b=c#d?e%f/g@x.de'],
    ['Anna@BAU-NORD.DE', 'Anna@bau-nord.de'],
    ['info@例え.テスト', 'info@xn--r8jz45g.xn--zckzah'],
  ])('%s becomes %s', (address, recipient) => {
    expect(mailRecipient(address)).toBe(recipient);
  });

  test.each([
    '',
    ' ',
    '@',
    'anna',
    'anna@',
    '@x.de',
    'a@x.de,b@y.de',
    'a@x.de;b@y.de',
    'a@x.de?bcc=e@x.de',
    'a@x.de&cc=e@x.de',
    'a@x.de%0D%0ABcc:e@x.de',
    'a@x.de\r\nBcc: e@x.de',
    'Max <max@x.de>',
    'a b@x.de',
    'a@b@x.de',
    '.a@x.de',
    'a.@x.de',
    'a..b@x.de',
    'a,b@x.de',
    'a;b@x.de',
    'a:b@x.de',
    '"a b"@x.de',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@1.2',
    'a@0x7f.1',
    'a@localhost',
    'a@x..de',
    'a@-x.de',
    'a@x-.de',
    'a@x.de.',
    'a@x_y.de',
    'a@x.de/',
    'a@x.de#f',
    `${'a'.repeat(65)}@x.de`,
    `a@${'b'.repeat(64)}.de`,
    `a@${'bbbbbbbbb.'.repeat(26)}de`,
    'a\0@x.de',
    'a\u2028@x.de',
    'a，b@x.de',
    'a\ufe70@x.de',
    'a\ud800@x.de',
    'a\u202e@x.de',
    'a@x\u200b.de',
    'a🄁b@x.de',
  ])('%j is not a single address', (address) => {
    expect(mailRecipient(address)).toBeNull();
  });
});

describe('the link', () => {
  test('is written according to RFC 6068', () => {
    const link = mailtoLink({
      recipient: "o'neil+x@x.de",
      subject: 'aai#Angebot 12 + 3',
      body: 'Guten Tag,\n\nwie & was?',
    });
    expect(link).toBe(
      'mailto:o%27neil%2Bx@x.de?subject=aai%23Angebot%2012%20%2B%203&body=Guten%20Tag%2C%0D%0A%0D%0Awie%20%26%20was%3F',
    );
  });

  test.each([
    [
      'a line break and a header in the subject',
      { subject: 'x\r\nBcc: e@y.de', body: '' },
      'x Bcc: e@y.de',
      '',
    ],
    ['a parameter in the subject', { subject: 'x&bcc=e@y.de', body: '' }, 'x&bcc=e@y.de', ''],
    [
      'a parameter in the body',
      { subject: 's', body: '&cc=e@y.de?to=f@y.de#x' },
      's',
      '&cc=e@y.de?to=f@y.de#x',
    ],
    ['an existing escape sequence', { subject: 's%0D%0ABcc:e', body: '%0A' }, 's%0D%0ABcc:e', '%0A'],
    [
      'every kind of line break',
      { subject: 'a\u2028b', body: 'a\r\nb\rc\nd\u0085e\u2028f\u2029g' },
      'a b',
      'a\r\nb\r\nc\r\nd\r\ne\r\nf\r\ng',
    ],
    [
      'trailing spaces, at which Thunderbird joins lines,',
      { subject: 'a', body: 'a \nb\u00a0\t\n \nc ' },
      'a',
      'a\r\nb\r\n\r\nc',
    ],
    [
      'control characters and an unpaired surrogate',
      { subject: 'a\0b\ud83d', body: 'a\0\u0007b\tc\udc00' },
      'a b\ufffd',
      'ab c\ufffd',
    ],
  ])('%s changes only the text', (_what, text, subject, body) => {
    expect(parsed(mailtoLink({ recipient: 'a@x.de', ...text }))).toEqual({ to: ['a@x.de'], subject, body });
  });

  test('is not changed by a browser', () => {
    const link = mailtoLink({
      recipient: 'müller@x.de',
      subject: 'aai#Ä "ö" <ü>',
      body: "§ 3 'x' (y) *z* \\ ^ ` { | }",
    });
    expect(new URL(link).href).toBe(link);
    expect(new URL(link).hash).toBe('');
  });
});

test.each([
  [2000, {}],
  [
    2001,
    {
      mailtoLinkShort: 'mailto:a@x.de?subject=aai%23Termin',
      warnings: [
        {
          code: 'mailto_link_too_long',
          excerpt: '2001',
          message: expect.stringContaining('Der Link hat 2001 Zeichen'),
        },
      ],
    },
  ],
])('beside a link of %i characters, an email has %o', (length, additional) => {
  const start = 'mailto:a@x.de?subject=aai%23Termin&body=';
  const content = 'x'.repeat(length - start.length);
  expect(emailActivity({ subject: 'Termin', content, warnings: [], derived: [] }, 'a@x.de', 'de')).toEqual({
    subject: 'Termin',
    content,
    mailtoLink: start + content,
    warnings: [],
    derived: [],
    ...additional,
  });
});

describe('any contact and any text', () => {
  const join = (pieces: readonly string[], { least = 1, most = 12 } = {}): fc.Arbitrary<string> =>
    fc
      .array(fc.constantFrom(...pieces), { minLength: least, maxLength: most })
      .map((chosen) => chosen.join(''));
  const locals = Array.from("abcxyzÄöüßéłñ0189!#$%&'*+/=?^_`{|}~-’");
  const local = fc
    .tuple(join(locals), fc.option(join(locals, { most: 8 }), { nil: '' }))
    .map(([one, other]) => (other === '' ? one : `${one}.${other}`));
  const host = fc
    .tuple(join(Array.from('abcxyzäöüé019')), fc.constantFrom('de', 'com', 'köln', 'firma.ch'))
    .map(([name, end]) => `${name}.${end}`);
  const texts = [
    ...Array.from('aeö ßÄ€😀&?#=%+/;:,@<>"\'()*[]{}|\\^`~!$.\n\r\t\0\u2028\u00ad\ud800漢'),
    '\r\n',
    '%0D%0A',
    'Bcc: ',
    '&cc=',
  ];
  const mail = fc.record({
    local,
    host,
    subject: join(texts, { least: 0, most: 60 }),
    body: join(texts, { least: 0, most: 300 }),
  });

  test('are read back from the link by an independent parser', () => {
    fc.assert(
      fc.property(mail, ({ local, host, subject, body }) => {
        const recipient = mailRecipient(`${local}@${host}`);
        if (recipient === null) throw new Error(`rejected: ${local}@${host}`);

        const read = parsed(mailtoLink({ recipient, subject: `aai#${subject}`, body }));

        const [address = '', ...others] = read.to;
        const [readLocal, readHost = ''] = address.split('@');
        // One comparison: with eight, the test took twice as long.
        expect({
          address,
          others,
          local: readLocal,
          host: domainToUnicode(readHost),
          subject: visible(read.subject),
          body: visible(read.body),
          hasBreakInSubject: /[\r\n]/.test(read.subject),
          hasBareBreakInBody: /[\r\n]/.test(read.body.replaceAll('\r\n', '')),
        }).toEqual({
          address: recipient,
          others: [],
          local: local.normalize('NFC'),
          host: host.normalize('NFC'),
          subject: visible(`aai#${subject}`),
          body: visible(body),
          hasBreakInSubject: false,
          hasBareBreakInBody: false,
        });
      }),
      { numRuns: 2000 },
    );
  });
});

const qchar = "(?:[A-Za-z0-9\\-._~!$'()*+,;:@]|%[0-9A-F]{2})*";
const linkShape = new RegExp(`^mailto:(${qchar})\\?(${qchar}=${qchar}(?:&${qchar}=${qchar})*)$`);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses according to RFC 6068, section 2, without URL or decodeURIComponent: octets first, then UTF-8. */
function parsed(link: string): { to: string[]; subject: string; body: string } {
  const [, to = '', fields = ''] = linkShape.exec(link) ?? [];
  if (fields === '') throw new Error(`the link does not match the grammar: ${link}`);
  const pairs = fields.split('&').map((field) => field.split('='));
  const names = pairs.map(([name]) => name).join();
  if (names !== 'subject,body') throw new Error(`the fields are ${names}: ${link}`);
  return {
    // Outlook on the web splits after decoding.
    to: octetsDecoded(to).split(/[,;]/),
    subject: octetsDecoded(pairs[0]?.[1] ?? ''),
    body: octetsDecoded(pairs[1]?.[1] ?? ''),
  };
}

function octetsDecoded(text: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '%') {
      bytes.push(Number.parseInt(text.slice(at + 1, at + 3), 16));
      at += 2;
    } else bytes.push(text.charCodeAt(at));
  }
  return utf8.decode(Uint8Array.from(bytes));
}

function visible(text: string): string {
  return text.toWellFormed().replace(/[\s\p{Cc}]/gu, '');
}
