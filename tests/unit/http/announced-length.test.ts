import { expect, test } from 'vitest';
import { announcedLength } from '../../../lib/http/announced-length.ts';

const key = { 'x-functions-key': 'the key of the gateway' };

test.each<[string, Record<string, string>, ReturnType<typeof announcedLength>]>([
  ['no header', {}, undefined],
  ['a Content-Length', { 'content-length': '17' }, { bytes: 17, header: 'content-length' }],
  [
    'a length at the gateway, with a function key',
    { 'x-upload-content-length': '17', ...key },
    { bytes: 17, header: 'x-upload-content-length' },
  ],
  ['a length at the gateway without a key, which is ignored', { 'x-upload-content-length': '17' }, undefined],
  [
    'both: HTTP enforces Content-Length, and the other is ignored',
    { 'content-length': '18', 'x-upload-content-length': '17', ...key },
    { bytes: 18, header: 'content-length' },
  ],
  [
    'a Content-Length that is no number',
    { 'content-length': 'x', 'x-upload-content-length': '17', ...key },
    undefined,
  ],
])('%s', (_what, headers, announced) => {
  expect(announcedLength(new Headers(headers))).toEqual(announced);
});

test.each(['-1', 'many', '1e3', '1000000000000000'])(
  'the length %s is a 400 that names the header',
  (length) => {
    const headers = new Headers({ 'x-upload-content-length': length, ...key });
    expect(() => announcedLength(headers)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        facts: expect.objectContaining({
          errors: [
            expect.objectContaining({ path: 'headers.x-upload-content-length', code: 'wrong_length' }),
          ],
        }),
      }),
    );
  },
);
