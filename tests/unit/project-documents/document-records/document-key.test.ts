import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  documentIdOf,
  documentKey,
  keyOfDocumentId,
} from '../../../../lib/project-documents/document-records/document-key.ts';
import { partitionOf } from '../../../../lib/project-documents/folders/project-partition.ts';

test('a document id is a version 8 UUID that encodes the key of its row', () => {
  for (let count = 0; count < 200; count += 1) {
    const projectId = randomUUID();
    const key = documentKey(projectId, randomUUID());
    const id = documentIdOf(key);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(keyOfDocumentId(id)).toEqual(key);
    expect(key.partitionKey).toBe(partitionOf(projectId));
  }
});

test('the same item has the same document id, and another item or project has another one', () => {
  const id = (project: string, item: string): string => documentIdOf(documentKey(project, item));
  expect(id('a', '1')).toBe(id('a', '1'));
  expect(new Set([id('a', '1'), id('a', '2'), id('b', '1'), id('b', '2')]).size).toBe(4);
});

test.each([
  '',
  'x',
  randomUUID(),
  '00000000-0000-7000-8000-000000000000',
  '00000000-0000-8000-0000-000000000000',
])('%s was never issued', (id) => {
  expect(keyOfDocumentId(id)).toBeNull();
});
