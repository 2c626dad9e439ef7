import * as z from 'zod';
import { Secret } from './secret.ts';

/** Reads the text of a variable. Its messages do not show the value. */
export type Setting<T> = z.ZodType<T, string>;

/**
 * One environment variable of a program. If a `required` one is missing, the program does not start; if one with a `part`
 * is, only that part of the program is switched off, or those parts.
 */
export interface SettingRow<T = unknown> {
  readonly schema: Setting<T>;
  readonly required?: true;
  readonly part?: string | readonly string[];
  readonly default?: string;
  /** Other variables that can be set in place of this one. */
  readonly or?: readonly string[];
  /** White space around the value is part of it, as in a password. */
  readonly verbatim?: true;
}

/** What is switched off without it. */
export const partsOf = ({ part = [] }: SettingRow): readonly string[] =>
  typeof part === 'string' ? [part] : part;

export type SettingsTable = Record<string, SettingRow>;

type Parsed<Row> =
  Row extends SettingRow<infer T>
    ? Row extends { default: string } | { required: true; or?: never }
      ? T
      : T | undefined
    : never;

export type SettingValues<Table extends SettingsTable> = { [Name in keyof Table]: Parsed<Table[Name]> };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reports all faults of the settings in one message, by variable name and never by value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The settings have ${faults.length} fault(s):\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

export const secret = (schema: Setting<string> = z.string()): Setting<Secret> =>
  schema.transform((value) => new Secret(value));

/** @param hint after the bounds, where a number in another unit would pass for one in this */
export const wholeNumber = (min: number, max: number, hint = ''): Setting<number> => {
  const expected = `expected a whole number from ${min} to ${max}${hint}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, expected)
    .transform(Number)
    .refine((number) => number >= min && number <= max, expected);
};

/** An absolute URL of one of the given protocols, returned without trailing slashes. */
export const url = (...protocols: readonly string[]): Setting<string> =>
  z
    .url({
      protocol: new RegExp(`^(${protocols.join('|')})$`),
      error: `expected an absolute URL starting with ${protocols.map((p) => `${p}://`).join(' or ')}`,
    })
    .transform((value) => value.replace(/\/+$/, ''));

/** Like `url`, for a server that receives a key: https, or http to this machine. */
export const urlForKey = (): Setting<string> =>
  url('https', 'http').refine(
    isEncryptedOrLocal,
    'must start with https://, because a key would be sent unencrypted; http only to this machine',
  );

export function isEncryptedOrLocal(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isThisMachine(hostname);
}

/** @param hostname of a URL */
export const isThisMachine = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

/** `true` or `1` is on; `false` or `0` is off. */
export const flag = z.stringbool({
  truthy: ['true', '1'],
  falsy: ['false', '0'],
  error: 'expected true, false, 1 or 0',
});

// App Service leaves the literal reference in the variable when it cannot resolve it. Using it as the secret would fail
// much later, in an unrelated place.
const unresolvedReference = /^\s*@Microsoft\.KeyVault\(/i;

/**
 * Reads a table from the environment. Empty values count as absent.
 *
 * @param faultsBetween rules over several variables; a value that has a fault of its own is absent
 *
 * @throws SettingsError naming every variable that is missing, malformed or an unresolved Key Vault reference
 */
export function parseSettings<Table extends SettingsTable>(
  table: Table,
  env: Environment,
  faultsBetween: (values: Partial<SettingValues<Table>>) => readonly string[] = () => [],
): { values: SettingValues<Table>; missing: ReadonlyMap<string, readonly string[]> } {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  const missing = new Map<string, string[]>();

  const isGiven = (name: string): boolean => (env[name]?.trim() ?? '') !== '';

  for (const [name, row] of Object.entries<SettingRow>(table)) {
    const given = env[name] ?? '';
    const trimmed = given.trim();
    const value = trimmed === '' ? row.default : row.verbatim ? given : trimmed;
    const [chosen, ...others] = [name, ...(row.or ?? [])].filter(isGiven);
    for (const other of others) faults.push(`${other}: ${chosen} is set too; set only one of them`);
    if (value === undefined) {
      for (const part of partsOf(row)) missing.set(part, [...(missing.get(part) ?? []), name]);
      if (row.required && chosen === undefined) faults.push(`${name}: is missing`);
      continue;
    }
    if (unresolvedReference.test(value)) {
      faults.push(
        `${name}: is an unresolved Key Vault reference; check the vault, the secret and the identity`,
      );
      continue;
    }
    const { success, data, error } = row.schema.safeParse(value);
    if (success) values[name] = data;
    else for (const { message } of error.issues) faults.push(`${name}: ${message}`);
  }

  const between = faultsBetween(values as Partial<SettingValues<Table>>);
  if (faults.length + between.length > 0) throw new SettingsError([...faults, ...between]);
  return { values: values as SettingValues<Table>, missing };
}
