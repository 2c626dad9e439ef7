/** Longer than any browser takes to begin to save what a link points to. */
const keptMs = 60_000;

/** Offers the content to the user as a file. */
export function saveAsFile(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), keptMs);
}
