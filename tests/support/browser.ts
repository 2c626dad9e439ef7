import { createHash, X509Certificate } from 'node:crypto';
import { type Browser, chromium } from 'playwright-core';

/**
 * Debian's Chromium, headless, with a profile of its own that goes when it is closed; it ends with this process however
 * this process ends. It reaches this machine by `localhost` and `127.0.0.1` only: every other name is unknown to it.
 * `trusted` are PEM certificates of servers, whoever issued them; there is no other way past an unknown issuer, so that a
 * page fails here where it would fail in an office.
 */
export function startBrowser({ trusted = [] }: { trusted?: readonly string[] } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    // Tests run as root, where Chromium refuses its sandbox.
    chromiumSandbox: false,
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
      '--no-proxy-server',
      '--disable-background-networking',
      '--disable-gpu',
      `--ignore-certificate-errors-spki-list=${trusted.map(publicKeyHash).join(',')}`,
    ],
  });
}

function publicKeyHash(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(key).digest('base64');
}
