import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { Secret } from '../lib/contract/secret.ts';
import { KerberosError, type KeytabEntry, readKeytab } from './smb/kerberos/index.ts';

/** A setting that names a file, parsed to what `read` makes of it. @param read may throw {@link FileFault} */
const fileOf = <T>(read: (path: string) => T): z.ZodType<T, string> =>
  z
    .string()
    .refine(isAbsolute, 'expected an absolute path')
    .transform((path, context) => {
      try {
        return read(path);
      } catch (error) {
        const { code = 'unreadable' } = error as NodeJS.ErrnoException;
        const isOurs = error instanceof FileFault || error instanceof KerberosError;
        const message = isOurs ? error.message : `the file cannot be read (${code})`;
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      }
    });

/** What is wrong with the contents of a file. */
class FileFault extends Error {}

/**
 * Service managers pass secrets as files (systemd's LoadCredential). A line break at the end is not part of the secret.
 */
export const secretFile = (schema: z.ZodType<Secret, string>): z.ZodType<Secret, string> =>
  fileOf((path) => readFileSync(path, 'utf8').replace(/\r?\n$/, '')).pipe(
    z.string().min(1, 'the file is empty').pipe(schema),
  );

/** A keytab is equivalent to the password. Windows has no such bits; there the permissions of the folder apply. */
export const keytabFile = (): z.ZodType<Secret<readonly KeytabEntry[]>, string> =>
  fileOf((path) => {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o007) !== 0)
      throw new FileFault('every user of this machine can read or write the file; restrict it (chmod 600)');
    return new Secret(readKeytab(readFileSync(path)));
  });

/** Certificates in PEM, each of which can be read. */
export const certificateFile = (): z.ZodType<string, string> =>
  fileOf((path) => {
    const pem = readFileSync(path, 'utf8');
    const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (certificates.length === 0) throw new FileFault('the file has no certificate in PEM format');
    const broken = certificates.findIndex((certificate) => !isCertificate(certificate));
    if (broken >= 0) throw new FileFault(`certificate ${broken + 1} of the file cannot be read`);
    return pem;
  });

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
