import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../../agent/smb/tests/support/until.ts';
import { eventLog } from '../../../../lib/base/event-log.ts';
import type { User } from '../../../../lib/callers/caller.ts';
import { Secret } from '../../../../lib/contract/secret.ts';
import { conflictBehaviors } from '../../../../lib/document-library/conflict-behavior.ts';
import { Graph } from '../../../../lib/document-library/graph.ts';
import { Library } from '../../../../lib/document-library/library.ts';
import { connectDocuments } from '../../../../lib/project-documents/documents.ts';
import { FolderMemory } from '../../../../lib/project-documents/folders/folder-memory.ts';
import { DocumentRecords } from '../../../../lib/project-documents/document-records/document-records.ts';
import { completeDirectUpload } from '../../../../lib/project-documents/transfer/direct-uploads.ts';
import { putDocument } from '../../../../lib/project-documents/transfer/uploads.ts';
import { projectKind } from '../../../../lib/projects/project.ts';
import { SearchableRecords } from '../../../../lib/master-data/searchable-records.ts';
import { IdempotencyKeys } from '../../../../lib/storage/idempotency-keys.ts';
import { SealedText } from '../../../../lib/storage/sealed-text.ts';
import { endSeen } from '../../../support/direct-upload.ts';
import { people, type ServiceResponse } from '../../../support/document-service.ts';
import { certain } from '../../../support/folder-queue.ts';
import { OneToken } from '../../../support/one-token.ts';
import { type TableCall } from '../../../support/storage-gate.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { fragment, isNewIntent, isRecord, twoFragments, useGatedDocuments } from '../support/documents.ts';

// The process dies once, with uploads of other projects at every step between their start and their end. Until it counts as
// dead, an upload keeps its name; then the next caller takes over what is left of it.

const {
  service,
  warmProject,
  provision,
  upload,
  filesOf,
  list,
  expectOnly,
  intentsOf,
  changeIntents,
  lastHeartbeat,
  age,
  stuckUntilKilled,
  held,
  killed,
} = useGatedDocuments();

type Project = Awaited<ReturnType<typeof warmProject>>;

const begun: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  for (const begin of begun) await begin();
  await killed();
});

/** A test of what is left of a call that has reached a step when the process dies. `reach` resolves when it has. */
function testAfterCrash<T>(
  title: string,
  reach: (project: Project) => Promise<T>,
  check: (project: Project, reached: T) => Promise<void>,
): void {
  let reached: { readonly project: Project; readonly value: T } | undefined;
  begun.push(async () => {
    const project = await warmProject();
    reached = { project, value: await reach(project) };
  });
  test(title, () => check(reached!.project, reached!.value));
}

/** Resolves when `isReached` does. @throws Error if the call ends before */
const before = (call: Promise<ServiceResponse>, isReached: Promise<unknown>): Promise<unknown> =>
  Promise.race([
    isReached,
    call.then(({ status, body }) => {
      throw new Error(`The call ended with ${status} ${JSON.stringify(body)}`);
    }),
  ]);

/** Resolves when the call waits for a table call of its project that does not reach the storage. */
const heldAt = async (
  isStep: (call: TableCall) => boolean,
  { id }: Project,
  call: () => Promise<ServiceResponse>,
): Promise<unknown> => {
  const { reached } = await stuckUntilKilled(id, isStep, false);
  return before(call(), reached);
};

/** Resolves when the call waits for the response to a table call of its project. */
const heldAfter = async (
  isStep: (call: TableCall) => boolean,
  { id }: Project,
  call: () => Promise<ServiceResponse>,
): Promise<unknown> => {
  const { reached } = await stuckUntilKilled(id, isStep, true);
  return before(call(), reached);
};

const isIntent = ({ url, method }: TableCall): boolean => url.includes('upload-') && method !== 'GET';

const sessionsOf = async ({ number }: Project): Promise<unknown[]> =>
  ((await service.openSessions()) as { path: string }[]).filter(({ path }) => path.includes(`/${number}_`));

/** Seconds until the library ends the session of the project's upload. */
async function secondsUntilExpiry({ id }: Project): Promise<number> {
  const [intent] = await intentsOf(id);
  return ((intent!['sessionExpiresAt'] as Date).getTime() - Date.now()) / 1000;
}

