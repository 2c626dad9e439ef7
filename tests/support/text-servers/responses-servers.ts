import { asksForJson, letterJson, type ServerReply, type TextRequest } from './text-server.ts';

// Servers of `/v1/responses` that differ from OpenAI's current models.

const responded = (text: string): ServerReply => ({
  status: 200,
  body: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    error: null,
    incomplete_details: null,
    output: [{ type: 'message', content: [{ type: 'output_text', text, annotations: [] }] }],
  },
});

const rejected = (message: string): ServerReply => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
});

/**
 * An OpenAI model without structured outputs (https://platform.openai.com/docs/guides/structured-outputs lists the
 * models that support them), with both messages as users quote them. pydantic-ai (models/openai.py) notes that the word
 * "json" has to be in an input message; `instructions` do not count.
 */
export function oldOpenAiModel(request: TextRequest): ServerReply {
  const format = (request['text'] as { format: { type: string } } | undefined)?.format.type;
  if (format === 'json_schema') {
    return rejected(
      "Invalid parameter: 'text.format' of type 'json_schema' is not supported with model version `gpt-4-turbo-2024-04-09`.",
    );
  }
  if (format === 'json_object' && !request.messages.some(({ content }) => /json/i.test(content))) {
    return rejected(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
    );
  }
  return responded(asksForJson(request) ? letterJson : '{"betreff":"?"}');
}

/** A gateway to a ChatGPT subscription: https://github.com/RayBytes/ChatMock/issues/103. */
export function subscriptionGateway(request: TextRequest): ServerReply {
  return 'max_output_tokens' in request
    ? { status: 400, body: { detail: 'Unsupported parameter: max_output_tokens' } }
    : responded(letterJson);
}

/** LM Studio 0.4.23 ignores the schema on this API: https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2403. */
export function lmStudio(request: TextRequest): ServerReply {
  return responded(asksForJson(request) ? `\`\`\`json\n${letterJson}\n\`\`\`` : 'Guten Tag Anna Weber, …');
}
