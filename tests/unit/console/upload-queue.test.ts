import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  NameInUse,
  UploadQueue,
  uploadKey,
  type KeptUpload,
  type QueueParts,
  type Remedy,
  type Target,
} from '../../../console/pages/documents/uploads/upload-queue.ts';
import { DirectUploadError } from '../../../console/uploads/direct-upload-error.ts';

type Request = Parameters<QueueParts['upload']>[0];

interface Sent extends Request {
  readonly succeed: () => void;
  readonly fail: (error: Error) => void;
}

const target: Target = {
  projectId: 'p',
  folderName: '02_Aufträge',
  folderPath: '2026',
  conflictBehavior: 'fail',
};
const kept: KeptUpload = {
  uploadId: 'kept-1',
  uploadUrl: 'https://library.test/1',
  folderName: target.folderName,
  folderPath: target.folderPath,
  fileName: 'Plan.pdf',
  size: 4,
};
const fileOf = (name: string, content = 'Plan', lastModified = 1000): File =>
  new File([content], name, { lastModified });
const foundIn = (inFolder: string, ...names: string[]) =>
  names.map((name) => ({ file: fileOf(name), inFolder }));
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** A queue whose uploads end when the test says so. */
function stage({
  ofLibrary = [],
  discardError,
  discardingEnds = Promise.resolve(),
}: { ofLibrary?: readonly KeptUpload[]; discardError?: Error; discardingEnds?: Promise<void> } = {}) {
  const sent: Sent[] = [];
  const discarded: string[] = [];
  const times = new Map<string, number>();
  const locks = new Set<string>();
  const refreshed: string[] = [];
  const keyOf = (identity: object): string => JSON.stringify(identity);
  const queue = new UploadQueue({
    upload: (request) =>
      new Promise((succeed, fail) => {
        request.signal.addEventListener('abort', () => fail(request.signal.reason as Error));
        sent.push({ ...request, succeed: () => succeed(undefined), fail });
      }),
    keptUploads: async () => ofLibrary,
    discard: async (_projectId, uploadId) => {
      await discardingEnds;
      if (discardError) throw discardError;
      discarded.push(uploadId);
    },
    exclusively: async (key, work) => {
      if (locks.has(key)) throw new NameInUse();
      locks.add(key);
      return work().finally(() => locks.delete(key));
    },
    memory: {
      remember: (identity, lastModified) => void times.set(keyOf(identity), lastModified),
      recall: (identity) => times.get(keyOf(identity)),
      forget: (identity) => void times.delete(keyOf(identity)),
    },
    refreshLists: (projectId) => void refreshed.push(projectId),
  });
  const states = () => queue.uploads().map(({ fileName, state }) => `${fileName} ${state}`);
  /** Adds one file, lets it fail with this error, and returns the upload. */
  const failed = async (error: Error, file = fileOf('Plan.pdf')) => {
    queue.add([{ file, inFolder: '' }], target);
    sent.at(-1)!.fail(error);
    await settled();
    return queue.uploads().at(-1)!;
  };
  return { queue, sent, discarded, times, locks, refreshed, states, failed };
}

/** As the client throws it; `continued` gets the calls of its remainder. */
function stoppedWith(code: string, continued: string[] = []): DirectUploadError {
  const error = new DirectUploadError(code, code);
  error.upload = {
    uploadId: 'stopped-1',
    resume: async () => void continued.push('resume') as never,
    discard: async () => void continued.push('discard'),
  };
  return error;
}

