import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../contract/secret.ts';
import type { Agent } from './caller.ts';

const digest = (value: string): Buffer => createHash('sha256').update(value, 'utf8').digest();

const maxAgentIdLength = 200;

/**
 * The agents of `FOLDER_AGENT_API_KEYS`: comma-separated `agentId:secret`; an entry without a colon is a secret that
 * is its own agent id (service.md, "Authentication" 3).
 */
export class AgentKeys {
  readonly #entries: readonly { readonly agent: Agent; readonly secretDigest: Buffer }[];

  constructor(list: Secret) {
    this.#entries = list
      .reveal()
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map(agentEntry);
  }

  /** Entries whose key is also their agent id, which users may read in `agentId`. */
  get secretOnly(): number {
    return this.#entries.filter(({ agent }) => agent.id !== agent.logName).length;
  }

  /**
   * Which agent holds this key. Every entry is compared, and digests of equal length are, so the time taken tells
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

function agentEntry(entry: string): { agent: Agent; secretDigest: Buffer } {
  const colon = entry.indexOf(':');
  const [id, secret] =
    colon === -1 ? [entry, entry] : [entry.slice(0, colon).trim(), entry.slice(colon + 1).trim()];
  const secretDigest = digest(secret);
  const logName = id === secret ? `key-${secretDigest.toString('hex').slice(0, 8)}` : id;
  return { agent: { kind: 'agent', id, logName }, secretDigest };
}

/** Faults of the list by position, never by content: an entry may be all secret. */
export function agentKeyFaults(list: string): readonly string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  const secrets = new Set<string>();
  const entries = list.split(',').map((entry) => entry.trim());
  for (const [index, entry] of entries.entries()) {
    const position = `entry ${index + 1}`;
    if (entry === '') {
      faults.push(`${position} is empty`);
      continue;
    }
    const { agent } = agentEntry(entry);
    const secret = entry.slice(entry.indexOf(':') + 1).trim();
    if (agent.id === '') faults.push(`${position} has no agent id before the colon`);
    if (secret === '') faults.push(`${position} has no secret after the colon`);
    if (agent.id.length > maxAgentIdLength) {
      faults.push(`${position} has an agent id longer than ${maxAgentIdLength} characters`);
    }
    if (ids.has(agent.id)) faults.push(`${position} repeats an agent id`);
    if (secrets.has(secret)) faults.push(`${position} repeats a secret: the agent could not be told`);
    ids.add(agent.id);
    secrets.add(secret);
  }
  return faults;
}
