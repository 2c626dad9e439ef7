import { expect, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';

const recorded = (): { lines: string[]; log: ReturnType<typeof eventLog> } => {
  const lines: string[] = [];
  const record = (line: string): void => void lines.push(line);
  return { lines, log: eventLog({ info: record, warn: record, error: record }, { requestId: 'r1' }) };
};

test('an event is one JSON line with its name and the common fields', () => {
  const { lines, log } = recorded();
  log.info('claimed', { attempts: 2 });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { event: 'claimed', requestId: 'r1', attempts: 2 },
  ]);
});

test('only the stacks of a foreign error are logged: no tokens, signed URLs or request objects', () => {
  const { lines, log } = recorded();
  const cause = new Error('GET https://host/file?tempauth=s3cr3t failed with Bearer s3cr3t.s3cr3t.s3cr3t');
  const error = Object.assign(new Error('upload failed', { cause }), {
    request: { headers: { authorization: 's3cr3t' } },
  });
  log.error('request_crashed', {}, error);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('upload failed');
  expect(lines[0]).toContain('https://host/file?***');
  expect(lines[0]).not.toContain('s3cr3t');
});

test('text from a caller stays inside its line and its field, also in an error', () => {
  const { lines, log } = recorded();
  const forged = 'a"}\r\n{"event":"forged","requestId":"r2"}\u0000';
  log.info('request', { caller: forged });
  log.error('x', {}, new Error(forged));
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { event: 'request', requestId: 'r1', caller: forged },
    { event: 'x', requestId: 'r1' },
  ]);
});

test('a bare token in a message is redacted', () => {
  const { lines, log } = recorded();
  log.error('x', {}, new Error('token eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl was rejected'));
  expect(lines[0]).toContain('token *** was rejected');
});

test('of a chain of causes, the first five errors are logged', () => {
  const { lines, log } = recorded();
  const chain = [6, 5, 4, 3, 2, 1].reduce<Error | undefined>(
    (cause, depth) => new Error(`failure ${depth}.`, { cause }),
    undefined,
  );
  log.error('x', {}, chain);
  expect([...new Set(lines[0]?.match(/failure \d/g))]).toEqual(
    [1, 2, 3, 4, 5].map((depth) => `failure ${depth}`),
  );
});

test('of what is thrown and no error, only the type is logged', () => {
  const { lines, log } = recorded();
  for (const thrown of ['s3cr3t', null, { stack: 's3cr3t' }]) log.error('request_crashed', {}, thrown);
  expect(lines.map((line) => (JSON.parse(line) as { error: string }).error)).toEqual([
    'thrown string',
    'thrown object',
    'thrown object',
  ]);
});
