import { at } from '../base/copy-error.ts';
import { joinPath } from '../base/share-folder.ts';
import type { FileCalls } from '../smb/index.ts';
import { emptyPathList, notePath, type PathList, quoteName } from '../base/path-list.ts';
import type { IsSkipped } from '../base/skipped-names.ts';

/** More would take `--check` minutes; a template of this size is a mistake. */
const mostDirectories = 2_000;

export interface TemplateNames {
  /** What is not copied because of its name (FOLDER_AGENT_TEMPLATE_SKIP). */
  readonly skipped: PathList;
  /** Names that no path can hold. */
  readonly unusable: PathList;
}

/** Looks through a template for what a copy leaves out. @throws CopyError */
export async function namesLeftOut(template: FileCalls, isSkipped: IsSkipped): Promise<TemplateNames> {
  const names = { skipped: emptyPathList(), unusable: emptyPathList() };
  const waiting = [''];
  for (let visited = 0; visited < mostDirectories; visited += 1) {
    const directory = waiting.shift();
    if (directory === undefined) break;
    const onUnusableName = (name: string) => notePath(names.unusable, joinPath(directory, quoteName(name)));
    const entries = await at('template', template, directory, (path) =>
      template.list(path, { onUnusableName }),
    );
    for (const entry of entries) {
      const path = joinPath(directory, entry.name);
      if (isSkipped(entry.name)) notePath(names.skipped, path);
      else if (entry.isDirectory() && !entry.isReparsePoint()) waiting.push(path);
    }
  }
  return names;
}
