import { unescape } from 'node:querystring';
import { type ReadSetting, WrongValue } from '../contract/settings-table.ts';

/** `name=path;name=path`, as paths by name. A path may contain `=`, such as that of a signature. */
export const wordTemplates: ReadSetting<ReadonlyMap<string, string>> = (value) => {
  const paths = new Map<string, string>();
  for (const entry of value.split(';').filter((each) => each.trim() !== '')) {
    const [, name = '', path = ''] = /^\s*([^=]{1,100}?)\s*=\s*(\S.*?)\s*$/.exec(entry) ?? [];
    if (path === '') throw new WrongValue('expected name=path;name=path');
    if (paths.has(name)) throw new WrongValue(`has the name ${name} twice`);
    paths.set(name, path);
  }
  return paths;
};

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
