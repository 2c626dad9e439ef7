import { domainToUnicode } from 'node:url';
import { describe, expect, test } from 'vitest';
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
  ])('%s is sent to %s', (address, recipient) => {
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
  ])('%j is no single address', (address) => {
    expect(mailRecipient(address)).toBeNull();
  });
});

describe('the link', () => {
  test('is written as RFC 6068 wants it', () => {
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
    ['a ready-made escape', { subject: 's%0D%0ABcc:e', body: '%0A' }, 's%0D%0ABcc:e', '%0A'],
    [
      'every kind of line break',
      { subject: 'a\u2028b', body: 'a\r\nb\rc\nd\u0085e\u2028f\u2029g' },
      'a b',
      'a\r\nb\r\nc\r\nd\r\ne\r\nf\r\ng',
    ],
    [
      'blanks at the ends of lines, which would join them in Thunderbird,',
      { subject: 'a', body: 'a \nb\u00a0\t\n \nc ' },
      'a',
      'a\r\nb\r\n\r\nc',
    ],
    [
      'controls and half a surrogate pair',
      { subject: 'a\0b\ud83d', body: 'a\0\u0007b\tc\udc00' },
      'a b\ufffd',
      'ab c\ufffd',
    ],
  ])('%s changes nothing but the text', (_what, text, subject, body) => {
    expect(parsed(mailtoLink({ recipient: 'a@x.de', ...text }))).toEqual({ to: ['a@x.de'], subject, body });
  });

  test('survives a browser unchanged', () => {
    const link = mailtoLink({
      recipient: 'müller@x.de',
      subject: 'aai#Ä "ö" <ü>',
      body: "§ 3 'x' (y) *z* \\ ^ ` { | }",
    });
    expect(new URL(link).href).toBe(link);
    expect(new URL(link).hash).toBe('');
  });
});

test('10,000 generated contacts: an independent reader gets recipient, subject and body back', () => {
  const random = mulberry32(20261120);
  const pick = (text: string[]): string => text[Math.floor(random() * text.length)] ?? '';
  const word = (letters: string[], most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(letters)).join('');
  const locals = Array.from("abcxyzÄöüßéłñ0189!#$%&'*+/=?^_`{|}~-’");
  const hosts = Array.from('abcxyzäöüé019');
  const texts = [
    ...Array.from('aeö ßÄ€😀&?#=%+/;:,@<>"\'()*[]{}|\\^`~!$.\n\r\t\0\u2028\u00ad\ud800漢'),
    '\r\n',
    '%0D%0A',
    'Bcc: ',
    '&cc=',
  ];
  let international = 0;
  for (let count = 0; count < 10_000; count++) {
    const local = `${word(locals, 12)}${random() < 0.5 ? `.${word(locals, 8)}` : ''}`;
    const host = `${word(hosts, 12)}.${pick(['de', 'com', 'köln', 'firma.ch'])}`;
    const recipient = mailRecipient(`${local}@${host}`);
    if (recipient === null) throw new Error(`refused: ${local}@${host}`);
    if (recipient.includes('xn--')) international++;
    const subject = word(texts, 60);
    const body = word(texts, 300);

    const mail = parsed(mailtoLink({ recipient, subject: `aai#${subject}`, body }));

    expect(mail.to).toEqual([recipient]);
    expect(mail.to[0]?.split('@')[0]).toBe(local.normalize('NFC'));
    expect(domainToUnicode(mail.to[0]?.split('@')[1] ?? '')).toBe(host.normalize('NFC'));
    expect(visible(mail.subject)).toBe(visible(`aai#${subject}`));
    expect(visible(mail.body)).toBe(visible(body));
    expect(mail.subject).not.toMatch(/[\r\n]/);
    expect(mail.body.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  }
  expect(international).toBeGreaterThan(1000);
});

/** RFC 6068 section 2 read by its grammar, without URL or decodeURIComponent: octets first, then UTF-8. */
function parsed(link: string): { to: string[]; subject: string; body: string } {
  const qchar = "(?:[A-Za-z0-9\\-._~!$'()*+,;:@]|%[0-9A-F]{2})*";
  const shape = new RegExp(`^mailto:(${qchar})\\?(${qchar}=${qchar}(?:&${qchar}=${qchar})*)$`);
  const [, to = '', fields = ''] = shape.exec(link) ?? [];
  expect(fields, link).not.toBe('');
  const pairs = fields.split('&').map((field) => field.split('='));
  expect(pairs.map(([name]) => name)).toEqual(['subject', 'body']);
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
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

function visible(text: string): string {
  return text.toWellFormed().replace(/[\s\p{Cc}]/gu, '');
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test('a link without a body ends with the subject', () => {
  expect(mailtoLink({ recipient: 'anna@x.de', subject: 'aai#Abnahme & Übergabe' })).toBe(
    'mailto:anna@x.de?subject=aai%23Abnahme%20%26%20%C3%9Cbergabe',
  );
});
