import { describe, expect, test } from 'vitest';
import { parseTargetPath, type ParsedTargetPath } from '../../../lib/contract/target-path.ts';

const messagesOf = (parsed: ParsedTargetPath): string[] =>
  'faults' in parsed ? parsed.faults.map(({ message }) => message) : [];

describe('a path that follows the rules', () => {
  test.each([
    ['a', ['a']],
    ['Kunde\\Projekt', ['Kunde', 'Projekt']],
    ['Kunde/Projekt', ['Kunde', 'Projekt']],
    ['a\\ leading space\\b', ['a', ' leading space', 'b']],
    ['.hidden\\a.b.c', ['.hidden', 'a.b.c']],
    ['concert\\com10\\lpt\\console.txt', ['concert', 'com10', 'lpt', 'console.txt']],
    ['conin\\clock\\con$\\xclock$', ['conin', 'clock', 'con$', 'xclock$']],
    ['Aufträge §5 (neu) & Co, 100% #1', ['Aufträge §5 (neu) & Co, 100% #1']],
    ['📁\\名前', ['📁', '名前']],
    ['⚠\ufe0f wichtig', ['⚠\ufe0f wichtig']],
    ['x'.repeat(255), ['x'.repeat(255)]],
    ['C$\\inside a relative path', ['C$', 'inside a relative path']],
  ])('relative: %s', (input, segments) => {
    expect(parseTargetPath(input)).toEqual({
      path: { kind: 'relative', segments, text: segments.join('\\') },
    });
  });

  test.each([
    ['\\\\files\\projects\\a', 'files', 'projects', ['a']],
    ['//files.example.test/projects/a/b', 'files.example.test', 'projects', ['a', 'b']],
    ['\\\\10.0.0.7\\hidden$\\a', '10.0.0.7', 'hidden$', ['a']],
    ['\\\\FILE_SRV-01\\Projekte Süd\\a', 'FILE_SRV-01', 'Projekte Süd', ['a']],
    ['\\\\s\\s\\a', 's', 's', ['a']],
  ])('UNC: %s', (input, server, share, segments) => {
    const text = `\\\\${[server, share, ...segments].join('\\')}`;
    expect(parseTargetPath(input)).toEqual({ path: { kind: 'unc', server, share, segments, text } });
  });

  test('is stored in NFC', () => {
    const parsed = parseTargetPath('Auftra\u0308ge');
    expect(parsed).toEqual({ path: { kind: 'relative', segments: ['Aufträge'], text: 'Auftr\u00e4ge' } });
  });

  test('may have at most 4000 characters', () => {
    const longest = `${'x'.repeat(199)}\\`.repeat(20).slice(0, -1).padEnd(4000, 'y');
    expect(longest).toHaveLength(4000);
    expect(parseTargetPath(longest)).toHaveProperty('path');
    expect(parseTargetPath(`${longest}z`)).toMatchObject({
      faults: [{ code: 'path_too_long', params: { length: 4001, max: 4000 } }],
    });
  });

  test.each([
    ['decomposed to four times its length', '\u03b1\u0313\u0300\u0345'.repeat(200), '\u1f82'.repeat(200)],
    ['30 marks in a row', `a${'\u0316'.repeat(30)}`, `a${'\u0316'.repeat(30)}`],
  ])('%s', (_what, input, text) => {
    expect(parseTargetPath(input)).toMatchObject({ path: { text } });
  });

  test('survives a second parse unchanged', () => {
    const once = parseTargetPath('//files/projects/Auftra\u0308ge/a');
    if (!('path' in once)) throw new Error('expected a path');
    expect(parseTargetPath(once.path.text)).toEqual(once);
  });
});

describe('the only fault of a path that is too long is its length', () => {
  test.each([
    ['130,000 separators', '\\'.repeat(130_000), 130_000],
    ['130,000 separators in a relative path', `a${'/'.repeat(130_000)}`, 130_001],
    ['a device prefix', `\\\\?\\${'a'.repeat(4000)}`, 4004],
    ['350,000 combining marks', `a${'\u0315\u0316'.repeat(175_000)}`, 350_001],
  ])('%s', (_what, input, length) => {
    expect(parseTargetPath(input)).toMatchObject({
      faults: [{ message: `is ${length} characters long, at most 4000 are allowed` }],
    });
  });
});

