import { FolderAddRegular, type FluentIcon } from '@fluentui/react-icons';
import type { ComponentType } from 'react';
import type { Permission } from '../session/permissions.ts';
import type { Texts } from '../texts/en.ts';
import { lazyView } from './lazy-view.ts';

export interface Page {
  readonly name: keyof Texts['pages'];
  /** Below the console's path; what follows it is the page's own. */
  readonly path: string;
  readonly icon: FluentIcon;
  /** One of these is needed to see the page. */
  readonly needs: readonly Permission[];
  readonly View: ComponentType;
}

/** In the order of the menu; a user lands on the first one they may see. */
export const pages: readonly Page[] = [
  {
    name: 'folderRequests',
    path: '/folder-requests',
    icon: FolderAddRegular,
    needs: ['BackOffice', 'Management', 'Administrator'],
    View: lazyView(
      async () => (await import('../pages/folder-requests/folder-requests-page.tsx')).FolderRequestsPage,
    ),
  },
];
