import { protocolError } from './smb-error.ts';

export function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const lengthBytes =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

export interface DerElement {
  tag: number;
  content: Buffer;
}

/**
 * The elements side by side in `data`, definite lengths only. Not recursive: the reader asks for each level it expects.
 * @throws {SmbError} `PROTOCOL`
 */
export function derElements(data: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let offset = 0; offset < data.length;) {
    const tag = data[offset]!;
    const first = data[offset + 1] ?? 0xff;
    const lengthBytes = first < 128 ? 0 : first & 127;
    const start = offset + 2 + lengthBytes;
    if (lengthBytes > 4 || first === 128 || start > data.length)
      throw protocolError('a malformed logon token');
    const length = lengthBytes === 0 ? first : data.readUIntBE(offset + 2, lengthBytes);
    if (start + length > data.length) throw protocolError('a malformed logon token');
    elements.push({ tag, content: data.subarray(start, start + length) });
    offset = start + length;
  }
  return elements;
}

/** The contents of the only element of `data`. */
export function onlyElement(data: Buffer, tag: number): Buffer {
  const [element, ...others] = derElements(data);
  if (element?.tag !== tag || others.length > 0) throw protocolError('a malformed logon token');
  return element.content;
}