describe('a path that breaks a rule names the rule', () => {
  test.each([
    ['', 'must not be empty'],
    ['\\a', 'starts with a single backslash'],
    ['/a', 'starts with a single backslash'],
    ['a\\', 'has an empty folder name'],
    ['a\\\\b', 'has an empty folder name'],
    ['a\\.\\b', 'folder "." would point at another folder'],
    ['..\\a', 'folder ".." would point at another folder'],
    ['a\\..', 'folder ".." would point at another folder'],
    ['a\\...', 'folder "..." ends in a dot'],
    ['a\\b \\c', 'folder "b " ends in a space'],
    ['a .\\b', 'folder "a ." ends in a dot'],
    ['a\u0000b', 'folder "aU+0000b" contains the control character U+0000'],
    ['a\nb', 'contains the control character U+000A'],
    ['a\u0085b', 'contains the control character U+0085'],
    ['a\u2028b', 'contains the control character U+2028'],
    ['a\ud800b', 'contains an unpaired surrogate'],
    ['\udc00', 'contains an unpaired surrogate'],
    ['a<b', 'folder "a<b" contains <'],
    ['a>b', 'contains >'],
    ['ab:c', 'contains :'],
    ['file.txt:stream', 'contains :'],
    ['a"b', 'contains "'],
    ['a|b', 'contains |'],
    ['a?b', 'contains ?'],
    ['a*b', 'contains *'],
    ['x'.repeat(256), 'is 256 characters long, at most 255 are allowed'],
    [`a${'\u0316'.repeat(31)}`, 'has more than 30 combining marks in a row'],
    ['CON', 'is the reserved device name CON'],
    ['a\\nul', 'is the reserved device name NUL'],
    ['Aux.txt', 'is the reserved device name AUX'],
    ['prn.a.b', 'is the reserved device name PRN'],
    ['con .txt', 'is the reserved device name CON'],
    ['com0', 'is the reserved device name COM0'],
    ['LPT9.log', 'is the reserved device name LPT9'],
    ['COM¹', 'is the reserved device name COM¹'],
    ['lpt².txt', 'is the reserved device name LPT²'],
    ['LPT³', 'is the reserved device name LPT³'],
    ['conin$', 'is the reserved device name CONIN$'],
    ['a\\CONOUT$', 'is the reserved device name CONOUT$'],
    ['Clock$.txt', 'is the reserved device name CLOCK$'],
    ['a\u200bb', 'folder "aU+200Bb" contains the invisible character U+200B'],
    ['a\u200c\u200db', 'contains the invisible character U+200C U+200D'],
    ['a\ufeffa', 'folder "aU+FEFFa" contains the invisible character U+FEFF'],
    ['a\u2060b', 'contains the invisible character U+2060'],
    ['a\u00adb', 'contains the invisible character U+00AD'],
    ['a\u061cb', 'contains the invisible character U+061C'],
    ['a\u200eb\\\u200fc', 'folder "U+200Fc" contains the invisible character U+200F'],
    ['a\u202egpj.exe', 'folder "aU+202Egpj.exe" contains the invisible character U+202E'],
    ['a\u{e0041}', 'contains the invisible character U+E0041'],
    ['a\u2066b\u2069c', 'contains the invisible character U+2066 U+2069'],
    ['\\\\files\\pro\u200bjects\\a', 'share "proU+200Bjects" contains the invisible character U+200B'],
    ['C:\\a', 'starts with the drive letter "C:"'],
    ['c:a', 'starts with the drive letter "c:"'],
    ['\\\\?\\C:\\a', 'starts with the device prefix'],
    ['\\\\?\\UNC\\server\\share\\a', 'starts with the device prefix'],
    ['//?/C:/a', 'starts with the device prefix'],
    ['\\\\.\\pipe\\a', 'starts with the device prefix'],
    ['\\??\\C:\\a', 'starts with the device prefix'],
    ['\\\\', 'names no server'],
    ['\\\\\\share\\a', 'names no server'],
    ['\\\\files', 'names the server "files" but no share'],
    ['\\\\files\\projects', 'names no folder below the share "projects"'],
    ['\\\\files\\projects\\', 'has an empty folder name'],
    ['\\\\files\\\\a', 'has an empty share name'],
    ['\\\\..\\share\\a', 'server ".." is not a host name'],
    ['\\\\files.\\share\\a', 'server "files." is not a host name'],
    ['\\\\files@SSL\\share\\a', 'server "files@SSL" is not a host name'],
    ['\\\\user:pw@files\\share\\a', 'is not a host name'],
    ['\\\\files\\C$\\a', 'share "C$" is an administrative share'],
    ['\\\\files\\d$\\a', 'share "d$" is an administrative share'],
    ['\\\\files\\admin$\\a', 'share "admin$" is an administrative share'],
    ['\\\\files\\IPC$\\a', 'share "IPC$" is an administrative share'],
    ['\\\\files\\..\\a', 'share ".." would point at another folder'],
    ['\\\\files\\projects\\..\\other', 'folder ".." would point at another folder'],
  ])('%j', (input, reason) => {
    const parsed = parseTargetPath(input);
    expect(parsed).toHaveProperty('faults');
    expect(messagesOf(parsed).join('; ')).toContain(reason);
  });

  test('and every other rule it breaks', () => {
    expect(messagesOf(parseTargetPath('\\\\files@SSL\\C$\\a?\\..\\nul\\b \\c'))).toEqual([
      'server "files@SSL" is not a host name (letters, digits, "-", "_" and single dots between them)',
      'share "C$" is an administrative share',
      'folder "a?" contains ?',
      'folder ".." would point at another folder',
      'folder "nul" is the reserved device name NUL',
      'folder "b " ends in a space',
    ]);
  });

  test('in short and printable messages', () => {
    const parsed = parseTargetPath('\u0007'.repeat(300));
    for (const fault of messagesOf(parsed)) {
      expect(fault.length).toBeLessThan(600);
      expect(fault).not.toMatch(/\p{Cc}/u);
    }
  });
});
