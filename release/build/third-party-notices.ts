import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundledPackage } from './bundled-packages.ts';

/** Name of the file in the packages that ship. */
export const noticesName = 'THIRD-PARTY-NOTICES.txt';

/** Names of the files that must accompany copies of a package. */
const noticeFile = /^(?:licen[cs]e|copying|notice|copyright|third.?party)/i;
const line = '='.repeat(80);

/**
 * The text that accompanies a bundle: every bundled package with its license texts and notices.
 *
 * @throws Error for a package that has neither a license text nor a license whose text this module has
 */
export async function thirdPartyNotices(packages: readonly BundledPackage[]): Promise<string> {
  const sections = await Promise.all(
    packages.map(async (each) => {
      const { name, version, license } = each;
      return `${line}\n${name} ${version} (${license})\n${line}\n\n${(await textsOf(each)).join('\n\n')}\n`;
    }),
  );
  return `This software contains the following third-party packages.\n\n${sections.join('\n')}`;
}

async function textsOf(each: BundledPackage): Promise<string[]> {
  const entries = await readdir(each.directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && noticeFile.test(entry.name))
    .map(({ name }) => name);
  const texts = await Promise.all(
    names.toSorted().map(async (name) => {
      const text = await readFile(join(each.directory, name), 'utf8');
      return text.replaceAll('\r\n', '\n').trim();
    }),
  );
  const hasLicense = names.some((name) => /^(?:licen[cs]e|copying)/i.test(name));
  return hasLicense ? texts : [standardText(each), ...texts];
}

/** Copyright holders from the license file of the repository, for packages without that file and without an author. */
const holders: Readonly<Record<string, string>> = {
  '@fluentui/react-icons': '2020 Microsoft Corporation',
};

function standardText({ name, license, author: named }: BundledPackage): string {
  const author = named === '' ? (holders[name] ?? '') : named;
  if (license === 'Unlicense')
    return `The package has no license file. Its package.json names this license:

${unlicense}`;
  if (license !== 'MIT' || author === '') {
    throw new Error(
      `${name} has no license file, and there is no text for "${license}" by "${author}": add one in release/build/third-party-notices.ts`,
    );
  }
  return `The package has no license file. Its package.json names this license:

${mitLicense(author)}`;
}

/** https://spdx.org/licenses/MIT */
const mitLicense = (holder: string): string => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

/** https://spdx.org/licenses/Unlicense */
const unlicense = `This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this software,
either in source code form or as a compiled binary, for any purpose, commercial or
non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this software
dedicate any and all copyright interest in the software to the public domain. We make
this dedication for the benefit of the public at large and to the detriment of our heirs
and successors. We intend this dedication to be an overt act of relinquishment in
perpetuity of all present and future rights to this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED,
INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR
PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

For more information, please refer to <https://unlicense.org/>`;
