import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../contract/secret.ts';
import type { Agent } from './caller.ts';

const digest = (value: string): Buffer => createHash('sha256').update(value, 'utf8').digest();

const maxAgentIdLength = 200;
// 24 characters of base64 are 144 bits. A header carries printable ASCII without spaces unchanged (RFC 9110, 5.5).
const minSecretLength = 24;
/** The old one and the new one: a key is rotated by adding the new one, changing the agent, and removing the old one. */
const maxSecretsPerAgent = 2;
const headerSafe = /^[\x21-\x7e]*$/;

/**
 * The agents of `FOLDER_AGENT_API_KEYS`: comma-separated `agentId:secret`; an entry without a colon is a secret that
 * is its own agent id (docs/http-contract.md, "Agent keys"). An id may have two secrets, both valid, while its key is
 * rotated.
 */
export class AgentKeys {
  readonly #entries: readonly { readonly agent: Agent; readonly secretDigest: Buffer }[];

  constructor(list: Secret) {
    this.#entries = entriesOf(list.reveal()).map(({ id, secret }) => {
      const secretDigest = digest(secret);
      const logName = id === secret ? `key-${secretDigest.toString('hex').slice(0, 8)}` : id;
      return { agent: { kind: 'agent', id, logName }, secretDigest };
    });
  }

  /** Entries whose key is also their agent id, which users can read in `agentId`. */
  get secretOnly(): number {
    return this.#entries.filter(({ agent }) => agent.id !== agent.logName).length;
  }

  /**
   * Returns the agent with this key. Compares digests of equal length, and always all entries, so the time taken reveals
   * nothing about the keys.
   */
  identify(key: string): Agent | undefined {
    const given = digest(key);
    let found: Agent | undefined;
    for (const { agent, secretDigest } of this.#entries) {
      if (timingSafeEqual(given, secretDigest)) found = agent;
    }
    return found;
  }
}

/** An entry without a colon is a secret that is its own agent id. A secret may contain colons itself. */
function entriesOf(list: string): { readonly id: string; readonly secret: string }[] {
  return list.split(',').map((text) => {
    const entry = text.trim();
    const colon = entry.indexOf(':');
    return colon === -1
      ? { id: entry, secret: entry }
      : { id: entry.slice(0, colon).trim(), secret: entry.slice(colon + 1) };
  });
}

/**
 * Faults of the list by position, never by content: an entry may consist of nothing but a secret. A secret with a comma
 * splits into entries of which at least one is very likely too short; it must not silently become two keys.
 */
export function agentKeyFaults(list: string): readonly string[] {
  const faults: string[] = [];
  const secretsOf = new Map<string, number>();
  const secrets = new Set<string>();
  for (const [index, { id, secret }] of entriesOf(list).entries()) {
    const entryFaults = faultsOf(id, secret);
    const count = (secretsOf.get(id) ?? 0) + 1;
    if (id !== '' && count > maxSecretsPerAgent)
      entryFaults.push(`is secret ${count} of an agent id, which may have ${maxSecretsPerAgent}`);
    if (secret !== '' && secrets.has(secret)) {
      entryFaults.push('repeats a secret, which must identify one agent');
    }
    secretsOf.set(id, count);
    secrets.add(secret);
    for (const fault of entryFaults) faults.push(`entry ${index + 1} ${fault}`);
  }
  return faults;
}

function faultsOf(id: string, secret: string): string[] {
  if (id === '' && secret === '') return ['is empty'];
  const faults: string[] = [];
  if (id === '') faults.push('has no agent id before the colon');
  if (id.length > maxAgentIdLength) {
    faults.push(`has an agent id longer than ${maxAgentIdLength} characters`);
  }
  if (secret === '') return [...faults, 'has no secret after the colon'];
  if (secret.length < minSecretLength) {
    faults.push(`has a secret of fewer than ${minSecretLength} characters`);
  }
  if (!headerSafe.test(secret))
    faults.push('has a secret with a character that is not printable ASCII, or a space');
  return faults;
}
