import { randomBytes } from 'node:crypto';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Around, Handler } from '../around.ts';
import type { VerifyToken } from './calls/access.ts';
import { admin, adminHost, type Admin } from './admin.ts';
import { contentHost } from './content-host.ts';
import { contentStore } from './content/content-store.ts';
import { Drives, siteId } from './state/drives.ts';
import type { Emulator } from './state/emulator.ts';
import { FaultSwitches } from './base/faults.ts';
import { graphHost } from './graph-host.ts';
import type { Profile } from './state/profile.ts';
import { RequestLog } from './base/request-log.ts';
import { savedTree } from './state/saved-tree.ts';
import { type DriveSettings, driveSettings } from './base/settings.ts';
import { SignedText } from './base/signed-text.ts';
import { ThrottleBudget } from './base/throttle-budget.ts';
import { UploadSessions } from './state/upload-sessions.ts';

export interface DriveOptions {
  /** PEM. The certificate must be valid for `localhost` and `127.0.0.1`. */
  tls: { key: string; cert: string };
  verifyToken: VerifyToken;
  /** Directory that persists contents and tree; without it both are in memory. */
  dataDir?: string;
  /** Serves upload and download URLs over plain HTTP, for browsers that do not trust the certificate. */
  plainContentHost?: boolean;
  /** The directory for /me. A user without an entry is derived from the claims of the token. */
  users?: readonly Profile[];
  settings?: Partial<DriveSettings>;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Changes what Graph and the content host receive and send, as a library that breaks a rule. */
  around?: Around;
}

export interface RunningDrive {
  /** Origin of Graph: routes are below `/v1.0` and `/_api/v2.0`. */
  url: string;
  siteId: string;
  driveId: string;
  /** Origin of upload and download URLs. */
  contentOrigin: string;
  /** Origin of the admin URL, plain HTTP. */
  adminUrl: string;
  /** What the admin URL does, for the process that runs the emulator. */
  admin: Admin;
  close: () => Promise<void>;
}

/** Starts the drive emulator on free loopback ports: Graph, the host of upload and download URLs, and the admin URL. */
export async function startDrive(options: DriveOptions): Promise<RunningDrive> {
  let clockOffsetMs = 0;
  const wallClock = options.now ?? Date.now;
  const now = () => wallClock() + clockOffsetMs;
  const log = new RequestLog();
  const contents = await contentStore(options.dataDir && join(options.dataDir, 'content'));

  // The handlers need the origins, and the origins need the ports, so the servers listen before the emulator exists.
  const graph = await listening(createHttpsServer(options.tls));
  const isPlain = options.plainContentHost ?? false;
  const content = await listening(isPlain ? createHttpServer() : createHttpsServer(options.tls));
  const control = await listening(createHttpServer());

  const settings = driveSettings.parse(options.settings ?? {});
  const emulator: Emulator = {
    siteId,
    now,
    settings,
    faults: new FaultSwitches(),
    drives: new Drives(() => emulator.settings, now),
    contents,
    sessions: new UploadSessions(now),
    signed: new SignedText(randomBytes(32)),
    budget: new ThrottleBudget(),
    drafts: [],
    profiles: new Map((options.users ?? []).map((user) => [user.id, user])),
    // A different host name, not only a different port, because the official SDK compares names without ports (A11).
    contentOrigin: `${isPlain ? 'http' : 'https'}://127.0.0.1:${port(content)}`,
    changed: () => saved.changed(),
  };
  const saved = await savedTree(options.dataDir, emulator);
  const around = options.around ?? ((handler) => handler);
  serve(graph, around(graphHost(emulator, options.verifyToken, log)));
  serve(content, around(contentHost(emulator, log)));
  const clock = {
    advanceClock: (ms: number) => void (clockOffsetMs += ms),
    resetClock: () => void (clockOffsetMs = 0),
  };
  const run = admin(emulator, { log, ...clock });
  serve(control, adminHost(run));

  return {
    url: `https://localhost:${port(graph)}`,
    siteId,
    driveId: emulator.drives.library.id,
    contentOrigin: emulator.contentOrigin,
    adminUrl: `http://127.0.0.1:${port(control)}`,
    admin: run,
    close: async () => {
      await Promise.all([graph, content, control].map(close));
      await emulator.sessions.discardAll();
      await saved.close();
    },
  };
}

function listening(server: Server): Promise<Server> {
  // Longer than the idle time of any client's pool, so that the emulator never closes a connection first.
  server.keepAliveTimeout = 120_000;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function serve(server: Server, handler: Handler): void {
  server.on('request', (req, res) => {
    // A client that disconnects during a body is normal; the handler detects it while reading.
    req.on('error', () => undefined);
    const { socket } = req;
    void handler(req, res).catch((error: unknown) => {
      console.error('drive emulator:', error);
      socket.destroy();
    });
  });
}

const port = (server: Server) => (server.address() as AddressInfo).port;

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
