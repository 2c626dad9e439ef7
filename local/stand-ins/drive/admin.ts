import type { IncomingMessage, ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import { z } from 'zod';
import { removeItem } from './calls/change-item.ts';
import { commitFile } from './calls/commit-file.ts';
import { sessionStatus } from './calls/create-upload-session.ts';
import type { Drive } from './state/drives.ts';
import type { Item } from './state/item.ts';
import { itemJson, type Emulator } from './state/emulator.ts';
import { newFault } from './base/faults.ts';
import { mimeType } from './content/mime-type.ts';
import { QuickXorHash } from './content/quick-xor-hash.ts';
import type { RequestLog } from './base/request-log.ts';
import { driveSettings } from './base/settings.ts';
import type { UploadSession } from './state/upload-sessions.ts';

const clockChange = z.strictObject({ advanceSeconds: z.number().nonnegative() });
const itemChange = z.strictObject({
  name: z.string().min(1).optional(),
  parentId: z.string().optional(),
  locked: z.boolean().optional(),
  hiddenFrom: z.array(z.string()).optional(),
  checkedOutTo: z.string().nullable().optional(),
  special: z.enum(['package', 'shortcut']).optional(),
  modifiedBy: z.strictObject({ id: z.string(), displayName: z.string() }).optional(),
});

const newItems = z.strictObject({
  names: z.array(z.string().min(1)),
  kind: z.enum(['file', 'folder', 'package', 'shortcut']).default('file'),
});

/** Operations of the admin URL outside the emulator's own state. */
export interface AdminControls {
  log: RequestLog;
  advanceClock: (ms: number) => void;
  resetClock: () => void;
}

/** @returns the result as JSON that no later request changes @throws NoSuchSwitch, NoSuchItem, ZodError, or another error */
export type Admin = (method: string, path: string, body?: unknown) => Promise<any>;

/**
 * What the person or test that runs the emulator can do to it. It has no users and bypasses every rule of the library, to
 * simulate other people (renaming a folder, locking a file) and the passage of time.
 */
export function admin(emulator: Emulator, { log, advanceClock, resetClock }: AdminControls): Admin {
  const routes: Record<string, (body: unknown, id: string) => unknown> = {
    'GET /': () => ({
      siteId: emulator.siteId,
      driveId: emulator.drives.library.id,
      now: new Date(emulator.now()).toISOString(),
      routes: Object.keys(routes),
    }),
    'GET /settings': () => emulator.settings,
    'PATCH /settings': (body) => {
      const changes = z.record(z.string(), z.unknown()).parse(body);
      emulator.settings = driveSettings.parse({ ...emulator.settings, ...changes });
      return emulator.settings;
    },
    'DELETE /settings': () => (emulator.settings = driveSettings.parse({})),
    'GET /faults': () => emulator.faults.list(),
    'POST /faults': (body) => {
      emulator.faults.add(newFault.parse(body));
      return emulator.faults.list();
    },
    'DELETE /faults': () => emulator.faults.clear(),
    'GET /items': () => [...emulator.drives.all()].flatMap(itemsOf),
    'PATCH /items/:id': (body, id) => {
      const { drive, item } = find(emulator, id);
      const { name, parentId, ...marks } = itemChange.parse(body);
      if (parentId !== undefined) drive.tree.move(item, find(emulator, parentId).item, item.name);
      if (name !== undefined && item.parent) drive.tree.move(item, item.parent, name);
      for (const [mark, value] of Object.entries(marks)) {
        if (value !== undefined) Object.assign(item, { [mark]: value });
      }
      // Permissions and check-out do not change the item itself.
      if (name !== undefined || parentId !== undefined || marks.locked !== undefined) {
        drive.tree.touch(item, new Date(emulator.now()), item.modifiedBy);
      }
      emulator.changed();
      return entry(drive, item);
    },
    'POST /items/:id': async (body, id) => {
      const { drive, item: parent } = find(emulator, id);
      const { names, kind } = newItems.parse(body);
      const added: object[] = [];
      for (const name of names) {
        const place = { drive, parent, name };
        const item = kind === 'file' ? await addFile(emulator, place) : addFolder(emulator, place);
        if (kind === 'package' || kind === 'shortcut') item.special = kind;
        const { webUrl } = itemJson(emulator, { annotation: '@' }, drive, item);
        added.push({ ...entry(drive, item), webUrl });
      }
      return added;
    },
    'DELETE /items/:id': (_body, id) => {
      const { drive, item } = find(emulator, id);
      return removeItem(emulator, drive, item);
    },
    'GET /sessions': () => emulator.sessions.list().map(sessionEntry),
    'DELETE /sessions': () => emulator.sessions.discardAll(),
    'GET /drafts': () => emulator.drafts,
    'DELETE /drafts': () => void emulator.drafts.splice(0),
    'GET /requests': () => log.list(),
    'DELETE /requests': () => log.clear(),
    'POST /clock': (body) => {
      advanceClock(clockChange.parse(body).advanceSeconds * 1000);
      return { now: new Date(emulator.now()).toISOString() };
    },
    'DELETE /clock': () => resetClock(),
  };

  return async (method, path, body) => {
    const [, resource = '', id = ''] = path.split('/');
    const route = routes[`${method} /${resource}${id === '' ? '' : '/:id'}`];
    if (route === undefined) throw new NoSuchSwitch('No such switch: GET / lists them.');
    const result = await route(body, decodeURIComponent(id));
    return JSON.parse(JSON.stringify(result ?? {})) as unknown;
  };
}

/** The admin URL: plain HTTP on loopback. */
export function adminHost(run: Admin) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = req;
    try {
      const hasBody = method === 'POST' || method === 'PATCH';
      respond(res, 200, await run(method, url, hasBody ? await readJson(req) : undefined));
    } catch (error) {
      const status = error instanceof NoSuchItem || error instanceof NoSuchSwitch ? 404 : 400;
      if (error instanceof z.ZodError) respond(res, status, { error: z.prettifyError(error) });
      else respond(res, status, { error: error instanceof Error ? error.message : String(error) });
    }
  };
}

