import { type ProviderResponse, chat, ok, textResponse } from './provider-response.ts';
import type { AcceptedRequest } from './request-rules.ts';

function failureResponse(
  status: number,
  code: string | null,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): ProviderResponse {
  return { kind: 'json', status, body: { error: { message, type, param: null, code } }, headers };
}

const cut = '{"subject":"Angebot","content":"Sehr geehrte';

type MakeResponse = (request: AcceptedRequest, json: string) => ProviderResponse;

/** One switch for each observed failure of the real services. */
export const failures: Record<string, MakeResponse> = {
  'invalid-key': () =>
    failureResponse(
      401,
      'invalid_api_key',
      'invalid_request_error',
      'Incorrect API key provided: sk-ab****wxyz.',
    ),
  // Azure-Samples/azure-sql-db-chatbot#3, TabularEditor/TabularEditor3#1557, continuedev/continue#12547
  'network-rule': () =>
    failureResponse(403, '403', 'x', 'Access denied due to Virtual Network/Firewall rules.'),
  'private-endpoint': () =>
    failureResponse(403, '403', 'x', 'Public access is disabled. Please configure private endpoint.'),
  // home-assistant/core#120072
  country: () =>
    failureResponse(
      403,
      'unsupported_country_region_territory',
      'request_forbidden',
      'Country, region, or territory not supported',
    ),
  'unknown-denial': () => failureResponse(403, null, 'x', 'Forbidden'),
  // DeepSeek; it has neither a code nor a type of its own for it.
  credits: () => failureResponse(402, 'invalid_request_error', 'unknown_error', 'Insufficient Balance'),
  // anthropics/claude-code#4684
  balance: () =>
    failureResponse(400, null, 'invalid_request_error', 'Your credit balance is too low to access this API.'),
  // vllm-project/vllm#2964, sgl-project/sglang#892
  'no-system-role': () => failureResponse(400, null, 'BadRequestError', 'System role not supported'),
  // A gateway that replaces the code by the status (stanford-crfm/helm#3327).
  'gateway-filter': () =>
    failureResponse(
      400,
      '400',
      'None',
      "AzureException - The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    ),
  gone: () => failureResponse(410, null, 'x', 'This address is no longer supported.'),
  // Azure, for a deployment of embeddings.
  'other-kind': () =>
    failureResponse(
      400,
      'OperationNotSupported',
      'x',
      'The chatCompletion operation does not work with the specified model, text-embedding-3-small.',
    ),
  'limit-reached': () =>
    failureResponse(
      400,
      null,
      'invalid_request_error',
      'Could not finish the message because max_tokens or model output limit was reached.',
    ),
  'no-permission': () =>
    failureResponse(403, null, 'invalid_request_error', 'You are not allowed to sample from this model'),
  'unknown-model': () =>
    failureResponse(
      404,
      'model_not_found',
      'invalid_request_error',
      'The model does not exist or you do not have access to it.',
    ),
  quota: () =>
    failureResponse(
      429,
      'insufficient_quota',
      'insufficient_quota',
      'You exceeded your current quota, please check your plan and billing details.',
    ),
  'rate-limit': () =>
    failureResponse(429, 'rate_limit_exceeded', 'requests', 'Rate limit reached.', { 'retry-after': '1' }),
  'long-rate-limit': () =>
    failureResponse(429, 'rate_limit_exceeded', 'requests', 'Rate limit reached.', { 'retry-after': '120' }),
  'prompt-filter': () => ({
    kind: 'json',
    status: 400,
    body: {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: { jailbreak: { detected: true, filtered: true } },
        },
      },
    },
  }),
  'bad-request': () =>
    failureResponse(
      400,
      'context_length_exceeded',
      'invalid_request_error',
      "This model's maximum context length is 8192 tokens.",
    ),
  // Aider-AI/aider#1880
  'over-a-minute': () =>
    failureResponse(
      429,
      'rate_limit_exceeded',
      'tokens',
      'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 36278.',
    ),
  'too-large': () => failureResponse(413, null, 'invalid_request_error', 'Request too large.'),
  'request-timeout': () => failureResponse(408, null, 'server_error', 'Timed out.'),
  conflict: () => failureResponse(409, null, 'server_error', 'Conflict.'),
  'server-error': () =>
    failureResponse(500, null, 'server_error', 'The server had an error while processing your request.'),
  'bad-gateway': () => ({
    kind: 'raw',
    status: 502,
    body: '<html><h1>502 Bad Gateway</h1></html>',
    contentType: 'text/html',
  }),
  overloaded: () =>
    failureResponse(503, null, 'server_error', 'The engine is currently overloaded.', { 'retry-after': '1' }),
  silence: () => ({ kind: 'silence' }),
  stall: () => ({ kind: 'stall' }),
  reset: () => ({ kind: 'reset' }),
  'break-off': () => ({ kind: 'break-off' }),
  length: ({ model }) => chat(model, { content: cut, refusal: null }, 'length'),
  // Mistral's and Gemini's words (UKGovernmentBEIS/inspect_ai#5189, GoogleCloudPlatform/generative-ai#791).
  'model-length': ({ model }) => chat(model, { content: cut, refusal: null }, 'model_length'),
  'safety-filter': ({ model }) => chat(model, { content: null, refusal: null }, 'SAFETY'),
  // A gateway that calls each text complete (project-arbr/arbr-control-plane#34).
  'cut-silently': ({ model }) => {
    const response = chat(model, { content: cut, refusal: null }, 'stop');
    const usage = { prompt_tokens: 1, completion_tokens: 1_000_000, total_tokens: 1_000_001 };
    return { ...response, body: { ...(response as { body: object }).body, usage } } as typeof response;
  },
  // A gateway whose provider failed in the middle of the text (maximhq/bifrost#5425).
  'failed-upstream': ({ model }) => chat(model, { content: cut, refusal: null }, 'error'),
  'content-filter': ({ model }) => chat(model, { content: '', refusal: null }, 'content_filter'),
  refusal: ({ model }) => chat(model, { content: null, refusal: 'Dabei kann ich nicht helfen.' }, 'stop'),
  'no-json': (request) => textResponse(request, 'Gern! Hier ist der Text.'),
  fenced: (request, json) => textResponse(request, `\`\`\`json\n${json}\n\`\`\``),
  'wrong-shape': (request) => textResponse(request, '{"betreff":"Angebot","text":"Guten Tag"}'),
  'empty-text': (request) => textResponse(request, '{"subject":"  ","content":"\\n"}'),
  'null-content': ({ model }) => chat(model, { content: null, refusal: null }, 'stop'),
  'no-choices': () => ok({ id: 'c', object: 'chat.completion', choices: [] }),
  'empty-object': () => ok({}),
  'error-in-200': () =>
    ok({ error: { message: 'backend failed', type: 'server_error', param: null, code: null } }),
  // BerriAI/litellm#27030, Aider-AI/aider#3550: the status is in the body, or only a reason.
  'model-in-200': () => ok({ error: { message: 'No such model.', type: null, code: 'model_not_found' } }),
  'busy-in-200': () => ok({ error: { message: 'Provider returned error', code: 429 } }),
  'rejected-in-200': () => ok({ error: { message: 'No models available', type: 'invalid_request_error' } }),
  // A portal, or the provider's website if AI_BASE_URL lacks its path (xtekky/gpt4free#1049).
  page: () => ({
    kind: 'raw',
    status: 200,
    body: '\n<!DOCTYPE html><title>Sign in</title>',
    contentType: 'text/html',
  }),
  'plain-text': () => ({ kind: 'raw', status: 200, body: 'ok', contentType: 'text/plain' }),
  // A gateway that has moved, and one that never stops sending.
  redirect: () => ({
    kind: 'raw',
    status: 307,
    body: '',
    contentType: 'text/plain',
    headers: { location: '/elsewhere/v1/chat/completions' },
  }),
  endless: () => ({ kind: 'endless' }),
  'broken-body': () => ({ kind: 'raw', status: 200, body: '{"choices":[', contentType: 'application/json' }),
};
