import type { Environment } from '../contract/settings-table.ts';

/** The model of OpenAI that is used when `AI_MODEL` is not set. The only place with its name. */
export const defaultModel = 'gpt-6-luna';

/** Other providers have models and deployments of other names, so there is no default for them. */
export function modelFaults({ AI_API_KEY, AI_BASE_URL, AI_MODEL }: Environment): readonly string[] {
  const isUnset = (value: string | undefined): boolean => (value ?? '').trim() === '';
  if (isUnset(AI_API_KEY) || !isUnset(AI_MODEL) || isUnset(AI_BASE_URL)) return [];
  const host = URL.canParse(AI_BASE_URL ?? '') ? new URL(AI_BASE_URL ?? '').hostname : '';
  return /^(?:\w+\.)?api\.openai\.com$/.test(host)
    ? []
    : ['AI_MODEL: is missing (the provider in AI_BASE_URL is not OpenAI, so there is no default model)'];
}
