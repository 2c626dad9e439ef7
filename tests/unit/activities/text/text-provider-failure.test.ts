import { APIError } from 'openai/error';
import { expect, test } from 'vitest';
import { failureOf } from '../../../../lib/activities/text/provider/text-provider-failure.ts';
import { messageWithout } from '../../../../lib/activities/text/provider/provider-message.ts';

test.each([
  ['40', 40],
  ['3600', 3600],
  ['7200', 3600],
])("the provider's Retry-After of %s s is passed on as %i s", (requested, passedOn) => {
  const headers = new Headers({ 'retry-after': requested });
  const { error } = failureOf(APIError.generate(429, undefined, 'busy', headers));
  expect([error.code, error.facts.retryAfterSeconds]).toEqual(['ai_provider_unavailable', passedOn]);
});

test('after a used up quota, a client waits an hour, whatever the provider says', () => {
  const headers = new Headers({ 'retry-after': '1' });
  const { error } = failureOf(
    APIError.generate(429, { error: { code: 'insufficient_quota' } }, 'quota', headers),
  );
  expect(error.facts.retryAfterSeconds).toBe(3600);
});

test.each([
  ['401 Incorrect API key provided: sk-ab****wxyz.', [], '401 Incorrect API key provided: …'],
  ['400 Invalid value: "Frau Weber, 24103 Kiel"', ['an Weber in 24103 Kiel'], '400 Invalid value: "Frau …"'],
  ['500 user a.b@firma.example', [], '500 user …'],
  [`502 ${'x y '.repeat(2000)}`, [], `502 ${'x y '.repeat(74)}`.slice(0, 300)],
])('message %# is logged without what was sent', (message, sent, logged) => {
  expect(messageWithout(message, sent)).toBe(logged);
});

// What providers send, and what an administrator has to change; a rejection that says nothing has no cause.
test.each<[status: number, sent: { code?: string; message?: string }, sentence: RegExp, setting?: string]>([
  [400, { code: 'content_filter' }, /content filter .* rejected the description/],
  [400, { code: 'content_policy_violation' }, /content filter/],
  [400, { code: 'moderation_blocked' }, /content filter/],
  [429, { code: 'insufficient_quota' }, /quota or credit/],
  [400, { code: 'billing_not_active' }, /quota or credit/],
  [400, { code: 'billing_hard_limit_reached' }, /quota or credit/],
  [402, { message: 'Insufficient Balance' }, /quota or credit/],
  [400, { code: 'OperationNotSupported' }, /of another kind/, 'AI_MODEL'],
  [400, { code: 'unsupported_api_for_model' }, /of another kind/, 'AI_MODEL'],
  [404, { code: 'model_not_found' }, /no such model/, 'AI_MODEL'],
  [404, { code: 'DeploymentNotFound' }, /no such model/, 'AI_MODEL'],
  [400, { code: 'ModelDeprecated' }, /no such model/, 'AI_MODEL'],
  [400, { code: 'model_decommissioned' }, /no such model/, 'AI_MODEL'],
  [422, { message: 'Invalid model: big' }, /no such model/, 'AI_MODEL'],
  [404, { message: 'model "big" not found, try pulling it first' }, /no such model/, 'AI_MODEL'],
  [410, { message: 'The model `big` has been deprecated' }, /no such model/, 'AI_MODEL'],
  [410, { message: 'Gone' }, /switched off this model or address/, 'AI_MODEL'],
  [400, { code: 'context_length_exceeded' }, /fewer tokens/, 'AI_MAX_OUTPUT_TOKENS'],
  [400, { code: 'exceed_context_size_error' }, /fewer tokens/, 'AI_MAX_OUTPUT_TOKENS'],
  [413, { message: 'at most 512 output tokens' }, /fewer tokens/, 'AI_MAX_OUTPUT_TOKENS'],
  [403, { message: 'Access denied due to Virtual Network rules.' }, /network rule/, 'AI_BASE_URL'],
  [403, { message: 'Blocked by a Firewall.' }, /network rule/, 'AI_BASE_URL'],
  [403, { message: 'Traffic is not from an approved private endpoint.' }, /network rule/, 'AI_BASE_URL'],
  [403, { message: 'Public access is disabled.' }, /network rule/, 'AI_BASE_URL'],
  [401, { message: 'Your IP address is not allowed.' }, /network rule/, 'AI_BASE_URL'],
  [403, { code: 'unsupported_country_region_territory' }, /country or region/, 'AI_BASE_URL'],
  [403, { code: 'RegionError' }, /country or region/, 'AI_BASE_URL'],
  [400, { message: 'User location is not supported for the API use.' }, /country or region/, 'AI_BASE_URL'],
  [451, { message: 'Not available in your country' }, /country or region/, 'AI_BASE_URL'],
  [403, { message: 'No access to this deployment' }, /no permission for the AI model/, 'AI_MODEL'],
  [403, { message: 'Forbidden' }, /rejected the call with status 403/],
  [401, { message: 'Unauthorized' }, /rejected the key/, 'AI_API_KEY'],
  [404, { message: 'Resource not found' }, /no such model or address/, 'AI_BASE_URL'],
  [302, {}, /redirects to another address/, 'AI_BASE_URL'],
  [408, {}, /server error/],
  [409, {}, /server error/],
  [529, {}, /server error/],
  [429, {}, /is busy/],
  [418, {}, /rejected the call with status 418/],
])('a rejection with status %i and %j', (status, sent, sentence, setting) => {
  const { error, facts } = failureOf(APIError.generate(status, { error: sent }, undefined, new Headers()));
  expect(error.facts.detail).toMatch(sentence);
  expect(error.facts.params).toEqual(setting === undefined ? undefined : { setting });
  expect(facts).toMatchObject({ status, providerMessage: expect.stringContaining(`${status}`) });
});

test('of an error that is none of the provider, the name alone is logged', () => {
  const error = Object.assign(new TypeError('a bug'), { code: 'ERR_A', status: 400, requestID: 'r' });
  expect(failureOf(error).facts).toEqual({ name: 'TypeError' });
});
