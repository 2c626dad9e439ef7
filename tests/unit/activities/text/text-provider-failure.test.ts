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

test.each([
  ['401 Incorrect API key provided: sk-ab****wxyz.', [], '401 Incorrect API key provided: …'],
  ['400 Invalid value: "Frau Weber, 24103 Kiel"', ['an Weber in 24103 Kiel'], '400 Invalid value: "Frau …"'],
  ['500 user a.b@firma.example', [], '500 user …'],
  [`502 ${'x y '.repeat(2000)}`, [], `502 ${'x y '.repeat(74)}`.slice(0, 300)],
])('message %# is logged without what was sent', (message, sent, logged) => {
  expect(messageWithout(message, sent)).toBe(logged);
});
