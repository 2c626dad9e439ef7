/**
 * The codec of the keys of all rows of records, and of the words of documents. `!` sorts before every letter and digit, so a word
 * sorts before longer ones. No other file knows the form of a key.
 */
import { createHash } from 'node:crypto';
import { keyKind, textField } from '../storage/row-keys.ts';

const id = textField(/[^!]+/);

export const rowKeys = {
  /** The record itself. */
  record: keyKind('R!', { id }),
  /** Its place in the list. */
  listed: keyKind('L!', { sort: textField(/[^]*/), id }),
  /** A place where a word begins. */
  word: keyKind('W!', { word: textField(/[^!]+/), id }),
  /** Its place among the records with one external id, in a scope of its own. */
  listedById: keyKind('L!', { id }),
};

/** What the keys of a list of its own begin with. */
export const scopes = {
  archived: 'A!',
  // External ids can have any character; keys cannot.
  external: (externalId: string): string =>
    `E!${createHash('sha256').update(externalId).digest('base64url').slice(0, 22)}!`,
};

/** The ids that a synchronization has seen: one row of it, and below its id further ones. */
export const seenKeys = (syncId: string) => keyKind(`${syncId}!`, { name: textField(/[\w-]{22}/) });
