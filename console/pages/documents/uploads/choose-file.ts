/** Lets the user choose one file; undefined if they choose none. Call it in response to a click. */
export function chooseFile(): Promise<File | undefined> {
  const input = document.createElement('input');
  input.type = 'file';
  input.hidden = true;
  // Safari on iPhones and iPads may forget an input that is not in the page, and the choice with it (tldraw/tldraw pull request
  // 7037, silverbulletmd/silverbullet pull request 1886).
  document.body.append(input);
  return new Promise<File | undefined>((resolve) => {
    input.addEventListener('change', () => resolve(input.files?.[0]));
    input.addEventListener('cancel', () => resolve(undefined));
    input.click();
  }).finally(() => input.remove());
}
