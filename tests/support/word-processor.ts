import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What is missing to run LibreOffice and read its PDF, or null. */
export async function missingWordProcessor(): Promise<string | null> {
  try {
    await Promise.all([run('soffice', ['--version']), run('pdftotext', ['-v']), run('pdftoppm', ['-v'])]);
    return null;
  } catch {
    return 'apt-get install --no-install-recommends libreoffice-writer poppler-utils';
  }
}

/** Opens the file with LibreOffice and saves it in another format, or in its own. */
export function savedAs(file: Buffer, filter: string): Promise<Buffer> {
  return inFolder(async (folder) => {
    const source = join(folder, 'source.docx');
    await writeFile(source, file);
    await run('soffice', [
      // A profile of its own: two instances on one profile hand their files to each other and end.
      `-env:UserInstallation=file://${folder}/profile`,
      '--headless',
      '--convert-to',
      filter,
      '--outdir',
      join(folder, 'saved'),
      source,
    ]);
    return readFile(join(folder, 'saved', `source.${filter.replace(/:.*$/, '')}`));
  });
}

/** A part of a page: millimetres from its upper left corner. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The text of each page, or of one area of each, a space for every gap. Which lines of neighbouring columns count as one
 * depends on the fonts of the machine; what lies in an area does not.
 */
export function pdfPages(pdf: Buffer, area?: Area): Promise<string[]> {
  return inFolder(async (folder) => {
    await writeFile(join(folder, 'letter.pdf'), pdf);
    // At 25.4 dots per inch a dot is a millimetre.
    const crop = area
      ? ['-r', '25.4', '-x', area.left, '-y', area.top, '-W', area.width, '-H', area.height].map(String)
      : [];
    const { stdout } = await run('pdftotext', [...crop, '-layout', join(folder, 'letter.pdf'), '-'], {
      maxBuffer: 1e8,
    });
    return stdout
      .split('\f')
      .slice(0, -1)
      .map((page) => page.replace(/\s+/g, ' ').trim());
  });
}

/** The first page in grey, one byte per dot, 50 dots per inch. */
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
