import { applicationTag, Fields, readElements, readOnly, Tag } from './der.ts';
import { KerberosError, type KerberosErrorCode } from './base/kerberos-error.ts';

/** Codes of KRB-ERROR that this client acts on (RFC 4120 section 7.5.9, RFC 6806). */
export const KrbError = {
  preauthFailed: 24,
  preauthRequired: 25,
  serviceUnavailable: 29,
  badIntegrity: 31,
  ticketExpired: 32,
  skew: 37,
  modified: 41,
  generic: 60,
  wrongRealm: 68,
} as const;

type Meaning = readonly [name: string, code: KerberosErrorCode, says: string];

const meanings: Record<number, Meaning> = {
  1: ['KDC_ERR_NAME_EXP', 'ACCOUNT_REVOKED', 'the account has expired'],
  6: ['KDC_ERR_C_PRINCIPAL_UNKNOWN', 'ACCOUNT_UNKNOWN', 'the realm has no such account'],
  7: [
    'KDC_ERR_S_PRINCIPAL_UNKNOWN',
    'SERVICE_UNKNOWN',
    'the realm has no such service; use the name that the server is registered under (setspn -Q)',
  ],
  9: ['KDC_ERR_NULL_KEY', 'ENCRYPTION_UNSUPPORTED', 'the account has no key; set its password again'],
  12: [
    'KDC_ERR_POLICY',
    'POLICY',
    'a policy forbids it: logon hours, permitted workstations, or the authentication silo of an account in Protected Users. Allow ' +
      'this account at this time and from this machine; the event logs AuthenticationPolicyFailures-DomainController and ' +
      'ProtectedUserFailures-DomainController of the controller name the rule',
  ],
  14: [
    'KDC_ERR_ETYPE_NOSUPP',
    'ENCRYPTION_UNSUPPORTED',
    'no common encryption type; allow AES for the account and set its password again. Accounts in Protected Users have only AES keys',
  ],
  18: ['KDC_ERR_CLIENT_REVOKED', 'ACCOUNT_REVOKED', 'the account is disabled, locked or expired'],
  21: ['KDC_ERR_CLIENT_NOTYET', 'ACCOUNT_REVOKED', 'the account is not yet valid'],
  23: ['KDC_ERR_KEY_EXPIRED', 'PASSWORD_EXPIRED', 'the password has expired and must be changed'],
  24: [
    'KDC_ERR_PREAUTH_FAILED',
    'PASSWORD_WRONG',
    'the password is wrong, or the keytab is older than the last change of the password; create it again',
  ],
  // A second request for proof after one was sent: old Heimdal versions send this instead of 24 and 37.
  25: ['KDC_ERR_PREAUTH_REQUIRED', 'PASSWORD_WRONG', 'the password is wrong, or the clocks differ'],
  29: ['KDC_ERR_SVC_UNAVAILABLE', 'KDC_UNREACHABLE', 'the KDC is not available'],
  31: ['KRB_AP_ERR_BAD_INTEGRITY', 'SERVICE_KEY', 'a key does not match'],
  32: ['KRB_AP_ERR_TKT_EXPIRED', 'TICKET_EXPIRED', 'the ticket has expired'],
  33: ['KRB_AP_ERR_TKT_NYV', 'CLOCK_SKEW', 'the ticket is not valid yet; correct the clocks'],
  34: ['KRB_AP_ERR_REPEAT', 'KDC_ERROR', 'the request was treated as a repetition'],
  37: ['KRB_AP_ERR_SKEW', 'CLOCK_SKEW', 'the clocks differ too much; correct them'],
  41: [
    'KRB_AP_ERR_MODIFIED',
    'SERVICE_KEY',
    'the server cannot read the ticket: the name leads to another machine, or its key in the realm is out of date',
  ],
  68: ['KDC_ERR_WRONG_REALM', 'ACCOUNT_UNKNOWN', 'the account belongs to another realm'],
};

/** KRB-ERROR (RFC 4120 section 5.9.1). Nothing in it is authenticated. */
export interface KrbErrorMessage {
  readonly code: number;
  /** The sender's clock, milliseconds since 1970. */
  readonly serverTime: number;
  readonly clientRealm: string | undefined;
  /** The sender's own description of the error. */
  readonly text: string | undefined;
  readonly data: Buffer | undefined;
}

const krbErrorTag = applicationTag(30);

export const isKrbError = (message: Buffer) => message[0] === krbErrorTag;

/** @throws {DerError} */
export function readKrbError(message: Buffer): KrbErrorMessage {
  const fields = new Fields(readOnly(message, krbErrorTag));
  const string = (read: Fields, number: number) => read.string(number);
  return {
    code: fields.integer(6),
    serverTime: fields.time(4) + Math.floor(fields.integer(5) / 1000),
    clientRealm: fields.optional(7, string),
    text: fields.optional(11, string),
    data: fields.optional(12, (read, number) => read.octets(number)),
  };
}

/** The error for a rejection; `what` was requested. */
export function rejection(message: KrbErrorMessage, what: string): KerberosError {
  const { code: krbError, text = '', data } = message;
  const ownWords = text.replaceAll(/[^ -~]+/g, '').slice(0, 200);
  const [name, code, says] =
    meanings[krbError] ??
    ([`error ${krbError}`, 'KDC_ERROR', `rejected${ownWords && `: ${ownWords}`}`] as const);
  const status = extendedStatus(data);
  const more = status === undefined ? '' : `, NTSTATUS 0x${status.toString(16).toUpperCase()}`;
  return new KerberosError(code, `${what}: ${says} (${name}${more})`, { krbError, status });
}

const kerbErrTypeExtended = 3;

/**
 * The NTSTATUS in KERB-ERROR-DATA (MS-KILE 2.2.1 and 2.2.2), which reports "disabled" where the code reports
 * "revoked". Servers send the structure either bare or inside METHOD-DATA.
 */
function extendedStatus(data: Buffer | undefined): number | undefined {
  if (data === undefined) return undefined;
  try {
    const [first] = readElements(data);
    const inside = first?.tag === Tag.sequence ? readElements(first.content) : [];
    const candidates = inside[0]?.tag === Tag.sequence ? inside.map(({ whole }) => whole) : [data];
    for (const fields of candidates.map((candidate) => new Fields(candidate))) {
      if (fields.integer(1) !== kerbErrTypeExtended) continue;
      const value = fields.octets(2);
      if (value.length === 12) return value.readUInt32LE(0);
    }
  } catch {
    // The status only improves the message.
  }
  return undefined;
}
