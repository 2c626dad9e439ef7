import { encryptionTypeName, type Key, offeredEncryptionTypes } from './crypto/encryption-types.ts';
import { stringToKey } from './crypto/key-derivation.ts';
import { KerberosError } from './base/kerberos-error.ts';
import type { KeytabEntry } from './keytab.ts';
import type { EncryptionTypeInfo } from './messages.ts';
import type { Principal } from './principal.ts';

/** The secret that authenticates the account. */
export type AccountSecret = { readonly password: string } | { readonly keytab: readonly KeytabEntry[] };

/** The long-term keys of one account. */
export class AccountKeys {
  /** Offered in this order. With a keytab, only what it holds, since the KDC chooses among what is offered. */
  readonly encryptionTypes: readonly number[];
  readonly #secret: { readonly password: string } | { readonly keys: readonly Key[] };
  #derived: { readonly id: string; readonly key: Promise<Key> } | undefined;

  /** @throws {KerberosError} `INVALID_ARGUMENT` for a keytab without an AES key of this account */
  constructor(username: string, realm: string, secret: AccountSecret, offered: readonly number[]) {
    if ('password' in secret) {
      this.#secret = secret;
      this.encryptionTypes = offered;
      return;
    }
    const keys = keysInKeytab(secret.keytab, username, realm, offered);
    this.#secret = { keys };
    this.encryptionTypes = offered.filter((type) => keys.some((key) => key.encryptionType === type));
  }

  /**
   * The key for the first type that both sides support. The salt is the KDC's: Active Directory builds it from the
   * name in the case in which it was stored, and keeps it when the account is renamed.
   * @throws {KerberosError} `ENCRYPTION_UNSUPPORTED`, `PROTOCOL`
   */
  async keyFor(offers: readonly EncryptionTypeInfo[], realm: string, client: Principal): Promise<Key> {
    const offer = offers.find(({ encryptionType }) => this.encryptionTypes.includes(encryptionType));
    if (offer === undefined) {
      const names = offers.map(({ encryptionType }) => encryptionTypeName(encryptionType));
      const says = names.length === 0 ? 'no encryption type' : `only ${names.join(', ')}`;
      const message = `The KDC offers ${says}; the account needs an AES key: set its password again`;
      throw new KerberosError('ENCRYPTION_UNSUPPORTED', message);
    }
    const { encryptionType, parameters } = offer;
    const secret = this.#secret;
    if ('keys' in secret) return secret.keys.find((key) => key.encryptionType === encryptionType)!;
    const salt = offer.salt ?? Buffer.from(realm + client.parts.join(''));
    const id = [encryptionType, salt.toString('hex'), parameters?.toString('hex')].join(':');
    if (this.#derived?.id !== id)
      this.#derived = { id, key: stringToKey(encryptionType, secret.password, salt, parameters) };
    return this.#derived.key;
  }
}

/**
 * The keys of an account in a keytab, of the types that are `offered`.
 * @throws {KerberosError} `INVALID_ARGUMENT` when there is none, with what the keytab has instead
 */
export function keysInKeytab(
  keytab: readonly KeytabEntry[],
  username: string,
  realm: string,
  offered = offeredEncryptionTypes,
): Key[] {
  const keys = keysOf(username, realm, keytab);
  const usable = keys.filter(({ encryptionType }) => offered.includes(encryptionType));
  if (usable.length > 0) return usable;
  const found = keys.map(({ encryptionType }) => encryptionTypeName(encryptionType)).join(', ');
  const message = `The keytab has no AES key of ${username}@${realm}, only ${found}; create it again with AES types`;
  throw new KerberosError('INVALID_ARGUMENT', message);
}

/** The keys of the newest version; a key from before the last change of the password would only be rejected. */
function keysOf(username: string, realm: string, keytab: readonly KeytabEntry[]): Key[] {
  const [name = username] = username.split('@');
  const own = keytab.filter(
    (entry) =>
      entry.principal.toLowerCase() === name.toLowerCase() &&
      entry.realm.toLowerCase() === realm.toLowerCase(),
  );
  if (own.length === 0) {
    const names = [...new Set(keytab.map((entry) => `${entry.principal}@${entry.realm}`))];
    const message = `The keytab has no key of ${name}@${realm}, only of ${names.slice(0, 5).join(', ') || 'no account'}`;
    throw new KerberosError('INVALID_ARGUMENT', message);
  }
  const newest = own.reduce((highest, { version }) => Math.max(highest, version), 0);
  return own.filter(({ version }) => version === newest).map(({ key }) => key);
}
