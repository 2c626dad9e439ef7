import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

// The only place that knows what tests use of a machine besides Node and npm: foreign programs, and properties such as root.

export interface Need {
  /** What tests use it for. */
  readonly purpose: string;
  /** Programs that have to be on the PATH. */
  readonly programs?: readonly string[];
  /** Debian packages that bring it; without any, no package does. */
  readonly debian?: readonly string[];
  /** Whether it is a kind of machine: tests of another kind are skipped in CI too, and run on that kind. */
  readonly isPlatform?: boolean;
  /** What has to hold in addition. */
  readonly holds?: () => boolean;
}

const isRoot = () => process.getuid?.() === 0;
const repository = join(import.meta.dirname, '../../../..');

function succeeds(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

const hasLibrary = (name: string) =>
  ['x86_64', 'aarch64'].some((processor) => existsSync(`/usr/lib/${processor}-linux-gnu/${name}`));

const adPackages = [
  'samba',
  'samba-common-bin',
  'samba-ad-provision',
  'samba-dsdb-modules',
  'samba-vfs-modules',
  'winbind',
  'libnss-winbind',
  'ldb-tools',
  'iproute2',
];

const table = {
  samba: {
    purpose: 'an SMB server that is not ours',
    programs: ['smbd', 'pdbedit'],
    debian: ['samba'],
    // So that what happens without Samba can be tried where it is installed.
    // oxlint-disable-next-line node/no-process-env
    holds: () => process.env['FILE_SERVER'] !== 'embedded',
  },
  smbclient: { purpose: 'an SMB client that is not ours', programs: ['smbclient'], debian: ['smbclient'] },
  'MIT Kerberos': {
    purpose: "a realm of MIT's KDC",
    programs: ['krb5kdc', 'kdb5_util', 'kadmin.local'],
    debian: ['krb5-kdc', 'krb5-admin-server'],
  },
  impacket: {
    purpose: 'a second SMB server that is not ours',
    debian: ['python3-impacket'],
    // Debian's own interpreter, because another python3 that is first on the PATH does not find Debian's packages.
    holds: () => succeeds('/usr/bin/python3', '-c', 'import impacket.smbserver'),
  },
  'Active Directory': {
    purpose: 'a domain controller and a member in namespaces of their own',
    programs: ['samba', 'smbd', 'samba-tool', 'net', 'winbindd', 'wbinfo', 'ldbmodify', 'ip'],
    debian: adPackages,
    holds: () =>
      ['samba/ldb/samba_dsdb.so', 'samba/vfs/acl_xattr.so', 'libnss_winbind.so.2'].every(hasLibrary) &&
      existsSync('/usr/share/samba/setup/dns_update_list'),
  },
  namespaces: {
    purpose: 'networks and mounts of their own',
    programs: ['unshare', 'nsenter', 'ip'],
    debian: ['util-linux', 'iproute2'],
    holds: () => isRoot() && succeeds('unshare', '--net', '--mount', '--pid', '--fork', 'true'),
  },
  mount: {
    purpose: 'full disks',
    programs: ['mount', 'umount'],
    debian: ['mount'],
    holds: () => isRoot() && succeeds('unshare', '--mount', 'true'),
  },
  rclone: {
    purpose: 'a client of the document library that is not ours',
    programs: ['rclone'],
    debian: ['rclone'],
  },
  squid: { purpose: "a company's proxy", programs: ['squid', 'openssl'], debian: ['squid', 'openssl'] },
  LibreOffice: {
    purpose: 'letters as people see them',
    programs: ['soffice', 'pdftotext', 'pdftoppm'],
    debian: ['libreoffice-writer', 'poppler-utils'],
  },
  'DejaVu fonts': {
    purpose: 'the same line breaks on every machine',
    debian: ['fonts-dejavu-core'],
    holds: () => existsSync('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'),
  },
  'chromium-headless-shell': {
    purpose: 'pages in a browser',
    programs: ['chromium-headless-shell'],
    debian: ['chromium-headless-shell'],
  },
  curl: { purpose: 'the commands that npm start prints', programs: ['curl'], debian: ['curl'] },
  git: { purpose: 'releases', programs: ['git'], debian: ['git'] },
  jq: { purpose: 'the scripts of a deployment', programs: ['jq'], debian: ['jq'] },
  openssl: { purpose: 'the scripts of a deployment', programs: ['openssl'], debian: ['openssl'] },
  python3: {
    purpose: 'an implementation of zip that is not ours',
    programs: ['python3'],
    debian: ['python3'],
  },
  'systemd-analyze': { purpose: "the agent's units", programs: ['systemd-analyze'], debian: ['systemd'] },
  bash: { purpose: 'scripts', programs: ['bash'], debian: ['bash'] },
  script: { purpose: 'a terminal', programs: ['script'], debian: ['bsdutils'] },
  diff: { purpose: 'comparing folders', programs: ['diff'], debian: ['diffutils'] },
  mkfifo: { purpose: 'pipes with names', programs: ['mkfifo'], debian: ['coreutils'] },
  tar: { purpose: 'archives as people unpack them', programs: ['tar'], debian: ['tar'] },
  sha256sum: { purpose: 'checksums as people check them', programs: ['sha256sum'], debian: ['coreutils'] },
  'npm run vendor-tools -w folder-tests (.NET SDK)': {
    purpose: "the vendor's compiler, host for scripts, and validator of Word files",
    holds: () => existsSync(join(repository, 'node_modules/.cache/vendor-tools')),
  },
  root: { purpose: "another account's permissions", holds: isRoot },
  linux: { purpose: '/proc', isPlatform: true, holds: () => process.platform === 'linux' },
  POSIX: {
    purpose: 'modes of files, signals, and shells',
    isPlatform: true,
    holds: () => process.platform !== 'win32',
  },
  'a work tree of git': { purpose: 'tags and history', holds: () => existsSync(join(repository, '.git')) },
} satisfies Record<string, Need>;

export type NeedName = keyof typeof table;
export const needs: Readonly<Record<NeedName, Need>> = table;

/** The folders of PATH, each `bin` followed by the `sbin` beside it, which is not on the PATH of Debian's ordinary users. */
const folders = (): string[] =>
  // oxlint-disable-next-line node/no-process-env
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .flatMap((folder) => (basename(folder) === 'bin' ? [folder, join(dirname(folder), 'sbin')] : [folder]));

function pathOrNone(program: string): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  const paths = folders().flatMap((folder) => endings.map((ending) => join(folder, `${program}${ending}`)));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const known = new Map<NeedName, boolean>();

/** Whether this machine has it; found out once in each process. */
export function has(name: NeedName): boolean {
  const { programs = [], holds }: Need = needs[name];
  const present =
    known.get(name) ?? (programs.every((each) => pathOrNone(each) !== undefined) && holds?.() !== false);
  known.set(name, present);
  return present;
}

/** The command that installs the needs, or undefined if no package brings them. */
export function installCommand(names: readonly NeedName[]): string | undefined {
  const packages = new Set(names.flatMap((name) => needs[name].debian ?? []));
  return packages.size === 0
    ? undefined
    : `sudo apt-get install --no-install-recommends ${[...packages].toSorted().join(' ')}`;
}

/**
 * The full path of a program of a need.
 *
 * @throws Error that names the package if it is missing
 */
export function programPath(name: NeedName, program: string): string {
  const path = pathOrNone(program);
  if (path === undefined) throw new Error(`This machine lacks ${program}: ${installCommand([name])}`);
  return path;
}
