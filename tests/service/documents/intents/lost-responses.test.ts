import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { partitionOf } from '../../../../lib/project-documents/folders/project-partition.ts';
import { people } from '../../../support/document-service.ts';
import { type Transport } from '../../../support/multipart.ts';
import { useGatedDocuments, sha, fragment, isNewIntent, twoFragments } from '../support/documents.ts';

// How the service decides when it is uncertain whether a file exists in the library.

const KiB = 1024;
const MiB = 1024 * KiB;

const {
  service,
  provision,
  warmProject,
  upload,
  putByHand,
  filesOf,
  list,
  contentOf,
  intentsOf,
  insertIntent,
  age,
  held,
} = useGatedDocuments();

afterEach(async () => {
  expect(await service.openSessions()).toEqual([]);
});

type Project = Awaited<ReturnType<typeof warmProject>>;

const [large, otherLarge] = [randomBytes(twoFragments), randomBytes(twoFragments)];
const lastOfLarge = 2;

const table = () => service.table('ProjectDocuments');

/** The same user stores a file of 1,000 bytes in SharePoint itself. */
const byOwner = ({ folderId }: { folderId: string }, name: string) =>
  putByHand(folderId, name, 'x'.repeat(1000), people.projectManager);

/** Cuts off the last fragment and removes its session, so the file is never created. */
async function loseSessionAt(lastFragment: number): Promise<void> {
  await service.fault({ kind: 'drop-connection' }, { ...fragment, skip: lastFragment - 1 });
  for (const method of ['GET', 'DELETE']) {
    await service.fault({ kind: 'error', status: 404, code: 'itemNotFound' }, { host: 'content', method });
  }
}

test('what exists under the name is unknown: an error, and no session is left', async () => {
  const project = await warmProject();
  const rejected = { kind: 'error', status: 400, code: 'invalidRequest' };
  await service.fault(rejected, { host: 'graph', method: 'GET', url: 'Unknown.bin', times: null });
  const { status } = await upload(project.id, randomBytes(1000), { name: 'Unknown.bin' });
  expect(status).toBe(502);
  expect(await service.openSessions()).toEqual([]);
  expect(await intentsOf(project.id)).toEqual([]);
});

test('the last fragment never arrives and its session is still open: the file certainly does not exist', async () => {
  const project = await warmProject();
  await service.fault({ kind: 'drop-connection' }, { ...fragment, times: null });
  const { status, body } = await upload(project.id, randomBytes(1000), { behavior: 'rename' });
  expect([status, body.code]).toEqual([503, 'library_throttled']);
  expect(body.detail).not.toContain('may or may not');
  expect(await intentsOf(project.id)).toEqual([]);
});

describe('an upload that replaces a file of the same user returns 201 only if its own bytes are in the library', () => {
  test.each<[string, number, number]>([
    ['Plan.xlsx', 1 * MiB, 2 * MiB],
    ['Plan.pdf', 1000, 2000],
    ['Plan.bin', 1 * MiB, 1 * MiB],
  ])('the session vanishes, %s', async (name, oldSize, size) => {
    const project = await warmProject();
    const first = await upload(project.id, randomBytes(oldSize), { name });
    await service.fault({ kind: 'session-vanishes' });
    const content = randomBytes(size);
    const { status, body } = await upload(project.id, content, { name });
    expect({ status, id: body.id, size: body.size }).toEqual({ status: 201, id: first.body.id, size });
    expect(sha(await contentOf(body.id))).toBe(sha(content));
    expect(await intentsOf(project.id)).toEqual([]);
  });

  test.each(['Plan.bin', 'Plan.xlsx'])(
    'the session ends at the last fragment, %s: it is sent again',
    async (name) => {
      const project = await warmProject();
      const first = await upload(project.id, otherLarge, { name });
      await service.fault(
        { kind: 'error', status: 404, code: 'itemNotFound' },
        { ...fragment, skip: lastOfLarge - 1 },
      );
      const { status, body } = await upload(project.id, large, { name });
      expect([status, body.id]).toEqual([201, first.body.id]);
      expect(sha(await contentOf(body.id))).toBe(sha(large));
      expect(await intentsOf(project.id)).toEqual([]);
    },
  );

  test.each<Transport>(['length', 'chunked'])(
    'the response to the last fragment is lost and the bytes are available (%s): they are sent again',
    async (transport) => {
      const project = await warmProject();
      await upload(project.id, randomBytes(1000), { name: 'Plan.pdf' });
      await service.fault({ kind: 'lost-response' }, fragment);
      await service.forgetRequests();
      const content = randomBytes(2000);
      const { status, body } = await upload(project.id, content, { name: 'Plan.pdf', transport });
      expect(status).toBe(201);
      const puts = (await service.requests()).filter(({ host, method }) => host + method === 'contentPUT');
      expect(puts).toHaveLength(2);
      expect(sha(await contentOf(body.id))).toBe(sha(content));
      expect(await filesOf(project)).toHaveLength(1);
    },
  );
});

