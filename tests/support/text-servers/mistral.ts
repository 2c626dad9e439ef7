import { type TextRequest, completion, letterJson, type ServerReply } from './text-server.ts';

// Mistral's own API. It rejects unknown parameters with 422 and pydantic's list, and without `error`:
// https://github.com/editor-code-assistant/eca/issues/231. Reasoning models return parts, of which several may be text:
// https://docs.mistral.ai/capabilities/reasoning and https://github.com/mistralai/client-python/issues/252.
const known = new Set([
  'model',
  'messages',
  'max_tokens',
  'response_format',
  'temperature',
  'random_seed',
  'stream',
]);

export function mistral(request: TextRequest): ServerReply {
  // Behind a gateway that streams unless it is told not to (decolua/9router#4122, open-webui/computer#193).
  if (request['stream'] !== false) return { status: 200, body: 'data: {"choices": []}\n\n' };
  const unknown = Object.keys(request).filter((name) => !known.has(name));
  if (unknown.length > 0) {
    const detail = unknown.map((name) => ({
      type: 'extra_forbidden',
      loc: ['body', name],
      msg: 'Extra inputs are not permitted',
      input: request[name],
    }));
    return {
      status: 422,
      body: {
        object: 'error',
        message: { detail },
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    };
  }
  const middle = Math.floor(letterJson.length / 2);
  return completion([
    { type: 'thinking', thinking: [{ type: 'text', text: 'Der Nutzer möchte {"subject": …}.' }] },
    { type: 'text', text: letterJson.slice(0, middle) },
    { type: 'thinking', thinking: [] },
    { type: 'text', text: letterJson.slice(middle) },
  ]);
}
