const maxLength = 80;

/**
 * The directory that is proposed for a project on the file server, by number and name like its folder in the library. The
 * user may change it; the service rejects what a file server cannot store.
 */
export function directoryNameOf({
  number,
  name,
}: {
  readonly number: string;
  readonly name: string;
}): string {
  const joined = `${number}_${name}`.replaceAll(/["*:<>?/\\|]|\p{Cc}/gu, '_').replaceAll(/\s+/g, ' ');
  return joined.slice(0, maxLength).replace(/[ .]+$/, '');
}
