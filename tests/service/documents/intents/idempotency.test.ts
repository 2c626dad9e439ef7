import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { partitionOf } from '../../../../lib/project-documents/folders/project-partition.ts';
import { people } from '../../../support/document-service.ts';
import {
  Disconnection,
  fieldsFor,
  filePart,
  formOf,
  sendForm,
  sendRaw,
  type Part,
} from '../../../support/multipart.ts';
import { useGatedDocuments, isRecord, twoFragments } from '../support/documents.ts';

// A client that lost the response to an upload sends it again with the same Idempotency-Key.

const MiB = 1024 * 1024;

const { service, onCall, openGate, held, warmProject, putByHand, filesOf, list, expectOnly, keys } =
  useGatedDocuments();

afterEach(async () => {
  await service.admin('DELETE', '/faults');
  expect(await service.openSessions()).toEqual([]);
  expect(await service.temporaryFiles()).toEqual([]);
});

interface Sent {
  readonly key?: string | undefined;
  readonly name?: string;
  readonly folder?: string;
  readonly path?: string;
  readonly behavior?: string;
  readonly as?: any;
  readonly isFileFirst?: boolean;
}

function partsOf(
  content: Uint8Array,
  { name = 'Plan.bin', folder = '01_Angebote', path, behavior = 'rename', isFileFirst = false }: Sent,
): Part[] {
  const below = path === undefined ? [] : [{ name: 'folderPath', value: path }];
  const [fields, file] = [[...fieldsFor(folder, behavior), ...below], filePart(name, content)];
  return isFileFirst ? [file, ...fields] : [...fields, file];
}

const upload = (projectId: string, content: Uint8Array, sent: Sent = {}) =>
  sendForm(service, projectId, formOf(partsOf(content, sent)), {
    as: sent.as ?? people.projectManager,
    ...(sent.key !== undefined && { headers: { 'idempotency-key': sent.key } }),
  });

test.each([
  ['the fields first', 5 * MiB, {}],
  ['the fields first, an empty file', 0, {}],
  ['the file first', 1 * MiB, { isFileFirst: true }],
  ['the file first, two fragments', twoFragments, { isFileFirst: true }],
])(
  'the same key again: 200 with the first document, and nothing is stored (%s)',
  async (_what, size, how) => {
    const project = await warmProject();
    const content = randomBytes(size);
    const sent = { key: randomUUID(), ...how };
    const first = await upload(project.id, content, sent);
    expect([first.status, first.body.size]).toEqual([201, size]);
    await service.forgetRequests();
    for (let repetition = 0; repetition < 2; repetition += 1) {
      const again = await upload(project.id, content, sent);
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(again.headers.get('location')).toBe(`/api/v1/documents/${again.body.id}/download`);
    }
    expect(await service.requests()).toEqual([]);
    await expectOnly(project, first.body);
  },
);

test('an upload that replaced a file without a record reports it again', async () => {
  const project = await warmProject();
  await putByHand(project.folderId, 'Plan.bin');
  const sent = { key: randomUUID(), behavior: 'replace' };
  const first = await upload(project.id, Buffer.from('mine'), sent);
  expect(first.body.replacedUnrecorded).toBe(true);
  expect((await upload(project.id, Buffer.from('mine'), sent)).body).toEqual(first.body);
});

test.each<[string, Sent, string, number?]>([
  ['file name', { name: 'Other.bin' }, 'file name'],
  ['folder', { folder: '05_Verträge' }, 'folderName'],
  ['folder, named after the file', { folder: '05_Verträge', isFileFirst: true }, 'folderName'],
  ['path', { path: '2026' }, 'folderPath'],
  ['conflict behavior', { behavior: 'replace' }, 'conflictBehavior'],
  ['size', {}, 'file size', 2 * MiB],
  ['size, after the file', { isFileFirst: true }, 'file size', 2 * MiB],
])('the same key for another %s: 409, and nothing is stored', async (_what, other, named, size = MiB) => {
  const project = await warmProject();
  const key = randomUUID();
  const first = await upload(project.id, randomBytes(MiB), { key });
  const { status, body } = await upload(project.id, randomBytes(size), { key, ...other });
  expect([status, body.code]).toEqual([409, 'idempotency_key_reused']);
  expect(body.detail).toContain(`another ${named}`);
  await expectOnly(project, first.body);
});

