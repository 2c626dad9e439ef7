import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { checked, type ReadSetting, WrongValue } from '../lib/contract/settings-table.ts';
import { Secret } from '../lib/contract/secret.ts';
import { KerberosError, type KeytabEntry, readKeytab } from './smb/kerberos/index.ts';

/** A setting that names a file, read as what `read` makes of it. */
const fileOf =
  <T>(read: (path: string) => T): ReadSetting<T> =>
  (path) => {
    checked(path, { 'expected an absolute path': isAbsolute(path) });
    try {
      return read(path);
    } catch (error) {
      if (error instanceof WrongValue) throw error;
      const { code = 'unreadable', message } = error as NodeJS.ErrnoException;
      throw new WrongValue(error instanceof KerberosError ? message : `the file cannot be read (${code})`);
    }
  };

/**
 * Service managers pass secrets as files (systemd's LoadCredential). A line break at the end is not part of the secret.
 */
export const secretFile = (read: ReadSetting<Secret>): ReadSetting<Secret> =>
  fileOf((path) => {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return read(checked(text, { 'the file is empty': text !== '' }));
  });

/** A keytab is equivalent to the password. Windows has no such bits; there the permissions of the folder apply. */
export const keytabFile: ReadSetting<Secret<readonly KeytabEntry[]>> = fileOf((path) => {
  checked(path, {
    'every user of this machine can read or write the file; restrict it (chmod 600)':
      process.platform === 'win32' || (statSync(path).mode & 0o007) === 0,
  });
  return new Secret(readKeytab(readFileSync(path)));
});

/** Certificates in PEM, each of which can be read. */
export const certificateFile: ReadSetting<string> = fileOf((path) => {
  const pem = readFileSync(path, 'utf8');
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  checked(pem, { 'the file has no certificate in PEM format': certificates.length > 0 });
  for (const [at, certificate] of certificates.entries()) {
    try {
      void new X509Certificate(certificate);
    } catch {
      throw new WrongValue(`certificate ${at + 1} of the file cannot be read`);
    }
  }
  return pem;
});
