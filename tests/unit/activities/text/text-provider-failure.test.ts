import { APIError } from 'openai/error';
import { expect, test } from 'vitest';
import { failureOf } from '../../../../lib/activities/text/provider/text-provider-failure.ts';

test.each([
  ['40', 40],
  ['3600', 3600],
  ['7200', 3600],
])("the provider's Retry-After of %s s is passed on as %i s", (requested, passedOn) => {
  const headers = new Headers({ 'retry-after': requested });
  const { error } = failureOf(APIError.generate(429, undefined, 'busy', headers));
  expect([error.code, error.facts.retryAfterSeconds]).toEqual(['ai_provider_unavailable', passedOn]);
});
