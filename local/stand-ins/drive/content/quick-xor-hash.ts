// quickXorHash, the only hash that SharePoint returns: byte i is XORed into a 160-bit register at bit 11·i mod 160, then
// the length is XORed into the last 64 bits. The positions repeat every 160 bytes, so blocks of 160 bytes can first be
// XORed with each other and distributed only at the end: four bytes per step instead of one.
const blockBytes = 160;

export class QuickXorHash {
  readonly #block = new Uint8Array(blockBytes);
  readonly #words = new Int32Array(this.#block.buffer);
  #length = 0;

  update(data: Uint8Array): void {
    const block = this.#block;
    let index = 0;
    let position = this.#length % blockBytes;
    this.#length += data.length;
    while (position !== 0 && index < data.length) {
      block[position] = (block[position] ?? 0) ^ (data[index++] ?? 0);
      position = (position + 1) % blockBytes;
    }
    const blocks = Math.floor((data.length - index) / blockBytes);
    if (blocks > 0) {
      this.#xorBlocks(data.subarray(index, index + blocks * blockBytes));
      index += blocks * blockBytes;
    }
    while (index < data.length) {
      block[position] = (block[position] ?? 0) ^ (data[index++] ?? 0);
      position += 1;
    }
  }

  #xorBlocks(data: Uint8Array): void {
    const aligned = data.byteOffset % 4 === 0 ? data : new Uint8Array(data);
    const source = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
    const target = this.#words;
    for (let start = 0; start < source.length; start += target.length) {
      for (let word = 0; word < target.length; word++) {
        target[word] = (target[word] as number) ^ (source[start + word] as number);
      }
    }
  }

  /** A copy, so that the bytes of an aborted fragment can be discarded. */
  clone(): QuickXorHash {
    const copy = new QuickXorHash();
    copy.#block.set(this.#block);
    copy.#length = this.#length;
    return copy;
  }

  base64(): string {
    const register = Buffer.alloc(20);
    this.#block.forEach((byte, index) => {
      const bit = (index * 11) % 160;
      const at = bit >> 3;
      const spread = byte << (bit & 7);
      register[at] = (register[at] ?? 0) ^ (spread & 0xff);
      const next = (at + 1) % 20;
      register[next] = (register[next] ?? 0) ^ (spread >> 8);
    });
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(this.#length));
    length.forEach((byte, index) => {
      register[12 + index] = (register[12 + index] ?? 0) ^ byte;
    });
    return register.toString('base64');
  }
}
