import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { releasedPrograms } from '../../release/package/released-programs.ts';
import type { StackDescription } from '../../local/stack/stack-file.ts';
import { appDirectory } from '../support/built-functions.ts';
import { releases } from '../support/releases.ts';
import { startStack } from '../support/stack.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const run = promisify(execFile);

interface Sent {
  readonly as?: keyof StackDescription['tokens'];
  readonly json?: object;
  readonly file?: {
    readonly folder: string;
    readonly path?: string | undefined;
    readonly name: string;
    readonly content: string;
  };
  readonly replaces?: boolean;
  readonly key?: string;
}

/** Responds with the status, and with the body if there is one: JSON, or else text. */
type Call = (method: string, path: string, sent?: Sent) => Promise<{ status: number; body: any }>;

/** The changelog says what going back to it loses; later releases do in the stories what today's does. */
const isFirstRelease = (version: string): boolean => version === '1.0.0';

/** A list that was read halfway on the release ends with these items, or begins again: cursors of 1.0.0 could be made by a caller. */
const expectRest = (
  version: string,
  response: { status: number; body?: unknown },
  items: readonly object[],
): void => {
  expect(response).toMatchObject(
    isFirstRelease(version)
      ? { status: 400, body: { errors: [{ code: 'foreign_cursor' }] } }
      : { status: 200, body: { items } },
  );
};

/** From yield to yield, a story runs on a release, on the service of today, on the release again, and again on today's. */
type Story = (call: Call, stack: StackDescription, version: string) => AsyncGenerator<void, void>;

const putAll = async (uploadUrl: string, text: string): Promise<void> => {
  const headers = { 'content-range': `bytes 0-${text.length - 1}/${text.length}` };
  expect((await fetch(uploadUrl, { method: 'PUT', body: text, headers })).status).toBe(202);
};

