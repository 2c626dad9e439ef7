// Checks of what a caller passes. As with `fs`, a fault is a TypeError or a RangeError and nothing was done by then; a
// TypeError also names what `fs` has and this package has not.

type TypeName = 'boolean' | 'number' | 'string' | 'function' | 'object' | 'any';

/**
 * Options that are undefined count as left out; `signal` is known to every call.
 * @throws {TypeError}
 */
export function checkOptions(
  operation: string,
  options: unknown,
  known: Readonly<Record<string, TypeName>> = {},
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(
      `${operation}: ${quoteValue(options)} is not supported; expected an object of options`,
    );
  }
  const types: Readonly<Record<string, TypeName>> = { ...known, signal: 'object' };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(types, name)) {
      const names = Object.keys(types).join(', ');
      throw new TypeError(`${operation}: the option ${name} is not supported; expected one of ${names}`);
    }
    const type = types[name]!;
    const isSignal = name !== 'signal' || (value instanceof Object && 'aborted' in value);
    if (type !== 'any' && (typeof value !== type || !isSignal)) {
      throw new TypeError(
        `${operation}: ${name} is a ${name === 'signal' ? 'AbortSignal' : type}, not ${quoteValue(value)}`,
      );
    }
  }
}

/** @throws {TypeError} unless the value is one of `values` */
export function checkOneOf(
  operation: string,
  name: string,
  value: unknown,
  values: readonly unknown[],
): void {
  if (values.includes(value)) return;
  throw new TypeError(
    `${operation}: ${name} ${quoteValue(value)} is not supported; expected ${values.join(', ')}`,
  );
}

/** @throws {TypeError} for what is no number, {RangeError} for what is no whole number from 0 to `most` */
export function checkCount(
  operation: string,
  name: string,
  value: unknown,
  most = Number.MAX_SAFE_INTEGER,
): asserts value is number {
  if (typeof value !== 'number')
    throw new TypeError(`${operation}: ${name} is a number, not ${quoteValue(value)}`);
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new RangeError(`${operation}: ${name} ${value} is not a whole number from 0 to ${most}`);
  }
}

/** @throws {TypeError} for an encoding that Node does not have */
export function checkEncoding(operation: string, encoding: unknown): asserts encoding is BufferEncoding {
  if (typeof encoding === 'string' && Buffer.isEncoding(encoding)) return;
  throw new TypeError(`${operation}: the encoding ${quoteValue(encoding)} is unknown`);
}

/** @throws {TypeError} unless it is a date, or a number of seconds since 1970; {RangeError} for one that no file can have */
export function dateFrom(operation: string, time: unknown): Date {
  if (!(time instanceof Date) && (typeof time !== 'number' || !Number.isFinite(time))) {
    throw new TypeError(
      `${operation}: ${quoteValue(time)} is not supported as a time; expected a Date or a number of seconds`,
    );
  }
  const date = typeof time === 'number' ? new Date(time * 1000) : time;
  const year = date.getUTCFullYear();
  if (year > 1601 && year < 30_828 && (typeof time !== 'number' || time >= 0)) return date;
  throw new RangeError(`${operation}: ${String(time)} is not a time that a file can have`);
}

/** The bytes of text or of any view of memory, as in `fs`. */
export function bytesToWrite(contents: unknown, encoding: BufferEncoding): Uint8Array {
  checkEncoding('contents', encoding);
  if (typeof contents === 'string') return Buffer.from(contents, encoding);
  if (!ArrayBuffer.isView(contents)) {
    throw new TypeError(
      'contents: expected text, a view of memory such as a Buffer, or an iterable of these',
    );
  }
  return Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength);
}

/** The part of a buffer that `read` and `write` of a file use, from arguments in any of the forms of `fs`. */
export function partOf(
  operation: string,
  buffer: unknown,
  offsetOrOptions: unknown,
  givenLength: unknown,
  givenPosition: unknown,
): { bytes: Uint8Array; position: number } {
  if (!ArrayBuffer.isView(buffer)) {
    throw new TypeError(
      `${operation}: the buffer is a Buffer or another view of memory, not ${quoteValue(buffer)}`,
    );
  }
  const isObject = typeof offsetOrOptions === 'object' && offsetOrOptions !== null;
  if (isObject) checkOptions(operation, offsetOrOptions, { offset: 'any', length: 'any', position: 'any' });
  const given = isObject
    ? (offsetOrOptions as { offset?: unknown; length?: unknown; position?: unknown })
    : { offset: offsetOrOptions, length: givenLength, position: givenPosition };
  const offset = given.offset ?? 0;
  checkCount(operation, 'offset', offset, buffer.byteLength);
  const length = given.length ?? buffer.byteLength - offset;
  checkCount(operation, 'length', length, buffer.byteLength - offset);
  if (given.position === undefined || given.position === null) {
    throw new TypeError(
      `${operation}: a current position is not supported; expected the position as a number`,
    );
  }
  checkCount(operation, 'position', given.position);
  return {
    bytes: new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length),
    position: given.position,
  };
}

export const quoteValue = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : value === null
      ? 'null'
      : typeof value === 'number'
        ? String(value)
        : typeof value;
