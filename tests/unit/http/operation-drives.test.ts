import { expect, test } from 'vitest';
import { describedOperations } from '../../../local/release/generated.ts';
import { drives } from '../../support/operation-drives.ts';

test('every operation has a run against the deployed package', () => {
  const ids = describedOperations().map(({ id }) => id);
  expect(Object.keys(drives).toSorted()).toEqual(ids.toSorted());
});
