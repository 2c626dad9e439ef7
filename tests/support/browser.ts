import { type Browser, chromium } from 'playwright-core';
import { programPath } from '../../agent/smb/tests/support/needs.ts';

const shell = 'chromium-headless-shell';

/**
 * Debian's Chromium without a window, with a separate profile that is deleted on close; it exits with this process,
 * however this process ends. It resolves only `localhost` and `127.0.0.1`.
 *
 * The complete browser draws its toolbar in additional renderers, even when headless: a new page of the console then
 * takes 1.1 s of processor time instead of 0.4 s, and the start 0.7 s instead of 0.25 s. Engine, network stack and
 * policies are the same.
 */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: programPath(shell, shell),
    // Tests run as root, and Chromium does not start with its sandbox as root.
    chromiumSandbox: false,
    // In another locale, it saves a file with an umlaut in its name as `download`.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
      '--no-proxy-server',
      '--disable-background-networking',
      '--disable-gpu',
      // Pages of one profile and site share a process, as many tabs do; no spare process is started.
      '--renderer-process-limit=1',
      // All drawing is done in software, which needs no separate process.
      '--in-process-gpu',
    ],
  });
}
