/** The real service's response to a request that it does not accept. */
export interface Rejection {
  readonly status: number;
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

export interface AcceptedRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const known = new Set([
  'model',
  'messages',
  'response_format',
  'max_completion_tokens',
  'reasoning_effort',
  'store',
  'stream',
]);

/** Checks a request as strictly as the documented API does, and also rejects parameters that we never send. */
export function acceptRequest(path: string, body: unknown): AcceptedRequest | Rejection {
  if (!path.endsWith('/chat/completions')) return rejection(404, `Invalid URL (POST ${path})`, null, null);
  if (!isRecord(body)) return rejection(400, 'We could not parse the JSON body of your request.', null, null);
  const unknown = Object.keys(body).find((name) => !known.has(name));
  if (unknown !== undefined)
    return rejection(400, `Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter');
  if (typeof body['model'] !== 'string') return missing('model');
  const effort = body['reasoning_effort'];
  if (effort !== undefined && !(['none', 'low', 'medium', 'high'] as unknown[]).includes(effort))
    return rejection(400, `Unsupported value: 'reasoning_effort'.`, 'reasoning_effort', 'unsupported_value');
  if (body['stream'] !== undefined && body['stream'] !== false)
    return rejection(400, 'A client here reads no stream.', 'stream', null);
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0) return missing('messages');
  if (!messages.every(isMessage))
    return rejection(400, "Invalid type for 'messages'.", 'messages', 'invalid_type');
  const fault = schemaFault(schemaOf(body));
  if (fault !== null)
    return rejection(400, `Invalid schema for response_format: ${fault}`, 'response_format', null);
  return { model: body['model'], messages };
}

// Structured outputs: strict, every property required, no additional ones, no string bounds (Azure rejects them).
function schemaFault(format: unknown): string | null {
  if (!isRecord(format) || format['type'] !== 'json_schema') return 'a json_schema was expected';
  const { name, strict, schema } = format;
  if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name)) return 'name is missing';
  if (strict !== true) return 'strict must be true';
  if (!isRecord(schema) || schema['type'] !== 'object') return 'schema must be of type object';
  if (schema['additionalProperties'] !== false)
    return "'additionalProperties' is required to be supplied and to be false";
  const { properties, required } = schema;
  if (!isRecord(properties) || !Array.isArray(required)) return "'required' is required to be supplied";
  const open = Object.keys(properties).find((property) => !required.includes(property));
  if (open !== undefined) return `'required' must include every key in properties. Missing '${open}'.`;
  const bounded = Object.values(properties).some(
    (property) =>
      isRecord(property) &&
      ['minLength', 'maxLength', 'pattern', 'format'].some((bound) => bound in property),
  );
  return bounded ? 'string bounds are not permitted' : null;
}

function schemaOf({ response_format: format }: Record<string, unknown>): unknown {
  return isRecord(format) && isRecord(format['json_schema'])
    ? { type: format['type'], ...format['json_schema'] }
    : null;
}

function isMessage(message: unknown): message is { role: string; content: string } {
  return (
    isRecord(message) &&
    ['system', 'developer', 'user', 'assistant'].includes(String(message['role'])) &&
    typeof message['content'] === 'string' &&
    message['content'] !== ''
  );
}

function missing(name: string): Rejection {
  return rejection(400, `Missing required parameter: '${name}'.`, name, 'missing_required_parameter');
}

export function rejection(
  status: number,
  message: string,
  param: string | null,
  code: string | null,
): Rejection {
  return { status, error: { message, type: 'invalid_request_error', param, code } };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
