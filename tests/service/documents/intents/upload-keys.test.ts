import { expect, test } from 'vitest';
import { systemClock } from '../../../../lib/contract/clock.ts';
import { UploadKeys, type FirstUpload } from '../../../../lib/project-documents/intents/upload-keys.ts';
import { newTable, tableClient } from '../../../support/azurite.ts';

test('a key is released only while it has no outcome', async () => {
  const keys = new UploadKeys(tableClient(await newTable()), systemClock);
  const claim = () => keys.claim({ userId: 'u', projectId: 'p', key: 'k' }, 'Plan.pdf');
  const own = async () => {
    const claimed = await claim();
    if (claimed.state !== 'own') throw new Error(claimed.state);
    return claimed.key;
  };
  await (await own()).release();
  const key = await own();
  const first = { size: 1, conflictBehavior: 'replace', document: { id: 'd' } } as FirstUpload;
  await keys.complete(key.id, first);
  // For example, because the upload failed after its outcome was written.
  await key.release();
  expect(await claim()).toEqual({ state: 'done', first });
});