/** Uploads, and expects 409 until the session of the earlier upload has expired. */
async function expectWaitForExpiry(project: Project, call: () => Promise<ServiceResponse>): Promise<void> {
  const before = await secondsUntilExpiry(project);
  const { status, body, headers } = await call();
  expect([status, body.code]).toEqual([409, 'upload_in_progress']);
  const retryAfter = Number(headers.get('retry-after'));
  // By a clock that is up to 5 s ahead.
  expect(retryAfter).toBeGreaterThanOrEqual(Math.floor(await secondsUntilExpiry(project)) - 5);
  expect(retryAfter).toBeLessThanOrEqual(Math.ceil(before) + 5);
}

const content = Buffer.from('mine');
const again = Buffer.from('again');

describe('an upload with an Idempotency-Key', () => {
  /** Whether a table call completes a key. */
  const isKeyDone = ({ method, body }: TableCall): boolean => method !== 'GET' && body.includes('"outcome"');
  const keyed = (behavior = 'rename') => ({ headers: { 'idempotency-key': randomUUID() }, behavior });

  for (const behavior of conflictBehaviors) {
    for (const [where, isStep] of [
      ['between file and record', isRecord],
      ['between record and response', isKeyDone],
    ] as const) {
      const sent = keyed(behavior);
      testAfterCrash(
        `${where}: a repetition finds the document (${behavior})`,
        (project) => heldAt(isStep, project, () => upload(project.id, content, sent)),
        async (project) => {
          expect(await filesOf(project)).toHaveLength(1);
          await lastHeartbeat(project.id, 1);
          const early = await upload(project.id, content, sent);
          expect([early.status, early.body.code]).toEqual([409, 'upload_in_progress']);

          await lastHeartbeat(project.id, 21);
          const { status, body } = await upload(project.id, content, sent);
          expect([status, body.size, body.fileName]).toEqual([200, content.length, 'Plan.bin']);
          await expectOnly(project, body);
          expect((await upload(project.id, content, sent)).body).toEqual(body);
        },
      );
    }
  }

  const [interrupted, uncanceled, repaired, contended, emptied, unreadable] = [
    keyed(),
    keyed(),
    keyed(),
    keyed(),
    keyed(),
    keyed(),
  ];
  const replacing = keyed('replace');

  testAfterCrash(
    'between file and record of a file that had one: a repetition finds the document',
    async (project) => {
      await upload(project.id, again);
      await heldAt(isRecord, project, () => upload(project.id, content, replacing));
    },
    async (project) => {
      await lastHeartbeat(project.id, 21);
      const { status, body } = await upload(project.id, content, replacing);
      expect([status, body.size]).toEqual([200, content.length]);
      await expectOnly(project, body);
    },
  );

  testAfterCrash(
    'between file and record of an empty file, which has no session: a repetition finds the document',
    (project) => heldAt(isRecord, project, () => upload(project.id, Buffer.alloc(0), emptied)),
    async (project) => {
      await lastHeartbeat(project.id, 21);
      const { status, body } = await upload(project.id, Buffer.alloc(0), emptied);
      expect([status, body.size]).toEqual([200, 0]);
      await expectOnly(project, body);
    },
  );

  testAfterCrash(
    'its session cannot be read any more, and has expired: a repetition stores the file',
    (project) => heldAfter(isNewIntent, project, () => upload(project.id, content, unreadable)),
    async (project) => {
      await lastHeartbeat(project.id, 21);
      const uploadUrl = randomBytes(400).toString('base64');
      await changeIntents(project.id, { ...endSeen(), uploadUrl });
      const { status, body } = await upload(project.id, content, unreadable);
      expect(status).toBe(201);
      expect(await list(project.id)).toEqual([body]);
    },
  );

  testAfterCrash(
    'two repetitions take over at once: one stores the file, the other is told to try again',
    (project) => heldAfter(isNewIntent, project, () => upload(project.id, content, contended)),
    async (project) => {
      await lastHeartbeat(project.id, 21);
      const isTakeOver = ({ url, method }: TableCall): boolean =>
        url.includes('upload-keys') && method !== 'GET' && method !== 'POST';
      const { reached, resume } = await held(isTakeOver);
      const late = upload(project.id, content, contended);
      await reached;
      const { status, body } = await upload(project.id, content, contended);
      expect(status).toBe(201);
      resume();
      expect(await late).toMatchObject({ status: 409, body: { code: 'request_in_progress' } });
      await expectOnly(project, body);
    },
  );

  testAfterCrash(
    'between intent and file: a repetition stores it',
    (project) => heldAfter(isNewIntent, project, () => upload(project.id, content, interrupted)),
    async (project) => {
      await lastHeartbeat(project.id, 21);
      const { status, body } = await upload(project.id, content, interrupted);
      expect([status, body.fileName]).toEqual([201, 'Plan.bin']);
      await expectOnly(project, body);
      expect(await sessionsOf(project)).toEqual([]);
      expect((await upload(project.id, content, interrupted)).status).toBe(200);
    },
  );

  // The library accepts any number of sessions that rename, so it does not refuse the second one.
  testAfterCrash(
    'its session cannot be canceled: 409 until it expires, and no second file',
    (project) => heldAfter(isNewIntent, project, () => upload(project.id, content, uncanceled)),
    async (project) => {
      await lastHeartbeat(project.id, 21);
      await service.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'DELETE' });
      await expectWaitForExpiry(project, () => upload(project.id, content, uncanceled));
      expect(await filesOf(project)).toEqual([]);
      const { status, body } = await upload(project.id, content, uncanceled);
      expect(status).toBe(201);
      await expectOnly(project, body);
    },
  );

  testAfterCrash(
    'another user’s repair finds the file first: the key returns its document',
    (project) => heldAt(isRecord, project, () => upload(project.id, content, repaired)),
    async (project) => {
      await lastHeartbeat(project.id, 21);
      await age(project.id, 36);
      await provision(project.id, people.backOffice);
      const [document] = await list(project.id);
      const { status, body } = await upload(project.id, content, repaired);
      expect([status, body]).toEqual([200, document]);
      await expectOnly(project, document);
    },
  );
});

