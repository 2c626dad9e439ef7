import { expect, test } from 'vitest';
import { CopyError } from '../../../agent/base/copy-error.ts';
import { createLogger } from '../../../agent/base/logging.ts';
import { SmbError } from '../../../agent/smb/index.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { logLines } from '../../support/log-lines.ts';

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
}

function logged(error: Error): LoggedError {
  const { log, lines } = logLines();
  log.error({ err: error }, 'failed');
  return (JSON.parse(lines[0]!) as { err: LoggedError }).err;
}

test('an error has its message once, also where the messages of its causes are part of it', () => {
  const cause = new Error('ECONNRESET');
  const facts = { operation: 'read', path: 'x', cause };
  const smb = new SmbError('CONNECTION_LOST', 'read x: ECONNRESET', facts);
  const { type, message, stack } = logged(new CopyError('template', '\\\\s\\x', smb));
  expect([type, message]).toEqual(['CopyError', 'template \\\\s\\x: read x: ECONNRESET']);
  expect(stack).not.toContain('ECONNRESET');
  expect(stack).toMatch(/^ +at /);
});

test('the message of a cause that is not part of it remains', () => {
  const { message, stack } = logged(new Error('outer', { cause: new TypeError('x is not a function') }));
  expect(message).toBe('outer');
  expect(stack).toMatch(/^ +at [^]*\ncaused by: TypeError: x is not a function\n +at /);
});

test('each address of a host that could not be reached remains', () => {
  const each = ['10.0.0.1', '10.0.0.2'].map((address) => new Error(`connect ECONNREFUSED ${address}:445`));
  const { stack } = logged(new Error('unreachable', { cause: new AggregateError(each) }));
  for (const { message } of each) expect(stack).toContain(`caused by: Error: ${message}`);
});

test.each([true, false])('a step is logged only with FOLDER_AGENT_DEBUG (%s)', (debug) => {
  const { log, lines } = logLines([], debug);
  log.debug({}, 'a step');
  log.info({}, 'a result');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(
    debug ? ['a step', 'a result'] : ['a result'],
  );
});

test('for people, a line has the local time, and each fact a line of its own', () => {
  const lines: string[] = [];
  const write = (text: string) => void lines.push(text);
  const secrets = [new Secret('p"word')];
  const log = createLogger({ agentId: 'a', format: 'pretty', debug: false, secrets, write });
  log.with({ id: 7 }).warn({ path: 'x', said: 'the p"word', err: new Error('outer') }, 'failed');
  const [, time, facts] = /^\[(.*?)\] (.*err: Error: outer\n) +at /s.exec(lines.join('')) ?? [];
  expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  expect(facts).toBe('WARN: failed\n    id: 7\n    path: "x"\n    said: "the ***"\n    err: Error: outer\n');
});
