import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { checksum, decrypt, KeyUsage, randomKey } from '../../../kerberos/crypto/encryption.ts';
import { encryptionType, type Key } from '../../../kerberos/crypto/encryption-types.ts';
import { Fields } from '../../../kerberos/der.ts';
import type { KdcAddress } from '../../../kerberos/index.ts';
import { stringToKey } from '../../../kerberos/crypto/key-derivation.ts';
import type { Principal } from '../../../kerberos/principal.ts';
import { systemRandom } from '../../../kerberos/base/random.ts';
import {
  encryptionTypeInfo,
  kdcReply,
  krbError,
  type ErrorContent,
  type KdcRequest,
  type OfferedType,
  preauthList,
  readApRequest,
  readAuthenticator,
  readKdcRequest,
  readTicketPart,
  type ReplyContent,
  ticket,
  ticketUsage,
} from './messages.ts';

export const scriptedUser = { name: 'agent', password: 'Geheim-4711' };

/** What a test changes in an otherwise correct KDC of `FIRMA.TEST`. */
export interface KdcScript {
  /** Changes a reply before it is encrypted, as a KDC with the keys can. */
  readonly reply?: (content: ReplyContent, request: KdcRequest) => ReplyContent;
  /** Changes the bytes of a message, as an attacker on the path can. */
  readonly wire?: (message: Buffer, request: KdcRequest) => Buffer;
  /** An error instead of a response. */
  readonly reject?: (
    request: KdcRequest,
    isProved: boolean,
  ) => (Partial<ErrorContent> & { code: number }) | undefined;
  /** Bytes on the connection instead of a framed message. */
  readonly raw?: (request: KdcRequest, socket: Socket) => void;
  readonly offers?: readonly OfferedType[];
  readonly now?: () => number;
  readonly ticketLifetimeMs?: number;
  readonly isRenewable?: boolean;
}

const lifetimeMs = 10 * 3_600_000;

/**
 * A KDC with one account, `agent`, and every service. It is strict: a proof that cannot be decrypted or is five
 * minutes off is rejected with the codes of MIT's KDC.
 */
export class ScriptedKdc {
  readonly realm = 'FIRMA.TEST';
  script: KdcScript;
  readonly requests: KdcRequest[] = [];
  /** The key of every service. */
  readonly serviceKey: Key = randomKey(18, systemRandom);
  readonly #krbtgtKey: Key = randomKey(18, systemRandom);
  readonly #server: Server;
  readonly #userKeys = new Map<string, Promise<Key>>();
  readonly #sockets = new Set<Socket>();

