import { constants } from 'node:fs';
import { faultText, smbErrorOf } from './failure.ts';
import type { FileServer } from './file-server.ts';
import type { ServiceClient } from './service-client.ts';
import { ServiceFailure } from './service-failure.ts';
import type { AgentSettings } from './settings.ts';
import { type ShareFolder, pathOf, uncOf } from './share-folder.ts';
import { at } from './copy-error.ts';
import { type ConnectionInfo, type RealmStatus, type SmbFolder } from './smb/index.ts';

/** One line of the report. `skipped`: not checked, because a line above failed. */
export interface CheckLine {
  readonly what: string;
  readonly result: 'ok' | 'failed' | 'skipped' | 'note';
  readonly says: string;
}

export interface CheckParts {
  readonly settings: AgentSettings;
  readonly service: ServiceClient;
  readonly fileServer: FileServer;
}

/** Checks everything that the agent needs, each item after those that it depends on, and changes nothing. */
export async function check({ settings, service, fileServer }: CheckParts): Promise<CheckLine[]> {
  const { template, root, allowedRoots } = settings;
  const lines: CheckLine[] = [];
  const note = (what: string, says: string): void => void lines.push({ what, result: 'note', says });
  const checkLine = async (
    what: string,
    dependsOn: readonly string[],
    says: () => Promise<string>,
    ifFailed: 'failed' | 'note' = 'failed',
  ): Promise<void> => {
    const missing = lines.find(
      ({ what: name, result }) => dependsOn.includes(name) && result !== 'ok' && result !== 'note',
    );
    if (missing) lines.push({ what, result: 'skipped', says: `needs: ${missing.what}` });
    else {
      lines.push(
        await says().then(
          (said): CheckLine => ({ what, result: 'ok', says: said }),
          (error: unknown): CheckLine => ({
            what,
            result: ifFailed,
            says: withSetting(what, reasonOf(error, fileServer.account)),
          }),
        ),
      );
    }
  };

  if (settings.service.allowInsecureTls) {
    note('TLS', 'certificates are NOT verified (FOLDER_AGENT_ALLOW_INSECURE_TLS)');
  }
  const { proxy } = settings.service;
  if (proxy) {
    const exceptions = proxy.exceptions === '' ? '' : `, not used for ${proxy.exceptions} (NO_PROXY)`;
    note('Proxy', `${proxy.shown}${exceptions}, never used for this machine`);
  }
  await checkLine('Service', [], async () => {
    const { version } = await service.health();
    return `${settings.service.baseUrl} responds, version ${version}`;
  });
  await checkLine('Agent key', ['Service'], async () => {
    await service.checkKey();
    return 'accepted by the service';
  });
  const realm = fileServer.realmStatus();
  if (realm !== undefined) {
    // With negotiate, NTLM may suffice.
    const ifFailed = settings.fileServer.account.mechanism === 'negotiate' ? 'note' : 'failed';
    await checkLine('Kerberos', [], async () => realmText(await realm), ifFailed);
  }
  await checkLine('File server', realm === undefined ? [] : ['Kerberos'], async () =>
    connectionText(settings, await fileServer.connect(), fileServer.account),
  );
  await checkLine('Template', ['File server'], () => templateText(fileServer, template));
  if (root) {
    await checkLine('Root path', ['File server'], () => directoryText(fileServer, root));
    await checkLine('Permissions', ['Root path'], () => permissionsText(fileServer, root));
  } else {
    note(
      'Root path',
      'not set: only UNC target paths are accepted, and missing permissions show with the first request',
    );
  }
  const { dfs, server, aliases } = settings.fileServer;
  if (dfs === undefined) {
    note('DFS', 'off: paths below a DFS link fail (FOLDER_AGENT_DFS)');
  } else if (dfs.servers.length > 0) {
    const allowed = [server, ...aliases, ...dfs.servers].join('; ');
    note('DFS', `links may lead to ${allowed} (FOLDER_AGENT_DFS_SERVERS)`);
  }
  for (const allowed of allowedRoots ?? []) {
    await checkLine('Allowed root', ['File server'], () => directoryText(fileServer, allowed));
  }
  if (!allowedRoots) {
    note(
      'Allowed root',
      `not set: UNC targets are accepted wherever ${fileServer.account} has write permission. Set FOLDER_AGENT_ALLOWED_ROOTS`,
    );
  }
  return lines;
}