describe('a new file of the same user is not mistaken for the upload’s own', () => {
  /** Starts an upload that loses its session at its only fragment, runs `action` before that, and returns the response. */
  async function losing(project: Project, behavior: string, action: () => Promise<unknown>) {
    const { reached, resume } = await held(isNewIntent);
    const response = upload(project.id, randomBytes(1000), { name: 'Plan.pdf', behavior });
    await reached;
    await action();
    await loseSessionAt(1);
    resume();
    const { status } = await response;
    await service.admin('DELETE', '/sessions');
    return status;
  }

  test.each(['rename', 'fail'])('%s: while another upload may have created it', async (conflictBehavior) => {
    const project = await warmProject();
    const status = await losing(project, conflictBehavior, async () => {
      // Another upload of the same user, between file and record.
      const startedAt = new Date();
      const before = { at: startedAt.toISOString(), contentTag: null };
      await insertIntent(project, { fileName: 'Plan.pdf', size: 1000, startedAt, before, conflictBehavior });
      await byOwner(project, 'Plan.pdf');
    });
    expect(status).toBe(502);
    expect(await list(project.id)).toEqual([]);
  });

  test('fail: when it already has a record', async () => {
    const project = await warmProject();
    await service.admin('PATCH', '/settings', { concurrentSessions: true });
    const documents: unknown[] = [];
    const status = await losing(project, 'fail', async () => {
      const other = await upload(project.id, randomBytes(1000), { name: 'Plan.pdf', behavior: 'fail' });
      documents.push(other.body);
    });
    expect(status).toBe(502);
    expect(await list(project.id)).toEqual(documents);
  });
});

describe('the repair', () => {
  const stored = async (name: string) => {
    const project = await warmProject();
    const { body } = await upload(project.id, randomBytes(1000), { name });
    const item = await service.library('GET', `/items/${project.folderId}:/${name}`);
    return { project, document: body, contentTag: item.body.cTag as string };
  };
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

  test.each(['Plan.pdf', 'Plan.xlsx'])('does not record bytes that never arrived (%s)', async (fileName) => {
    const { project, document, contentTag } = await stored(fileName);
    const before = { at: minutesAgo(0).toISOString(), contentTag };
    await insertIntent(project, {
      fileName,
      size: 999_999,
      startedAt: minutesAgo(40),
      before,
      conflictBehavior: 'replace',
    });
    await provision(project.id);
    expect(await list(project.id)).toEqual([document]);
    expect(await intentsOf(project.id)).toHaveLength(1);
  });

  test('does not touch an upload that may be running', async () => {
    const { project, document } = await stored('Plan.pdf');
    const partitionKey = partitionOf(project.id);
    await table().deleteEntity(partitionKey, `file-${itemKeyOf(document.id)}`);
    // A list row may remain, even under the key where the repair inserts its own row.
    const { body: item } = await service.library('GET', `/items/${project.folderId}:/Plan.pdf`);
    const inverted = 9_999_999_999_999 - Date.parse(item.lastModifiedDateTime);
    await table().upsertEntity({ partitionKey, rowKey: `list-${inverted}-${itemKeyOf(document.id)}` });
    const before = { at: minutesAgo(1).toISOString(), contentTag: null };
    const intent = { fileName: 'Plan.pdf', size: 1000, before, conflictBehavior: 'replace' };
    await insertIntent(project, { ...intent, startedAt: minutesAgo(34) });
    await provision(project.id);
    expect(await intentsOf(project.id)).toHaveLength(1);
    expect((await service.call('GET', `/documents/${document.id}/download`)).status).toBe(404);
    await age(project.id, 2);
    await provision(project.id);
    expect(await intentsOf(project.id)).toEqual([]);
  });

  test('does not record a file that a running upload may have created', async () => {
    const project = await warmProject();
    const intentSince = (minutes: number) =>
      insertIntent(project, {
        fileName: 'Plan.pdf',
        size: 1000,
        startedAt: minutesAgo(minutes),
        before: { at: minutesAgo(Math.min(minutes, 30)).toISOString(), contentTag: null },
        conflictBehavior: 'rename',
      });
    await intentSince(36);
    await intentSince(1);
    await byOwner(project, 'Plan.pdf');
    await provision(project.id);
    expect(await list(project.id)).toEqual([]);
    expect(await intentsOf(project.id)).toHaveLength(2);
    // Nothing runs any more: the file belongs to one of the two.
    await age(project.id, 36);
    await provision(project.id);
    expect(await list(project.id)).toHaveLength(1);
  });

  test('gives each of two files of one name to another upload', async () => {
    const project = await warmProject();
    for (const fileName of ['Plan.pdf', 'Plan 1.pdf']) {
      await insertIntent(project, {
        fileName: 'Plan.pdf',
        size: 1000,
        startedAt: minutesAgo(36),
        before: { at: minutesAgo(1).toISOString(), contentTag: null },
        conflictBehavior: 'rename',
      });
      await byOwner(project, fileName);
    }
    await provision(project.id);
    expect(await list(project.id)).toHaveLength(2);
    expect(await intentsOf(project.id)).toEqual([]);
  });
});

/** The end of the file's row key, which follows from the document id. */
const itemKeyOf = (documentId: string): string => documentId.slice(19).replace('-', '');
