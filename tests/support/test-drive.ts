import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { type DriveOptions, type RunningDrive, startDrive } from '../../local/stand-ins/drive/start-drive.ts';
import { createLocalCa } from '../../local/stand-ins/local-ca.ts';

export const anna = { oid: '0b8f4f0c-5a2e-4d53-8a41-3c2a5c1f7a01', name: 'Anna Amsel' };
export const bernd = { oid: '7c1d9a52-0e6b-4f7e-9d0b-5be3f1c2ab02', name: 'Bernd Buchfink' };
const issuer = 'https://sts.example.test/';

interface TokenClaims {
  oid?: string;
  name?: string;
  scp?: string;
  aud?: string;
  exp?: number;
}

export interface TestDrive extends RunningDrive {
  /** A Graph token; by default Anna's, valid for an hour and for files, sites, and her profile. */
  token: (claims?: TokenClaims) => Promise<string>;
  /** Below /v1.0, as Anna unless `token` says otherwise; a string or bytes are sent as they are, objects as JSON. */
  graph: (method: string, path: string, options?: CallOptions) => Promise<DriveResponse>;
  /** The library's root: `/drives/{id}`. */
  library: string;
  /** The authority's certificate, for clients in other processes. */
  certificatePath: string;
  fault: (fault: object, on?: object) => Promise<void>;
}

interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
  token?: string;
}

export interface DriveResponse {
  status: number;
  headers: Headers;
  /** Parsed JSON, text if it is not JSON, null if there is no body. */
  body: any;
}

/** Of all drives of a process, because a pair takes 60 ms of processor time. */
let keyPair: ReturnType<typeof generateKeyPair> | undefined;

/** A separate drive emulator with a certificate that this process trusts. */
export async function startTestDrive(options: Partial<DriveOptions> = {}): Promise<TestDrive> {
  keyPair ??= generateKeyPair('RS256');
  const { privateKey, publicKey } = await keyPair;
  const directory = await mkdtemp(join(tmpdir(), 'test-drive-'));
  const ca = await createLocalCa(directory);
  setDefaultCACertificates([...getCACertificates(), ca.certificate]);
  const running = await startDrive({
    // The names of Graph and of the content host, and the name by which rclone is directed here.
    tls: await ca.issue('localhost', '127.0.0.1', 'graph.microsoft.com'),
    verifyToken: async (token) =>
      (await jwtVerify(token, publicKey, { issuer, clockTolerance: '100y' })).payload,
    ...options,
  });
  const nowSeconds = () => Math.floor((options.now?.() ?? Date.now()) / 1000);
  const token = ({ exp, aud = 'https://graph.microsoft.com', ...claims }: TokenClaims = {}) =>
    new SignJWT({ ...anna, scp: 'Files.ReadWrite.All Sites.Read.All User.Read', ...claims })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(issuer)
      .setAudience(aud)
      .setExpirationTime(exp ?? nowSeconds() + 3600)
      .sign(privateKey);
  const annasToken = await token();

  const graph = async (
    method: string,
    path: string,
    { body, headers = {}, token = annasToken }: CallOptions = {},
  ) => {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    return call(`${running.url}/v1.0${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(isRaw ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
  };
  const { admin } = running;
  return {
    ...running,
    token,
    graph,
    library: `/drives/${running.driveId}`,
    certificatePath: ca.certificatePath,
    close: async () => {
      await running.close();
    },
    fault: (fault, on = {}) => admin('POST', '/faults', { fault, on }),
  };
}

/** Never follows redirects and accepts any status. */
export async function call(url: string, init: RequestInit = {}): Promise<DriveResponse> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text || null,
  };
}

/** One fragment: bytes `start` to `end` (exclusive) of `bytes`. */
export function putFragment(
  uploadUrl: string,
  bytes: Uint8Array<ArrayBuffer>,
  start: number,
  end: number,
  headers: Record<string, string> = {},
): Promise<DriveResponse> {
  return call(uploadUrl, {
    method: 'PUT',
    headers: { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}`, ...headers },
    body: bytes.subarray(start, end),
  });
}