const marks = { ok: 'ok     ', failed: 'FAILED ', skipped: 'skipped', note: 'note   ' };

export function checkText(lines: readonly CheckLine[]): string {
  const width = lines.reduce((widest, { what }) => Math.max(widest, what.length), 0);
  return lines.map(({ what, result, says }) => `${marks[result]}  ${what.padEnd(width)}  ${says}\n`).join('');
}

function connectionText(
  { fileServer }: AgentSettings,
  connection: (ConnectionInfo & { readonly server: string }) | undefined,
  account: string,
): string {
  if (connection === undefined) return `${account} is logged on`;
  const cipher = connection.cipher ? `encrypted with ${connection.cipher}` : 'NOT encrypted';
  return `${connection.server}:${fileServer.port}, ${account} with ${connection.mechanism}, SMB ${connection.dialect}, signed with ${connection.signing}, ${cipher}`;
}

/** A clock difference that KDCs and servers ignore, and that is within the resolution of a ticket's times. */
const sameTimeMs = 2_000;

function realmText(status: RealmStatus): string {
  const { realm, kdc, kdcFoundBy, encryptionType, ticketEndsAt, clockDifferenceMs } = status;
  const found = kdcFoundBy === 'DNS' ? 'found by DNS' : 'FOLDER_AGENT_KDC';
  const seconds = Math.round(Math.abs(clockDifferenceMs) / 1000);
  const clocks =
    Math.abs(clockDifferenceMs) < sameTimeMs
      ? 'the clocks agree'
      : `this clock is ${seconds} s ${clockDifferenceMs > 0 ? 'behind' : 'ahead'}`;
  const end = new Date(ticketEndsAt).toISOString().replace('.000', '');
  return `${realm} by ${kdc} (${found}), ticket with ${encryptionType} until ${end}, ${clocks}`;
}

async function templateText(fileServer: FileServer, template: ShareFolder): Promise<string> {
  const share = fileServer.share(template);
  const entries = await at('template', uncOf(template), () => share.list(pathOf(template)));
  const directories = entries.filter((entry) => entry.isDirectory()).length;
  const top = `${directories} directories and ${entries.length - directories} files at its top`;
  return `${uncOf(template)}, ${top}${await referralsText(share, template)}`;
}

async function directoryText(fileServer: FileServer, root: ShareFolder): Promise<string> {
  const share = fileServer.share(root);
  await at('destination', uncOf(root), () => share.list(pathOf(root)));
  return `${uncOf(root)}${await referralsText(share, root)}`;
}

/** The DFS referrals that lead to a folder. */
async function referralsText(share: SmbFolder, folder: ShareFolder): Promise<string> {
  const { referrals } = await share.locate(pathOf(folder));
  return referrals.length === 0 ? '' : `; DFS: ${referrals.join(', ')}`;
}

async function permissionsText(fileServer: FileServer, root: ShareFolder): Promise<string> {
  const path = pathOf(root);
  await at('destination', uncOf(root), () => fileServer.share(root).access(path, constants.W_OK));
  return `${fileServer.account} has permission to add files and directories to ${uncOf(root)}`;
}

/** Where to start, for reasons that do not name a setting themselves. */
const settingsOf: Readonly<Record<string, string>> = {
  Service: 'FOLDER_AGENT_API_BASE_URL',
  'Agent key': 'FOLDER_AGENT_API_KEY',
  Kerberos: 'FOLDER_AGENT_SMB_REALM',
  'File server': 'FOLDER_AGENT_SMB_SERVER',
  Template: 'FOLDER_AGENT_TEMPLATE_PATH',
  'Root path': 'FOLDER_AGENT_ROOT_PATH',
  Permissions: 'FOLDER_AGENT_ROOT_PATH',
  'Allowed root': 'FOLDER_AGENT_ALLOWED_ROOTS',
};

function withSetting(what: string, reason: string): string {
  return reason.includes('FOLDER_AGENT_')
    ? reason
    : `${reason.replace(/\.$/, '')}. Check ${settingsOf[what] ?? 'the settings'}.`;
}

function reasonOf(error: unknown, account: string): string {
  if (error instanceof ServiceFailure) return error.message;
  if (smbErrorOf(error) !== undefined) return faultText(error, account);
  return error instanceof Error ? error.message : String(error);
}
