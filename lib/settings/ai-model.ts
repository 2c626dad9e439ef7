/** The model of OpenAI that is used when `AI_MODEL` is not set. The only place with its name. */
export const defaultModel = 'gpt-6-luna';

/** Other providers have models and deployments of other names, so there is no default for them. */
export function modelFaults(values: {
  readonly AI_API_KEY?: unknown;
  readonly AI_BASE_URL?: string | undefined;
  readonly AI_MODEL?: string | undefined;
}): readonly string[] {
  const { AI_API_KEY, AI_BASE_URL, AI_MODEL } = values;
  if (!AI_API_KEY || AI_MODEL !== undefined || AI_BASE_URL === undefined) return [];
  return /^(?:\w+\.)?api\.openai\.com$/.test(new URL(AI_BASE_URL).hostname)
    ? []
    : ['AI_MODEL: is missing (the provider in AI_BASE_URL is not OpenAI, so there is no default model)'];
}
