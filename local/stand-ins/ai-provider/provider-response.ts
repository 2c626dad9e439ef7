import type { AcceptedRequest } from './request-rules.ts';

/** The response to one call, which `send` writes. With `stall` and `reset` the response never ends. */
export type ProviderResponse =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string>;
    }
  | {
      readonly kind: 'raw';
      readonly status: number;
      readonly body: string;
      readonly contentType: string;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: 'silence' | 'stall' | 'reset' | 'endless' };

/** The normal response of either API. `json` is the output of the model. */
export function textResponse({ api, model }: AcceptedRequest, json: string): ProviderResponse {
  return api === 'chat'
    ? chat(model, { content: json, refusal: null }, 'stop')
    : responses(model, [{ type: 'output_text', text: json, annotations: [] }]);
}

export function chat(
  model: string,
  message: { content: string | null; refusal: string | null },
  finishReason: string,
): ProviderResponse {
  return ok({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [
      { index: 0, message: { role: 'assistant', ...message }, finish_reason: finishReason, logprobs: null },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
}

export function responses(model: string, content: unknown[], outcome: object = {}): ProviderResponse {
  return ok({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model,
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    ...outcome,
  });
}

export function ok(body: unknown): ProviderResponse {
  return { kind: 'json', status: 200, body };
}
