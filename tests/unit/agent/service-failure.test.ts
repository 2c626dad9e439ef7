import { expect, test } from 'vitest';
import { networkReason } from '../../../agent/base/service-failure.ts';

const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:443'), { code: 'ECONNREFUSED' });
const tls = Object.assign(new Error('80:error:0A00010B'), { code: 'EPROTO' });

test.each([
  ['of the first address of a host', new AggregateError([refused, tls]), refused.message],
  [
    'below two others',
    new Error('a', { cause: new AggregateError([new Error('b', { cause: tls })]) }),
    'EPROTO: ',
  ],
  ['of an error without one', new AggregateError([], 'all failed'), 'all failed'],
  ['that is no error', 'aborted', 'aborted'],
])('the reason of a call without a response, %s', (_what, error, reason) => {
  expect(networkReason(error)).toContain(reason);
});
