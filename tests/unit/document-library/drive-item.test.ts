import { expect, test } from 'vitest';
import { childrenPageOf, driveItemOf } from '../../../lib/document-library/drive-item.ts';

// OneDrive/onedrive-api-docs#342: a property without a value is missing, or null.
test('a property that is null is one that is missing', () => {
  const item = {
    id: '1',
    name: 'a.txt',
    eTag: null,
    size: 0,
    folder: null,
    file: { mimeType: null },
    lastModifiedBy: { user: { id: null, displayName: 'Systemkonto' }, application: null },
    publication: null,
  };
  const read = {
    id: '1',
    name: 'a.txt',
    size: 0,
    file: {},
    lastModifiedBy: { user: { displayName: 'Systemkonto' } },
  };
  expect(driveItemOf(item)).toEqual(read);
  expect(childrenPageOf({ value: [item], '@odata.nextLink': null })).toEqual({
    items: [read],
    nextLink: undefined,
  });
});

test('an item without its id or name is none', () => {
  expect(() => driveItemOf({ id: '1', name: null })).toThrow();
  expect(() => childrenPageOf({ value: [null] })).toThrow();
});
