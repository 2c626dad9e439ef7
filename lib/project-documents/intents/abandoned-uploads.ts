import { inSlices } from '../../base/slices.ts';
import { conditionalWrite } from '../../storage/conditional-write.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import { firstRows, odata } from '../../storage/table-rows.ts';
import { directUploads, type IntentTable } from './pending-intent.ts';
import { readSession } from './session-life.ts';
import { mayStillFinish } from './upload-evidence.ts';
import type { UploadIntents } from './upload-intents.ts';

interface AbandonedParts extends Pick<IntentTable, 'table' | 'clock'> {
  readonly intents: UploadIntents;
}

const maxChecked = 100;
const parallelChecks = 8;

/** Runs without a user: it checks a session by its own URL, and never searches the library. @returns how many */
export async function removeAbandoned(parts: AbandonedParts): Promise<number> {
  const { table } = parts;
  const now = new Date(await certainNowBy(parts));
  const filter = odata`PartitionKey eq ${directUploads} and dueAt le ${now}`;
  const due = await firstRows<{ readonly projectId: string }>(table, filter, maxChecked);
  const found = await inSlices(due, parallelChecks, async ({ rowKey = '', projectId, etag }) => {
    const outcome = await removeIfAbandoned(parts, projectId, rowKey);
    // After the intent: a crash in between leaves a row that the next run removes. With the ETag: the same upload may
    // have begun again.
    if (outcome !== 'kept') await conditionalWrite(table.deleteEntity(directUploads, rowKey, { etag }));
    return outcome;
  });
  return found.filter((outcome) => outcome === 'removed').length;
}

/** `left`: there is no intent, or the next caller in the project settles it. `kept`: the upload may still be finished. */
type Outcome = 'removed' | 'left' | 'kept';

async function removeIfAbandoned(
  parts: AbandonedParts,
  projectId: string,
  uploadId: string,
): Promise<Outcome> {
  const pending = await parts.intents.find(projectId, uploadId);
  // An upload whose process died while completing it may have a file: the next caller in the project finds it.
  if (!pending || pending.isCommitting) return 'left';
  if (mayStillFinish(pending.intent, await certainNowBy(parts))) return 'kept';
  // The clock may be wrong, and so may a 404 of the library: only both together are enough.
  const { life, pending: read } = await readSession(pending, parts);
  if (life.state !== 'over' && life.state !== 'unreadable') return 'kept';
  return (await read.endIfUnchanged()) ? 'removed' : 'kept';
}