// The library rejects other uploads of the name until the session ends, about 15 minutes later.
describe('the session of an upload', () => {
  for (const behavior of ['replace', 'fail']) {
    testAfterCrash(
      `in the middle of the file: the name is free as soon as the process counts as dead (${behavior})`,
      async (project) => {
        // The library has the first fragment, and requests to send the second one later.
        await service.fault({ kind: 'throttled', retryAfter: '600' }, { ...fragment, skip: 1 });
        const isRequested = until<unknown[]>(
          'the request to wait',
          () => service.admin('GET', '/faults'),
          ({ length }) => length === 0,
        );
        await before(upload(project.id, randomBytes(twoFragments), { behavior }), isRequested);
      },
      async (project) => {
        expect(await sessionsOf(project)).toMatchObject([
          { received: expect.toSatisfy((bytes) => bytes > 0) },
        ]);
        await lastHeartbeat(project.id, 1);
        const as = people.backOffice;
        const early = await upload(project.id, Buffer.from('early'), { behavior, as });
        expect([early.status, early.body.code]).toEqual([409, 'upload_in_progress']);
        const retryAfter = Number(early.headers.get('retry-after'));
        expect(retryAfter).toBeGreaterThanOrEqual(1);
        expect(retryAfter).toBeLessThanOrEqual(20);

        await lastHeartbeat(project.id, 21);
        const { status, body } = await upload(project.id, again, { behavior, as });
        expect([status, body.size]).toEqual([201, again.length]);
        expect(await sessionsOf(project)).toEqual([]);
        await expectOnly(project, body);
      },
    );
  }

  const isOtherSession = (call: TableCall): boolean => isIntent(call) && call.body.includes('"uploadUrl"');
  testAfterCrash(
    'that was not its first: the name is free too',
    async (project) => {
      await service.fault({ kind: 'session-vanishes' });
      await heldAfter(isOtherSession, project, () => upload(project.id, content));
    },
    async (project) => {
      await lastHeartbeat(project.id, 21);
      const { status, body } = await upload(project.id, again);
      expect([status, body.size]).toEqual([201, again.length]);
      expect(await sessionsOf(project)).toEqual([]);
    },
  );

  testAfterCrash(
    'that cannot be canceled: 409 until it ends',
    (project) => heldAfter(isNewIntent, project, () => upload(project.id, content)),
    async (project) => {
      await lastHeartbeat(project.id, 21);
      const always = { host: 'content', method: 'DELETE', times: null };
      await service.fault({ kind: 'html-unavailable' }, always);
      await expectWaitForExpiry(project, () => upload(project.id, again));
      await service.admin('DELETE', '/faults');
      expect((await upload(project.id, again)).status).toBe(201);
    },
  );

  testAfterCrash(
    'has an encrypted URL in the table; if it cannot be decrypted, the session has to expire',
    (project) => heldAfter(isNewIntent, project, () => upload(project.id, content)),
    async (project) => {
      const [row] = await intentsOf(project.id);
      expect(row).toMatchObject({ uploadUrl: expect.any(String), sessionExpiresAt: expect.any(Date) });
      expect(JSON.stringify(row)).not.toMatch(/https?:|tempauth|uploadSession/);
      // As after a change of the secret.
      await changeIntents(project.id, { uploadUrl: randomBytes(400).toString('base64') });
      await lastHeartbeat(project.id, 21);
      await expectWaitForExpiry(project, () => upload(project.id, again));
    },
  );
});

