import { protocolError } from '../base/smb-error.ts';
import { zeros } from './header.ts';

// NetrShareEnum of the Server Service (MS-SRVS 3.1.4.8) with entries of level 1 (2.2.4.23), in NDR.

/** 4b324fc8-1670-01d3-1278-5a47bf6ee188, version 3. */
export const serverService = Buffer.from('c84f324b7016d30112785a47bf6ee18803000000', 'hex');
export const shareEnum = 15;
const level = 1;
const referent = 0x20000;

export interface ShareInfo {
  readonly name: string;
  readonly type: 'disk' | 'printer' | 'device' | 'pipe';
  /** For administration (`C$`, `IPC$`); the server's own programs do not show it. */
  readonly isSpecial: boolean;
  /** What the administrator wrote about it. */
  readonly comment: string;
}

const types = ['disk', 'printer', 'device', 'pipe'] as const;
const special = 0x8000_0000;

/** All shares in one response, as far as the server has them at that moment. */
export function shareEnumParameters(): Buffer {
  const data = zeros(32);
  // At 0: no server name, since the call goes to the server itself.
  data.writeUInt32LE(level, 4);
  data.writeUInt32LE(level, 8);
  data.writeUInt32LE(referent, 12);
  // At 16 and 20: an empty container. At 28: no resume handle.
  data.writeUInt32LE(0xffff_ffff, 24);
  return data;
}

/** @returns the shares, or the Windows error code with which the server rejects the call */
export function readShareEnum(results: Buffer): readonly ShareInfo[] | number {
  const reader = new NdrReader(results);
  reader.skip(8);
  const shares: ShareInfo[] = [];
  if (reader.uint32() !== 0) {
    const count = reader.uint32();
    if (reader.uint32() !== 0) {
      reader.skip(4);
      const entries: { hasName: boolean; type: number; hasComment: boolean }[] = [];
      // One by one: for a false count, an array of that length would take memory before the first is read.
      for (let left = count; left > 0; left -= 1) {
        const hasName = reader.uint32() !== 0;
        const type = reader.uint32();
        entries.push({ hasName, type, hasComment: reader.uint32() !== 0 });
      }
      for (const { hasName, type, hasComment } of entries) {
        const name = hasName ? reader.text() : '';
        const comment = hasComment ? reader.text() : '';
        shares.push({ name, type: types[type & 3]!, isSpecial: (type & special) !== 0, comment });
      }
    }
  }
  reader.skip(4);
  if (reader.uint32() !== 0) reader.skip(4);
  const error = reader.uint32();
  return error === 0 ? shares : error;
}

class NdrReader {
  readonly #data: Buffer;
  #at = 0;

  constructor(data: Buffer) {
    this.#data = data;
  }

  skip(bytes: number): void {
    this.#at += bytes;
    if (this.#at > this.#data.length) throw protocolError('a list of shares that is too short');
  }

  uint32(): number {
    this.skip(4);
    return this.#data.readUInt32LE(this.#at - 4);
  }

  /** Size, offset and length in characters, then the characters with their terminating zero. */
  text(): string {
    this.skip(8);
    const bytes = this.uint32() * 2;
    const start = this.#at;
    this.skip(Math.ceil(bytes / 4) * 4);
    return this.#data.toString('utf16le', start, start + bytes).replace(/\0.*$/s, '');
  }
}
