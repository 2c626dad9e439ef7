import { describe, expect, test } from 'vitest';
import { type DestinationRules, resolveDestination } from '../../../agent/destination.ts';
import { contains, parseShareFolder, uncOf } from '../../../agent/share-folder.ts';

const folder = (unc: string) => {
  const parsed = parseShareFolder(unc);
  if ('faults' in parsed) throw new Error(parsed.faults.join());
  return parsed.folder;
};

const rules: DestinationRules = {
  server: 'fs01.firma.example',
  aliases: ['ablage'],
  allowedRoots: undefined,
  root: folder('\\\\fs01.firma.example\\Projekte\\Kunden'),
  template: folder('\\\\fs01.firma.example\\Vorlagen\\Projekt'),
};

const refusal = (targetPath: string, changed: Partial<DestinationRules> = {}) => {
  const destination = resolveDestination(targetPath, { ...rules, ...changed });
  return 'refusal' in destination ? destination.refusal : `accepted: ${uncOf(destination.folder)}`;
};

describe('a target path becomes a destination', () => {
  test('relative paths lie below the root path, which must exist already', () => {
    expect(resolveDestination('Müller\\2026-0815', rules)).toEqual({
      folder: { server: 'fs01.firma.example', share: 'Projekte', path: 'Kunden\\Müller\\2026-0815' },
      basePath: 'Kunden',
      below: ['Müller', '2026-0815'],
    });
  });

  test('relative paths lie directly below a root path that is a share', () => {
    const root = folder('\\\\fs01.firma.example\\Projekte');
    expect(resolveDestination('a/b', { ...rules, root })).toEqual({
      folder: { server: 'fs01.firma.example', share: 'Projekte', path: 'a\\b' },
      basePath: '',
      below: ['a', 'b'],
    });
  });

  test('UNC paths are used as they are, whatever the root path', () => {
    expect(resolveDestination('\\\\FS01.firma.example\\Archiv\\x\\y', rules)).toEqual({
      folder: { server: 'fs01.firma.example', share: 'Archiv', path: 'x\\y' },
      basePath: '',
      below: ['x', 'y'],
    });
  });

  test.each(['fs01', 'FS01.Firma.Example', 'ABLAGE', 'ablage.firma.example'])(
    'the server may be called %s',
    (server) => {
      expect(resolveDestination(`\\\\${server}\\Archiv\\x`, rules)).toEqual({
        folder: { server: 'fs01.firma.example', share: 'Archiv', path: 'x' },
        basePath: '',
        below: ['x'],
      });
    },
  );

  test('UNC paths below an allowed root or the root path, which must exist already', () => {
    const allowedRoots = [folder('\\\\fs01.firma.example\\Archiv'), folder('//fs01.firma.example/Daten/Süd')];
    const destination = (path: string) => resolveDestination(path, { ...rules, allowedRoots });
    expect(destination('//FS01/ARCHIV/x')).toMatchObject({
      folder: { share: 'ARCHIV', path: 'x' },
      basePath: '',
    });
    expect(destination('//fs01/daten/süd/x/y')).toMatchObject({
      folder: { path: 'Süd\\x\\y' },
      basePath: 'Süd',
      below: ['x', 'y'],
    });
    expect(destination('//fs01/Projekte/Kunden/x')).toMatchObject({ basePath: 'Kunden' });
    expect(destination('x')).toMatchObject({ folder: { path: 'Kunden\\x' }, basePath: 'Kunden' });
  });

  test('decomposed umlauts are composed', () => {
    expect(resolveDestination('Mu\u0308ller', rules)).toMatchObject({ folder: { path: 'Kunden\\Müller' } });
  });
});

