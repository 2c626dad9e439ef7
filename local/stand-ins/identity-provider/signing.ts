import { randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTPayload,
} from 'jose';

interface KeyPair {
  privateKey: CryptoKey;
  jwk: JWK & { kid: string };
}

type KeySet = ReturnType<typeof createLocalJWKSet>;

/** The provider's keys: a published one for the tokens of this API, and a private one for Graph's. */
export class Signing {
  readonly #issuer: string;
  readonly #published: KeyPair;
  readonly #graph: KeyPair;
  /** Made once, because jose imports the keys of every set anew. */
  readonly #publishedKeys: KeySet;
  readonly #graphKeys: KeySet;
  /** The claims of tokens whose signature was verified, since a caller sends the same token with each of its requests. */
  readonly #verified = new Map<string, JWTPayload>();

  private constructor(issuer: string, published: KeyPair, graph: KeyPair) {
    this.#issuer = issuer;
    this.#published = published;
    this.#graph = graph;
    this.#publishedKeys = createLocalJWKSet(this.keySet);
    this.#graphKeys = createLocalJWKSet({ keys: [graph.jwk] });
  }

  static async create(issuer: string): Promise<Signing> {
    graphKeyPair ??= keyPair();
    return new Signing(issuer, await keyPair(), await graphKeyPair);
  }

  get keySet(): { keys: JWK[] } {
    const key = { ...this.#published.jwk, use: 'sig', issuer: this.#issuer };
    return { keys: [key] };
  }

  /** The given claims override the default issuer and ids. */
  sign(claims: JWTPayload): Promise<string> {
    return signWith(this.#published, { iss: this.#issuer, uti: randomUUID(), ...claims });
  }

  /** Only Graph verifies its tokens, so their key is in no key set. */
  signForGraph(claims: JWTPayload): Promise<string> {
    return signWith(this.#graph, { uti: randomUUID(), ...claims });
  }

  async verify(token: string, now: Date, otherIssuers: readonly string[]): Promise<JWTPayload> {
    const { payload } = await jwtVerify(token, this.#publishedKeys, {
      issuer: [this.#issuer, ...otherIssuers],
      currentDate: now,
      algorithms: ['RS256'],
    });
    return payload;
  }

  /** Verifies only signature and issuer; Graph checks the lifetime. */
  async verifyForGraph(token: string): Promise<JWTPayload> {
    const verified = this.#verified.get(token);
    if (verified) return verified;
    const { payload } = await jwtVerify(token, this.#graphKeys, {
      algorithms: ['RS256'],
      clockTolerance: '100y',
    });
    this.#verified.set(token, payload);
    return payload;
  }
}

/** Of all providers of a process, because a pair takes 60 ms of processor time, and nobody outside sees which it is. */
let graphKeyPair: Promise<KeyPair> | undefined;

async function keyPair(): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { privateKey, jwk: { ...jwk, alg: 'RS256', kid: await calculateJwkThumbprint(jwk) } };
}

function signWith({ privateKey, jwk }: KeyPair, claims: JWTPayload): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: jwk.kid }).sign(privateKey);
}
