import { buffer } from 'node:stream/consumers';
import type { Item } from '../state/item.ts';
import type { Emulator } from '../state/emulator.ts';
import type { FaultSubject } from '../base/faults.ts';
import { GraphError } from '../base/graph-error.ts';
import { QuickXorHash } from '../content/quick-xor-hash.ts';

/** Files SharePoint writes its own properties into (A8). */
export const isOfficeFile = (name: string) =>
  /\.(?:docx?|docm|dotx?|xlsx?|xlsm|xltx?|pptx?|pptm|potx?)$/i.test(name);

/** Types that the library rewrites after an upload (A8): these, and some JPEG files. */
const isRewritten = (name: string) => isOfficeFile(name) || /\.(?:pdf|html?|jpe?g)$/i.test(name);

/** A8: property promotion changed the eTag between the client's read and its write. */
export const resourceModified = () =>
  new GraphError(
    409,
    'resourceModified',
    'The resource has changed since the caller last read it; usually an eTag mismatch',
  );

/**
 * Fault: the library modifies a file of these types after the upload, so size and hash differ from what was sent (A8).
 * `later` waits until the response to the upload has been built.
 */
export async function rewriteOffice(emulator: Emulator, item: Item, subject: FaultSubject): Promise<void> {
  if (!isRewritten(item.name)) return;
  const fault = emulator.faults.take('office-rewrite', subject);
  if (!fault) return;
  if (fault.when === 'later') {
    setImmediate(() => void rewrite(emulator, item));
    return;
  }
  await rewrite(emulator, item);
}

async function rewrite(emulator: Emulator, item: Item): Promise<void> {
  if (item.file === null || item.parent === null) return;
  const old = item.file.content;
  const bytes = Buffer.concat([await buffer(old.read(0, old.size)), Buffer.from('<!-- docProps/custom -->')]);
  const hash = new QuickXorHash();
  hash.update(bytes);
  const writer = await emulator.contents.create();
  await writer.write([bytes]);
  await writer.close();
  const file = { ...item.file, content: writer.content(), quickXorHash: hash.base64() };
  const drive = [...emulator.drives.all()].find((each) => each.tree.get(item.id) === item);
  drive?.tree.replaceContent(item, file, new Date(emulator.now()), item.modifiedBy);
  emulator.changed();
  await old.delete();
}