test('a part follows the file, so the size that appears exact is not: still the same upload', async () => {
  const project = await warmProject();
  const content = randomBytes(1 * MiB);
  const [folderName, behavior] = fieldsFor('01_Angebote', 'replace');
  const form = formOf([folderName!, filePart('Plan.bin', content), behavior!]);
  const headers = { 'idempotency-key': randomUUID() };
  const first = await sendForm(service, project.id, form, { headers });
  const again = await sendForm(service, project.id, form, { headers });
  expect([first.status, again.status, again.body]).toEqual([201, 200, first.body]);
});

test('a key belongs to its user and its project', async () => {
  const [project, other] = [await warmProject(), await warmProject()];
  const key = randomUUID();
  const content = randomBytes(1000);
  const responses = [
    await upload(project.id, content, { key }),
    await upload(project.id, content, { key, as: people.backOffice }),
    await upload(other.id, content, { key }),
  ];
  expect(responses.map(({ status, body }) => [status, body.fileName])).toEqual([
    [201, 'Plan.bin'],
    [201, 'Plan 1.bin'],
    [201, 'Plan.bin'],
  ]);
});

test('a key has 1 to 128 characters', async () => {
  const { id } = await warmProject();
  for (const key of ['', 'x'.repeat(129)]) {
    const { status, body } = await upload(id, randomBytes(10), { key });
    expect([status, body.errors[0].path]).toEqual([400, 'headers.idempotency-key']);
  }
  expect((await upload(id, randomBytes(10), { key: 'x'.repeat(128) })).status).toBe(201);
});

test('the document was deleted in the meantime: the same response, and the file is not restored', async () => {
  const project = await warmProject();
  const sent = { key: randomUUID() };
  const first = await upload(project.id, Buffer.from('x'), sent);
  expect((await service.call('DELETE', `/documents/${first.body.id}`)).status).toBe(204);
  const again = await upload(project.id, Buffer.from('x'), sent);
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(await filesOf(project)).toEqual([]);
  expect(await list(project.id)).toEqual([]);
});

describe('the first upload has failed: its key is free again', () => {
  test('because the name was taken', async () => {
    const project = await warmProject();
    const sent = { key: randomUUID(), behavior: 'fail' };
    const inTheWay = await upload(project.id, Buffer.from('in the way'));
    const rejected = await upload(project.id, Buffer.from('x'), sent);
    expect([rejected.status, rejected.body.code]).toEqual([409, 'file_exists']);
    await service.call('DELETE', `/documents/${inTheWay.body.id}`);
    const again = await upload(project.id, Buffer.from('xy'), { ...sent, folder: '05_Verträge' });
    expect([again.status, again.body.size]).toEqual([201, 2]);
  });

  test('because the body was cut off, or because the form had a fault after the file', async () => {
    const project = await warmProject();
    const key = randomUUID();
    const { boundary, body } = formOf(partsOf(randomBytes(1 * MiB), {}));
    const broken = await sendRaw(service, project.id, {
      boundary,
      headers: { 'transfer-encoding': 'chunked', 'idempotency-key': key },
      write: async (send) => {
        await send(body.subarray(0, body.length - 1000));
        await expect.poll(keys).toContainEqual(expect.objectContaining({ use: 'Plan.bin' }));
        throw new Disconnection();
      },
    });
    expect(broken).toBe('broken');
    const form = formOf([...partsOf(Buffer.from('x'), {}), { name: 'color', value: 'red' }]);
    const send = async () =>
      (await sendForm(service, project.id, form, { headers: { 'idempotency-key': key } })).status;
    await expect.poll(send).toBe(400);
    const again = await upload(project.id, Buffer.from('x'), { key });
    expect(again.status).toBe(201);
    await expectOnly(project, again.body);
  });
});

