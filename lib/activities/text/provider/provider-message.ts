const longestMessage = 300;

/**
 * What a provider says about a rejected call, for the log: its first 300 characters, without any word of the texts that
 * were sent, and without anything like a key. Providers repeat parts of the key (OpenAI in its 401) and of the request
 * (servers based on pydantic, in each 422).
 */
export function messageWithout(message: string, sent: readonly string[]): string {
  const hidden = new Set(sent.flatMap(wordsOf));
  return message
    .slice(0, 10 * longestMessage)
    .replace(/\s+/g, ' ')
    .replace(keyLike, '…')
    .replace(word, (each) => (isTelling(each) && hidden.has(each.toLowerCase()) ? '…' : each))
    .replace(/…(?:[^\p{L}\p{N}]*…)+/gu, '…')
    .trim()
    .slice(0, longestMessage)
    .toWellFormed();
}

const word = /[\p{L}\p{N}]+/gu;
const wordsOf = (text: string): string[] => (text.match(word) ?? []).map((each) => each.toLowerCase());
/** Words of one or two letters are in every sentence; a digit may be a part of a price or a date. */
const isTelling = (text: string): boolean => text.length > 2 || /\p{N}/u.test(text);
// Keys of providers, masked ones included; tokens; addresses of people.
const keyLike = /\b(?:sk|key|pk|xai|gsk)[-_][\w*.-]+|\bbearer\s+\S+|[\w+/=*-]{24,}|\S+@\S+/gi;
