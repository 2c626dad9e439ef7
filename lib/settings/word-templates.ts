import { unescape } from 'node:querystring';
import * as z from 'zod';

/** `name=path;name=path`, as paths by name. A path may contain `=`, such as that of a signature. */
export const wordTemplates = z.string().transform((value, { issues }) => {
  const paths = new Map<string, string>();
  const wrong = (message: string) => issues.push({ code: 'custom', message, input: value });
  for (const entry of value.split(';').filter((each) => each.trim() !== '')) {
    const [, name = '', path = ''] = /^\s*([^=]{1,100}?)\s*=\s*(\S.*?)\s*$/.exec(entry) ?? [];
    if (path === '') wrong('expected name=path;name=path');
    else if (paths.has(name)) wrong(`has the name ${name} twice`);
    paths.set(name, path);
  }
  return paths;
});

/** The path of each template by its name; that of `WORD_TEMPLATE_PATH` is first, and has the name of its file. */
export function templatePaths(path: string, others: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([[templateName(path), path], ...others]);
}

function templateName(path: string): string {
  const isUrl = /^https?:/i.test(path) && URL.canParse(path);
  const file = (isUrl ? unescape(new URL(path).pathname) : path).split(/[/\\]/).at(-1) ?? '';
  return file.replace(/\.\w+$/, '').normalize('NFC');
}

export function wordTemplateFaults(path: string | undefined, others?: ReadonlyMap<string, string>): string[] {
  const name = templateName(path ?? '');
  return others?.has(name)
    ? [`WORD_TEMPLATES: ${name} is already the name of the template of WORD_TEMPLATE_PATH`]
    : [];
}
