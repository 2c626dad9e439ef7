import { describe, expect, test } from 'vitest';
import { type DestinationRules, resolveDestination } from '../../../agent/copy/destination.ts';

import { parseTargetPath } from '../../../lib/contract/target-path.ts';

import { contains, shareFolder, uncOf } from '../../../agent/base/share-folder.ts';

const folder = (text: string) => shareFolder.parse(text);

const rules: DestinationRules = {
  server: 'fs01.firma.example',
  aliases: ['ablage'],
  allowedRoots: undefined,
  root: folder('\\\\fs01.firma.example\\Projekte\\Kunden'),
  template: folder('\\\\fs01.firma.example\\Vorlagen\\Projekt'),
};

const resolved = (targetPath: string, changed: Partial<DestinationRules> = {}) =>
  resolveDestination(parseTargetPath(targetPath), { ...rules, ...changed });

const rejection = (targetPath: string, changed: Partial<DestinationRules> = {}) => {
  const destination = resolved(targetPath, changed);
  return 'rejection' in destination ? destination.rejection : `accepted: ${uncOf(destination.folder)}`;
};

describe('a target path becomes a destination', () => {
  test('relative paths are below the root path, which must exist', () => {
    expect(resolved('Müller\\2026-0815')).toEqual({
      folder: {
        server: 'fs01.firma.example',
        share: 'Projekte',
        segments: ['Kunden', 'Müller', '2026-0815'],
      },
      existingDepth: 1,
    });
  });

  test('relative paths are directly below a root path that is a share', () => {
    const root = folder('\\\\fs01.firma.example\\Projekte');
    expect(resolved('a/b', { root })).toEqual({
      folder: { server: 'fs01.firma.example', share: 'Projekte', segments: ['a', 'b'] },
      existingDepth: 0,
    });
  });

  test('UNC paths do not depend on the root path', () => {
    expect(resolved('\\\\FS01.firma.example\\Archiv\\x\\y')).toEqual({
      folder: { server: 'fs01.firma.example', share: 'Archiv', segments: ['x', 'y'] },
      existingDepth: 0,
    });
  });

  test.each(['fs01', 'FS01.Firma.Example', 'ABLAGE', 'ablage.firma.example'])(
    'the server may be named %s',
    (server) => {
      expect(resolved(`\\\\${server}\\Archiv\\x`)).toEqual({
        folder: { server: 'fs01.firma.example', share: 'Archiv', segments: ['x'] },
        existingDepth: 0,
      });
    },
  );

  test('UNC paths may be below an allowed root or the root path, which must exist', () => {
    const allowedRoots = [folder('\\\\fs01.firma.example\\Archiv'), folder('//fs01.firma.example/Daten/Süd')];
    const destination = (path: string) => resolved(path, { allowedRoots });
    expect(destination('//FS01/ARCHIV/x')).toMatchObject({
      folder: { share: 'Archiv', segments: ['x'] },
      existingDepth: 0,
    });
    expect(destination('//fs01/daten/süd/x/y')).toMatchObject({
      folder: { segments: ['Süd', 'x', 'y'] },
      existingDepth: 1,
    });
    expect(destination('//fs01/Projekte/Kunden/x')).toMatchObject({ existingDepth: 1 });
    expect(destination('x')).toMatchObject({ folder: { segments: ['Kunden', 'x'] }, existingDepth: 1 });
  });

  test('decomposed umlauts are composed', () => {
    expect(resolved('Mu\u0308ller')).toMatchObject({ folder: { segments: ['Kunden', 'Müller'] } });
  });
});

describe('a target path is rejected', () => {
  test.each([
    ['..\\..\\Windows', 'would point at another folder'],
    ['a\\..\\b', 'would point at another folder'],
    ['C:\\Projekte', 'drive letter'],
    ['\\\\?\\UNC\\fs01.firma.example\\Projekte\\x', 'device prefix'],
    ['\\\\fs01.firma.example\\C$\\Windows', 'administrative share'],
    ['\\\\fs01.firma.example\\Projekte', 'names no folder below the share'],
    ['a\\NUL.txt', 'reserved device name'],
    ['plan:stream', 'contains :'],
    ['', 'must not be empty'],
  ])('%s', (targetPath, reason) => {
    expect(rejection(targetPath)).toContain(reason);
  });

  test.each(['fs02.firma.example', 'fs01.werk.example', 'fs0', 'fs01.firma', 'fs011', '10.0.0.1'])(
    'when it is on the server %s',
    (server) => {
      expect(rejection(`\\\\${server}\\Projekte\\x`)).toContain('serves only fs01.firma.example');
      expect(rejection(`\\\\${server}\\Projekte\\x`)).toContain('FOLDER_AGENT_SMB_SERVER_ALIASES');
    },
  );

  test("when an address only starts like this server's", () => {
    expect(rejection('//10/Projekte/x', { server: '10.0.0.1' })).toContain('serves only 10.0.0.1');
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
    const text = rejection(`\\\\fs01.firma.example\\${path}`, { allowedRoots });
    expect(text).toContain('FOLDER_AGENT_ALLOWED_ROOTS: \\\\fs01.firma.example\\Daten\\Süd');
  });

  test('when it is relative and there is no root path', () => {
    expect(rejection('x', { root: undefined })).toContain('FOLDER_AGENT_ROOT_PATH');
  });
});

describe('the configured folders', () => {
  test('may be a whole share, with or without a trailing separator', () => {
    expect(folder('\\\\fs01\\Vorlagen\\')).toEqual({ server: 'fs01', share: 'Vorlagen', segments: [] });
    expect(folder('//fs01/Vorlagen/a b/c')).toEqual({
      server: 'fs01',
      share: 'Vorlagen',
      segments: ['a b', 'c'],
    });
  });

  test.each([['Vorlagen\\x'], ['\\\\fs01'], ['\\\\fs01\\D$\\x'], ['D:\\x'], ['\\\\fs01\\x\\..\\y'], ['']])(
    'cannot be %s',
    (text) => expect(() => folder(text)).toThrow(),
  );

  test('contain themselves and their descendants, not siblings with the same prefix', () => {
    expect(contains(folder('\\\\s\\a'), folder('\\\\s\\A\\b'))).toBe(true);
    expect(contains(folder('\\\\s\\a\\b'), folder('\\\\s\\a\\b'))).toBe(true);
    expect(contains(folder('\\\\s\\a\\b'), folder('\\\\s\\a\\bc'))).toBe(false);
    expect(contains(folder('\\\\s\\a\\b'), folder('\\\\s\\a'))).toBe(false);
  });
});
