import { expect, test } from 'vitest';
import { jsonBody } from '../../../lib/http/body.ts';

async function* pieces(...texts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const read = (
  type: string | undefined,
  bytes: AsyncIterable<Uint8Array>,
  options: { isOptional?: boolean; maxBytes?: number } = {},
) => jsonBody({ headers: new Headers(type === undefined ? {} : { 'content-type': type }) }, bytes, options);
const json = 'application/json';

test.each([json, 'Application/JSON', ' application/json ; charset=utf-8'])(
  'a body of type %o is read',
  async (type) => {
    expect(await read(type, pieces('{"a":', '"ü"}'))).toEqual({ value: { a: 'ü' } });
  },
);

test('a required body of another type is rejected before it is read, and without one', async () => {
  const unread = {
    [Symbol.asyncIterator]: (): never => {
      throw new Error('the body was read');
    },
  };
  for (const type of [undefined, 'text/plain', 'application/json5'])
    await expect(read(type, unread)).rejects.toMatchObject({ code: 'unsupported_media_type' });
});

test('an optional body may be absent, whatever its type is, and is otherwise JSON', async () => {
  const isOptional = true;
  for (const type of [undefined, 'text/plain', json])
    expect(await read(type, pieces(''), { isOptional })).toBeUndefined();
  await expect(read('text/plain', pieces('{}'), { isOptional })).rejects.toMatchObject({
    code: 'unsupported_media_type',
  });
  expect(await read(json, pieces('{}'), { isOptional })).toEqual({ value: {} });
});

test('a longer body ends at the first byte too many', async () => {
  const reached: string[] = [];
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      reached.push('piece');
      yield Buffer.from('12345');
    }
  }
  expect(await read(json, endless(), { maxBytes: 9 })).toMatchObject({
    fault: { code: 'too_many_bytes', params: { max: 9 } },
  });
  expect(reached).toHaveLength(2);
  expect(await read(json, pieces('123456789'), { maxBytes: 9 })).toEqual({ value: 123_456_789 });
});

test.each([
  ['nothing', '', 'required'],
  ['white space', ' \n', 'required'],
  ['no JSON', '{"a":', 'not_json'],
  ['no UTF-8', Uint8Array.of(0x22, 0xfc, 0x22), 'not_utf8'],
])('%s is a fault', async (_what, bytes, code) => {
  expect(await read(json, pieces(bytes))).toMatchObject({ fault: { code } });
});