test('two files are uploaded at a time, in their order, and the queue says when it is done', async () => {
  const { queue, sent, states } = stage();
  let announced = 0;
  queue.subscribe(() => (announced += 1));
  queue.add(foundIn('', 'a.pdf', 'b.pdf', 'c.pdf'), target);
  expect(states()).toEqual(['a.pdf running', 'b.pdf running', 'c.pdf waiting']);
  expect(queue.hasUnstored()).toBe(true);
  sent[0]!.onProgress({ sentBytes: 2, totalBytes: 4 });
  expect(queue.uploads()[0]).toMatchObject({ sentBytes: 2, totalBytes: 4 });
  sent[0]!.succeed();
  await settled();
  expect(states()).toEqual(['a.pdf done', 'b.pdf running', 'c.pdf running']);
  for (const each of sent.slice(1)) each.succeed();
  await settled();
  expect(states()).toEqual(['a.pdf done', 'b.pdf done', 'c.pdf done']);
  expect([queue.hasUnstored(), announced > 5]).toEqual([false, true]);
  queue.clearEnded();
  expect(queue.uploads()).toEqual([]);
});

test('what has failed stays on the list and keeps the tab open, until somebody decides', async () => {
  const { queue, sent, states } = stage();
  queue.add(foundIn('', 'a.pdf', 'b.pdf', 'c.pdf'), target);
  sent[0]!.succeed();
  sent[1]!.fail(stoppedWith('file_exists'));
  await settled();
  queue.cancel(queue.uploads()[2]!.id);
  await settled();
  queue.clearEnded();
  expect([states(), queue.hasUnstored()]).toEqual([['b.pdf failed'], true]);
  queue.clearFailed();
  expect([states(), queue.hasUnstored()]).toEqual([[], false]);
});

test('one decision for many: each remedy says how many it helps, and helps only these', async () => {
  const { queue, sent, states } = stage();
  const failAll = async (code: string, ...names: string[]) => {
    queue.add(foundIn('', ...names), target);
    for (let each = sent.shift(); each; each = sent.shift()) {
      each.fail(stoppedWith(code));
      await settled();
    }
  };
  await failAll('file_exists', 'a.pdf', 'b.pdf', 'c.pdf');
  await failAll('permission_denied', 'd.pdf');
  expect(queue.remediesOfMany).toEqual([
    { remedy: 'replace', count: 3 },
    { remedy: 'keepBoth', count: 3 },
  ]);
  await queue.applyToMany('replace');
  await settled();
  expect(states()).toEqual(['a.pdf running', 'b.pdf running', 'c.pdf waiting', 'd.pdf failed']);
  expect(sent.map(({ conflictBehavior }) => conflictBehavior)).toEqual(['replace', 'replace']);
  expect(queue.remediesOfMany).toEqual([]);
});

test('files of one name are uploaded one after the other, so keeping all of them is one decision', async () => {
  const { queue, sent, states } = stage();
  queue.add([...foundIn('', 'Foto.jpg'), ...foundIn('a', 'Foto.jpg'), ...foundIn('b', 'Foto.jpg')], target);
  sent.shift()!.succeed();
  await settled();
  await queue.applyToMany('keepBoth');
  for (const left of [2, 1]) {
    expect([sent.length, states().filter((each) => each.endsWith('waiting')).length]).toEqual([1, left - 1]);
    sent.shift()!.succeed();
    await settled();
  }
  expect(states()).toEqual(['Foto.jpg done', 'Foto.jpg done', 'Foto.jpg done']);
});

