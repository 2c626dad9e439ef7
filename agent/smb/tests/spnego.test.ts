import { expect, test } from 'vitest';
import { der, readElements } from '../kerberos/der.ts';
import { hintAllows, negTokenInit, negTokenResponse, readNegTokenResponse } from '../account/spnego.ts';
import { hex } from './vectors.ts';

const ntlm = [hex('060a2b06010401823702020a')];
const completed = hex('a11b3019a0030a0100a3120410' + '11'.repeat(16));

test('the first token for a 40-byte message matches the example', () => {
  const token = negTokenInit(ntlm, Buffer.alloc(40, 7));
  const head = '604806062b0601050502a03e303ca00e300c060a2b06010401823702020aa22a0428';
  expect(token.toString('hex')).toBe(head + '07'.repeat(40));
});

test('lengths use the short, the one-byte and the two-byte form', () => {
  expect(der(4, Buffer.alloc(127)).subarray(0, 2)).toEqual(hex('047f'));
  expect(der(4, Buffer.alloc(128)).subarray(0, 3)).toEqual(hex('048180'));
  expect(der(4, Buffer.alloc(256)).subarray(0, 4)).toEqual(hex('04820100'));
  for (const length of [0, 127, 128, 255, 256, 5000]) {
    expect(readElements(der(0x30, Buffer.alloc(length, 1)))[0]!.content).toHaveLength(length);
  }
});

test('the last token of Windows and Samba is parsed', () => {
  expect(readNegTokenResponse(completed, ntlm)).toEqual({
    state: 'completed',
    token: undefined,
    checksum: Buffer.alloc(16, 0x11),
  });
});

test('a token beyond 64 KiB is not parsed', () => {
  expect(() => readNegTokenResponse(Buffer.alloc(65_537), ntlm)).toThrow('beyond 64 KiB');
});

test("the client's second token can be parsed", () => {
  const sent = negTokenResponse(Buffer.alloc(400, 3), Buffer.alloc(16, 4));
  const read = readNegTokenResponse(sent, ntlm);
  expect(read.token).toEqual(Buffer.alloc(400, 3));
  expect(read.checksum).toEqual(Buffer.alloc(16, 4));
});

test.each([
  ['rejects', 'a1073005a0030a0102'],
  ['picks Kerberos', 'a10f300da10b06092a864886f712010202'],
])('a server that %s is reported as LOGON_REJECTED', (_what, token) => {
  expect(() => readNegTokenResponse(hex(token), ntlm)).toThrow(
    expect.objectContaining({ code: 'LOGON_REJECTED' }),
  );
});

test("a server that rejects may give the mechanism's own reason", () => {
  const token = der(0xa1, der(0x30, hex('a0030a0102'), der(0xa2, der(0x04, Buffer.from('reason')))));
  expect(readNegTokenResponse(token, ntlm)).toMatchObject({
    state: 'rejected',
    token: Buffer.from('reason'),
  });
});

test('a server may request the checksum, and choose any name of the mechanism', () => {
  const [first, second] = [hex('06092a864886f712010202'), hex('06092a864882f712010202')];
  const token = der(0xa1, der(0x30, hex('a0030a0103'), der(0xa1, second)));
  expect(readNegTokenResponse(token, [first, second])).toMatchObject({
    state: 'request-mic',
    token: undefined,
  });
  expect(() => readNegTokenResponse(token, [first])).toThrow('chose another mechanism');
});

test.each([
  ['nothing', ''],
  ['an indefinite length', 'a180'],
  ['a length of five bytes', 'a1850000000001'],
  ['a length beyond the end', 'a11b30'],
  ['an inner length beyond its parent', 'a1043003a0050a'],
  ['an unknown state', 'a1073005a0030a0104'],
  ['a state of two bytes', 'a1083006a0040a020000'],
  ['another tag', 'a0073005a0030a0100'],
  ['a token with a trailing byte', completed.toString('hex') + '00'],
])('%s instead of a token is rejected', (_what, token) => {
  expect(() => readNegTokenResponse(hex(token), ntlm)).toThrow(expect.objectContaining({ code: 'PROTOCOL' }));
});

test('a token cut anywhere is rejected', () => {
  for (let length = 0; length < completed.length; length += 1) {
    expect(() => readNegTokenResponse(completed.subarray(0, length), ntlm)).toThrow();
  }
});

test('a hint without NTLM excludes it, a missing hint does not', () => {
  expect(hintAllows(Buffer.alloc(0), ntlm)).toBe(true);
  expect(hintAllows(negTokenInit(ntlm, Buffer.alloc(0)), ntlm)).toBe(true);
  expect(hintAllows(hex('06092a864886f712010202'), ntlm)).toBe(false);
});
