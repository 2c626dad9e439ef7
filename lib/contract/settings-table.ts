import { Secret } from './secret.ts';

/**
 * Reads the text of a variable. Plain functions instead of schemas: the agent reads its settings at each start, and the
 * schema library would be a quarter of what it loads (docs/decisions/0030).
 *
 * @throws WrongValue
 */
export type ReadSetting<T> = (text: string) => T;

/** What is wrong with the value of a variable. The reasons do not show the value. */
export class WrongValue extends Error {
  readonly reasons: readonly string[];

  constructor(...reasons: string[]) {
    super(reasons.join('; '));
    this.reasons = reasons;
  }
}

/**
 * One environment variable of a program. If a `required` one is missing, the program does not start; if one with a `part`
 * is, only that part of the program is switched off.
 */
export interface SettingRow<T = unknown> {
  readonly read: ReadSetting<T>;
  readonly required?: true;
  readonly part?: string;
  readonly default?: string;
  /** Other variables that can be set in place of this one. */
  readonly or?: readonly string[];
  /** White space around the value is part of it, as in a password. */
  readonly verbatim?: true;
}

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

/** Whether a value follows each rule, by the reason that a violation gives. */
type Rules = Readonly<Record<string, boolean>>;

/** The value, if it follows all rules. @throws WrongValue */
export function checked<T>(value: T, rules: Rules): T {
  const broken = Object.keys(rules).filter((reason) => !rules[reason]);
  if (broken.length > 0) throw new WrongValue(...broken);
  return value;
}

export const text: ReadSetting<string> = (value) => value;

export const matching =
  (pattern: RegExp, expected: string): ReadSetting<string> =>
  (value) =>
    checked(value, { [expected]: pattern.test(value) });

export const secret =
  (read = text): ReadSetting<Secret> =>
  (value) =>
    new Secret(read(value));

export const oneOf =
  <const T extends string>(...values: readonly T[]): ReadSetting<T> =>
  (value) => {
    const found = values.find((each) => each === value);
    if (found === undefined) {
      throw new WrongValue(`expected ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
    }
    return found;
  };

export const wholeNumber =
  (min: number, max: number): ReadSetting<number> =>
  (value) => {
    const number = Number(value);
    const isRight = /^\d{1,15}$/.test(value) && number >= min && number <= max;
    return checked(number, { [`expected a whole number from ${min} to ${max}`]: isRight });
  };

/** An absolute URL of one of the given protocols, returned without trailing slashes. */
export const url =
  (...protocols: readonly string[]): ReadSetting<string> =>
  (value) =>
    checked(value.replace(/\/+$/, ''), {
      [`expected an absolute URL starting with ${protocols.map((p) => `${p}://`).join(' or ')}`]:
        URL.canParse(value) && protocols.includes(new URL(value).protocol.slice(0, -1)),
    });

/** Like `url`, for a server that receives a key: https, or http to this machine. */
export const urlForKey =
  (furtherRules: (address: URL) => Rules = () => ({})): ReadSetting<string> =>
  (value) => {
    const address = url('https', 'http')(value);
    return checked(address, {
      'must start with https://, because a key would be sent unencrypted; http only to this machine':
        isEncryptedOrLocal(address),
      ...furtherRules(new URL(address)),
    });
  };

export function isEncryptedOrLocal(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isThisMachine(hostname);
}

/** @param hostname of a URL */
export const isThisMachine = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

/** `true` or `1` is on; `false` or `0` is off. */
export const flag: ReadSetting<boolean> = (value) =>
  checked(/^(true|1)$/i.test(value), {
    'expected true, false, 1 or 0': /^(true|false|0|1)$/i.test(value),
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
      if (row.part !== undefined) missing.set(row.part, [...(missing.get(row.part) ?? []), name]);
      else if (row.required && chosen === undefined) faults.push(`${name}: is missing`);
      continue;
    }
    if (unresolvedReference.test(value)) {
      faults.push(
        `${name}: is an unresolved Key Vault reference; check the vault, the secret and the identity`,
      );
      continue;
    }
    try {
      values[name] = row.read(value);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      for (const reason of error.reasons) faults.push(`${name}: ${reason}`);
    }
  }

  const between = faultsBetween(values as Partial<SettingValues<Table>>);
  if (faults.length + between.length > 0) throw new SettingsError([...faults, ...between]);
  return { values: values as SettingValues<Table>, missing };
}
