import { unlessAborted } from '../base/aborting.ts';
import { bytesToWrite } from '../base/arguments.ts';
import type { Call } from '../calls/call.ts';
import { closeRequest, readWrite, writeRequest } from '../wire/file-io.ts';
import { previousFile } from '../wire/file-id.ts';
import { setEndOfFileRequest } from '../wire/info.ts';
import type { FileContents } from '../calls/file.ts';
import { OpenFile } from '../calls/open-file.ts';
import { newFile, openOrNew, openToRead, openToWrite } from '../calls/opening.ts';
import { pieceBytes } from '../session/pipeline.ts';
import { SmbError } from '../base/smb-error.ts';

/**
 * As in `fs`: `r` reads, `r+` also writes, `w` empties the file or creates it, `wx` has to create it, `a` creates it
 * unless it exists. Only `r` and `r+` require the file; only with `r` can other clients write to it meanwhile.
 */
export type OpenFlag = 'r' | 'r+' | 'w' | 'wx' | 'a';

/** Files up to this size are written in one round trip. */
const smallBytes = 262_144;

const openings = { r: openToRead, 'r+': openToWrite, w: openOrNew, wx: newFile, a: openOrNew } as const;
export const openFlags = Object.keys(openings);

export async function openFile(call: Call, flag: OpenFlag): Promise<OpenFile> {
  const file = await OpenFile.by(call, openings[flag](call.path));
  if (flag === 'w' && file.entry.size > 0) await closeOnFailure(file, () => file.truncate(0));
  return file;
}

export async function writeFile(call: Call, contents: FileContents, flag: 'w' | 'wx' | 'a'): Promise<void> {
  const data = typeof contents === 'string' ? Buffer.from(contents) : contents;
  const isSmall =
    data instanceof Uint8Array && data.length <= Math.min(smallBytes, pieceBytes(call.session, 'write'));
  if (isSmall && flag !== 'a') return writeSmall(call, data, flag);
  const file = await openFile(call, flag);
  await closeOnFailure(file, () => file.writeAll(data, flag === 'a' ? file.entry.size : 0));
  await file.close();
}

/** Open or create, empty, write, close. */
async function writeSmall(call: Call, data: Uint8Array, flag: 'w' | 'wx'): Promise<void> {
  const replies = await call.send([
    openings[flag](call.path),
    ...(flag === 'w' ? [setEndOfFileRequest(previousFile, 0)] : []),
    ...(data.length > 0 ? [writeRequest(previousFile, 0, data)] : []),
    closeRequest(previousFile),
  ]);
  for (const reply of replies) call.expect(reply);
  if (data.length === 0 || readWrite(replies.at(-2)!.message, data.length) === data.length) return;
  const { operation, path } = call;
  const message = `${operation} ${path}: the server wrote only a part`;
  throw new SmbError('SERVER_ERROR', message, { operation, path, retryable: true });
}

/** Runs `write` with the chunks as bytes once the first has proved to be some: until then no file is to be emptied. */
export async function withChunks(
  chunks: AsyncIterable<unknown> | Iterable<unknown>,
  { encoding, signal }: { encoding: BufferEncoding; signal: AbortSignal | undefined },
  write: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const bytes = (async function* () {
    for await (const chunk of chunks) yield bytesToWrite(chunk, encoding);
  })();
  try {
    const first = await unlessAborted(bytes.next(), signal);
    const all = async function* () {
      if (first.done) return;
      yield first.value;
      yield* bytes;
    };
    await write(all());
  } finally {
    // Not awaited: a stream that never delivers would keep a canceled call waiting.
    bytes.return().catch(() => undefined);
  }
}

async function closeOnFailure(file: OpenFile, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}
