import type { AcceptedRequest } from './request-rules.ts';

/** How one call is answered; `send` writes it. `stall` and `reset` leave the client without an end. */
export type Answer =
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

/** The usual answer on both wires. `json` is what the model wrote. */
export function textAnswer({ api, model }: AcceptedRequest, json: string): Answer {
  return api === 'chat'
    ? chat(model, { content: json, refusal: null }, 'stop')
    : responses(model, [{ type: 'output_text', text: json, annotations: [] }]);
}

export function chat(
  model: string,
  message: { content: string | null; refusal: string | null },
  finishReason: string,
): Answer {
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

export function responses(model: string, content: unknown[], outcome: object = {}): Answer {
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

export function ok(body: unknown): Answer {
  return { kind: 'json', status: 200, body };
}
