import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Contract, bytesOf, ownName, rejection } from './context.ts';

const names: Record<string, string> = {
  'umlauts in NFC': 'Übergröße äöü ÄÖÜ ß.docx'.normalize('NFC'),
  'umlauts in NFD': 'Übergröße äöü ÄÖÜ ß.docx'.normalize('NFD'),
  emoji: 'Baustelle 🏗️👷🏽‍♀️ fertig ✅.txt',
  '255 characters': `${'x'.repeat(251)}.txt`,
  'spaces, dots, and symbols': `Plan (3) [alt] + 100 % & mehr, v1.2.3 = "neu"`.replaceAll('"', "'"),
  'other scripts': '見積書 смета تقدير',
};

export function nameContract(contract: () => Contract): void {
  test.each(Object.entries(names))('preserves %s exactly, in both directions', async (_, name) => {
    const { projects, template, projectFolder, templateFolder } = contract();
    const parent = ownName();
    await mkdir(join(projectFolder, parent));
    await mkdir(join(templateFolder, parent));
    await writeFile(join(templateFolder, parent, name), bytesOf(50));
    expect((await template.list(parent)).map((entry) => entry.name)).toEqual([name]);
    const path = `${parent}\\${name}`;
    await projects.copyFile({ share: template, path, size: 50 }, path, { replace: false });
    expect(await readdir(join(projectFolder, parent))).toEqual([name]);
    expect((await readFile(join(projectFolder, parent, name))).equals(bytesOf(50))).toBe(true);
    expect((await projects.stat(path)).size).toBe(50);
    await projects.rename(path, `${parent}\\other`);
    await projects.ensureDirectory(path);
    expect(await projects.publish(`${path}\\inner`, bytesOf(5))).toBe('created');
  });

  test('NFC and NFD spellings are two entries', async () => {
    const { projects } = contract();
    const parent = ownName();
    await projects.ensureDirectory(parent);
    expect(await projects.publish(`${parent}\\${'Ä'.normalize('NFC')}`, bytesOf(1))).toBe('created');
    expect(await projects.publish(`${parent}\\${'Ä'.normalize('NFD')}`, bytesOf(2))).toBe('created');
    expect(await projects.list(parent)).toHaveLength(2);
  });

  test('a name of 256 characters and a lone surrogate are rejected, not truncated', async () => {
    const { projects } = contract();
    for (const name of ['x'.repeat(256), 'lone \ud83c surrogate']) {
      const error = await rejection(projects.publish(name, bytesOf(1)));
      expect(['NAME_INVALID', 'INVALID_ARGUMENT']).toContain(error.code);
    }
  });
}