describe('the lists of a project are refreshed', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('at once after its last upload, and at most every two seconds while others go on', async () => {
    const { queue, sent, refreshed } = stage();
    const end = async (index: number) => {
      sent[index]!.succeed();
      await vi.advanceTimersByTimeAsync(0);
      return refreshed.splice(0);
    };
    const after = async (waitMs: number) => {
      await vi.advanceTimersByTimeAsync(waitMs);
      return refreshed.splice(0);
    };
    queue.add(foundIn('', '1.pdf', '2.pdf', '3.pdf', '4.pdf', '5.pdf'), target);
    queue.add(foundIn('', '6.pdf'), { ...target, projectId: 'q' });
    expect(await end(0)).toEqual(['p']);
    expect(await end(1)).toEqual([]);
    expect(await after(1000)).toEqual([]);
    expect(await end(2)).toEqual([]);
    expect(await after(999)).toEqual([]);
    expect(await after(1)).toEqual(['p']);
    expect(await after(60_000)).toEqual([]);
    expect(await end(3)).toEqual(['p']);
    expect(await end(4)).toEqual(['p']);
    expect(await end(5)).toEqual(['q']);
    expect(await after(60_000)).toEqual([]);
  });

  test('at once if the last one that waits is canceled', async () => {
    const { queue, sent, refreshed } = stage();
    const ofOther = { ...target, projectId: 'q' };
    queue.add(foundIn('', '1.pdf'), target);
    queue.add(foundIn('', '1.pdf'), ofOther);
    queue.add(foundIn('', '2.pdf'), target);
    queue.add(foundIn('', '2.pdf', '3.pdf'), ofOther);
    queue.add(foundIn('', '3.pdf'), target);
    for (const index of [0, 1, 2]) {
      sent[index]!.succeed();
      await vi.advanceTimersByTimeAsync(0);
    }
    // The third file of p waits for those of q, after the second has ended.
    expect(refreshed.splice(0)).toEqual(['p', 'q']);
    queue.cancel(queue.uploads().at(-1)!.id);
    expect(refreshed).toEqual(['p']);
  });
});

test('the lists are refreshed after the last upload has failed, also at once after the one before', async () => {
  const { failed, refreshed } = stage();
  await failed(new Error('offline'));
  await failed(new Error('offline'));
  expect(refreshed).toEqual(['p', 'p']);
});

test('canceled uploads end, whether they run or wait, and the next one starts', async () => {
  const { queue, sent, times, states } = stage();
  queue.add(foundIn('', 'a.pdf', 'b.pdf', 'c.pdf', 'd.pdf'), target);
  sent[0]!.onProgress({ sentBytes: 1, totalBytes: 4 });
  const [a, , c] = queue.uploads();
  queue.cancel(c!.id);
  queue.cancel(a!.id);
  await settled();
  expect(states()).toEqual(['a.pdf canceled', 'b.pdf running', 'c.pdf canceled', 'd.pdf running']);
  expect(times.size).toBe(0);
});

test('files of one name from several folders: the first is uploaded, the others wait for a decision', async () => {
  const { queue, sent, states } = stage();
  queue.add([...foundIn('A', 'Plan.pdf'), ...foundIn('A/B', 'PLAN.pdf')], target);
  expect(states()).toEqual(['Plan.pdf running', 'PLAN.pdf failed']);
  const second = queue.uploads()[1]!;
  expect(second.error).toBeInstanceOf(NameInUse);
  expect(queue.remedies(second)).toEqual(['keepBoth', 'rename']);
  sent[0]!.succeed();
  await settled();
  await queue.apply(second.id, 'keepBoth');
  expect(sent[1]).toMatchObject({ fileName: 'PLAN.pdf', conflictBehavior: 'rename' });
});

test('a name that another tab is uploading is not uploaded a second time', async () => {
  const { queue, sent, locks } = stage();
  locks.add(uploadKey({ ...target, fileName: 'plan.PDF' }));
  queue.add(foundIn('', 'Plan.pdf'), target);
  await settled();
  expect(queue.uploads()[0]).toMatchObject({ state: 'failed', error: expect.any(NameInUse) });
  expect(sent).toEqual([]);
});

test.each<[string, readonly Remedy[]]>([
  ['file_exists', ['replace', 'keepBoth', 'rename']],
  ['file_changed', ['chooseAgain']],
  ['invalid_request', ['rename']],
  ['upload_in_progress', ['retry', 'rename']],
  ['document_locked', ['retry']],
  ['unreachable', ['retry']],
])('%s offers %j', async (code, expected) => {
  const { queue, failed } = stage();
  expect(queue.remedies(await failed(new DirectUploadError(code, code)))).toEqual(expected);
});

test('a retry continues what the library has', async () => {
  const { queue, sent, failed, states } = stage();
  const continued: string[] = [];
  const { id } = await failed(stoppedWith('document_locked', continued));
  await queue.apply(id, 'retry');
  await settled();
  expect(continued).toEqual(['resume']);
  expect(sent).toHaveLength(1);
  expect(states()).toEqual(['Plan.pdf done']);
});

