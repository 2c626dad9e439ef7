import { expect, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';
import { LibraryError, libraryErrorOf } from '../../../lib/document-library/library-error.ts';

test("the log has the error's own class name, not its parent's", () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const error = new LibraryError('denied');
  eventLog({ info: write, warn: write, error: write }).error('request_failed', {}, error);
  expect(error.name).toBe('LibraryError');
  expect(JSON.parse(lines[0]!).error).toMatch(/^LibraryError: /);
});

test.each([
  ['GET', 'library_error'],
  ['DELETE', 'library_error'],
  ['POST', 'invalid_request'],
  ['PUT', 'invalid_request'],
])('a 400 from the library on %s is %s', (method, code) => {
  const body = '{"error":{"code":"invalidRequest","message":"no"}}';
  expect(libraryErrorOf({ status: 400, headers: new Headers(), body }, { method }).code).toBe(code);
});
