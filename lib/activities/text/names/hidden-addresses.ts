/** Links and email addresses, which may have anybody's name in any encoding, and the functions that hide and undo them. */
export interface HiddenAddresses {
  readonly hidden: (text: string) => string;
  readonly restored: (text: string) => string;
}

const link = String.raw`(?:https?:\/\/|www\.)[^\s<>"]*[^\s<>"').,;:!?]`;
const email = String.raw`[\p{L}\p{M}\d._%+-]{1,64}@[\p{L}\p{M}\d.-]{1,253}\.\p{L}{2,24}`;
const addresses = new RegExp(`${link}|${email}`, 'giu');
/** A path or a part of an address: `/Lehmann%20Akte`, `M%C3%BCller`, `M%FCller`, `xn--mller-kva.de`; "20%ab" is none. */
const encoded =
  /%(?:[2-7][\da-f]|[c-f][\da-f]%[89ab][\da-f]|(?:c4|d6|dc|df|e4|f6|fc)(?![\da-f]{2}))|(?<!\p{L})xn--/iu;

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
  return {
    hidden: (text) =>
      text
        .replace(addresses, hidden)
        .replace(/\S+/g, (chunk) => (encoded.test(chunk) ? hidden(chunk) : chunk)),
    restored: (text) =>
      text.replace(pseudonyms, (found, one, other) => originals[Number(one ?? other) - 1] ?? found),
  };
}
