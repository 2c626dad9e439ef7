import { parseSettings } from '../../lib/contract/settings-table.ts';
import { defaultModel, modelFaults } from '../../lib/settings/ai-model.ts';
import { serviceSettingsTable } from '../../lib/settings/service-settings-table.ts';
import type { Environment } from './browser.ts';
import type { TextTarget } from './text-rules.ts';

/** What the service with these settings uses. @throws SettingsError */
export function textTarget(env: Environment): TextTarget {
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
}
