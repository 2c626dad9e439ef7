/**
 * The value of a JSON text, to be parsed by a schema; undefined if it is none, which a schema rejects like any other wrong
 * value. Stored columns can have been edited by hand.
 */
export function valueOfJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
