import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

// At its start, LibreOffice allocates 64 MiB sixteen times, one after the other, each of which the kernel maps anew. Kept in the
// heap, they save half of the processor time of a run, 0.5 s.
const env = {
  ...process.env,
  GLIBC_TUNABLES: 'glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296',
};

// A layout depends on the fonts of the machine, so LibreOffice sees these alone. Debian: fonts-dejavu-core.
const fontFolder = '/usr/share/fonts/truetype/dejavu';
const fonts = [
  'DejaVuSans',
  'DejaVuSans-Bold',
  'DejaVuSansMono',
  'DejaVuSansMono-Bold',
  'DejaVuSerif',
  'DejaVuSerif-Bold',
];

/** Returns the path of a configuration with only these fonts, for FONTCONFIG_FILE. */
async function onlyKnownFonts(folder: string): Promise<string> {
  const own = join(folder, 'fonts');
  await mkdir(own);
  await Promise.all(fonts.map((name) => symlink(join(fontFolder, `${name}.ttf`), join(own, `${name}.ttf`))));
  const file = join(folder, 'fonts.conf');
  const places = `<dir>${own}</dir><cachedir>${join(folder, 'font-cache')}</cachedir>`;
  await writeFile(file, `<?xml version="1.0"?><fontconfig>${places}</fontconfig>`);
  return file;
}

/**
 * Opens the files with LibreOffice and saves them in another format, or in the same. All files share one run, because
 * its start takes most of the time.
 */
export function savedAs<Name extends string>(
  files: Readonly<Record<Name, Buffer>>,
  filter: string,
): Promise<Record<Name, Buffer>> {
  return inFolder(async (folder) => {
    const names = Object.keys(files) as Name[];
    await Promise.all(names.map((name) => writeFile(join(folder, `${name}.docx`), files[name])));
    const options = [
      // A separate profile: the second instance on a profile passes its files to the first and exits.
      `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`,
      '--headless',
      '--convert-to',
      filter,
      '--outdir',
      join(folder, 'saved'),
    ];
    await run('soffice', [...options, ...names.map((name) => join(folder, `${name}.docx`))], {
      env: { ...env, FONTCONFIG_FILE: await onlyKnownFonts(folder) },
    });
    const extension = filter.replace(/:.*$/, '');
    const saved = await Promise.all(
      names.map(
        async (name) => [name, await readFile(join(folder, 'saved', `${name}.${extension}`))] as const,
      ),
    );
    return Object.fromEntries(saved) as Record<Name, Buffer>;
  });
}

/** A word and its place on a page, counted from 1: millimeters from the upper left corner. */
export interface PageWord {
  readonly page: number;
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export function pdfWords(pdf: Buffer): Promise<PageWord[]> {
  return inFolder(async (folder) => {
    await writeFile(join(folder, 'letter.pdf'), pdf);
    const { stdout } = await run('pdftotext', ['-bbox', join(folder, 'letter.pdf'), '-'], { maxBuffer: 1e8 });
    return stdout.split('<page ').flatMap((pageXml, page) =>
      [...pageXml.matchAll(wordElement)].map(([, left, top, right, bottom, text = '']) => ({
        page,
        text: text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
        left: millimeters(left),
        top: millimeters(top),
        right: millimeters(right),
        bottom: millimeters(bottom),
      })),
    );
  });
}

const wordElement = /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]*)<\/word>/g;

const millimeters = (points: string | undefined): number => (Number(points) / 72) * 25.4;

/** The first page in gray, one byte per dot, 50 dots per inch. */
export function firstPage(pdf: Buffer): Promise<{ width: number; height: number; dots: Buffer }> {
  return inFolder(async (folder) => {
    await writeFile(join(folder, 'letter.pdf'), pdf);
    const pages = ['-f', '1', '-l', '1', '-r', '50', '-gray', '-singlefile'];
    await run('pdftoppm', [...pages, join(folder, 'letter.pdf'), join(folder, 'page')]);
    const image = await readFile(join(folder, 'page.pgm'));
    const [header = '', width, height] =
      /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(image.toString('latin1', 0, 40)) ?? [];
    return { width: Number(width), height: Number(height), dots: image.subarray(header.length) };
  });
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'word-processor-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
