import { parseSettings } from '../../lib/contract/settings-table.ts';
import { defaultModel, modelFaults } from '../../lib/settings/ai-model.ts';
import { serviceSettingsTable } from '../../lib/settings/service-settings-table.ts';
import { createInterface } from 'node:readline/promises';
import { GraphUser } from './graph.ts';
import { tokenByDeviceCode } from './sign-in.ts';
import { largeBytes, usualBytes } from './library/library.ts';
import type { Targets } from './targets.ts';

const graphRoot = 'https://graph.microsoft.com/v1.0';
const graphScopes = ['Files.ReadWrite.All', 'User.Read'];
const authorityHost = 'https://login.microsoftonline.com';

export interface RemoteOptions {
  readonly drive?: string | undefined;
  readonly tenant?: string | undefined;
  readonly client?: string | undefined;
  readonly api?: string | undefined;
  readonly large: boolean;
}

/** A real tenant, with the sign-in of the person who runs this. */
export function remoteTargets(
  { drive, tenant, client, api, large }: RemoteOptions,
  env: Readonly<Record<string, string | undefined>>,
): Targets {
  const given = (value: string | undefined, name: string): string => {
    if (value === undefined || value === '') throw new Error(`${name} is missing.`);
    return value;
  };
  const token = async (variable: string, scopes: readonly string[]): Promise<string> =>
    env[variable] ??
    tokenByDeviceCode({
      tenantId: given(tenant, `${variable}, or --tenant with --client`),
      clientId: given(client, `${variable}, or --client with --tenant`),
      scopes,
    });
  return {
    async library() {
      const driveId = given(drive, '--drive');
      const user = new GraphUser(graphRoot, await token('GRAPH_TOKEN', graphScopes));
      const second = env['GRAPH_SECOND_TOKEN'];
      return {
        driveId,
        user,
        ...(second !== undefined && { second: new GraphUser(graphRoot, second) }),
        ...(second !== undefined && process.stdin.isTTY && { hide: () => hiddenByHand() }),
        largestBytes: large ? largeBytes : usualBytes,
      };
    },
    async identity() {
      const clientId = given(api, '--api');
      return {
        authorityHost,
        tenantId: given(tenant, '--tenant'),
        clientId,
        token: await token('API_TOKEN', [`api://${clientId}/access_as_user`]),
        clientSecret: env['IDP_API_CLIENT_SECRET'],
        scopes: graphScopes,
      };
    },
    async texts() {
      const { AI_API_KEY, AI_BASE_URL, AI_MODEL, AI_TIMEOUT_MS, AI_SEND_NAMES } = serviceSettingsTable;
      const apiKey = { schema: AI_API_KEY.schema, required: true } as const;
      const table = { AI_API_KEY: apiKey, AI_BASE_URL, AI_MODEL, AI_TIMEOUT_MS, AI_SEND_NAMES };
      const { values } = parseSettings(table, env, modelFaults);
      const settings = {
        apiKey: values.AI_API_KEY,
        baseUrl: values.AI_BASE_URL,
        model: values.AI_MODEL ?? defaultModel,
        timeoutMs: values.AI_TIMEOUT_MS,
        sendsNames: values.AI_SEND_NAMES,
      };
      return { settings, understands: true };
    },
    agent: async () => (await import('./agent-target.ts')).agentTarget({ ...env }),
  };
}

async function hiddenByHand(): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  await terminal.question(
    'In the folder _verify-…/Verborgen, remove the second user\'s access to "verborgen.txt", then press Enter: ',
  );
  terminal.close();
}
