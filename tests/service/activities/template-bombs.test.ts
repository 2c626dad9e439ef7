import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateRawSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { wordFile } from '../../support/word-file.ts';

const mib = 1024 * 1024;
interface Entry {
  readonly name: string;
  readonly content: Buffer;
  /** The size in the headers, if it differs from the actual size. */
  readonly declaredSize?: number;
  readonly flags?: number;
}

/** A zip file whose headers may have wrong sizes. */
function zip(entries: readonly Entry[], { sharedData = false } = {}): Buffer {
  const chunks: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  let first = 0;
  for (const { name, content, declaredSize = content.length, flags = 0 } of entries) {
    // The default level takes four times as long.
    const packed = deflateRawSync(content, { level: 1 });
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(flags, 2);
    header.writeUInt16LE(8, 4);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(declaredSize, 18);
    header.writeUInt16LE(name.length, 22);
    const at = Buffer.alloc(14);
    at.writeUInt32LE(sharedData ? first : offset, 10);
    central.push(Buffer.from('PK\u0001\u0002\u0014\0'), header, at, Buffer.from(name));
    if (sharedData && chunks.length > 0) continue;
    chunks.push(Buffer.from('PK\u0003\u0004'), header, Buffer.from(name), packed);
    first = offset;
    offset += 30 + name.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...chunks, directory, end]);
}

const document = (content: Buffer, more: Partial<Entry> = {}): Entry => ({
  name: 'word/document.xml',
  content,
  ...more,
});
const text = (inside: string): string => `<w:p><w:r><w:t>${inside}</w:t></w:r></w:p>`;

// The last column is the memory growth that the limits on the package and on its XML allow, for a bomb and those above it.
const bombs: [what: string, make: () => Buffer, message: RegExp, grownMiB: number][] = [
  ['100 MiB of blanks', () => zip([document(Buffer.alloc(100 * mib, ' '))]), /larger than 50 MiB/, 40],
  [
    '100 MiB declared as 1,000 bytes',
    () => zip([document(Buffer.alloc(100 * mib, ' '), { declaredSize: 1000 })]),
    /damaged/,
    40,
  ],
  [
    // The mark of ZIP64, which Office files of this size do not have.
    '4 GiB declared',
    () => zip([document(Buffer.from('x'), { declaredSize: 0xffffffff })]),
    /damaged/,
    40,
  ],
  [
    // They also share its name.
    '900 entries that share one content of 60 MiB',
    () =>
      zip(
        Array.from({ length: 900 }, (_, index) => ({
          name: `word/media/${index}.xml`,
          content: index === 0 ? Buffer.alloc(60 * mib) : Buffer.alloc(0),
          declaredSize: 60 * mib,
        })),
        { sharedData: true },
      ),
    /twice/,
    40,
  ],
  [
    '51 MiB of pictures',
    () =>
      zip(
        Array.from({ length: 51 }, (_, index) => ({
          name: `word/media/${index}.bin`,
          content: Buffer.alloc(mib),
        })),
      ),
    /larger than 50 MiB/,
    40,
  ],
  [
    '1,001 parts',
    () =>
      zip(Array.from({ length: 1001 }, (_, index) => ({ name: `${index}.xml`, content: Buffer.from('x') }))),
    /more than 1000 parts/,
    40,
  ],
  ['the same part twice', () => zip([document(Buffer.from('x')), document(Buffer.from('y'))]), /twice/, 40],
  ['a password', () => zip([document(Buffer.from('x'), { flags: 1 })]), /password/, 40],
  ['300,000 empty paragraphs', () => wordFile('<w:p/>'.repeat(300_000)), /more than 100000 XML elements/, 80],
  ['11 MiB of text', () => wordFile(text(' '.repeat(11 * mib))), /larger than 10 MiB/, 120],
  [
    'a million placeholders',
    () => wordFile(text('{{city}}'.repeat(1_000_000))),
    /more than 1000 placeholders/,
    120,
  ],
];

let results: readonly { readonly faults: object[]; readonly grownMiB: number }[];

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bombs-'));
  const paths = bombs.map((_, index) => join(folder, `${index}.docx`));
  for (const [index, [, make]] of bombs.entries()) await writeFile(paths[index]!, make());
  const child = join(import.meta.dirname, '../../support/prepare-template-child.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [child, ...paths]);
  results = JSON.parse(stdout) as typeof results;
}, 120_000);

test.for(bombs.map(([what, , message, mostMiB], index) => [what, { index, message, mostMiB }] as const))(
  '%s: rejected with bounded memory',
  ([, { index, message, mostMiB }]) => {
    const { faults, grownMiB } = results[index]!;
    expect(faults).toEqual([{ path: 'template', message: expect.stringMatching(message) }]);
    expect(grownMiB).toBeLessThan(mostMiB);
  },
);
