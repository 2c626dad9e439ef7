import type { AgentProcess } from './agent-process.ts';
import type { ApiReference } from './api-reference.ts';
import type { FunctionsHost } from '../stand-ins/functions-host/functions-host.ts';
import type { IdentityProvider } from '../stand-ins/identity-provider/identity-provider.ts';
import type { StackDescription } from './stack-file.ts';

export type Part = [name: string, place: string];

/** The address of each part, as rows for people that fit 80 columns. */
export function partsOf({
  description: { share, agents, tables, library, aiProvider },
  host,
  apiReference,
  identity,
  agentProcess,
  fileServer,
}: {
  description: StackDescription;
  host: FunctionsHost;
  apiReference: ApiReference;
  identity: IdentityProvider;
  agentProcess: AgentProcess | undefined;
  /** Which program it is and why. */
  fileServer: string;
}): Part[] {
  return [
    ['Service', `${host.origin}/api/v1, process ${host.workerPid}`],
    ['API reference', apiReference.origin],
    ['Console', `${host.origin}/api/console`],
    [
      'Agent',
      agentProcess ? `${agents[0]?.id}, process ${agentProcess.process.pid}` : 'disabled (--no-agent)',
    ],
    ['File server', `//${share.server}:${share.port}, ${fileServer}`],
    ['Tables and blobs', `${/TableEndpoint=([^;]+)/.exec(tables.connectionString)?.[1]}, Azurite`],
    ['Identity provider', `${identity.url}/${identity.registration.tenantId}`],
    ['Document library', `${library.url}/v1.0, admin ${library.adminUrl}`],
    ['AI text provider', `${aiProvider.url}, admin ${aiProvider.adminUrl}`],
  ];
}
