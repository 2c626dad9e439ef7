import { FileServer } from '../../agent/copy/file-server.ts';
import { fulfil, type Outcome } from '../../agent/copy/fulfil.ts';
import { shareFolder } from '../../agent/base/share-folder.ts';
import { parseTargetPath } from '../../lib/contract/target-path.ts';
import { logLines } from './log-lines.ts';
import { ntlmAccount } from './ntlm-account.ts';
import { VirtualClock } from './virtual-clock.ts';

const never = new AbortController().signal;

interface Served {
  readonly port: number;
  readonly account: { readonly user: string; readonly password: string; readonly domain?: string };
  readonly template: string;
  readonly root: string;
}

/** A new agent of a server on this machine, whose waits end immediately. It has found out nothing about the server yet. */
export function agentOf({ port, account, template: templatePath, root: rootPath }: Served) {
  const server = '127.0.0.1';
  const clock = new VirtualClock({ rushing: true });
  const { log } = logLines([], false);
  const template = shareFolder.parse(`//${server}/${templatePath}`);
  const root = shareFolder.parse(`//${server}/${rootPath}`);
  const fileServer = new FileServer(
    {
      server,
      port,
      account: { ...ntlmAccount(account.user, account.password), domain: account.domain ?? '' },
      aliases: [],
      encryption: 'preferred',
      minimumDialect: '3.0',
      ownFolders: [template, root],
    },
    clock,
    log,
  );
  const rules = { server, aliases: [], allowedRoots: undefined, template, root };
  /** What the work on a claim needs besides the service. */
  const parts = { fileServer, rules, maxBackoffMs: 30_000, clock, random: () => 0.5, log };
  /** The outcome of a request for a directory of that path. */
  const work = (target: string, maxBackoffMs = parts.maxBackoffMs): Promise<Outcome> =>
    fulfil(parseTargetPath(target), { ...parts, maxBackoffMs }, { end: never, stop: never }, log);
  return { fileServer, work, clock, parts };
}
