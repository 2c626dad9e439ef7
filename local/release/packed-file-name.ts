/** The tarball that `npm pack --json` has written. npm 11 prints an array, npm 12 an object keyed by package name. */
export function packedFileName(json: string): string {
  const [packed] = Object.values(JSON.parse(json) as Record<string, { filename: string }>);
  return packed!.filename;
}
