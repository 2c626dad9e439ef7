import { expect, test } from 'vitest';
import {
  entryOf,
  filesIn,
  maxDroppedFiles,
  type DroppedEntry,
} from '../../../console/pages/documents/uploads/dropped-files.ts';

const file = (name: string): DroppedEntry => entryOf(new File([name], name));

/** Its entries are read two at a time, as a browser reads 100. */
const folder = (name: string, ...entries: DroppedEntry[]): DroppedEntry => ({
  isFile: false,
  isDirectory: true,
  name,
  createReader: () => {
    const rest = [...entries];
    return { readEntries: (found) => found(rest.splice(0, 2)) };
  },
});

const denied: DroppedEntry = {
  ...file('gesperrt.pdf'),
  isFile: true,
  isDirectory: false,
  file: (_found, failed) => failed(new Error('NotReadableError')),
};

const pathsOf = ({ files }: Awaited<ReturnType<typeof filesIn>>) =>
  files.map(({ file: { name }, inFolder }) => `${inFolder}:${name}`);

test('dropped files, and the files of all levels of dropped folders, are found', async () => {
  const found = await filesIn([
    file('einzeln.pdf'),
    folder(
      'Angebot',
      file('c.pdf'),
      file('b.pdf'),
      folder('Anlagen', file('b.pdf')),
      file('a.pdf'),
      folder('leer'),
    ),
  ]);
  expect(pathsOf(found)).toEqual([
    ':einzeln.pdf',
    'Angebot:a.pdf',
    'Angebot:b.pdf',
    'Angebot:c.pdf',
    'Angebot/Anlagen:b.pdf',
  ]);
  expect(found).toMatchObject({ unreadable: [], isTooMany: false });
});

test('files of the system are left out of folders, and uploaded if they were dropped themselves', async () => {
  const ofSystem = [
    '.DS_Store',
    'desktop.ini',
    'ehthumbs.db',
    '~$Brief.docx',
    '.~lock.Brief.odt#',
    '._Plan.pdf',
  ].map(file);
  const found = await filesIn([file('Thumbs.db'), folder('Angebot', ...ofSystem, file('~Plan.pdf'))]);
  expect(pathsOf(found)).toEqual([':Thumbs.db', 'Angebot:~Plan.pdf']);
});

test('what cannot be read is named, and the rest is found', async () => {
  const broken: DroppedEntry = {
    isFile: false,
    isDirectory: true,
    name: 'Netz',
    createReader: () => ({ readEntries: (_found, failed) => failed(new Error('NotFoundError')) }),
  };
  const found = await filesIn([folder('Angebot', denied, file('a.pdf'), broken)]);
  expect(pathsOf(found)).toEqual(['Angebot:a.pdf']);
  expect(found.unreadable).toEqual(['Angebot/Netz', 'Angebot/gesperrt.pdf']);
});

test('a drop of too many files is rejected as a whole', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, number) => file(`${number}.pdf`));
  expect(await filesIn([folder('C', ...many(maxDroppedFiles))])).toMatchObject({ isTooMany: false });
  const found = await filesIn([folder('C', ...many(maxDroppedFiles)), file('einer.pdf')]);
  expect(found).toEqual({ files: [], unreadable: [], isTooMany: true });
});
