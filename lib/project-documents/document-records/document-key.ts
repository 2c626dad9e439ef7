import { createHash } from 'node:crypto';
import { partitionOf } from '../folders/project-partition.ts';

/**
 * The place of a document's rows, which follows from its id.
 *
 * A document id is a UUID version 8 (RFC 9562) of two digests: 60 bits of the project id, which are the partition, and
 * 62 bits of the library item id, which are the row. Therefore a document id alone is enough for a point read, one item
 * can never have two records, and a record written twice is the same record, which makes repairs after a crash safe.
 */
export interface DocumentKey {
  readonly partitionKey: string;
  readonly itemKey: string;
}

const hex = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

export function documentKey(projectId: string, itemId: string): DocumentKey {
  const digest = hex(itemId);
  const variant = '89ab'[Number.parseInt(digest.charAt(0), 16) & 3] ?? '8';
  return { partitionKey: partitionOf(projectId), itemKey: variant + digest.slice(1, 16) };
}

export const documentIdOf = ({ partitionKey: p, itemKey: i }: DocumentKey): string =>
  `${p.slice(0, 8)}-${p.slice(8, 12)}-8${p.slice(12)}-${i.slice(0, 4)}-${i.slice(4)}`;

/** The beginning that the ids of all documents of a project have in common. */
export const projectPartOf = (documentId: string): string => documentId.slice(0, 18);

/** Null for a UUID that this service never issued. */
export function keyOfDocumentId(id: string): DocumentKey | null {
  const match = /^(.{8})-(.{4})-8(.{3})-([89ab].{3})-(.{12})$/.exec(id);
  if (!match) return null;
  const [, first = '', second = '', third = '', fourth = '', fifth = ''] = match;
  return { partitionKey: first + second + third, itemKey: fourth + fifth };
}