test.each<[Remedy, object, object]>([
  ['replace', {}, { fileName: 'Plan.pdf', conflictBehavior: 'replace' }],
  ['keepBoth', {}, { fileName: 'Plan.pdf', conflictBehavior: 'rename' }],
  ['rename', { name: 'Plan 2.pdf' }, { fileName: 'Plan 2.pdf', conflictBehavior: 'fail' }],
])('%s discards what the library has, and begins again', async (remedy, given, expected) => {
  const { queue, sent, failed } = stage();
  const continued: string[] = [];
  const { id } = await failed(stoppedWith('file_exists', continued));
  await queue.apply(id, remedy, given);
  expect(continued).toEqual(['discard']);
  expect(sent.at(-1)).toMatchObject(expected);
  expect(queue.uploads()[0]).toMatchObject({ state: 'running', error: undefined });
});

test('a changed file is discarded at once, and can be chosen again', async () => {
  const { queue, sent, failed } = stage();
  const continued: string[] = [];
  const { id } = await failed(stoppedWith('file_changed', continued));
  expect(continued).toEqual(['discard']);
  await queue.apply(id, 'chooseAgain', { file: fileOf('Plan neu.pdf', 'Plan, neu') });
  expect(sent.at(-1)).toMatchObject({ fileName: 'Plan neu.pdf' });
  expect(queue.uploads()[0]).toMatchObject({ totalBytes: 9, sentBytes: 0 });
});

/** As the queue remembers the file. */
const identity = {
  projectId: 'p',
  folderName: kept.folderName,
  folderPath: kept.folderPath,
  fileName: 'Plan.pdf',
  size: 4,
};

test('after a crash, the same file continues its upload; a changed one can only start again', async () => {
  const { queue, sent, discarded, times, failed } = stage({ ofLibrary: [kept] });
  times.set(JSON.stringify(identity), 1000);
  const inProgress = () => new DirectUploadError('upload_in_progress', 'taken');
  const same = await failed(inProgress());
  expect(queue.remedies(same)).toEqual(['continue', 'startAgain', 'rename']);
  await queue.apply(same.id, 'continue');
  expect(sent.at(-1)).toMatchObject({ continues: kept });
  expect(discarded).toEqual([]);
  sent.at(-1)!.succeed();
  await settled();

  times.set(JSON.stringify(identity), 1000);
  const changed = await failed(inProgress(), fileOf('Plan.pdf', 'Plam', 2000));
  expect(queue.remedies(changed)).toEqual(['startAgain', 'rename']);
  await queue.apply(changed.id, 'startAgain');
  expect(discarded).toEqual(['kept-1']);
  expect(sent.at(-1)).toMatchObject({ continues: undefined });
});

test('an upload of an earlier page is continued with its file', () => {
  const { queue, sent, times } = stage();
  expect(queue.isSameFile(kept, 'p', fileOf('Plan.pdf'))).toBe(false);
  times.set(JSON.stringify(identity), 1000);
  expect(queue.isSameFile(kept, 'p', fileOf('Plan.pdf'))).toBe(true);
  expect(queue.isSameFile(kept, 'p', fileOf('Plan.pdf', 'Plan', 1001))).toBe(false);
  expect(queue.isSameFile(kept, 'p', fileOf('Plan.pdf', 'Plan!'))).toBe(false);
  queue.continue(kept, 'p', fileOf('Plan.pdf'));
  const { folderName, folderPath } = kept;
  expect(sent[0]).toMatchObject({ continues: kept, folderName, folderPath, fileName: 'Plan.pdf' });
});

