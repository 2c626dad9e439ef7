import { parseSettings } from '../../lib/contract/settings-table.ts';
import { defaultModel, modelFaults } from '../../lib/settings/ai-model.ts';
import { serviceSettingsTable } from '../../lib/settings/service-settings-table.ts';
import { createInterface } from 'node:readline/promises';
import { GraphUser } from './graph.ts';
import type { Environment } from './browser.ts';
import { graphScopes, People, type SignInFlags } from './people.ts';
import { largeBytes, usualBytes } from './library/library.ts';
import type { Targets } from './targets.ts';

const graphRoot = 'https://graph.microsoft.com/v1.0';

export interface RemoteOptions extends SignInFlags {
  readonly drive?: string | undefined;
  /** A second person signs in, for what one user cannot see. */
  readonly second: boolean;
  readonly large: boolean;
}

/** A real tenant, with the sign-in of the person who runs this. */
export function remoteTargets(
  { drive, second, large, ...flags }: RemoteOptions,
  env: Environment,
  signal?: AbortSignal,
): Targets {
  const people = new People(flags, env);
  const options = signal ? { signal } : {};
  return {
    async library() {
      if (drive === undefined) throw new Error('--drive is missing.');
      const token = people.graphToken('GRAPH_TOKEN');
      const hasSecond = second || (env['GRAPH_SECOND_TOKEN'] ?? '') !== '';
      const secondToken = people.graphToken('GRAPH_SECOND_TOKEN', 'The second user');
      // At the start, so that nobody has to come back in the middle of the run.
      await token();
      if (hasSecond) await secondToken();
      return {
        driveId: drive,
        user: new GraphUser(graphRoot, token, options),
        ...(hasSecond && { second: new GraphUser(graphRoot, secondToken, options) }),
        ...(hasSecond && process.stdin.isTTY && { hide: () => waitUntilHidden() }),
        largestBytes: large ? largeBytes : usualBytes,
      };
    },
    async identity() {
      return {
        authorityHost: people.authorityHost,
        tenantId: people.tenantId,
        clientId: people.apiId,
        token: await people.apiToken('API_TOKEN')(),
        clientSecret: env['IDP_API_CLIENT_SECRET'],
        scopes: graphScopes,
      };
    },
    async texts() {
      const { AI_API_KEY, AI_BASE_URL, AI_MODEL, AI_TIMEOUT_MS, AI_MAX_OUTPUT_TOKENS, AI_SEND_NAMES } =
        serviceSettingsTable;
      const apiKey = { schema: AI_API_KEY.schema, required: true } as const;
      const table = {
        AI_API_KEY: apiKey,
        AI_BASE_URL,
        AI_MODEL,
        AI_TIMEOUT_MS,
        AI_MAX_OUTPUT_TOKENS,
        AI_SEND_NAMES,
      };
      const { values } = parseSettings(table, env, modelFaults);
      const settings = {
        apiKey: values.AI_API_KEY,
        baseUrl: values.AI_BASE_URL,
        model: values.AI_MODEL ?? defaultModel,
        timeoutMs: values.AI_TIMEOUT_MS,
        maxOutputTokens: values.AI_MAX_OUTPUT_TOKENS,
        sendsNames: values.AI_SEND_NAMES,
      };
      return { settings, understands: true };
    },
    agent: async () => (await import('./agent-target.ts')).agentTarget({ ...env }),
  };
}

async function waitUntilHidden(): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  await terminal.question(
    'In the folder _verify-…/Verborgen, remove the second user\'s access to "verborgen.txt", then press Enter: ',
  );
  terminal.close();
}
