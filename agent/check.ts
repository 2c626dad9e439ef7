import { constants } from 'node:fs';
import { faultText, keyAdvice, serviceVerdict, smbErrorOf } from './base/failure.ts';
import { pathListText } from './base/path-list.ts';
import { namesLeftOut, type TemplateNames } from './copy/template-names.ts';
import type { FileServer } from './copy/file-server.ts';
import type { ServiceClient } from './claims/service-client.ts';
import { ServiceFailure } from './base/service-failure.ts';
import type { AgentSettings } from './settings/settings.ts';
import type { ShareFolder } from './base/share-folder.ts';
import { at, type Side } from './base/copy-error.ts';
import type { ConnectionInfo, RealmStatus } from './smb/index.ts';

/** One line of the report. `skipped`: not checked, because a line above failed. */
export interface CheckLine {
  readonly what: string;
  readonly result: 'ok' | 'failed' | 'skipped' | 'note';
  readonly says: string;
}

/** Checks everything that the agent needs, each item after the one that it depends on, and changes nothing. */
export async function check(
  settings: AgentSettings,
  service: ServiceClient,
  fileServer: FileServer,
): Promise<CheckLine[]> {
  const { template, root, allowedRoots } = settings;
  const { mechanism } = settings.fileServer.account;
  const { account } = fileServer;
  const lines: CheckLine[] = [];
  const note = (what: string, says: string): void => void lines.push({ what, result: 'note', says });
  /** @param setting where to start, for reasons that do not name a setting themselves */
  const checkLine = async (
    what: string,
    setting: string,
    needs: string | undefined,
    text: () => Promise<string>,
  ): Promise<void> => {
    if (lines.some((line) => line.what === needs && /failed|skipped/.test(line.result))) {
      lines.push({ what, result: 'skipped', says: `needs: ${needs}` });
      return;
    }
    try {
      lines.push({ what, result: 'ok', says: await text() });
    } catch (error) {
      const reason = reasonOf(error, account);
      const says = reason.includes('FOLDER_AGENT_')
        ? reason
        : `${reason.replace(/\.$/, '')}. Check FOLDER_AGENT_${setting}.`;
      // With negotiate, NTLM may suffice.
      const result = what === 'Kerberos' && mechanism === 'negotiate' ? 'note' : 'failed';
      lines.push({ what, result, says });
    }
  };
  const checkFolder = (what: string, setting: string, side: Side, place: ShareFolder) =>
    checkLine(what, setting, 'File server', async () => {
      const folder = fileServer.folder(place);
      await at(side, folder, '', (path) => folder.list(path));
      const { referrals } = await folder.locate();
      return `${folder.unc}${referrals.length === 0 ? '' : `; DFS: ${referrals.join(', ')}`}`;
    });

  if (settings.service.allowInsecureTls) {
    note('TLS', 'certificates are NOT verified (FOLDER_AGENT_ALLOW_INSECURE_TLS)');
  }
  const { proxy } = settings.service;
  if (proxy) {
    const exceptions = proxy.exceptions === '' ? '' : `, not used for ${proxy.exceptions} (NO_PROXY)`;
    note('Proxy', `${proxy.shown}${exceptions}, never used for this machine`);
  }
  await checkLine('Service', 'API_BASE_URL', undefined, async () => {
    const { version } = await service.health();
    return `${settings.service.baseUrl} responds, version ${version}`;
  });
  await checkLine('Agent key', 'API_KEY', 'Service', async () => {
    await service.checkKey();
    return 'accepted by the service';
  });
  const realm = fileServer.realmStatus();
  if (realm) await checkLine('Kerberos', 'SMB_REALM', undefined, async () => realmText(await realm));
  await checkLine('File server', 'SMB_SERVER', 'Kerberos', async () =>
    connectionText(await fileServer.connect(), account, settings.fileServer.port),
  );
  await checkFolder('Template', 'TEMPLATE_PATH', 'template', template);
  if (lines.at(-1)!.result === 'ok') {
    await checkLine('Names', 'TEMPLATE_PATH', 'Template', async () =>
      namesText(await namesLeftOut(fileServer.folder(template), settings.isSkipped)),
    );
  }
  if (root) {
    await checkFolder('Root path', 'ROOT_PATH', 'destination', root);
    await checkLine('Permissions', 'ROOT_PATH', 'Root path', async () => {
      const folder = fileServer.folder(root);
      await at('destination', folder, '', (path) => folder.access(path, constants.W_OK));
      return `${account} has permission to add files and directories to ${folder.unc}`;
    });
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
  for (const allowed of allowedRoots ?? [])
    await checkFolder('Allowed root', 'ALLOWED_ROOTS', 'destination', allowed);
  if (!allowedRoots) {
    note(
      'Allowed root',
      `not set: UNC targets are accepted wherever ${account} has write permission. Set FOLDER_AGENT_ALLOWED_ROOTS`,
    );
  }
  return lines;
}

function reasonOf(error: unknown, account: string): string {
  if (smbErrorOf(error)) return faultText(error, account);
  if (error instanceof ServiceFailure && serviceVerdict(error) === 'key-rejected')
    return `the service rejects it (${error.status}${error.code ? ` ${error.code}` : ''}). ${keyAdvice}`;
  return (error as Error).message;
}

const marks = { ok: 'ok     ', failed: 'FAILED ', skipped: 'skipped', note: 'note   ' };

export function checkText(lines: readonly CheckLine[]): string {
  const width = lines.reduce((widest, { what }) => Math.max(widest, what.length), 0);
  return lines.map(({ what, result, says }) => `${marks[result]}  ${what.padEnd(width)}  ${says}\n`).join('');
}

function connectionText(
  connection: ConnectionInfo & { readonly server: string },
  account: string,
  port: number,
): string {
  const { server, mechanism, dialect, signing } = connection;
  const cipher = connection.cipher ? `encrypted with ${connection.cipher}` : 'NOT encrypted';
  return `${server}:${port}, ${account} with ${mechanism}, SMB ${dialect}, signed with ${signing}, ${cipher}`;
}

function namesText({ skipped, unusable }: TemplateNames): string {
  const texts = [
    ...(skipped.count > 0 ? [`not copied: ${pathListText(skipped)} (FOLDER_AGENT_TEMPLATE_SKIP)`] : []),
    ...(unusable.count > 0
      ? [
          `not copied, because no path can hold such a name: ${pathListText(unusable)}. Rename it on the disk of the file server`,
        ]
      : []),
  ];
  return texts.length === 0 ? 'all are copied' : texts.join('; ');
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