test('the gateway timed out and the upload continues: 409 while it runs, then 200 with its document', async () => {
  const project = await warmProject();
  const key = randomUUID();
  const content = randomBytes(5 * MiB);
  const { reached, resume } = await held(isRecord);
  const { boundary, body } = formOf(partsOf(content, {}));
  const gaveUp = await sendRaw(service, project.id, {
    boundary,
    headers: { 'content-length': String(body.length), 'idempotency-key': key },
    write: async (send) => {
      await send(body);
      await reached;
      throw new Disconnection();
    },
  });
  expect(gaveUp).toBe('broken');
  const early = await upload(project.id, content, { key });
  expect([early.status, early.body.code]).toEqual([409, 'upload_in_progress']);
  expect(Number(early.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(Number(early.headers.get('retry-after'))).toBeLessThanOrEqual(20);
  const otherFile = await upload(project.id, content, { key, name: 'Other.bin' });
  expect(otherFile.body.code).toBe('idempotency_key_reused');

  resume();
  await expect.poll(() => list(project.id)).toHaveLength(1);
  await expect.poll(async () => (await upload(project.id, content, { key })).status).toBe(200);
  await expectOnly(project, (await upload(project.id, content, { key })).body);
});

test('a key costs two storage requests, also in a repeated upload; without a key, there are none', async () => {
  const project = await warmProject();
  const sent = { key: randomUUID() };
  // What the requests of an upload contain. The timers of the service send others at each full minute.
  const parts = [
    project.id,
    partitionOf(project.id),
    `"PartitionKey":"document-words"`,
    `"PartitionKey":"upload-keys"`,
    `PartitionKey='upload-keys'`,
  ];
  const requestsOf = async (sent: Sent) => {
    const seen: string[] = [];
    await onCall(async ({ method, url, body }) => {
      if (parts.some((part) => url.includes(part) || body.includes(part))) seen.push(`${method} ${url}`);
      return undefined;
    });
    await upload(project.id, Buffer.from('x'), sent);
    openGate();
    return seen;
  };
  // The first upload of a project also marks its names as complete.
  await upload(project.id, Buffer.from('x'));
  const without = await requestsOf({});
  const withKey = await requestsOf(sent);
  const repeated = await requestsOf(sent);
  expect(without.length).toBeGreaterThan(5);
  expect(withKey).toHaveLength(without.length + 2);
  // The project, and the key twice: the insert that fails, and the read of the existing row.
  expect(repeated).toHaveLength(3);
});

test('a key is free after 24 hours, and maintenance removes only such keys', async () => {
  const project = await warmProject();
  const [old, renewed, current] = [randomUUID(), randomUUID(), randomUUID()];
  const rowOf = async (key: string) => {
    const before = new Set((await keys()).map(({ rowKey }) => rowKey));
    expect((await upload(project.id, Buffer.from('x'), { key })).status).toBe(201);
    return (await keys()).find(({ rowKey }) => !before.has(rowKey))!.rowKey;
  };
  const rows = [await rowOf(old), await rowOf(renewed), await rowOf(current)];
  for (const rowKey of rows.slice(0, 2)) {
    const createdAt = new Date(Date.now() - 24 * 60 * 60_000 - 1000);
    const row = { partitionKey: 'upload-keys', rowKey, createdAt };
    await service.table('ProjectDocuments').updateEntity(row, 'Merge');
  }
  const again = await upload(project.id, Buffer.from('x'), { key: renewed, name: 'Other.bin' });
  expect([again.status, again.body.fileName]).toEqual([201, 'Other.bin']);
  await service.host.runTimer!('maintain-uploads');
  const left = new Set((await keys()).map(({ rowKey }) => rowKey));
  expect(rows.map((row) => left.has(row))).toEqual([false, true, true]);
});

test('the rows do not contain the key, and their names not the user', async () => {
  const key = 'a key that says something';
  await upload((await warmProject()).id, Buffer.from('x'), { key });
  const rows = await keys();
  expect(rows).not.toHaveLength(0);
  expect(JSON.stringify(rows)).not.toContain(key);
  for (const { rowKey } of rows) expect(rowKey).toMatch(/^[0-9a-f]{64}$/);
});
