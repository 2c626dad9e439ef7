import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';
import { z } from 'zod';
import { eTag } from '../state/drive-item.ts';
import type { Emulator } from '../state/emulator.ts';
import type { FaultSubject } from '../base/faults.ts';
import { GraphError, itemNotFound } from '../base/graph-error.ts';
import { type BytesPerSecond, LinkSpeed } from '../content/link-speed.ts';
import { ConnectionDropped } from '../content/receive.ts';

const downloadToken = z.object({
  drive: z.string(),
  item: z.string(),
  /** Of an earlier version (A18). */
  version: z.string().optional(),
  exp: z.string(),
});

/** GET on a download URL (A9): streamed, one range, no Authorization. */
export async function sendFile(
  emulator: Emulator,
  req: IncomingMessage,
  res: ServerResponse,
  subject: FaultSubject,
): Promise<void> {
  const { faults } = emulator;
  const item = fileOf(emulator, req.url ?? '');
  if (faults.take('malware', subject)) {
    throw new GraphError(403, 'accessDenied', 'Malware detected', { inner: ['malwareDetected'] });
  }
  const { size, read } = { size: item.file.content.size, read: item.file.content };
  const unrequested = req.headers.range === undefined ? faults.take('part-unrequested', subject) : undefined;
  const given: [number, number] | undefined = unrequested && [0, unrequested.end ?? size];
  const range = faults.take('range-ignored', subject) ? null : (given ?? byteRange(req.headers.range, size));
  const [start, end] = range ?? [0, size];
  const drop = faults.take('drop-connection', subject);
  const other = range === null ? undefined : faults.take('part-other', subject);
  const partOf = `bytes ${start + (other?.start ?? 0)}-${end - 1}/${size + (other?.size ?? 0)}`;
  const isNamed = unrequested?.isNamed ?? !faults.take('part-unnamed', subject);
  res.writeHead(range === null ? 200 : 206, {
    'Content-Type': item.file.mimeType,
    'Content-Length': end - start,
    'Content-Disposition': `attachment;filename*=UTF-8''${encodeURIComponent(item.name)}`,
    'Accept-Ranges': 'bytes',
    'Access-Control-Allow-Origin': '*',
    ETag: eTag(item),
    'Last-Modified': item.modifiedAt.toUTCString(),
    ...(range !== null && isNamed && { 'Content-Range': partOf }),
  });
  const source = read.read(start, end);
  const bytesPerSecond = () => emulator.settings.contentBytesPerSecond;
  if (drop) await pipeline(source, breakAfter(drop.afterBytes), res);
  else if (bytesPerSecond() !== null) await pipeline(source, atSpeed(bytesPerSecond), res);
  else await pipeline(source, res);
}

// A9. The documentation names no error for other files.
const convertible = /\.(?:csv|docx?|od[pst]|pot[mx]?|pps(?:xm?)?|ppt[mx]?|rtf|xlsx?)$/i;

/** Whether GET …/content?format=pdf accepts a file of this name. */
export const isConvertible = (name: string): boolean => convertible.test(name);

/** GET on the URL of a converted file. The emulator converts nothing: its PDF has one comment, the name of the file. */
export function sendPdf(emulator: Emulator, req: IncomingMessage, res: ServerResponse): void {
  const { name } = fileOf(emulator, req.url ?? '');
  const pdf = Buffer.from(`%PDF-1.7\n% ${name}\n%%EOF\n`);
  res.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': pdf.length });
  res.end(pdf);
}

function fileOf({ signed, drives, now }: Emulator, url: string) {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const parsed = downloadToken.safeParse(signed.read('download', query.get('tempauth') ?? ''));
  if (!parsed.success) throw new GraphError(401, 'unauthenticated', 'Unauthenticated');
  if (now() >= Number(parsed.data.exp) * 1000) {
    throw new GraphError(401, 'unauthenticated', 'The access token has expired.', {
      inner: ['expiredToken'],
    });
  }
  const { drive, item: id, version } = parsed.data;
  const item = drives.get(drive)?.tree.get(id);
  const file =
    version === undefined ? item?.file : item?.earlier.find(({ number }) => String(number) === version)?.file;
  if (!item || !file) throw itemNotFound();
  return { ...item, file };
}

/** [start, end) of a single byte range; null for none, for several, and for an invalid one (RFC 9110 14.2). */
function byteRange(header: string | undefined, size: number): [number, number] | null {
  const match = /^bytes=(?<first>\d*)-(?<last>\d*)$/.exec(header ?? '');
  const { first = '', last = '' } = match?.groups ?? {};
  if (first === '' && last === '') return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size);
  if (start >= size) {
    throw new GraphError(416, 'invalidRange', 'The requested range is not satisfiable.', {
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
  return [start, end];
}

function breakAfter(bytes: number): Transform {
  let left = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const part = chunk.subarray(0, left);
      left -= part.length;
      this.push(part);
      if (left > 0) done();
      // The client must receive the part before the connection closes.
      else setImmediate(() => done(new ConnectionDropped()));
    },
  });
}

// A TLS record.
const bytesPerPiece = 16 * 1024;

const atSpeed = (bytesPerSecond: BytesPerSecond) =>
  async function* (source: AsyncIterable<Buffer>) {
    const line = new LinkSpeed(bytesPerSecond);
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; at += bytesPerPiece) {
        const piece = chunk.subarray(at, at + bytesPerPiece);
        yield piece;
        await line.waitFor(piece.length);
      }
    }
  };