test('files of one name go into several folders; an earlier upload into another folder has not taken the name', async () => {
  const { queue, sent, states } = stage({ ofLibrary: [{ ...kept, folderPath: '2025' }] });
  queue.add(foundIn('', 'Plan.pdf'), target);
  queue.add(foundIn('', 'Plan.pdf'), { ...target, folderPath: '' });
  expect(sent.map(({ folderPath }) => folderPath)).toEqual(['2026', '']);
  expect(states()).toEqual(['Plan.pdf running', 'Plan.pdf running']);
  sent[0]!.fail(new DirectUploadError('upload_in_progress', 'taken'));
  await settled();
  expect(queue.remedies(queue.uploads()[0]!)).toEqual(['retry', 'rename']);
});

test('the time of a file is remembered once the library has a part of it, until the upload ends', async () => {
  const { queue, sent, times } = stage();
  queue.add(foundIn('', 'Plan.pdf'), target);
  sent[0]!.onProgress({ sentBytes: 0, totalBytes: 4, waitingFor: new DirectUploadError('unreachable', '') });
  expect(times.size).toBe(0);
  expect(queue.uploads()[0]?.waitingFor).toBeDefined();
  sent[0]!.onProgress({ sentBytes: 1, totalBytes: 4 });
  expect([...times.values()]).toEqual([1000]);
  sent[0]!.succeed();
  await settled();
  expect(times.size).toBe(0);
});

test('what starts again waits until the earlier upload is discarded, also if another one ends meanwhile', async () => {
  const { promise: discardingEnds, resolve: endDiscarding } = Promise.withResolvers<void>();
  const { queue, sent, failed, states } = stage({ ofLibrary: [kept], discardingEnds });
  const { id } = await failed(new DirectUploadError('upload_in_progress', 'taken'));
  queue.add(foundIn('', 'A.pdf', 'B.pdf', 'C.pdf'), target);
  const applied = queue.apply(id, 'startAgain');
  sent[1]!.succeed();
  await settled();
  expect(states()).toEqual(['Plan.pdf waiting', 'A.pdf done', 'B.pdf running', 'C.pdf running']);
  endDiscarding();
  await applied;
  sent[2]!.succeed();
  await settled();
  expect(states()).toEqual(['Plan.pdf running', 'A.pdf done', 'B.pdf done', 'C.pdf running']);
});

test('if the earlier upload cannot be discarded, the reason is shown and the remedies remain', async () => {
  const { queue, sent, refreshed, failed } = stage({
    ofLibrary: [kept],
    discardError: new Error('The library is busy.'),
  });
  const { id } = await failed(new DirectUploadError('upload_in_progress', 'taken'));
  await queue.apply(id, 'startAgain');
  expect(queue.uploads()[0]).toMatchObject({
    state: 'failed',
    error: { message: 'The library is busy.' },
    kept,
  });
  expect(sent).toHaveLength(1);
  // It was waiting in between, and others could have waited for its refresh.
  expect(refreshed).toEqual(['p', 'p']);
});

test('an upload that has ended is not canceled any more, and one that has not failed has no remedy', async () => {
  const { queue, sent, states } = stage();
  queue.add(foundIn('', 'a.pdf', 'b.pdf'), target);
  for (const { id } of queue.uploads()) await queue.apply(id, 'keepBoth');
  expect([sent.length, states()]).toEqual([2, ['a.pdf running', 'b.pdf running']]);
  sent[0]!.succeed();
  sent[1]!.fail(new Error('offline'));
  await settled();
  for (const { id } of queue.uploads()) queue.cancel(id);
  queue.cancel('unknown');
  expect(states()).toEqual(['a.pdf done', 'b.pdf failed']);
});

test('if what the library has cannot be discarded, the upload stays failed with the reason', async () => {
  const { queue, sent, failed } = stage();
  const error = stoppedWith('file_exists');
  error.upload = { ...error.upload!, discard: () => Promise.reject(new Error('The library is busy.')) };
  const { id } = await failed(error);
  await queue.apply(id, 'replace');
  expect(queue.uploads()[0]).toMatchObject({ state: 'failed', error: { message: 'The library is busy.' } });
  expect(sent).toHaveLength(1);
});
