/** The text of one part of an address. A malformed part, such as `%E0%A4%A`, stays as it is: there is nothing of that name. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
