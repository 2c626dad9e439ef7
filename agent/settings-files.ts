import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Environment } from '../lib/contract/settings-table.ts';

/**
 * Service managers pass secrets as files (systemd's LoadCredential); a variable `…_FILE` names such a file. A line break at
 * the end is not part of the secret.
 */
export function readSecretFiles(env: Environment): { values: Record<string, string>; faults: string[] } {
  const faults: string[] = [];
  const values: Record<string, string> = {};
  for (const name of ['FOLDER_AGENT_API_KEY', 'FOLDER_AGENT_SMB_PASSWORD']) {
    const path = env[`${name}_FILE`]?.trim() ?? '';
    if (path === '') continue;
    if ((env[name] ?? '') !== '') {
      faults.push(`${name}_FILE: ${name} is set too; set only one of them`);
      continue;
    }
    const read = readText(path);
    if ('text' in read) values[name] = read.text.replace(/\r?\n$/, '');
    else {
      faults.push(`${name}_FILE: the file cannot be read (${read.code})`);
      // Any value, so that the variable is not reported as missing too.
      values[name] = '-';
    }
  }
  // With a keytab, the password is not reported as missing.
  const hasKeytab = (env['FOLDER_AGENT_SMB_KEYTAB_FILE']?.trim() ?? '') !== '';
  if (hasKeytab && (env['FOLDER_AGENT_SMB_PASSWORD'] ?? '') === '')
    values['FOLDER_AGENT_SMB_PASSWORD'] ??= '-';
  return { values, faults };
}

/** The contents of the CA bundle, after a check that every certificate in it can be read. */
export function readCaBundle(env: Environment): { pem: string | undefined; faults: string[] } {
  const path = env['FOLDER_AGENT_CA_BUNDLE_PATH']?.trim() ?? '';
  if (path === '') return { pem: undefined, faults: [] };
  const fault = (what: string) => ({ pem: undefined, faults: [`FOLDER_AGENT_CA_BUNDLE_PATH: ${what}`] });
  const read = readText(path);
  if ('code' in read) return fault(`the file cannot be read (${read.code})`);
  const certificates = read.text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) return fault('the file has no certificate in PEM format');
  const broken = certificates.findIndex((certificate) => !isCertificate(certificate));
  if (broken >= 0) return fault(`certificate ${broken + 1} of the file cannot be read`);
  return { pem: read.text, faults: [] };
}

function readText(path: string): { text: string } | { code: string } {
  try {
    return { text: readFileSync(path, 'utf8') };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'unreadable' };
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