const stories: Readonly<Record<string, Story>> = {
  async *documents(call, { samples, library }, version) {
    const documents = `/documents/projects/${samples.projectId}`;
    const protocols = `${documents}?folderName=07_Protokolle`;
    const upload = async (name: string, content: string, options: Sent & { path?: string } = {}) => {
      const file = { folder: '07_Protokolle', path: options.path, name, content };
      return (await call('POST', `${documents}/upload`, { ...options, file })).body;
    };
    const names = async (query: string) =>
      (await call('GET', query)).body.items.map(({ fileName }: { fileName: string }) => fileName);
    const deleteInLibrary = async (name: string): Promise<void> => {
      const items = (await (await fetch(`${library.adminUrl}/items`)).json()) as {
        id: string;
        path: string;
      }[];
      const { id } = items.find(({ path }) => path.endsWith(`/${name}`))!;
      await fetch(`${library.adminUrl}/items/${id}`, { method: 'DELETE' });
    };
    expect((await call('POST', `${documents}/provision`)).status).toBe(200);
    const plan = await upload('Plan.txt', 'one', { key: 'plan' });
    const overview = await upload('Übersicht.txt', 'two');
    const gone = await upload('Gone.txt', 'three');
    await upload('Twice.txt', 'first');
    await deleteInLibrary('Gone.txt');
    expect((await call('POST', `${documents}/refresh`)).body).toMatchObject({ missing: 1 });
    const { nextCursor } = (await call('GET', `${documents}?limit=1`)).body;
    yield;
    expect(await names(protocols)).toEqual(['Twice.txt', 'Übersicht.txt', 'Plan.txt']);
    expectRest(version, await call('GET', `${documents}?limit=1&cursor=${encodeURIComponent(nextCursor)}`), [
      { fileName: 'Übersicht.txt' },
    ]);
    expect(await names('/documents?search=ubersicht')).toEqual(['Übersicht.txt']);
    expect(await call('GET', `/documents/${plan.id}/download`)).toEqual({ status: 200, body: 'one' });
    expect(await call('GET', `/documents/${gone.id}/download`)).toMatchObject({ status: 404 });
    expect(await upload('Plan.txt', 'one', { key: 'plan' })).toEqual({ ...plan, folderPath: '' });
    expect(await upload('Plan.txt', 'other', { key: 'plan' })).toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(await upload('Plan.txt', 'changed', { replaces: true })).toMatchObject({ id: plan.id, size: 7 });
    // Its namesake is gone in the library: the record of the release gives way to the new one.
    await deleteInLibrary('Twice.txt');
    const { id: second } = await upload('Twice.txt', 'second');
    const { items } = (await call('GET', `${documents}?search=twice`)).body;
    expect(items).toEqual([expect.objectContaining({ id: second })]);
    expect((await call('DELETE', `/documents/${overview.id}`)).status).toBe(204);
    expect(await names('/documents?search=ubersicht')).toEqual([]);
    const added = await upload('Neu.txt', 'four', { key: 'neu' });
    const nested = await upload('Nested.txt', 'five', { path: '2026' });
    yield;
    expect(await names(protocols)).toEqual(['Nested.txt', 'Neu.txt', 'Twice.txt', 'Plan.txt']);
    expect(await upload('Neu.txt', 'four', { key: 'neu' })).toEqual(added);
    expect((await call('DELETE', `/documents/${added.id}`)).status).toBe(204);
    // 1.0.0 knows no folders in a subfolder: the nested document leaves its list, and returns as itself.
    const unknown = isFirstRelease(version) ? ['Nested.txt'] : [];
    expect((await call('POST', `${documents}/refresh`)).body).toMatchObject({
      added: 0,
      missing: unknown.length,
    });
    expect([...unknown, ...(await names(protocols))]).toEqual(['Nested.txt', 'Twice.txt', 'Plan.txt']);
    yield;
    expect((await call('POST', `${documents}/refresh`)).body).toMatchObject({ missing: 0 });
    const returned = (await call('GET', `${documents}?search=nested`)).body.items;
    expect(returned).toEqual([{ ...nested, folderPath: '2026' }]);
    expect(await call('GET', `/documents/${nested.id}/download`)).toEqual({ status: 200, body: 'five' });
  },

  async *'direct uploads'(call, { samples }, version) {
    const uploads = `/documents/projects/${samples.projectId}/uploads`;
    const begin = async (fileName: string) => {
      const json = { folderName: '01_Angebote', fileName, size: 10 };
      return (await call('POST', uploads, { as: 'projectManager', json })).body;
    };
    const complete = async ({ uploadId }: { uploadId: string }) =>
      (await call('POST', `${uploads}/${uploadId}/complete`, { as: 'projectManager' })).body;
    const openUploads = async () =>
      (await call('GET', uploads, { as: 'projectManager' })).body.items.map(
        ({ fileName }: { fileName: string }) => fileName,
      );
    const [sent, begun, unwanted] = [
      await begin('sent.bin'),
      await begin('begun.bin'),
      await begin('unwanted.bin'),
    ];
    await putAll(sent.uploadUrl, '0123456789');
    yield;
    expect(await complete(sent)).toMatchObject({ fileName: 'sent.bin', size: 10 });
    expect((await openUploads()).toSorted()).toEqual(['begun.bin', 'unwanted.bin']);
    await putAll(begun.uploadUrl, '0123456789');
    for (let times = 0; times < 2; times += 1) {
      expect(await complete(begun)).toMatchObject({ fileName: 'begun.bin' });
    }
    const cancel = { as: 'projectManager' } as const;
    expect((await call('DELETE', `${uploads}/${unwanted.uploadId}`, cancel)).status).toBe(204);
    const next = await begin('next.bin');
    yield;
    expect(await openUploads()).toEqual(['next.bin']);
    await putAll(next.uploadUrl, '0123456789');
    expect(await complete(next)).toMatchObject({ fileName: 'next.bin' });
    // The restriction of going back to 1.0.0 (CHANGELOG.md): the outcome is unknown there, the document is not.
    expect(await complete(begun)).toMatchObject(
      isFirstRelease(version) ? { code: 'upload_not_found' } : { fileName: 'begun.bin' },
    );
    const { items } = (await call('GET', `/documents/projects/${samples.projectId}?search=begun`)).body;
    expect(items).toMatchObject([{ fileName: 'begun.bin', size: 10 }]);
  },

  async *'folder requests'(call, { agents }, version) {
    const agent = agents[0]!.id;
    const request = async (targetPath: string, key?: string) =>
      (
        await call('POST', '/folder-requests', {
          as: 'backOffice',
          json: { targetPath },
          ...(key && { key }),
        })
      ).body;
    const claim = async () => {
      const { status, body } = await call('POST', '/folder-requests/claim');
      expect(status).toBe(200);
      return body;
    };
    const report = async ({ id, claimToken }: any, json: object) =>
      (await call('PATCH', `/folder-requests/${id}/status`, { json: { ...json, claimToken } })).body;
    const fulfilled = { status: 'FULFILLED' };
    const first = await request('Neubau 1', 'first');
    for (const path of ['Neubau 2', 'Neubau 3', 'Neubau 4']) await request(path);
    await report(await claim(), fulfilled);
    const failed = await report(await claim(), {
      status: 'FAILED',
      errorMessage: 'voll',
      errorCode: 'disk_full',
    });
    const [third, fourth] = [await claim(), await claim()];
    const { nextCursor } = (await call('GET', '/folder-requests?limit=2')).body;
    expect(await call('PUT', `/agents/${agent}`, { json: { isPaused: true } })).toMatchObject({
      status: 200,
    });
    yield;
    expect(await request('Neubau 1', 'first')).toMatchObject({ id: first.id, status: 'FULFILLED' });
    expect(await request('Neubau 9', 'first')).toMatchObject({ code: 'idempotency_key_reused' });
    expectRest(
      version,
      await call('GET', `/folder-requests?limit=2&cursor=${encodeURIComponent(nextCursor)}`),
      [{ targetPath: 'Neubau 2' }, { targetPath: 'Neubau 1' }],
    );
    const { items } = (await call('GET', '/folder-requests')).body;
    expect(items.slice(2)).toMatchObject([{ targetPath: 'Neubau 2' }, { targetPath: 'Neubau 1' }]);
    expect((await call('GET', '/agents')).body.items).toMatchObject([
      { id: agent, isPaused: true, failed24h: 1 },
    ]);
    expect((await call('POST', '/folder-requests/claim')).status).toBe(204);
    await call('PUT', `/agents/${agent}`, { json: { isPaused: false } });
    expect(await report(third, fulfilled)).toMatchObject({ status: 'FULFILLED', targetPath: 'Neubau 3' });
    const released = { json: { claimToken: fourth.claimToken, reason: 'test' } };
    expect((await call('POST', `/folder-requests/${fourth.id}/release`, released)).status).toBe(200);
    expect((await call('POST', `/folder-requests/${failed.id}/requeue`, { json: {} })).status).toBe(200);
    expect(await report(await claim(), fulfilled)).toMatchObject({ targetPath: 'Neubau 2' });
    const { history } = (await call('GET', `/folder-requests/${failed.id}`)).body;
    expect(history.map(({ event }: { event: string }) => event)).toEqual([
      'created',
      'claimed',
      'failed',
      'requeued',
      'claimed',
      'fulfilled',
    ]);
    const { hours, ...counts } = (await call('GET', '/folder-requests/statistics')).body;
    expect(counts).toMatchObject({ pending: 1, processing: 0, failed: 0 });
    const sum = (name: string): number => hours.reduce((total: number, hour: any) => total + hour[name], 0);
    expect([sum('fulfilled'), sum('failed')]).toEqual([3, 1]);
    const again = await claim();
    const next = await request('Neubau 5', 'next');
    yield;
    expect(await report(again, fulfilled)).toMatchObject({ targetPath: 'Neubau 4' });
    expect(await request('Neubau 5', 'next')).toMatchObject({ id: next.id });
    expect(await claim()).toMatchObject({ id: next.id, attempts: 1 });
  },

  async *'contacts and their synchronization'(call, _stack, version) {
    const as = 'recordsSync';
    const contacts = Array.from({ length: 20 }, (_, at) => ({
      externalId: `k${at}`,
      lastName: `Nachname${at}`,
    }));
    const write = (items: object[], syncId?: string) =>
      call('POST', '/contacts/batch', { as, json: { items, ...(syncId && { syncId }) } });
    const begin = async (): Promise<string> => (await call('POST', '/contacts/syncs', { as })).body.id;
    const finish = async (id: string) =>
      (await call('POST', `/contacts/syncs/${id}/finish`, { as, json: {} })).body;
    expect((await write(contacts)).status).toBe(200);
    const sync = await begin();
    expect((await write(contacts.slice(0, 5), sync)).status).toBe(200);
    const { nextCursor } = (await call('GET', '/contacts?limit=10')).body;
    yield;
    const rest = await call('GET', `/contacts?limit=20&cursor=${encodeURIComponent(nextCursor)}`);
    expectRest(
      version,
      rest,
      Array.from({ length: contacts.length + 1 - 10 }, () => ({})),
    );
    expect((await call('GET', '/contacts?limit=100')).body.items).toHaveLength(contacts.length + 1);
    expect((await call('GET', '/contacts?search=Nachname17')).body.items).toMatchObject([
      { externalId: 'k17' },
    ]);
    const { items } = (await write(contacts)).body;
    expect(items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(contacts.map(() => 'unchanged'));
    expect((await write(contacts.slice(5, 10), sync)).status).toBe(200);
    expect(await finish(sync)).toMatchObject({ code: 'too_many_missing', missing: 10, others: 1 });
    const next = await begin();
    yield;
    expect((await write(contacts.slice(0, 15), next)).status).toBe(200);
    // 1.0.0 also counts what people have entered.
    const missing = isFirstRelease(version) ? 6 : 5;
    expect(await finish(next)).toMatchObject({ code: 'too_many_missing', missing });
    expect((await call('GET', '/contacts?limit=100')).body.items).toHaveLength(contacts.length + 1);
  },

  async *activities(call, { samples }) {
    const description = 'Der Baubeginn verschiebt sich um eine Woche.';
    const json = { activityType: 'Document', contactId: samples.contactId, description };
    const generate = () =>
      call('POST', '/activities/generate', { as: 'activityAuthor', json, key: 'letter' });
    const written = await generate();
    expect(written.status).toBe(200);
    yield;
    // Absent in 1.0.0 where there is nothing.
    expect(await generate()).toEqual({ ...written, body: { warnings: [], ...written.body } });
    yield;
    expect(await generate()).toEqual(written);
  },
};

// docs/compatibility.md: a release works with what every earlier one has stored, and the earlier one with what it stores.
requires('tar').describe.each(releases)('after an upgrade from %s and back,', (version) => {
  const failures = new Map<string, unknown>();

  beforeAll(async () => {
    const released = await mkdtemp(join(tmpdir(), 'released-'));
    await run('tar', ['-xzf', join(releasedPrograms, `functions-${version}.tar.gz`), '-C', released]);
    const stack = await startStack({ appDirectory: released, agent: false });
    try {
      const call = callOf(stack.description);
      const told = Object.entries(stories).map(([name, story]) => ({
        name,
        steps: story(call, stack.description, version),
      }));
      const today = await appDirectory();
      for (const next of [today, released, today, null]) {
        for (const { name, steps } of told) {
          await steps.next().catch((error: unknown) => failures.set(name, error));
        }
        if (next !== null) await (await stack.stopService())(next);
      }
    } finally {
      await stack.stop();
    }
  }, 120_000);

  test.each(Object.keys(stories))('%s', (name) => {
    if (failures.has(name)) throw failures.get(name);
  });
});

function callOf({ baseUrl, tokens, agents }: StackDescription): Call {
  return async (method, path, { as = 'administrator', json, file, replaces = false, key } = {}) => {
    const isAgent = /^\/folder-requests\/(?:claim|.*\/(?:status|release))$/.test(path);
    const form = new FormData();
    if (file) {
      form.set('folderName', file.folder);
      if (file.path !== undefined) form.set('folderPath', file.path);
      if (replaces) form.set('conflictBehavior', 'replace');
      form.set('file', new File([file.content], file.name));
    }
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: {
        ...(isAgent ? { 'x-api-key': agents[0]!.key } : { authorization: `Bearer ${tokens[as]}` }),
        ...(json && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(json ? { body: JSON.stringify(json) } : file && { body: form }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  };
}
