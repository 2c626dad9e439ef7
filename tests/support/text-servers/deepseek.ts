import { asksForJson, type TextRequest, completion, letterJson, type ServerReply } from './text-server.ts';

// DeepSeek's API accepts only `text` and `json_object`, and its rejection of anything else names no type:
// https://github.com/llm-exe/llm-exe/issues/662, https://api-docs.deepseek.com/api/create-chat-completion
export function deepseek(request: TextRequest): ServerReply {
  const format = (request['response_format'] as { type: string } | undefined)?.type;
  if (format === 'json_schema') {
    const message = 'This response_format type is unavailable now';
    return {
      status: 400,
      body: { error: { message, type: 'invalid_request_error', param: null, code: 'invalid_request_error' } },
    };
  }
  return completion(asksForJson(request) ? letterJson : 'Guten Tag');
}
