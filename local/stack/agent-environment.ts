import type { StackDescription } from './stack-file.ts';

/** The environment of an agent that works for this stack. */
export function agentEnvironment(
  { baseUrl }: Pick<StackDescription, 'baseUrl'>,
  share: NonNullable<StackDescription['share']>,
  agent: StackDescription['agents'][number],
): Record<string, string> {
  return {
    FOLDER_AGENT_API_BASE_URL: baseUrl,
    FOLDER_AGENT_API_KEY: agent.key,
    FOLDER_AGENT_AGENT_ID: agent.id,
    FOLDER_AGENT_SMB_SERVER: share.server,
    FOLDER_AGENT_SMB_PORT: String(share.port),
    FOLDER_AGENT_SMB_USERNAME: share.username,
    FOLDER_AGENT_SMB_PASSWORD: share.password,
    FOLDER_AGENT_TEMPLATE_PATH: share.templatePath,
    FOLDER_AGENT_ROOT_PATH: share.rootPath,
    FOLDER_AGENT_POLL_INTERVAL_MS: '1000',
    FOLDER_AGENT_LOG_FORMAT: 'json',
  };
}
