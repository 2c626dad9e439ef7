import { asksForJson, type TextRequest, completion, letterJson, type ServerReply } from './text-server.ts';

// Azure OpenAI with an API version before 2024-08-01-preview. The two messages as users report them:
// https://github.com/openai/openai-python/issues/1724 (Unrecognized request argument supplied), and
// https://github.com/langgenius/dify/issues/8994 (json_schema is enabled only for …, code BadRequest, empty param).
// json_object requires the word "json": https://learn.microsoft.com/azure/ai-services/openai/how-to/json-mode
const known = new Set([
  'model',
  'messages',
  'max_tokens',
  'response_format',
  'temperature',
  'user',
  'stream',
]);

export function oldAzure(request: TextRequest): ServerReply {
  const unknown = Object.keys(request).find((name) => !known.has(name));
  if (unknown !== undefined) {
    return rejected({
      message: `Unrecognized request argument supplied: ${unknown}`,
      type: 'invalid_request_error',
      param: null,
      code: null,
    });
  }
  const format = (request['response_format'] as { type: string } | undefined)?.type;
  if (format === 'json_schema') {
    return rejected({
      message:
        'response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later',
      type: '',
      param: '',
      code: 'BadRequest',
    });
  }
  const mentionsJson = request.messages.some(({ content }) => /json/i.test(content));
  if (format === 'json_object' && !mentionsJson) {
    return rejected({
      message:
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      type: 'invalid_request_error',
      param: 'messages',
      code: null,
    });
  }
  return completion(asksForJson(request) ? letterJson : '{"betreff":"?"}');
}

const rejected = (error: object): ServerReply => ({ status: 400, body: { error } });
