/** The bytes are not the expected DER. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

// Writing. Every function returns one complete element.

/** An element with this tag and the concatenated contents. */
export function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length > 0xff_ffff) throw new DerError('an element of more than 16 MiB');
  const head =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : length < 0x1_0000
          ? [0x82, length >> 8, length & 255]
          : [0x83, length >> 16, (length >> 8) & 255, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

export const Tag = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  generalizedTime: 0x18,
  generalString: 0x1b,
  sequence: 0x30,
} as const;

/** Tag of the context field `[number]`, constructed. */
export const contextTag = (number: number) => 0xa0 | number;
/** Tag of `[APPLICATION number]`, constructed. */
export const applicationTag = (number: number) => 0x60 | number;

/** A SEQUENCE; absent optional parts are left out. */
export function sequence(...parts: readonly (Buffer | undefined)[]): Buffer {
  return der(Tag.sequence, ...parts.filter((part) => part !== undefined));
}

export function field(number: number, content: Buffer): Buffer;
export function field(number: number, content: Buffer | undefined): Buffer | undefined;
export function field(number: number, content: Buffer | undefined): Buffer | undefined {
  return content === undefined ? undefined : der(contextTag(number), content);
}

export const octetString = (content: Buffer) => der(Tag.octetString, content);
export const generalString = (text: string) => der(Tag.generalString, Buffer.from(text, 'utf8'));

/** KerberosFlags: 32 bits, the first of them the most significant (RFC 4120 section 5.2.8). */
export function flagBits(bits: number): Buffer {
  const value = Buffer.alloc(5);
  value.writeUInt32BE(bits >>> 0, 1);
  return der(Tag.bitString, value);
}

/** An integer of at most 48 bits, in its shortest form. */
export function integer(value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeIntBE(value, 0, 6);
  let start = 0;
  // A leading byte that only repeats the sign is omitted.
  while (start < 5 && bytes[start] === ((bytes[start + 1] ?? 0) < 0x80 ? 0 : 0xff)) start += 1;
  return der(Tag.integer, bytes.subarray(start));
}

/** The last year with four digits. */
const latestTime = Date.UTC(9999, 11, 31, 23, 59, 59);

/** KerberosTime: whole seconds in UTC (RFC 4120 section 5.2.3). */
export function kerberosTime(milliseconds: number): Buffer {
  if (!(milliseconds >= 0 && milliseconds <= latestTime))
    throw new DerError('a time outside of 1970 to 9999');
  const digits = new Date(milliseconds).toISOString().replaceAll(/\.\d+|[-:T]/g, '');
  return der(Tag.generalizedTime, Buffer.from(digits, 'latin1'));
}

// Reading, level by level: the caller names what it expects, so the sender cannot force deep recursion.

export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Including tag and length. */
  readonly whole: Buffer;
}

/**
 * The adjacent elements in `data`; only definite lengths and one-byte tags.
 * @throws {DerError}
 */
export function readElements(data: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let offset = 0; offset < data.length;) {
    const tag = data[offset]!;
    const first = data[offset + 1] ?? 0xff;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const start = offset + 2 + lengthBytes;
    if ((tag & 0x1f) === 0x1f || first === 0x80 || lengthBytes > 4 || start > data.length)
      throw new DerError('malformed DER');
    const length = lengthBytes === 0 ? first : data.readUIntBE(offset + 2, lengthBytes);
    const end = start + length;
    if (end > data.length) throw new DerError('malformed DER');
    elements.push({ tag, content: data.subarray(start, end), whole: data.subarray(offset, end) });
    offset = end;
  }
  return elements;
}

/**
 * The contents of the only element of `data`.
 * @throws {DerError} also when it has another tag
 */
export function readOnly(data: Buffer, tag: number): Buffer {
  const [element, ...others] = readElements(data);
  if (element?.tag !== tag || others.length > 0)
    throw new DerError(`expected one element 0x${tag.toString(16)}`);
  return element.content;
}

/** The complete elements of a SEQUENCE OF. */
export const readSequenceOf = (data: Buffer) =>
  readElements(readOnly(data, Tag.sequence)).map(({ whole }) => whole);

/** A KerberosString; some KDCs send UTF8String. */
export function readString(data: Buffer): string {
  const [element, ...others] = readElements(data);
  const isText = element?.tag === Tag.generalString || element?.tag === Tag.utf8String;
  if (!isText || others.length > 0) throw new DerError('expected a string');
  return element.content.toString('utf8');
}

/** The fields of a SEQUENCE by their context numbers. Every reading method throws `DerError`. */
export class Fields {
  readonly #byNumber = new Map<number, Buffer>();

  constructor(element: Buffer) {
    for (const { tag, content } of readElements(readOnly(element, Tag.sequence))) {
      if ((tag & 0xe0) !== 0xa0) throw new DerError('expected context fields');
      this.#byNumber.set(tag & 0x1f, content);
    }
  }

  /** Applies `read` to the field; undefined where it is absent. */
  optional<T>(number: number, read: (fields: this, number: number) => T): T | undefined {
    return this.#byNumber.has(number) ? read(this, number) : undefined;
  }

  /** The element inside the field. */
  element(number: number): Buffer {
    const element = this.#byNumber.get(number);
    if (element === undefined) throw new DerError(`field ${number} is missing`);
    return element;
  }

  /** Signed, of at most 48 bits. */
  integer(number: number): number {
    const value = readOnly(this.element(number), Tag.integer);
    if (value.length === 0 || value.length > 6) throw new DerError('an INTEGER out of range');
    return value.readIntBE(0, value.length);
  }

  octets(number: number): Buffer {
    return readOnly(this.element(number), Tag.octetString);
  }

  string(number: number): string {
    return readString(this.element(number));
  }

  flagBits(number: number): number {
    const value = readOnly(this.element(number), Tag.bitString);
    const bits = Buffer.alloc(4);
    value.copy(bits, 0, 1);
    return bits.readUInt32BE(0);
  }

  /** Milliseconds since 1970. */
  time(number: number): number {
    const value = readOnly(this.element(number), Tag.generalizedTime).toString('latin1');
    const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(value);
    if (match === null) throw new DerError('expected a KerberosTime');
    const [year, month, day, hour, minute, second] = match.slice(1).map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, second);
  }
}
