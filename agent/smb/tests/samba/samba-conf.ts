import { join } from 'node:path';

/** The account of the local servers. The password has characters that careless quoting would break. */
export const sambaAccount = { user: 'folder-agent', password: 'Übung & "Rand" 7!', domain: 'WORKGROUP' };
/** MD4 of the UTF-16LE password, as in Samba's database (`pdbedit -L -w`). */
export const sambaNtHash = Buffer.from('6175683afe2d64d2184aad8c0c249c4f', 'hex');

export interface SambaConfig {
  readonly folder: string;
  readonly port: number;
  /** Section name to local path. */
  readonly shares: Readonly<Record<string, string>>;
  /** Further `name = value` lines of the [global] section, such as `smb encrypt = required`. */
  readonly globalLines: readonly string[];
  /** Further lines per share, which override the lines before them. */
  readonly shareLines: Readonly<Record<string, readonly string[]>>;
}

/**
 * Everything smbd writes is below `folder`, so that several instances run side by side without touching the system's.
 */
export function smbConf({ folder, port, shares, globalLines, shareLines }: SambaConfig): string {
  const state = join(folder, 'state');
  const global = [
    'workgroup = WORKGROUP',
    'server role = standalone server',
    'interfaces = 127.0.0.1/8',
    'bind interfaces only = yes',
    `smb ports = ${port}`,
    `passdb backend = tdbsam:${join(state, 'passdb.tdb')}`,
    `username map = ${join(folder, 'users.map')}`,
    ...['private dir', 'lock directory', 'state directory', 'cache directory', 'pid directory'].map(
      (name) => `${name} = ${state}`,
    ),
    `ncalrpc dir = ${join(state, 'ncalrpc')}`,
    `log file = ${join(folder, 'log.smbd')}`,
    'max log size = 0',
    // The lowest level with a line for each reload of the settings.
    'log level = 1',
    'disable netbios = yes',
    'load printers = no',
    'printcap name = /dev/null',
    'disable spoolss = yes',
    'usershare max shares = 0',
    // smbd listens before its notify daemon has registered, and until then rejects every TREE_CONNECT with
    // STATUS_NO_MEMORY. No client here waits for changes.
    'change notify = no',
    ...globalLines,
  ];
  const sections = Object.entries(shares).map(([name, path]) =>
    [`[${name}]`, `path = ${path}`, 'read only = no', ...(shareLines[name] ?? [])].join('\n'),
  );
  return ['[global]', ...global, ...sections, ''].join('\n');
}

/** Lines of a share whose deleted files are moved to a folder of it, the default of several NAS appliances. */
export const recycleBinLines = ['vfs objects = recycle', 'recycle:repository = #recycle'];
