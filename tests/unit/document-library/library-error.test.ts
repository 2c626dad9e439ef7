import { expect, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';
import { LibraryError } from '../../../lib/document-library/library-error.ts';

test('the log names the class of the error, not the one it extends', () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const error = new LibraryError('denied');
  eventLog({ info: write, warn: write, error: write }).error('request_failed', {}, error);
  expect(error.name).toBe('LibraryError');
  expect(JSON.parse(lines[0]!).error).toMatch(/^LibraryError: /);
});
