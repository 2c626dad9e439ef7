import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** Options for `https.createServer` and `tls.createServer`. */
export interface ServerCertificate {
  key: string;
  cert: string;
}

export interface LocalCa {
  /** PEM file of the root, which clients trust through NODE_EXTRA_CA_CERTS. */
  certificate: string;
  certificatePath: string;
  issue(...hosts: string[]): Promise<ServerCertificate>;
}

/** A certificate authority for one run: its key exists only in memory, its certificate is in `directory`. */
export async function createLocalCa(directory: string): Promise<LocalCa> {
  const validity = validFor(30);
  // With two roots of the same name in a trust store, OpenSSL tries the wrong key and reports CERT_SIGNATURE_FAILURE.
  const name = `Local stack CA ${randomUUID()}`;
  const root = await generate([{ name: 'commonName', value: name }], {
    ...keys,
    ...validity,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const certificatePath = join(directory, 'ca.pem');
  await writeFile(certificatePath, root.cert);
  return {
    certificate: root.cert,
    certificatePath,
    async issue(...hosts) {
      const names = hosts.length > 0 ? hosts : ['localhost', '127.0.0.1'];
      const issued = await generate([{ name: 'commonName', value: names[0]! }], {
        ...keys,
        ...validity,
        ca: { key: root.private, cert: root.cert },
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', serverAuth: true },
          {
            name: 'subjectAltName',
            altNames: names.map((name) =>
              /^[\d.]+$|:/.test(name) ? { type: 7, ip: name } : { type: 2, value: name },
            ),
          },
        ],
      });
      return { key: issued.private, cert: issued.cert };
    },
  };
}

const keys = { keyType: 'ec', algorithm: 'sha256' } as const;

function validFor(days: number) {
  const now = Date.now();
  // An hour in the past, because the clock of a virtual machine can be set back after the start.
  return { notBeforeDate: new Date(now - 3_600_000), notAfterDate: new Date(now + days * 86_400_000) };
}
