import { setFips } from 'node:crypto';
import { expect, test } from 'vitest';
import { mechanismChecksum, ntlmAuthentication, ntlmV2Key, proveIdentity } from '../account/ntlm.ts';
import { readChallenge } from '../account/ntlm-messages.ts';
import { readSessionSetup } from '../wire/session.ts';
import { readElements, readOnly } from '../kerberos/der.ts';
import { mechanismList, readNegTokenResponse } from '../account/spnego.ts';
import { hex, published, sessions } from './vectors.ts';

const vector = published['ntlm_MS-NLMP_4.2.4'];
const account = {
  domain: vector.domain,
  username: vector.user,
  password: vector.password,
  serverName: 'Server',
  workstation: 'COMPUTER',
};

test('the NTLMv2 key, proof and session key of MS-NLMP 4.2.4', () => {
  expect(ntlmV2Key(account).toString('hex')).toBe(vector.NTOWFv2);
  const temp = hex(vector.temp);
  const proof = proveIdentity(
    account,
    {
      flags: 0,
      serverChallenge: hex(vector.serverChallenge),
      timestamp: undefined,
      // The client of the vector adds nothing to the server's target information.
      completeInfo: () => temp.subarray(28, -4),
    },
    {
      clientChallenge: hex(vector.clientChallenge),
      exportedSessionKey: hex(vector.randomSessionKey),
      now: 0n,
    },
  );
  expect(proof.ntResponse.toString('hex')).toBe(vector.NTProofStr + vector.temp);
  expect(proof.keyExchangeKey.toString('hex')).toBe(vector.SessionBaseKey);
  expect(proof.lmResponse.toString('hex')).toBe(vector.LMv2mac + vector.clientChallenge);
});

test('the key contains the user name in simple uppercase and the domain unchanged', () => {
  const key = (username: string, domain: string) =>
    ntlmV2Key({ username, domain, password: 'x' }).toString('hex');
  expect(key('jürgen', 'D')).toBe(key('JÜRGEN', 'D'));
  expect(key('strauß', 'D')).not.toBe(key('STRAUSS', 'D'));
  expect(key('a', 'd')).not.toBe(key('a', 'D'));
});

test('the mechanism checksums of a published logon, in both directions', () => {
  const logon = published['smb311_MSblog'];
  const key = hex(logon.exportedSessionKey);
  // The published client offered four mechanisms.
  const init = readSetupToken(hex(logon.frames.sessionSetup1Request));
  const inner = readOnly(readOnly(Buffer.from(init.subarray(init.indexOf(0xa0))), 0xa0), 0x30);
  const mechanisms = readElements(inner)[0]!.content;
  expect(mechanismChecksum(key, 'client-to-server', mechanisms).toString('hex')).toBe(
    logon.clientMechListMIC,
  );
  expect(mechanismChecksum(key, 'server-to-client', mechanisms).toString('hex')).toBe(
    logon.serverMechListMIC,
  );
});

test.each(sessions)('$label: the recorded logon is reproduced byte for byte', (session) => {
  const [, , first, challengeFrame, last, final] = session.frames.map(({ plain }) => plain);
  const response = readSetupToken(last!);
  const type3 = response.subarray(response.indexOf('NTLMSSP'));
  const ntResponse = type3.subarray(type3.readUInt32LE(24));
  const authentication = ntlmAuthentication(
    { domain: '', username: 'svc', password: 'pw12345', serverName: '127.0.0.1', workstation: 'AGENT' },
    {
      clientChallenge: Buffer.from(ntResponse.subarray(32, 40)),
      exportedSessionKey: session.exportedSessionKey,
      now: 0n,
    },
  );
  const init = readSetupToken(first!);
  expect(init.subarray(init.indexOf('NTLMSSP'))).toEqual(authentication.start());
  const { mechanisms: offered } = authentication;
  const { token } = readNegTokenResponse(readSessionSetup(challengeFrame!).token, offered);
  const produced = authentication.respond(token!);
  expect(produced.toString('hex')).toBe(type3.subarray(0, produced.length).toString('hex'));
  const mechanisms = mechanismList(offered);
  expect(response.subarray(-16)).toEqual(authentication.signMechanisms(mechanisms));
  const { state, checksum } = readNegTokenResponse(readSessionSetup(final!).token, offered);
  expect(state).toBe('completed');
  expect(authentication.verifyMechanisms(mechanisms, checksum!)).toBe(true);
  expect(authentication.verifyMechanisms(mechanisms, Buffer.alloc(16))).toBe(false);
});

const challenge = () => {
  const frame = sessions[0]!.frames[3]!.plain;
  const token = readSessionSetup(frame).token;
  return Buffer.from(token.subarray(token.indexOf('NTLMSSP')));
};

test('a challenge cut anywhere is rejected', () => {
  const whole = challenge();
  readChallenge(whole);
  for (let length = 0; length < 48; length += 1) {
    expect(() => readChallenge(whole.subarray(0, length)), `${length}`).toThrow(/malformed NTLM challenge/);
  }
});

test('target information that is unterminated or beyond the message is rejected', () => {
  const endless = challenge();
  const offset = endless.readUInt32LE(44);
  endless.writeUInt16LE(endless.readUInt16LE(40) - 4, 40);
  expect(() => readChallenge(endless)).toThrow(/without an end/);
  const overlong = challenge();
  overlong.writeUInt16LE(0xffff, offset + 2);
  expect(() => readChallenge(overlong)).toThrow(/does not add up/);
  const outside = challenge();
  outside.writeUInt32LE(0xffff_fff0, 44);
  expect(() => readChallenge(outside)).toThrow(/malformed NTLM challenge/);
});

test.each([
  ['128-bit keys', 0x20000000],
  ['key exchange', 0x40000000],
  ['extended session security', 0x80000],
  ['signing', 0x10],
])('a server without %s is rejected', (_name, flag) => {
  const weak = challenge();
  weak.writeUInt32LE((weak.readUInt32LE(20) & ~flag) >>> 0, 20);
  expect(() => readChallenge(weak)).toThrow(expect.objectContaining({ code: 'NTLM_UNAVAILABLE' }));
});

test('a process that may use only what FIPS approves has no NTLM, which needs MD5', () => {
  setFips(true);
  try {
    expect(() => ntlmAuthentication(account)).toThrow(expect.objectContaining({ code: 'NTLM_UNAVAILABLE' }));
  } finally {
    setFips(false);
  }
  expect(() => ntlmAuthentication(account)).not.toThrow();
});

function readSetupToken(request: Buffer): Buffer {
  const offset = request.readUInt16LE(76);
  return request.subarray(offset, offset + request.readUInt16LE(78));
}
