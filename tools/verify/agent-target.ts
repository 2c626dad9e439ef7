import { hostname } from 'node:os';
import packageFile from '../../package.json' with { type: 'json' };
import { check } from '../../agent/check.ts';
import { FileServer } from '../../agent/copy/file-server.ts';
import { createLogger } from '../../agent/base/logging.ts';
import { ServiceClient } from '../../agent/claims/service-client.ts';
import { readAgentSettings } from '../../agent/settings/settings.ts';
import { systemClock } from '../../lib/contract/clock.ts';
import type { AgentTarget } from './agent-rules.ts';

/** What the agent with these settings uses. @throws SettingsError; Error without a root */
export function agentTarget(env: NodeJS.ProcessEnv): AgentTarget & AsyncDisposable {
  const settings = readAgentSettings(env, hostname());
  const { root } = settings;
  if (root === undefined)
    throw new Error('FOLDER_AGENT_ROOT_PATH is missing: the probes work in a folder below it.');
  const log = createLogger({
    agentId: settings.agentId,
    format: 'json',
    debug: false,
    secrets: [],
    write: () => undefined,
  });
  const fileServer = new FileServer(settings.fileServer, systemClock, log);
  const service = new ServiceClient(settings.service, packageFile.version, systemClock);
  return {
    checked: () => check(settings, service, fileServer),
    fileServer,
    root,
    async [Symbol.asyncDispose]() {
      service.close();
      await fileServer.close();
    },
  };
}
