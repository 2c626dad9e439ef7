import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putFragment } from '../../../console/uploads/upload-session.ts';

/** A browser's request whose library accepts bytes and says nothing (XMLHttpRequest Standard, "abort()" and "loadend"). */
class SilentRequest extends EventTarget {
  static last: SilentRequest | undefined;
  readonly upload = new EventTarget();
  status = 0;
  responseText = '';
  isAborted = false;

  constructor() {
    super();
    SilentRequest.last = this;
  }

  open(): void {}
  setRequestHeader(): void {}
  send(): void {}
  getAllResponseHeaders = () => '';

  abort(): void {
    this.isAborted = true;
    this.dispatchEvent(new Event('loadend'));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('XMLHttpRequest', SilentRequest);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const fragment = { start: 0, bytes: new ArrayBuffer(10), fileSize: 20 };

test('a fragment without an event for three minutes has failed, and each event begins them anew', async () => {
  const sent: number[] = [];
  const sending = { signal: undefined, onProgress: (bytes: number) => sent.push(bytes) };
  const result = putFragment('https://library.example/upload', fragment, sending);
  const { upload } = SilentRequest.last!;
  await vi.advanceTimersByTimeAsync(170_000);
  upload.dispatchEvent(Object.assign(new Event('progress'), { loaded: 4 }));
  await vi.advanceTimersByTimeAsync(179_000);
  expect([sent, SilentRequest.last!.isAborted]).toEqual([[4], false]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(SilentRequest.last!.isAborted).toBe(true);
  expect(await result).toMatchObject({ state: 'failed' });
});

test('a fragment that is accepted is not aborted later', async () => {
  const sending = { signal: undefined, onProgress: () => undefined };
  const result = putFragment('https://library.example/upload', fragment, sending);
  const request = SilentRequest.last!;
  Object.assign(request, { status: 202, responseText: '{"nextExpectedRanges":["10-"]}' });
  request.dispatchEvent(new Event('loadend'));
  expect(await result).not.toMatchObject({ state: 'failed' });
  await vi.advanceTimersByTimeAsync(200_000);
  expect(request.isAborted).toBe(false);
});
