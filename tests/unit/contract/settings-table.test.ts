import { z } from 'zod';
import { expect, test } from 'vitest';
import { Secret } from '../../../lib/contract/secret.ts';
import {
  flag,
  parseSettings,
  secret,
  SettingsError,
  url,
  wholeNumber,
  type SettingsTable,
} from '../../../lib/contract/settings-table.ts';

const table = {
  NAME: { schema: z.string(), required: true },
  KEY: { schema: secret(), part: 'writing' },
  COUNT: { schema: wholeNumber(1, 9), default: '3' },
  BASE_URL: { schema: url('https') },
  DEBUG: { schema: flag, default: 'false' },
} as const satisfies SettingsTable;

test('values, defaults and secrets are typed; trailing slashes of URLs are removed', () => {
  const { values, missing } = parseSettings(table, {
    NAME: ' n ',
    KEY: 'k',
    BASE_URL: 'https://example.com/api//',
    DEBUG: '1',
  });
  expect(values).toMatchObject({ NAME: 'n', COUNT: 3, BASE_URL: 'https://example.com/api', DEBUG: true });
  expect(values.KEY).toBeInstanceOf(Secret);
  expect(missing.size).toBe(0);
});

test('a verbatim value keeps the white space around it; white space alone is empty', () => {
  const passwords = {
    PASSWORD: { schema: secret(), verbatim: true },
  } as const satisfies SettingsTable;
  const parse = (PASSWORD: string) => parseSettings(passwords, { PASSWORD }).values.PASSWORD?.reveal();
  expect(parse('  two words ')).toBe('  two words ');
  expect(parse('  ')).toBeUndefined();
  expect(() => parse(' @Microsoft.KeyVault(SecretUri=https://v/s)')).toThrow('unresolved Key Vault');
});

test('a missing variable of a part switches the part off and is not a fault', () => {
  const { missing } = parseSettings(table, { NAME: 'n', KEY: '' });
  expect([...missing]).toEqual([['writing', ['KEY']]]);
  const shared = { ...table, SEAL: { schema: secret(), part: ['reading', 'writing'] } } as const;
  expect([...parseSettings(shared, { NAME: 'n' }).missing]).toEqual([
    ['writing', ['KEY', 'SEAL']],
    ['reading', ['SEAL']],
  ]);
});

test('one message lists all faults by name, without values', () => {
  const env = {
    KEY: '@Microsoft.KeyVault(SecretUri=https://v/s)',
    COUNT: 's3cr3t',
    BASE_URL: 'ftp://s3cr3t',
    DEBUG: 's3cr3t',
  };
  const error = thrownBy(() => parseSettings(table, env));
  expect(error).toBeInstanceOf(SettingsError);
  for (const name of Object.keys(table)) expect(error.message).toContain(`${name}:`);
  expect(error.message).not.toMatch(/s3cr3t|SecretUri/);
  expect((error as SettingsError).faults).toHaveLength(5);
});

test.each(['0', '10', '-1', '1.5', '1e1', ' ', '0x1', '9999999999999999'])('%o is not a count', (given) => {
  const parse = () => parseSettings(table, { NAME: 'n', COUNT: given });
  if (given.trim() === '') expect(parse().values.COUNT).toBe(3);
  else expect(parse).toThrow('COUNT: expected a whole number from 1 to 9');
});

test('a required variable can have substitutes, of which only one may be set', () => {
  const passwords = {
    PASSWORD: { schema: secret(), required: true, or: ['PASSWORD_FILE'] },
    PASSWORD_FILE: { schema: z.string() },
  } as const satisfies SettingsTable;
  expect(parseSettings(passwords, { PASSWORD_FILE: '/p' }).values.PASSWORD).toBeUndefined();
  expect(() => parseSettings(passwords, {})).toThrow('PASSWORD: is missing');
  expect(() => parseSettings(passwords, { PASSWORD: 'x', PASSWORD_FILE: '/p' })).toThrow(
    'PASSWORD_FILE: PASSWORD is set too; set only one of them',
  );
});

test('violations of rules between variables are reported with the other faults', () => {
  const parse = () =>
    parseSettings(table, { COUNT: '99' }, ({ BASE_URL }) =>
      BASE_URL ? [] : ['BASE_URL or DEBUG: is missing'],
    );
  expect(thrownBy(parse).message).toMatch(/NAME: .*\n.*COUNT: .*\n.*BASE_URL or DEBUG: is missing/);
});

function thrownBy(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
