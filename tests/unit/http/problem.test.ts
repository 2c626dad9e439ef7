import { expect, test } from 'vitest';
import { faultAt, problemCodes, ServiceError, statusOf } from '../../../lib/base/service-error.ts';
import { problemOf } from '../../../lib/http/problem.ts';

test('a problem has every member of the contract', () => {
  const error = new ServiceError('invalid_request', {
    detail: 'The request has one fault; see errors.',
    errors: [faultAt('body.targetPath', 'too_long', { max: 4000 })],
  });
  const problem = problemOf(error, 'r1');
  expect(problem.status).toBe(400);
  expect(problem.headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(problem.body)).toEqual({
    type: 'urn:problem-type:invalid_request',
    title: 'Invalid request',
    status: 400,
    detail: 'The request has one fault; see errors.',
    code: 'invalid_request',
    requestId: 'r1',
    errors: [
      {
        path: 'body.targetPath',
        code: 'too_long',
        params: { max: 4000 },
        message: 'must not be longer than 4000 characters',
      },
    ],
  });
});

test('a problem has at most a hundred errors', () => {
  const errors = Array.from({ length: 101 }, (_, index) => faultAt(`body.${index}`, 'required'));
  const { body } = problemOf(new ServiceError('invalid_request', { errors }), 'r');
  expect((JSON.parse(body) as { errors: unknown }).errors).toEqual(errors.slice(0, 100));
});

test('every 429 and 503 has a Retry-After in whole seconds', () => {
  const busy = problemCodes.filter((code) => [429, 503].includes(statusOf(code)));
  expect(new Set(busy.map(statusOf)).size).toBe(2);
  for (const code of busy) {
    expect(problemOf(new ServiceError(code, { retryAfterSeconds: 0.2 }), 'r').headers['retry-after']).toBe(
      '1',
    );
    expect(problemOf(new ServiceError(code), 'r').headers['retry-after']).toBe('5');
  }
});

test('the response does not contain the cause', () => {
  const error = new ServiceError('library_error', { cause: new Error('s3cr3t') });
  expect(JSON.stringify(problemOf(error, 'r'))).not.toContain('s3cr3t');
});
