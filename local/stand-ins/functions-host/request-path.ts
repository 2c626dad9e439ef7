// The path of a request as Kestrel decodes it and YARP encodes it again; measured with Kestrel of .NET 10 and YARP 2.1.

/**
 * Decodes a path like Kestrel: percent-encoded UTF-8 becomes characters, `%2F` and invalid UTF-8 remain unchanged, and dot
 * segments are removed after that, so `%2e%2e` is one too.
 *
 * @returns undefined for a path to which Kestrel responds with 400: one with `%00`, or with a byte outside ASCII
 */
export function decodePath(path: string): string | undefined {
  // eslint-disable-next-line no-control-regex -- matches all of ASCII
  if (!/^[\x01-\x7f]*$/.test(path)) return undefined;
  const decoded = path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) =>
    decodeRun(Buffer.from(run.replaceAll('%', ''), 'hex'), run),
  );
  return decoded.includes('\0') ? undefined : withoutDotSegments(decoded);
}

/** YARP's encoding of a decoded path. A `%` is always encoded: `%2F` is forwarded as `%252F`. */
export function encodePath(path: string): string {
  return path.replaceAll(/[^\w\-.~!$&'()*+,;=:@/]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

function decodeRun(bytes: Buffer, run: string): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let index = 0;
  while (index < bytes.length) {
    const first = bytes[index]!;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const character =
      first === 0x2f ? undefined : decodeOrUndefined(decoder, bytes.subarray(index, index + length));
    text += character ?? run.slice(index * 3, index * 3 + 3);
    index += character === undefined ? 1 : length;
  }
  return text;
}

function decodeOrUndefined(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** RFC 3986, 5.2.4. */
function withoutDotSegments(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/');
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === '..' && kept.length > 1) kept.pop();
    else if (segment !== '.' && segment !== '..') kept.push(segment);
    if (isLast && (segment === '.' || segment === '..')) kept.push('');
  }
  return kept.join('/');
}
