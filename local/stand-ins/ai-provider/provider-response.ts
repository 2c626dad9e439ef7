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
  | { readonly kind: 'silence' | 'stall' | 'reset' | 'break-off' | 'endless' };

/** The normal response. `json` is the output of the model. */
export function textResponse({ model }: AcceptedRequest, json: string): ProviderResponse {
  return chat(model, { content: json, refusal: null }, 'stop');
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

export function ok(body: unknown): ProviderResponse {
  return { kind: 'json', status: 200, body };
}
