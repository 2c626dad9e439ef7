import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { secret, type Setting } from '../../lib/contract/settings-table.ts';
import { Secret } from '../../lib/contract/secret.ts';
import { textOfFile } from './text-file.ts';
import { KerberosError, readKeytab } from '../smb/kerberos/index.ts';

/** A setting that names a file, read as what `read` makes of it. */
const fileOf = <T>(read: (path: string) => T) =>
  z
    .string()
    .refine((path) => isAbsolute(path), { error: 'expected an absolute path', abort: true })
    .transform((path, { issues }) => {
      try {
        return read(path);
      } catch (error) {
        const { code, message: said } = error as NodeJS.ErrnoException;
        const isOther = code !== undefined && !(error instanceof KerberosError);
        const message = isOther ? `the file cannot be read (${code})` : said;
        issues.push({ code: 'custom', message, input: path });
        return z.NEVER;
      }
    });

/**
 * Service managers pass secrets as files (systemd's LoadCredential). Line breaks at the end are not part of the secret.
 */
export const secretFile = (schema = secret()): Setting<Secret> =>
  fileOf((path) => textOfFile(readFileSync(path)).replace(/[\r\n]+$/, ''))
    .refine((text) => text !== '', { error: 'the file is empty', abort: true })
    .refine((text) => !/[\r\n]/.test(text), { error: 'the file has more than one line', abort: true })
    .pipe(schema);

/** A keytab is equivalent to the password. Windows has no such bits; there the permissions of the folder apply. */
export const keytabFile = fileOf((path) => ({ bytes: readFileSync(path), mode: statSync(path).mode }))
  .refine(({ mode }) => process.platform === 'win32' || (mode & 0o007) === 0, {
    error: 'every user of this machine can read or write the file; restrict it (chmod 600)',
    abort: true,
  })
  .transform(({ bytes }, { issues }) => {
    try {
      return new Secret(readKeytab(bytes));
    } catch (error) {
      issues.push({ code: 'custom', message: (error as Error).message, input: '' });
      return z.NEVER;
    }
  });

/** Certificates in PEM, each of which can be read. */
export const certificateFile = fileOf((path) => textOfFile(readFileSync(path), { isExact: false })).check(
  ({ value, issues }) => {
    const certificates = value.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    const wrong = (message: string) => issues.push({ code: 'custom', message, input: '' });
    if (certificates.length === 0) wrong('the file has no certificate in PEM format');
    for (const [at, certificate] of certificates.entries()) {
      try {
        void new X509Certificate(certificate);
      } catch {
        wrong(`certificate ${at + 1} of the file cannot be read`);
      }
    }
  },
);
