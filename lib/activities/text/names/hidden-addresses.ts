import { isDamaged } from '../language/damaged-characters.ts';

/** Links, email addresses, and words in an encoding, which may have anybody's name, and the functions that hide and undo them. */
export interface HiddenAddresses {
  readonly hidden: (text: string) => string;
  readonly restored: (text: string) => string;
}

const link = String.raw`(?:https?:\/\/|www\.)[^\s<>"]*[^\s<>"').,;:!?]`;
const email = String.raw`[\p{L}\p{M}\d._%+-]{1,64}@[\p{L}\p{M}\d.-]{1,253}\.\p{L}{2,24}`;
const addresses = new RegExp(`${link}|${email}`, 'giu');
/** A path or a part of an address: `/Lehmann%20Akte`, `M%C3%BCller`, `M%FCller`, `xn--mller-kva.de`; "20%ab" is none. */
const percent = String.raw`%(?:[2-7][\da-f]|[c-f][\da-f]%[89ab][\da-f]|(?:c4|d6|dc|df|e4|f6|fc)(?![\da-f]{2}))|(?<!\p{L})xn--`;
/** Of emails and programs: `M=FCller`, `=?utf-8?B?TcO8bGxlcg==?=`, `M\u00fcller`. */
const ofMail = String.raw`=(?:c3=[89ab][\da-f]|(?:c4|d6|dc|df|e4|f6|fc)(?=\p{L}))|=\?[\w-]{1,40}\?[bq]\?|\\(?:u[\da-f]{4}|x[\da-f]{2})`;
/** A letter of another alphabet that looks like a Latin one: `Müller` with a Cyrillic `М`; "kΩ" is none. */
const otherAlphabet = String.raw`[\p{sc=Cyrl}\p{sc=Grek}]\p{sc=Latn}{3}|\p{sc=Latn}{3}[\p{sc=Cyrl}\p{sc=Grek}]`;
const encoded = new RegExp([percent, ofMail, otherAlphabet].join('|'), 'iu');

const pseudonyms = /post(\d{1,4})@anschrift\.example|https:\/\/verweis(\d{1,4})\.example/gi;

/** Numbers each address when it is first hidden. */
export function hiddenAddresses(): HiddenAddresses {
  const numbers = new Map<string, number>();
  const originals: string[] = [];
  const hidden = (address: string): string => {
    const number = numbers.get(address) ?? originals.push(address);
    numbers.set(address, number);
    return /^(?:https?:|www\.)/i.test(address) || !address.includes('@')
      ? `https://verweis${number}.example`
      : `post${number}@anschrift.example`;
  };
  const restored = (text: string): string =>
    text.replace(pseudonyms, (found, one, other) => originals[Number(one ?? other) - 1] ?? found);
  return {
    hidden: (text) =>
      text
        .replace(addresses, hidden)
        .replace(/\S+/g, (chunk) =>
          encoded.test(chunk) || isDamaged(chunk) ? hidden(restored(chunk)) : chunk,
        ),
    restored,
  };
}
