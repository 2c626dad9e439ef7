import { inSlices } from '../../base/slices.ts';
import { ServiceError } from '../../base/service-error.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import { firstRows, odata } from '../../storage/table-rows.ts';
import { rowKeys } from '../folders/row-keys.ts';
import { countKeyOf, countOut, directUploads, type IntentTable } from './pending-intent.ts';
import { readSession } from './session-life.ts';
import type { UploadIntents } from './upload-intents.ts';

/**
 * One row for each open direct upload of a user, beside those that lead the timer to the intents: a count reads one small
 * range of keys. Written before the upload begins and removed with its intent; what a crash leaves is removed when it
 * counts.
 */
interface OwnRow {
  readonly projectId: string;
  readonly uploadId: string;
  readonly begunAt: Date;
}

interface OwnParts extends Pick<IntentTable, 'table' | 'clock'> {
  readonly user: { readonly oid: string };
  readonly intents: UploadIntents;
}

const maxOpen = 50;
// Leftovers included.
const maxRead = 1000;
const maxNamed = 5;
const parallelChecks = 8;
// By then, the begin that wrote the row has written its intent or failed.
const beginsWithinMs = 5 * 60_000;

/**
 * Counts a direct upload that is about to begin. It is written before the count, so concurrent requests cannot exceed the
 * limit together.
 *
 * @throws ServiceError `too_many_uploads`
 */
export async function countIn(parts: OwnParts, projectId: string, uploadId: string): Promise<void> {
  const { table, user } = parts;
  const rowKey = countKeyOf(user.oid, uploadId);
  const begunAt = new Date(await certainNowBy(parts));
  await table.upsertEntity({ partitionKey: directUploads, rowKey, projectId, uploadId, begunAt }, 'Replace');
  const { from, to } = rowKeys.ofUser.within({ userId: user.oid });
  const filter = odata`PartitionKey eq ${directUploads} and RowKey gt ${from} and RowKey lt ${to}`;
  const rows = await firstRows<OwnRow>(table, filter, maxRead);
  if (rows.length <= maxOpen) return;
  const checked = await inSlices(rows, parallelChecks, async (row) => {
    const isOpen = row.rowKey === rowKey || (await mayBeOpen(parts, row));
    if (!isOpen) await countOut(table, user.oid, row.uploadId);
    return isOpen ? [row] : [];
  });
  const open = checked.flat();
  if (open.length <= maxOpen) return;
  await countOut(table, user.oid, uploadId);
  throw tooMany(open.filter((row) => row.rowKey !== rowKey));
}

async function mayBeOpen(parts: OwnParts, row: OwnRow): Promise<boolean> {
  const pending = await parts.intents.find(row.projectId, row.uploadId);
  const nowMs = await certainNowBy(parts);
  if (!pending) return nowMs - row.begunAt.getTime() <= beginsWithinMs;
  if (!pending.session || pending.session.expiresAtMs > nowMs) return true;
  return (await readSession(pending, parts)).life.state !== 'over';
}

function tooMany(open: readonly OwnRow[]): ServiceError {
  const projects = [...new Set(open.map(({ projectId }) => projectId))];
  const named = projects.slice(0, maxNamed).join(', ') + (projects.length > maxNamed ? ' …' : '');
  return new ServiceError('too_many_uploads', {
    params: { max: maxOpen },
    detail: `You have ${maxOpen} open direct uploads. GET /api/v1/documents/projects/{projectId}/uploads lists them, with {projectId} of ${named}: complete or cancel some, or wait until they expire.`,
    headers: { 'retry-after': '60' },
  });
}
