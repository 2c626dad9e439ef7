import { execFileSync } from 'node:child_process';
import { accessSync, appendFileSync, constants, existsSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runFolder } from './run-folder.ts';

// The only place that decides what happens to a test whose program is not installed: it is skipped, and one summary at the end
// of the run names what is missing and the command that installs it (`missing-programs.ts`). With CI set it fails.

/** Whether a program is in a folder of PATH, or in the `sbin` beside a `bin`, where Debian keeps servers. */
function isInstalled(name: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const withSbin = folders.flatMap((folder) =>
    basename(folder) === 'bin' ? [folder, join(dirname(folder), 'sbin')] : [folder],
  );
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  return withSbin.some((folder) =>
    names.some((each) => {
      try {
        accessSync(join(folder, each), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }),
  );
}

function succeeds(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface Requirement {
  /** Debian packages; without them, a property of the machine that no package changes. */
  readonly debian?: string;
  readonly has: () => boolean;
}

const program = (debian: string, ...names: string[]): Requirement => ({
  debian,
  has: () => names.every(isInstalled),
});
const isRoot = () => process.getuid?.() === 0;
const library = (name: string) =>
  ['x86_64', 'aarch64'].some((processor) => existsSync(`/usr/lib/${processor}-linux-gnu/${name}`));

export const requirements = {
  samba: {
    debian: 'samba',
    // So that what happens without Samba can be tried where it is installed.
    has: () => process.env['FILE_SERVER'] !== 'embedded' && ['smbd', 'pdbedit'].every(isInstalled),
  },
  smbclient: program('smbclient', 'smbclient'),
  'MIT Kerberos': program('krb5-kdc krb5-admin-server', 'krb5kdc', 'kdb5_util', 'kadmin.local'),
  impacket: {
    debian: 'python3-impacket',
    has: () => isInstalled('python3') && succeeds('python3', '-c', 'import impacket'),
  },
  rclone: program('rclone', 'rclone'),
  squid: program('squid', 'squid'),
  LibreOffice: program('libreoffice-writer poppler-utils', 'soffice', 'pdftotext', 'pdftoppm'),
  'chromium-headless-shell': program('chromium-headless-shell', 'chromium-headless-shell'),
  curl: program('curl', 'curl'),
  git: program('git', 'git'),
  jq: program('jq', 'jq'),
  openssl: program('openssl', 'openssl'),
  python3: program('python3', 'python3'),
  'systemd-analyze': program('systemd', 'systemd-analyze'),
  unshare: program('util-linux iproute2', 'unshare', 'nsenter', 'ip'),
  'Active Directory': {
    debian:
      'samba samba-common-bin samba-ad-provision samba-dsdb-modules samba-vfs-modules winbind libnss-winbind ldb-tools iproute2',
    has: () =>
      ['samba', 'smbd', 'samba-tool', 'net', 'winbindd', 'wbinfo', 'ldbmodify', 'ip'].every(isInstalled) &&
      library('samba/ldb/samba_dsdb.so'),
  },
  'npm run vendor-tools -w folder-tests (.NET SDK)': {
    has: () => existsSync(join(import.meta.dirname, '../../../../node_modules/.cache/vendor-tools')),
  },
  bash: program('bash', 'bash'),
  tar: program('tar', 'tar'),
  sha256sum: program('coreutils', 'sha256sum'),
  root: { has: isRoot },
  linux: { has: () => process.platform === 'linux' },
  'a work tree of git': { has: () => existsSync(join(import.meta.dirname, '../../../../.git')) },
} satisfies Record<string, Requirement>;

export type RequirementName = keyof typeof requirements;

const known = new Map<RequirementName, boolean>();
export function has(name: RequirementName): boolean {
  const present = known.get(name) ?? requirements[name].has();
  known.set(name, present);
  return present;
}

export const missingName = 'missing.txt';

/**
 * `describe` and `test` of vitest for what needs all of these: `const { test } = requires('squid')` for a file, or
 * `requires('squid').test('…', …)` for one test. Hooks of a file or group of which everything is skipped do not run.
 *
 * @throws Error with CI set, if something is missing
 */
export function requires(
  ...names: readonly RequirementName[]
): Pick<typeof import('vitest'), 'describe' | 'test'> {
  const missing = names.filter((name) => !has(name));
  if (missing.length === 0) return { describe, test };
  if (process.env['CI']) throw new Error(`CI is set, and this machine lacks ${missing.join(', ')}`);
  const file = expect.getState().testPath ?? '';
  for (const name of missing)
    appendFileSync(join(runFolder(), missingName), `${JSON.stringify({ name, file })}\n`);
  return { describe: describe.skip as typeof describe, test: test.skip as typeof test };
}