describe('an upload without an Idempotency-Key', () => {
  for (const [behavior, fileName, others] of [
    ['replace', 'Plan.bin', 0],
    ['rename', 'Plan 1.bin', 1],
  ] as const) {
    testAfterCrash(
      `between file and record: the next provision writes the record (${behavior})`,
      async (project) => {
        for (let count = 0; count < others; count += 1) await upload(project.id, again);
        await heldAt(isRecord, project, () => upload(project.id, content, { behavior }));
      },
      async (project) => {
        expect(await filesOf(project)).toHaveLength(others + 1);
        // The upload may still be running, so its intent is left unchanged.
        await provision(project.id);
        expect(await list(project.id)).toHaveLength(others);
        expect(await intentsOf(project.id)).toHaveLength(1);
        await age(project.id, 36);
        expect((await provision(project.id)).status).toBe(200);
        const documents = await list(project.id);
        expect(documents).toHaveLength(others + 1);
        const { id } = documents[0];
        const uploadedByUserId = people.projectManager.oid;
        expect(documents[0]).toMatchObject({ fileName, size: content.length, uploadedByUserId });
        expect(await intentsOf(project.id)).toEqual([]);
        expect((await service.call('GET', `/documents/${id}/download`)).status).toBe(200);
      },
    );
  }

  testAfterCrash(
    'before the file is finished: there is no record, and the intent is removed after a day',
    (project) => heldAfter(isNewIntent, project, () => upload(project.id, content)),
    async (project) => {
      await age(project.id, 36);
      await provision(project.id);
      expect(await list(project.id)).toEqual([]);
      expect(await intentsOf(project.id)).toHaveLength(1);
      await age(project.id, 26 * 60);
      await provision(project.id);
      expect(await intentsOf(project.id)).toEqual([]);
    },
  );
});

