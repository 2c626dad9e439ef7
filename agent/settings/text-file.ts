/**
 * The text of a file as editors and shells of Windows write it: with a byte order mark, and in UTF-16 what PowerShell 5 redirects
 * to a file (vitejs/vite#14564).
 *
 * @param isExact each byte counts: umlauts in a code page would become other characters of a password
 * @throws Error with what is wrong with the file, and never with what is in it
 */
export function textOfFile(bytes: Uint8Array, { isExact = true } = {}): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: isExact }).decode(bytes);
    // Each second byte of text in UTF-16 is zero.
    if (!isExact || !text.includes('\0')) return text;
  } catch {
    // As below.
  }
  throw new Error('the file is not UTF-8; save it as UTF-8');
}
