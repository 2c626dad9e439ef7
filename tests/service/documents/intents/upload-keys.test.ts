import { beforeEach, expect, test } from 'vitest';
import { UploadKeys, type FirstUpload } from '../../../../lib/project-documents/intents/upload-keys.ts';
import { newTable, tableClient } from '../../../support/azurite.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const clock = new VirtualClock();
let keys: UploadKeys;
beforeEach(async () => {
  keys = new UploadKeys(tableClient(await newTable()), clock);
});

const claim = () => keys.claim({ userId: 'u', projectId: 'p', key: 'k' }, 'Plan.pdf');
const own = async () => {
  const claimed = await claim();
  if (claimed.state !== 'own') throw new Error(claimed.state);
  return claimed.key;
};

test('a key is released only while it has no outcome', async () => {
  await (await own()).release();
  const key = await own();
  const first = { size: 1, conflictBehavior: 'replace', document: { id: 'd' } } as FirstUpload;
  await keys.complete(key.id, first);
  // For example, because the upload failed after its outcome was written.
  await key.release();
  expect(await claim()).toEqual({ state: 'done', first });
});

test('a key is released neither after another request has taken it over nor when its outcome is unknown', async () => {
  const key = await own();
  clock.advance(20_000);
  const interrupted = await claim();
  if (interrupted.state !== 'interrupted') throw new Error(interrupted.state);
  const taken = await interrupted.takeOver();
  await key.release();
  expect((await claim()).state).toBe('running');

  taken!.leave();
  await taken!.release();
  expect((await claim()).state).toBe('running');
});