describe('a direct upload', () => {
  const isBegin = ({ body }: TableCall): boolean => body.includes('directUploadId');
  const isClaim = (call: TableCall): boolean => isIntent(call) && call.body.includes('"isCommitting":true');
  const isOutcome = ({ url, body }: TableCall): boolean =>
    url.includes('upload-keys') && body.includes('"outcome"');
  const isEnd = (call: TableCall): boolean => isIntent(call) && call.method === 'DELETE';

  /** Completes an upload until it has reached a step. @returns the id of the upload */
  const completing =
    (isStep: (call: TableCall) => boolean, conflictBehavior = 'replace') =>
    async (project: Project): Promise<string> => {
      const uploadId = await project.uploads.sent(content, { conflictBehavior });
      await heldAt(isStep, project, () => project.uploads.complete(uploadId));
      return uploadId;
    };

  testAfterCrash(
    'before its intent: only the library’s session remains',
    (project) => heldAt(isBegin, project, () => project.uploads.begin()),
    async (project) => {
      expect(await intentsOf(project.id)).toEqual([]);
      expect(await sessionsOf(project)).toHaveLength(1);
    },
  );

  for (const [where, isStep, status, behavior] of [
    ['before a request has claimed the intent', isClaim, 201, 'replace'],
    ['between file and record', isRecord, 200, 'replace'],
    ['between record and outcome', isOutcome, 200, 'replace'],
    ['between outcome and the end of the intent', isEnd, 200, 'replace'],
    ['between file and record', isRecord, 200, 'rename'],
    ['between record and outcome', isOutcome, 200, 'rename'],
    ['between record and outcome', isOutcome, 200, 'fail'],
  ] as const) {
    testAfterCrash(
      `${where}: complete continues (${behavior})`,
      completing(isStep, behavior),
      async (project, uploadId) => {
        await lastHeartbeat(project.id, 21);
        const completed = await project.uploads.complete(uploadId);
        expect(completed).toMatchObject({ status, body: { size: content.length } });
        await expectOnly(project, completed.body);
        expect(await sessionsOf(project)).toEqual([]);
        expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 200, body: completed.body });
      },
    );
  }

  testAfterCrash(
    'between file and record of an empty file, and its session is over: complete finds it (rename)',
    async (project) => {
      const { uploadId } = (await project.uploads.begin({ size: 0, conflictBehavior: 'rename' })).body;
      await heldAt(isRecord, project, () => project.uploads.complete(uploadId));
      return uploadId as string;
    },
    async (project, uploadId) => {
      await lastHeartbeat(project.id, 21);
      await changeIntents(project.id, endSeen());
      const completed = await project.uploads.complete(uploadId);
      expect(completed).toMatchObject({ status: 201, body: { size: 0, fileName: 'Plan.bin' } });
      await expectOnly(project, completed.body);
    },
  );

  testAfterCrash(
    'a second click waits while the first request is alive, and takes over when it has died',
    completing(isRecord),
    async (project, uploadId) => {
      // Two seconds before it counts as dead.
      await lastHeartbeat(project.id, 18);
      const completed = await project.uploads.complete(uploadId);
      expect(completed).toMatchObject({ status: 200, body: { size: content.length } });
      expect(await list(project.id)).toHaveLength(1);
    },
  );

  testAfterCrash(
    'between file and record, and complete is not repeated: the next request in the project writes the record',
    completing(isRecord),
    async (project, uploadId) => {
      expect(await list(project.id)).toEqual([]);
      await lastHeartbeat(project.id, 21);
      await provision(project.id);
      const [document] = await list(project.id);
      expect(document).toMatchObject({ fileName: 'Plan.bin', size: content.length });
      expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 200, body: document });
    },
  );

  testAfterCrash(
    'between file and record, and the upload is then canceled: the file remains and gets its record',
    completing(isRecord),
    async (project, uploadId) => {
      await lastHeartbeat(project.id, 1);
      const early = await project.uploads.cancel(uploadId);
      expect([early.status, early.body.code]).toEqual([409, 'upload_in_progress']);
      await lastHeartbeat(project.id, 21);
      expect((await project.uploads.cancel(uploadId)).status).toBe(204);
      expect(await list(project.id)).toHaveLength(1);
    },
  );

  describe('between claim and file', () => {
    const claimed = (aliveAt: number) => ({ isCommitting: true, aliveAt: new Date(Date.now() - aliveAt) });
    const endSessionOf = async (project: Project): Promise<void> => {
      const { uploadUrl } = (await service.call('GET', `/documents/projects/${project.id}/uploads`)).body
        .items[0];
      await fetch(uploadUrl, { method: 'DELETE' });
    };

    test('complete continues', async () => {
      const project = await warmProject();
      const uploadId = await project.uploads.sent(content);
      await changeIntents(project.id, claimed(21_000));
      expect((await project.uploads.complete(uploadId)).status).toBe(201);
    });

    test('the session expires, and nothing is left', async () => {
      const project = await warmProject();
      const uploadId = await project.uploads.sent(content);
      await endSessionOf(project);
      await changeIntents(project.id, { ...claimed(3_600_000), ...endSeen() });
      const { status, body } = await project.uploads.complete(uploadId);
      expect([status, body.code]).toEqual([404, 'upload_not_found']);
      expect(await intentsOf(project.id)).toEqual([]);
      expect(await filesOf(project)).toEqual([]);
    });

    test('of an empty file, whose session has been ended: complete creates it', async () => {
      const project = await warmProject();
      const { body } = await project.uploads.begin({ size: 0 });
      await endSessionOf(project);
      await changeIntents(project.id, claimed(21_000));
      const completed = await project.uploads.complete(body.uploadId);
      expect(completed).toMatchObject({ status: 201, body: { size: 0 } });
      expect(await filesOf(project)).toHaveLength(1);
    });
  });
});