describe('a target path is refused', () => {
  test.each([
    ['..\\..\\Windows', 'would point at another folder'],
    ['a\\..\\b', 'would point at another folder'],
    ['C:\\Projekte', 'drive letter'],
    ['\\\\?\\UNC\\fs01.firma.example\\Projekte\\x', 'device prefix'],
    ['\\\\fs01.firma.example\\C$\\Windows', 'administrative share'],
    ['\\\\fs01.firma.example\\Projekte', 'names no folder below the share'],
    ['a\\NUL.txt', 'reserved device name'],
    ['plan:stream', 'contains :'],
    ['', 'is empty'],
  ])('%s', (targetPath, reason) => {
    expect(refusal(targetPath)).toContain(reason);
  });

  test.each(['fs02.firma.example', 'fs01.werk.example', 'fs0', 'fs01.firma', 'fs011', '10.0.0.1'])(
    'when it is on the server %s',
    (server) => {
      expect(refusal(`\\\\${server}\\Projekte\\x`)).toContain('serves only fs01.firma.example');
      expect(refusal(`\\\\${server}\\Projekte\\x`)).toContain('FOLDER_AGENT_SMB_SERVER_ALIASES');
    },
  );

  test('when only the start of an address is that of this server', () => {
    expect(refusal('//10/Projekte/x', { server: '10.0.0.1' })).toContain('serves only 10.0.0.1');
  });

  test.each([
    'Geheim\\x',
    'Projekte\\Kunden',
    'Projekte\\x',
    'Daten\\Süd',
    'Daten\\Südwest\\x',
    'Vorlagen\\neu',
  ])('when it is not below an allowed root: %s', (path) => {
    const allowedRoots = [folder('\\\\fs01.firma.example\\Daten\\Süd')];
    const text = refusal(`\\\\fs01.firma.example\\${path}`, { allowedRoots });
    expect(text).toContain('FOLDER_AGENT_ALLOWED_ROOTS: \\\\fs01.firma.example\\Daten\\Süd');
  });

  test('when it lies in the template, also below an allowed root', () => {
    const allowedRoots = [folder('\\\\fs01.firma.example\\Vorlagen')];
    expect(refusal('//fs01/Vorlagen/Projekt/x', { allowedRoots })).toContain('lies in the template');
  });

  test('when it is relative and there is no root path', () => {
    expect(refusal('x', { root: undefined })).toContain('FOLDER_AGENT_ROOT_PATH');
  });

  test('when the destination and the template overlap, in whatever case', () => {
    expect(refusal('\\\\fs01.firma.example\\VORLAGEN\\projekt')).toContain('lies in the template');
    expect(refusal('\\\\fs01.firma.example\\Vorlagen\\Projekt\\neu')).toContain('lies in the template');
    const template = folder('\\\\fs01.firma.example\\Projekte\\Kunden\\_intern\\Vorlage');
    expect(refusal('_intern', { template })).toContain('contains the template');
    expect(refusal('_intern2', { template })).toContain('accepted');
  });
});

describe('the configured folders', () => {
  test('may be a whole share, with or without a separator at the end', () => {
    expect(folder('\\\\fs01\\Vorlagen\\')).toEqual({ server: 'fs01', share: 'Vorlagen', path: '' });
    expect(folder('//fs01/Vorlagen/a b/c')).toEqual({ server: 'fs01', share: 'Vorlagen', path: 'a b\\c' });
  });

  test.each([['Vorlagen\\x'], ['\\\\fs01'], ['\\\\fs01\\D$\\x'], ['D:\\x'], ['\\\\fs01\\x\\..\\y'], ['']])(
    'are not %s',
    (text) => expect(parseShareFolder(text)).toHaveProperty('faults'),
  );

  test('contain themselves and what is below, not what merely starts alike', () => {
    expect(contains(folder('\\\\s\\a'), folder('\\\\s\\A\\b'))).toBe(true);
    expect(contains(folder('\\\\s\\a\\b'), folder('\\\\s\\a\\b'))).toBe(true);
    expect(contains(folder('\\\\s\\a\\b'), folder('\\\\s\\a\\bc'))).toBe(false);
    expect(contains(folder('\\\\s\\a\\b'), folder('\\\\s\\a'))).toBe(false);
  });
});
