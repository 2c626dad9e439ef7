import type { Rule } from '../rule.ts';
import { conflictRules } from './conflict-rules.ts';
import { contentRules } from './content-rules.ts';
import { folderRules } from './folder-rules.ts';
import type { Library } from './library.ts';
import { settingRules } from './setting-rules.ts';
import { sessionRules } from './session-rules.ts';

export const libraryRules: readonly Rule<Library>[] = [
  ...folderRules,
  ...conflictRules,
  ...sessionRules,
  ...settingRules,
  ...contentRules,
];
