import { describeResponse } from '../graph.ts';
import { toFinding, type Rule } from '../rule.ts';
import { largeBytes, type Library } from './library.ts';

const nothing =
  'Nothing to set; the service does not depend on it. Tell the maintainers, so that rule and stand-in follow.';
const rejectedNames = [
  'a"b.txt',
  'a*b.txt',
  'a|b.txt',
  ' a.txt',
  'CON.txt',
  '.lock',
  'desktop.ini',
  '~$a.docx',
  'a_vti_b.txt',
];
const rawNames = ['Plan #1 100 % + Maß.txt', "O'Neill & Söhne (neu).txt"];

/** A1 to A5: addresses, names, folders, and their children. */
export const folderRules: readonly Rule<Library>[] = [
  {
    id: 'A1.1',
    expected: 'the drive is a document library, and a request without a token is 401',
    follows: 'Check DOCLIB_DRIVE_ID: it must name a document library of the site.',
    async probe({ target, user }) {
      const address = `/drives/${target.driveId}`;
      const [drive, anonymous] = [
        await user.send('GET', address),
        await user.send('GET', address, { isAnonymous: true }),
      ];
      const { driveType } = drive.body as { driveType?: string };
      return toFinding(
        driveType === 'documentLibrary' && anonymous.status === 401,
        `${describeResponse(drive)} ${String(driveType)}; without a token ${describeResponse(anonymous)}`,
      );
    },
  },
  {
    id: 'A1.2',
    expected: 'ids of drives start with b!, ids of items with 01 and have 34 characters',
    follows: nothing,
    probe: async ({ target: { driveId }, folderId }) =>
      toFinding(
        driveId.startsWith('b!') && /^01[A-Z0-9]{32}$/.test(folderId),
        `${driveId.slice(0, 2)}…, ${folderId.slice(0, 2)}… with ${folderId.length} characters`,
      ),
  },
  {
    id: 'A2.1',
    expected: 'names in paths are case-insensitive',
    follows:
      'Documents whose names differ only in case are separate files here: tell the maintainers before you go live.',
    async probe(library) {
      const { body } = await library.put('Groß und klein.txt', 'x');
      const again = await library.user.send('GET', library.named('GROSS UND KLEIN.TXT'.replace('SS', 'ß')));
      return toFinding(again.status === 200 && again.body.id === body.id, describeResponse(again));
    },
  },
  {
    id: 'A2.2',
    expected: 'names with # % + & and quotes are stored as they are written',
    follows: 'Such names would be stored differently: tell the maintainers before you go live.',
    async probe(library) {
      const statuses = await Promise.all(rawNames.map(async (name) => (await library.put(name, 'x')).status));
      const names = await library.namesIn();
      const kept = rawNames.filter((name) => names.includes(name));
      return toFinding(
        kept.length === rawNames.length,
        `${statuses.join(', ')}; ${kept.length} of ${rawNames.length} names as sent`,
      );
    },
  },
  {
    id: 'A2.3',
    expected: 'an upload by path creates missing parents',
    follows: `${nothing} The service creates each folder before it uses it.`,
    async probe(library) {
      const address = `${library.item(library.folderId)}:/${['neu', 'Ebene 2', 'a.txt'].map(encodeURIComponent).join('/')}:/content`;
      const response = await library.user.send('PUT', address, { bytes: Buffer.from('x') });
      return toFinding(response.status === 201, describeResponse(response), { requireParents: true });
    },
  },
  {
    id: 'A2.4',
    expected: 'a missing item is 404 itemNotFound',
    follows: 'The service treats only 404 as missing; uploads and deletions would end with 502.',
    async probe(library) {
      const response = await library.user.send('GET', library.named('fehlt.txt'));
      return toFinding(
        response.status === 404 && response.codes.includes('itemNotFound'),
        describeResponse(response),
      );
    },
  },
  {
    id: 'A2.5',
    expected: 'a session whose body has another name than its path is 400',
    follows: nothing,
    async probe(library) {
      const response = await library.beginSession('eins.txt', { item: { name: 'zwei.txt' } });
      if (response.status === 200) await library.onSession('DELETE', response.body);
      return toFinding(response.status === 400, describeResponse(response));
    },
  },
  {
    id: 'A3.1',
    expected: 'forbidden and reserved names are rejected',
    follows:
      'Nothing to set: the service rejects these names itself, so a library that accepts them is no risk.',
    async probe(library) {
      const accepted: string[] = [];
      for (const name of rejectedNames) {
        const { status } = await library.put(name, 'x');
        if (status < 300) accepted.push(name);
      }
      return toFinding(
        accepted.length === 0,
        accepted.length === 0 ? `${rejectedNames.length} rejected` : `accepted: ${accepted.join(', ')}`,
      );
    },
  },
  {
    id: 'A3.2',
    expected: 'the folder name forms is rejected',
    follows: nothing,
    async probe(library) {
      const response = await library.newFolder('forms');
      return toFinding(response.status === 400, describeResponse(response));
    },
  },
  {
    id: 'A3.3',
    isOnlyStandIn: true,
    expected: 'names that differ only in Unicode normalization are one item',
    follows:
      'Nothing to set: the service normalizes names to NFC. Files that others stored with decomposed names, for example from a Mac, are separate files here.',
    async probe(library) {
      await library.put('Übergabe.txt'.normalize('NFC'), 'x', '?@microsoft.graph.conflictBehavior=fail');
      const second = await library.put(
        'Übergabe.txt'.normalize('NFD'),
        'x',
        '?@microsoft.graph.conflictBehavior=fail',
      );
      return toFinding(second.status === 409, describeResponse(second), { unicode: 'exact' });
    },
  },
  {
    id: 'A3.4',
    expected: 'a name has at most 255 characters, or less where the path is too long',
    follows: nothing,
    async probe(library) {
      const [longest, tooLong] = [
        await library.newFolder('n'.repeat(255)),
        await library.newFolder('n'.repeat(256)),
      ];
      return toFinding(
        tooLong.status === 400 && (longest.status === 201 || longest.codes.includes('pathIsTooLong')),
        `255: ${describeResponse(longest)}; 256: ${describeResponse(tooLong)}`,
      );
    },
  },
  {
    id: 'A4.1',
    expected: 'creating a folder with fail is 201, and 409 nameAlreadyExists the second time',
    losesDocuments: true,
    follows: 'Two people who provision a project at the same time would create two roots.',
    async probe(library) {
      const [first, second] = [await library.newFolder('Ordner'), await library.newFolder('Ordner')];
      return toFinding(
        first.status === 201 && second.status === 409 && second.codes.includes('nameAlreadyExists'),
        `${describeResponse(first)}, ${describeResponse(second)}`,
      );
    },
  },
  {
    id: 'A4.2',
    expected: 'replace on an existing folder returns that folder',
    follows: nothing,
    async probe(library) {
      const [first, second] = [
        await library.newFolder('Bestand'),
        await library.newFolder('Bestand', 'replace'),
      ];
      return toFinding(second.status === 200 && second.body.id === first.body.id, describeResponse(second));
    },
  },
  {
    id: 'A4.3',
    expected: 'rename creates "name 1", and then "name 2"',
    follows: 'Renamed documents get other names than the documentation of the service says.',
    async probe(library) {
      await library.newFolder('Doppelt');
      const [first, second] = [
        await library.newFolder('Doppelt', 'rename'),
        await library.newFolder('Doppelt', 'rename'),
      ];
      const names = [first, second].map(({ body }) => String(body.name).replace('Doppelt', 'name'));
      return toFinding(names.join() === 'name 1,name 2', names.join(', '));
    },
  },
  {
    id: 'A4.4',
    expected: 'of two creations at the same moment, one is 201 and the other 409',
    losesDocuments: true,
    follows: 'Two people who provision a project at the same time would create two roots.',
    async probe(library) {
      const responses = await Promise.all([library.newFolder('Wettlauf'), library.newFolder('Wettlauf')]);
      const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b);
      return toFinding(statuses.join() === '201,409', statuses.join(', '));
    },
  },
  {
    id: 'A4.5',
    expected: 'a folder that is renamed and moved keeps its id, and its contents follow',
    losesDocuments: true,
    follows: 'Projects would lose their documents when somebody moves a folder.',
    async probe(library) {
      const [root, archive] = [await library.newFolder('Projekt'), await library.newFolder('Archiv')];
      const file = await library.put('a.txt', 'x', '', root.body.id);
      const newName = 'Projekt (abgeschlossen)';
      const moved = await library.user.send('PATCH', library.item(root.body.id), {
        json: { name: newName, parentReference: { id: archive.body.id } },
      });
      const after = await library.user.send('GET', library.item(file.body.id));
      // Read again, because the response to the change may only repeat the request.
      const read = await library.user.send('GET', library.item(root.body.id));
      const isMoved = read.body.parentReference?.id === archive.body.id;
      const isRenamed =
        read.body.name === newName && (await library.namesIn(archive.body.id)).includes(newName);
      const isWithFile = after.status === 200 && after.body.parentReference?.id === root.body.id;
      return toFinding(
        moved.status === 200 && isMoved && isRenamed && isWithFile,
        `${describeResponse(moved)}, ${isMoved ? 'moved' : 'not moved'}, ${isRenamed ? 'renamed' : 'not renamed'}; its file: ${describeResponse(after)}`,
      );
    },
  },
  {
    id: 'A5.1',
    expected: 'a page has an absolute nextLink, which leads to the rest',
    losesDocuments: true,
    follows: 'Lists and refreshes would be incomplete.',
    async probe(library) {
      const folder = await library.newFolder('Seiten');
      for (const name of ['a.txt', 'b.txt', 'c.txt']) await library.put(name, 'x', '', folder.body.id);
      const address = `${library.item(folder.body.id)}/children?$top=2`;
      const first = await library.user.send('GET', address);
      const next = first.body['@odata.nextLink'] as string | undefined;
      if (next === undefined) return toFinding(false, `${first.body.value?.length} items, no nextLink`);
      const rest = await library.user.send('GET', next);
      const pages = [first.body.value, rest.body.value ?? []] as { name: string }[][];
      const missing = 3 - new Set(pages.flat().map(({ name }) => name)).size;
      const counts = pages.map(({ length }) => length);
      return toFinding(
        counts.join() === '2,1' && missing === 0 && next.startsWith('https://'),
        `${counts.join(' and ')} items, ${missing} of 3 missing`,
      );
    },
  },
  {
    id: 'A5.2',
    expected: '$skip is rejected',
    follows: nothing,
    async probe(library) {
      const response = await library.user.send('GET', `${library.item(library.folderId)}/children?$skip=1`);
      return toFinding(response.status === 400, describeResponse(response));
    },
  },
  {
    id: 'A5.3',
    expected: 'childCount of a folder is the number of its children, without what is below them',
    follows:
      'The service would take documents that others removed for hidden ones, and keep their records: tell the maintainers.',
    async probe(library) {
      const folder = await library.newFolder('Zahl');
      const below = await library.newFolder('Unterordner', 'fail', folder.body.id);
      await library.put('a.txt', 'x', '', folder.body.id);
      for (const name of ['b.txt', 'c.txt']) await library.put(name, 'x', '', below.body.id);
      const { body } = await library.user.send('GET', library.item(folder.body.id));
      return toFinding(
        body.folder?.childCount === 2,
        `a file and a folder with 2 files: childCount ${String(body.folder?.childCount)}`,
      );
    },
  },
  {
    id: 'A5.4',
    isOnlyStandIn: true,
    expected: 'childCount counts what the caller cannot see',
    follows:
      'A person without rights to some files cannot be told from files that are gone: grant rights to whole libraries, not to single files.',
    async probe(library) {
      const { second, hide } = library.target;
      if (!second || !hide) return toFinding(null, 'needs a second user from whom a person hides one file');
      const folder = await library.newFolder('Verborgen');
      const file = await library.put('verborgen.txt', 'x', '', folder.body.id);
      await library.put('sichtbar.txt', 'x', '', folder.body.id);
      await hide(file.body.id);
      const { body } = await second.send('GET', library.item(folder.body.id));
      const names = await library.namesIn(folder.body.id, second);
      if (names.length !== 1) return toFinding(null, `the second user sees ${names.length} of 2 files`);
      return toFinding(
        body.folder?.childCount === 2,
        `1 of 2 files seen, childCount ${String(body.folder?.childCount)}`,
        {
          childCount: 'visible',
        },
      );
    },
  },
  {
    id: 'A5.5',
    expected: 'a listing without $top has at most 200 items a page',
    follows: nothing,
    async probe(library) {
      if (library.target.largestBytes < largeBytes)
        return toFinding(null, 'needs --large: it creates 201 files');
      const folder = await library.newFolder('Viele');
      for (let at = 0; at <= 200; at += 1) await library.put(`${at}.txt`, 'x', '', folder.body.id);
      const { body } = await library.user.send('GET', `${library.item(folder.body.id)}/children`);
      return toFinding(body.value?.length === 200, `${body.value?.length} items in the first page of 201`);
    },
  },
];