interface Addition {
  readonly drive: Drive;
  readonly parent: Item;
  readonly name: string;
}

/** A folder, by whoever changed its parent last. */
function addFolder(emulator: Emulator, { drive, parent, name }: Addition): Item {
  const at = new Date(emulator.now());
  const item = drive.tree.add({ name, parent, at, by: parent.modifiedBy });
  emulator.changed();
  return item;
}

/** A file of one byte, by whoever changed its folder last. */
async function addFile(emulator: Emulator, { drive, parent, name }: Addition): Promise<Item> {
  const bytes = Buffer.from('x');
  const hash = new QuickXorHash();
  hash.update(bytes);
  const writer = await emulator.contents.create();
  await writer.write([bytes]);
  const file = { content: writer.content(), mimeType: mimeType(name), quickXorHash: hash.base64() };
  const by = parent.modifiedBy;
  const { item } = await commitFile(emulator, { drive, parent, name, behavior: 'fail', file, by });
  await writer.close();
  return item;
}

class NoSuchItem extends Error {}
class NoSuchSwitch extends Error {}

function find({ drives }: Emulator, id: string): { drive: Drive; item: Item } {
  for (const drive of drives.all()) {
    const item = drive.tree.get(id);
    if (item) return { drive, item };
  }
  throw new NoSuchItem(`No item has the id '${id}'.`);
}

const itemsOf = (drive: Drive) => [...drive.tree.items()].map((item) => entry(drive, item));

const entry = (drive: Drive, item: Item) => ({
  driveId: drive.id,
  id: item.id,
  path: drive.tree.path(item),
  kind: item.special ?? (item.file === null ? 'folder' : 'file'),
  size: item.size,
  version: item.version,
  locked: item.locked,
  hiddenFrom: item.hiddenFrom,
  checkedOutTo: item.checkedOutTo,
  quickXorHash: item.file?.quickXorHash ?? null,
  modifiedBy: item.modifiedBy.id,
});

const sessionEntry = (session: UploadSession) => ({
  guid: session.guid,
  driveId: session.drive.id,
  path: `${session.drive.tree.path(session.parent)}/${session.name}`.replace(/^\/\//, '/'),
  behavior: session.behavior,
  received: session.received,
  isReceiving: session.isReceiving,
  total: session.total,
  ...sessionStatus(session),
});

function respond(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
  res.end(`${JSON.stringify(body, null, 2)}\n`);
}