  private constructor(script: KdcScript) {
    this.script = script;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(script: KdcScript = {}): Promise<ScriptedKdc> {
    const kdc = new ScriptedKdc(script);
    kdc.#server.listen(0, '127.0.0.1');
    await once(kdc.#server, 'listening');
    return kdc;
  }

  get kdcs(): Record<string, KdcAddress[]> {
    return { [this.realm]: [{ host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port }] };
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4 || received.length < 4 + received.readUInt32BE()) return;
      const request = readKdcRequest(received.subarray(4));
      this.requests.push(request);
      if (this.script.raw) return this.script.raw(request, socket);
      void this.respond(request).then((message) => {
        const changed = this.script.wire?.(message, request) ?? message;
        const length = Buffer.alloc(4);
        length.writeUInt32BE(changed.length);
        socket.end(Buffer.concat([length, changed]));
      });
    });
  }

  /** The message that responds to a request. */
  respond(request: KdcRequest): Promise<Buffer> {
    return request.kind === 'AS' ? this.#respondAs(request) : this.#respondTgs(request);
  }

  now(): number {
    return this.script.now?.() ?? Date.now();
  }

  get #offers(): readonly OfferedType[] {
    return this.script.offers ?? [{ type: 18, salt: 'FIRMA.TESTagent', iterations: 4_096 }];
  }

  #rejection(request: KdcRequest, content: Partial<ErrorContent> & { code: number }): Buffer {
    const { realm, service } = request;
    const data = preauthList([[19, encryptionTypeInfo(this.#offers)]]);
    return krbError({
      serverTime: this.now(),
      realm,
      service,
      ...(content.code === 25 && { data }),
      ...content,
    });
  }

  async #respondAs(request: KdcRequest): Promise<Buffer> {
    const proof = request.preauth.get(2);
    const rejected = this.script.reject?.(request, proof !== undefined);
    if (rejected) return this.#rejection(request, rejected);
    if (proof === undefined) return this.#rejection(request, { code: 25 });
    const sealed = new Fields(proof);
    const offer = this.#offers.find(({ type }) => type === sealed.integer(0))!;
    const key = await this.#keyOf(offer);
    let stamp: Fields;
    try {
      stamp = new Fields(decrypt(key, KeyUsage.encryptedTimestamp, sealed.octets(2)));
    } catch {
      return this.#rejection(request, { code: 24 });
    }
    if (Math.abs(stamp.time(0) - this.now()) > 300_000) return this.#rejection(request, { code: 37 });
    const { checksumType } = encryptionType(key.encryptionType);
    return this.#granted(request, {
      replyKey: key,
      usage: KeyUsage.asReply,
      client: request.client!,
      requestChecksum: {
        type: checksumType,
        value: checksum(key, KeyUsage.asRequestChecksum, request.message),
      },
    });
  }

  #keyOf(offer: OfferedType): Promise<Key> {
    const id = JSON.stringify(offer);
    const known = this.#userKeys.get(id);
    if (known !== undefined) return known;
    const iterations = Buffer.alloc(4);
    iterations.writeUInt32BE(offer.iterations ?? 4_096);
    const salt = Buffer.from(offer.salt ?? `${this.realm}${scriptedUser.name}`);
    const key = stringToKey(offer.type, scriptedUser.password, salt, iterations);
    this.#userKeys.set(id, key);
    return key;
  }

  async #respondTgs(request: KdcRequest): Promise<Buffer> {
    const rejected = this.script.reject?.(request, true);
    if (rejected) return this.#rejection(request, rejected);
    const proof = this.#openProof(request);
    if (proof === undefined) return this.#rejection(request, { code: 31 });
    const { sessionKey, client, subkey, time, checksum: covered } = proof;
    if (Math.abs(time - this.now()) > 300_000) return this.#rejection(request, { code: 37 });
    if (!covered.value.equals(checksum(sessionKey, KeyUsage.tgsRequestChecksum, request.body)))
      return this.#rejection(request, { code: 41 });
    return this.#granted(request, {
      replyKey: subkey,
      usage: KeyUsage.tgsReplySubkey,
      client,
      requestChecksum: undefined,
    });
  }

  /** Undefined if the ticket or the authenticator cannot be decrypted. */
  #openProof(request: KdcRequest) {
    try {
      const proof = readApRequest(request.preauth.get(1)!);
      const key = proof.service.parts[0] === 'krbtgt' ? this.#krbtgtKey : this.serviceKey;
      const sessionKey = readTicketPart(decrypt(key, ticketUsage, proof.ticketCipher));
      const opened = decrypt(sessionKey, KeyUsage.tgsRequestAuthenticator, proof.authenticatorCipher);
      return { sessionKey, ...readAuthenticator(opened) };
    } catch {
      return undefined;
    }
  }

  #granted(
    request: KdcRequest,
    response: Pick<ReplyContent, 'replyKey' | 'usage' | 'client' | 'requestChecksum'>,
  ): Buffer {
    const sessionKey = randomKey(18, systemRandom);
    const { ticketLifetimeMs = lifetimeMs, isRenewable = false, reply } = this.script;
    const { kind, nonce, service } = request;
    const key = service.parts[0] === 'krbtgt' ? this.#krbtgtKey : this.serviceKey;
    const second = Math.floor(this.now() / 1000) * 1000;
    const content: ReplyContent = {
      kind,
      sessionKey,
      nonce,
      clientRealm: this.realm,
      realm: this.realm,
      service,
      ticket: this.ticketFor(service, key, sessionKey),
      authTime: second,
      endTime: second + ticketLifetimeMs,
      renewTill: isRenewable ? second + 7 * 86_400_000 : undefined,
      preauth: undefined,
      ...response,
    };
    return kdcReply(reply?.(content, request) ?? content);
  }

  ticketFor(service: Principal, key: Key, sessionKey: Key): Buffer {
    return ticket(this.realm, service, key, sessionKey);
  }
}