/** In this process, with the clock of a test. */
function documentsWith(clock: VirtualClock) {
  const { idp, drive } = service;
  const table = service.table('ProjectDocuments');
  const shared = certain(clock);
  const graph = new Graph(`${drive.url}/v1.0`, new OneToken(() => service.graphToken(people.projectManager)));
  const documents = connectDocuments({
    table,
    clock: shared,
    records: new DocumentRecords(table, shared),
    keys: new IdempotencyKeys(table, shared),
    memory: new FolderMemory(table),
    projects: new SearchableRecords(service.table('Projects'), projectKind, shared),
    sealed: new SealedText(new Secret(idp.registration.clientSecret), 'upload session'),
    libraryOf: (user) => new Library(graph, user, drive),
    rootPath: '/Projekte',
    defaultConflictBehavior: 'replace',
    maxBytes: twoFragments,
    uploadDiskBytes: 0,
  });
  const { oid, name } = people.projectManager;
  return documents.of({ user: { oid, name } as User, log: eventLog(console) });
}

test('a click waits half a minute for another one that takes longer: 409', async () => {
  const clock = new VirtualClock();
  const project = await warmProject();
  const uploadId = await project.uploads.sent(content);
  const aliveAt = new Date(clock.now() + 60_000);
  await changeIntents(project.id, { isCommitting: true, aliveAt });
  const waiting = completeDirectUpload(documentsWith(clock), project.id, uploadId);
  const isOver = expect(waiting).rejects.toMatchObject({ code: 'upload_in_progress' });
  await expect.poll(() => clock.waits).toHaveLength(1);
  clock.advance(30_000);
  await isOver;
  expect(clock.waits).toHaveLength(1);
});

test('a running upload sends heartbeats, with the expiry of its session: it is not interrupted, however long it takes', async () => {
  const clock = new VirtualClock();
  const project = await warmProject();
  const aliveAndExpiry = async (): Promise<number[]> =>
    (await intentsOf(project.id)).flatMap(({ aliveAt, sessionExpiresAt }) =>
      [aliveAt, sessionExpiresAt].map((time) => (time as Date).getTime()),
    );
  const isWaitingFor = (ms: number) => expect.poll(() => clock.waits).toContain(ms);

  const facts = {
    folderName: '01_Angebote',
    fileName: 'Plan.bin',
    contentType: 'text/plain',
    conflictBehavior: 'replace',
  } as const;

  await service.fault({ kind: 'throttled', retryAfter: '4' }, fragment);
  await service.fault({ kind: 'throttled', retryAfter: '20' }, { ...fragment, skip: 1 });
  const stored = putDocument(
    documentsWith(clock),
    { ...project, updatedAt: '' },
    facts,
    randomBytes(twoFragments),
  );
  await isWaitingFor(4_000);
  const [, openedUntil = 0] = await aliveAndExpiry();
  // The first fragment extends the session.
  await service.admin('POST', '/clock', { advanceSeconds: 60 });
  clock.advance(4_000);
  await isWaitingFor(20_000);
  // As after a long wait: without another heartbeat, the process would count as dead.
  await lastHeartbeat(project.id, 21, clock.now());
  const [silentSince = 0] = await aliveAndExpiry();
  clock.advance(1_000);
  await expect.poll(async () => (await aliveAndExpiry())[0]).toBeGreaterThan(silentSince + 20_000);
  expect((await aliveAndExpiry())[1]).toBeGreaterThan(openedUntil + 50_000);

  const other = await upload(project.id, again);
  expect([other.status, other.body.code]).toEqual([409, 'upload_in_progress']);
  // 20 s after the heartbeat, by a clock that is up to 5 s ahead.
  expect(Number(other.headers.get('retry-after'))).toBeLessThanOrEqual(25);
  clock.advance(20_000);
  await expectOnly(project, await stored);
});
