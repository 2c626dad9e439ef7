import { expect, test } from 'vitest';
import { SmbError } from '../index.ts';
import { readCreate } from '../wire/create.ts';
import { readDirectory } from '../wire/directory.ts';
import { readRead, readWrite } from '../wire/file-io.ts';
import { readHeader, splitCompound } from '../wire/header.ts';
import { readCopyChunk, readResumeKey } from '../wire/ioctl.ts';
import { readNegotiate } from '../wire/negotiate.ts';
import { readAlternateStreams, readFileSystemSize, readHasNamedStreams, readId } from '../wire/query-info.ts';
import { readSessionSetup, readTreeConnect } from '../wire/session.ts';
import { readChallenge } from '../account/ntlm-messages.ts';
import { readNegTokenResponse } from '../account/spnego.ts';
import { Random, mutated } from './support/wire/mutations.ts';
import * as responses from './support/scripted-server/responses.ts';
import { scriptedChallenge, scriptedNegotiate } from './support/scripted-server/server.ts';
import { challengeToken } from './support/scripted-server/tokens.ts';

const offer = {
  dialects: ['3.1.1'],
  ciphers: ['AES-128-GCM'],
  signingAlgorithms: ['AES-128-GMAC'],
  clientGuid: Buffer.alloc(16),
  salt: Buffer.alloc(32),
} as const;
const ntlm = [Buffer.from('060a2b06010401823702020a', 'hex')];
const file = { name: 'Übersicht.docx', size: 5_000, directory: false };
const fileId = Buffer.alloc(16);

const response = (body: Buffer) => {
  const whole = responses.message({ command: 0, messageId: 1n, treeId: 5, sessionId: 9n }, body);
  whole.writeUInt32LE(1, 16);
  return whole;
};
const ioctl = (output: Buffer) => response(responses.ioctlBody(0, fileId, output));
const information = (data: Buffer) => response(responses.queryBody(data));
const compound = Buffer.concat([
  response(responses.setInfoBody()),
  Buffer.alloc(6),
  response(Buffer.alloc(16)),
]);
compound.writeUInt32LE(72, 20);
/** FILE_STREAM_INFORMATION: the contents and one other stream. */
const streams = Buffer.alloc(40 + 24 + 26);
for (const [at, next, name] of [
  [0, 40, '::$DATA'],
  [40, 0, ':notes:$DATA'],
] as const) {
  streams.writeUInt32LE(next, at);
  streams.writeUInt32LE(streams.write(name, at + 24, 'utf16le'), at + 4);
}

/** What is mutated, and the functions that read it. */
const readers: Record<string, [original: Buffer, ...read: ((mutant: Buffer) => unknown)[]]> = {
  frame: [compound, (frame) => splitCompound(frame).map(readHeader)],
  NEGOTIATE: [
    response(responses.negotiateBody(2, scriptedNegotiate)),
    (message) => readNegotiate(message, offer),
  ],
  SESSION_SETUP: [response(responses.sessionSetupBody(challengeToken(scriptedChallenge))), readSessionSetup],
  'logon token': [challengeToken(scriptedChallenge), (token) => readNegTokenResponse(token, ntlm)],
  'NTLM challenge': [scriptedChallenge, (message) => readChallenge(message).completeInfo('cifs/host')],
  TREE_CONNECT: [response(responses.treeConnectBody()), readTreeConnect],
  CREATE: [response(responses.createBody(file)), readCreate],
  READ: [response(responses.readBody(Buffer.alloc(50))), (message) => readRead(message, 50)],
  WRITE: [response(responses.writeBody(50)), (message) => readWrite(message, 50)],
  QUERY_DIRECTORY: [
    information(responses.directoryEntries([file, { ...file, name: 'folder', directory: true }], 1)),
    readDirectory,
  ],
  QUERY_INFO: [information(Buffer.alloc(32, 1)), readHasNamedStreams, readFileSystemSize, readId],
  streams: [information(streams), readAlternateStreams],
  IOCTL: [ioctl(Buffer.alloc(32)), readResumeKey, readCopyChunk],
};

test.each(Object.entries(readers))(
  '5,000 mutated messages: %s: a result or an SmbError',
  (_, [original, ...read]) => {
    const random = new Random(20_261_126);
    for (const reader of read) reader(Buffer.from(original));
    let rejected = 0;
    for (let round = 0; round < 5_000; round += 1) {
      const mutant = mutated(original, random);
      for (const reader of read) {
        try {
          reader(mutant);
        } catch (error) {
          rejected += 1;
          if (!(error instanceof SmbError))
            throw new Error(`round ${round}: ${mutant.toString('hex')}`, { cause: error });
        }
      }
    }
    expect(rejected).toBeGreaterThan(500);
    expect(rejected).toBeLessThan(5_000 * read.length);
  },
);
