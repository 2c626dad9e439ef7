import { expect, test } from 'vitest';
import { partitionOf } from '../../../../lib/project-documents/folders/project-partition.ts';
import { people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

// Whoever reads an item corrects its record: two rows of one place and name are not shown, whatever people do by hand.

const { service, upload: send, warmProject, list, refresh, filesOf, putByHand } = useDocuments();

const upload = async (projectId: string, name: string, content = 'x', folder = '04_Rechnungen') => {
  const { status, body } = await send(projectId, Buffer.from(content), { name, folder });
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
};
const change = (id: string, by: object) => service.admin('PATCH', `/items/${id}`, by);
const shown = async (id: string): Promise<string[]> =>
  (await list(id))
    .map(({ folderName, folderPath, fileName }: any) => [folderName, folderPath, fileName].join('/'))
    .toSorted();
const itemsOf = async (project: { number: string }): Promise<Map<string, string>> =>
  new Map((await filesOf(project)).map(({ id, path }) => [path.split('/').slice(3).join('/'), id]));

test('renamed by hand and uploaded again: two names, and each is deleted as what it is', async () => {
  const project = await warmProject();
  const first = await upload(project.id, 'RE.pdf', 'old');
  await change((await itemsOf(project)).get('04_Rechnungen/RE.pdf')!, { name: 'RE storniert.pdf' });
  const second = await upload(project.id, 'RE.pdf', 'new');
  expect(await list(project.id)).toMatchObject([
    { id: second.id, fileName: 'RE.pdf' },
    { id: first.id, fileName: 'RE storniert.pdf' },
  ]);
  expect((await service.call('DELETE', `/documents/${first.id}`)).status).toBe(204);
  expect([...(await itemsOf(project)).keys()]).toEqual(['04_Rechnungen/RE.pdf']);
});

test('moved to another subfolder by hand and uploaded again', async () => {
  const project = await warmProject();
  await upload(project.id, 'RE.pdf', 'old');
  const item = (await itemsOf(project)).get('04_Rechnungen/RE.pdf')!;
  await change(item, { parentId: project.folder('07_Protokolle') });
  await upload(project.id, 'RE.pdf', 'new');
  expect(await shown(project.id)).toEqual(['04_Rechnungen//RE.pdf', '07_Protokolle//RE.pdf']);
});

test.each(['upload', 'download'])(
  'two names were swapped by hand: after an %s, each record has its own',
  async (how) => {
    const project = await warmProject();
    const a = await upload(project.id, 'A.pdf', 'of a');
    const b = await upload(project.id, 'B.pdf', 'of b');
    const items = await itemsOf(project);
    const [itemA, itemB] = ['A', 'B'].map((name) => items.get(`04_Rechnungen/${name}.pdf`)!);
    await change(itemA!, { name: 'C.pdf' });
    await change(itemB!, { name: 'A.pdf' });
    await change(itemA!, { name: 'B.pdf' });
    if (how === 'upload') await upload(project.id, 'A.pdf', 'again');
    else expect((await service.call('GET', `/documents/${b.id}/download`)).status).toBe(200);
    const names = new Map((await list(project.id)).map(({ id, fileName }: any) => [id, fileName]));
    expect(names).toEqual(
      new Map([
        [a.id, 'B.pdf'],
        [b.id, 'A.pdf'],
      ]),
    );
  },
);

test('a stale record whose file this caller does not see leaves the list, and returns with a caller who does', async () => {
  const project = await warmProject();
  const hidden = await upload(project.id, 'RE.pdf', 'old');
  const item = (await itemsOf(project)).get('04_Rechnungen/RE.pdf')!;
  await change(item, { name: 'RE geheim.pdf', hiddenFrom: [people.backOffice.oid] });
  const { body: second } = await send(project.id, Buffer.from('new'), {
    name: 'RE.pdf',
    folder: '04_Rechnungen',
    as: people.backOffice,
  });
  expect((await list(project.id)).map(({ id }: any) => id)).toEqual([second.id]);
  expect((await refresh(project.id)).body).toMatchObject({ added: 1 });
  expect(await shown(project.id)).toEqual(['04_Rechnungen//RE geheim.pdf', '04_Rechnungen//RE.pdf']);
  expect((await list(project.id)).map(({ id }: any) => id)).toContain(hidden.id);
});

test('reading a file that is as its record says writes nothing', async () => {
  const project = await warmProject();
  const { id } = await upload(project.id, 'RE.pdf');
  const filter = `PartitionKey eq '${partitionOf(project.id)}'`;
  const tags = async () => {
    const rows = service.table('ProjectDocuments').listEntities({ queryOptions: { filter } });
    return (await Array.fromAsync(rows)).map(({ etag }) => etag);
  };
  const before = await tags();
  expect((await service.call('GET', `/documents/${id}/download`)).status).toBe(200);
  expect(await tags()).toEqual(before);
});

test('14 files, each renamed to the name of the next: who reads the first corrects eleven, and a refresh the rest', async () => {
  const project = await warmProject();
  const documents: any[] = [];
  const nameAt = (at: number) => `RE ${at}.pdf`;
  for (let at = 0; at < 14; at += 1) documents.push(await upload(project.id, nameAt(at)));
  const items = await itemsOf(project);
  for (let at = 13; at >= 0; at -= 1) {
    await change(items.get(`04_Rechnungen/${nameAt(at)}`)!, { name: nameAt(at + 1) });
  }
  expect((await service.call('GET', `/documents/${documents[0].id}/download`)).status).toBe(200);
  const names = new Map((await list(project.id)).map(({ id, fileName }: any) => [id, fileName]));
  const corrected = documents.filter(({ id }, at) => names.get(id) === nameAt(at + 1));
  expect(corrected).toHaveLength(11);
  expect((await refresh(project.id)).body).toMatchObject({ added: 0, updated: 3, missing: 0 });
});

test('an item that was renamed gets the type of its new extension', async () => {
  const project = await warmProject();
  const document = await upload(project.id, 'Plan.bin');
  await change((await itemsOf(project)).get('04_Rechnungen/Plan.bin')!, { name: 'Plan.pdf' });
  expect((await service.call('GET', `/documents/${document.id}/download`)).headers.get('content-type')).toBe(
    'application/pdf',
  );
  expect(await list(project.id)).toMatchObject([{ fileName: 'Plan.pdf', contentType: 'application/pdf' }]);
});

/** Reproducible: a linear congruential generator. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test.each([1, 3])(
  'a random walk of people and the service (%i): never two rows of one place and name',
  async (seed) => {
    const random = seeded(seed);
    const project = await warmProject();
    const top = project.folder('04_Rechnungen');
    const [year] = await service.admin('POST', `/items/${top}`, { names: ['2026'], kind: 'folder' });
    const parents = [top, year.id, project.folder('07_Protokolle')];
    const names = ['A.pdf', 'B.pdf', 'C.pdf'];
    const one = <T>(all: readonly T[]): T => all[random(all.length)]!;
    // The library keeps names unique: a change to a taken one is 409.
    const inLibrary = (id: string, json: object) => service.library('PATCH', `/items/${id}`, { json });
    const byHand = [
      (id: string) => inLibrary(id, { name: one(names) }),
      (id: string) => inLibrary(id, { parentReference: { id: one(parents) } }),
      (id: string) => service.admin('DELETE', `/items/${id}`),
      () => putByHand(one(parents), one(names), String(random(1000))),
    ];
    const done: string[] = [];
    for (let step = 0; step < 25; step += 1) {
      const files = [...(await itemsOf(project)).values()];
      const documents = await list(project.id);
      for (let hand = random(3); hand > 0 && files.length > 0; hand -= 1) {
        await one(byHand)(one(files)).catch(() => undefined);
      }
      const what = documents.length === 0 ? 'upload' : one(['upload', 'download', 'delete', 'refresh']);
      if (what === 'upload')
        await upload(project.id, one(names), String(step), one(['04_Rechnungen', '07_Protokolle']));
      if (what === 'download') await service.call('GET', `/documents/${one(documents).id}/download`);
      if (what === 'delete') await service.call('DELETE', `/documents/${one(documents).id}`);
      if (what === 'refresh') expect((await refresh(project.id)).status).toBe(200);
      done.push(what);
      const rows = await shown(project.id);
      expect({ done, rows }).toEqual({ done, rows: [...new Set(rows)] });
    }
    await refresh(project.id);
    const files = [...(await itemsOf(project)).keys()].map((path) => path.split('/'));
    expect(await shown(project.id)).toEqual(
      files.map((path) => [path[0], path.slice(1, -1).join('/'), path.at(-1)].join('/')).toSorted(),
    );
  },
);
