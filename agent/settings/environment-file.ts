import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { SettingsError } from '../../lib/contract/settings-table.ts';
import { textOfFile } from './text-file.ts';

const line = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.]*)[ \t]*=(.*?)[ \t\r]*$/gm;
const isQuoted = /^(['"`])(?:(?!\1).)*\1(?:[ \t]*#.*)?$/;

/**
 * The variables of a file, as Node reads it. A value that Node cuts is a fault: the rest of a password is missing without a word,
 * and a few logons with it lock the account (roots/bedrock#469, vlucas/phpdotenv#406).
 *
 * @throws SettingsError naming variables, and never values
 */
export function readEnvironmentFile(path: string): Readonly<Record<string, string | undefined>> {
  const text = textOf(path);
  const values = parseEnv(text);
  // The last line of a name counts.
  const written = new Map([...text.matchAll(line)].map(([, name = '', value = '']) => [name, value]));
  const faults = [...written].flatMap(([name, value]) => (isCut(value, values[name]) ? [name] : []));
  if (faults.length === 0) return values;
  throw new SettingsError(
    faults.map(
      (name) =>
        `${name}: the file has more of its value than is read, because of a # or a quote in it; write it in quotes that it does not have, '…' or "…"`,
    ),
  );
}

function textOf(path: string): string {
  try {
    return textOfFile(readFileSync(path));
  } catch (error) {
    throw new SettingsError([`--env-file: ${(error as Error).message}`]);
  }
}

/** Whether a value ends before the end of its line, other than at a comment after a space. */
function isCut(written: string, read: string | undefined): boolean {
  const value = written.trimStart();
  if (read === undefined || value === read || isQuoted.test(value)) return false;
  const isComment =
    value.startsWith(read) && /^[ \t]+#/.test(read === '' ? written : value.slice(read.length));
  // A value of several lines begins with a quote that does not end here.
  const isOpen = /^(['"`])(?:(?!\1).)*$/.test(value);
  return !isComment && !isOpen;
}
