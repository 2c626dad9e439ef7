import { expect, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';
import {
  LibraryError,
  libraryErrorOf,
  mayHaveTakenEffect,
} from '../../../lib/document-library/library-error.ts';

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

test('a failed request may have taken effect without a response, or with one of a gateway; no other may', () => {
  const rejected = (status: number) =>
    libraryErrorOf({ status, headers: new Headers(), body: '' }, { method: 'PUT' });
  expect(mayHaveTakenEffect(new LibraryError('busy'))).toBe(true);
  expect([500, 502, 504].map((status) => mayHaveTakenEffect(rejected(status)))).toEqual([true, true, true]);
  expect([400, 404, 409, 429, 499].some((status) => mayHaveTakenEffect(rejected(status)))).toBe(false);
  expect(mayHaveTakenEffect(new Error('a bug'))).toBe(false);
});
