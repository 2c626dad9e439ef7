import {
  DataUsageRegular,
  DocumentRegular,
  FolderAddRegular,
  MailRegular,
  PersonRegular,
  ServerRegular,
  type FluentIcon,
} from '@fluentui/react-icons';
import { anyRole, type Permission } from '../session/permissions.ts';
import type { Texts } from '../texts/en.ts';
import { lazyView, type LazyView } from './lazy-view.tsx';

export interface Page {
  readonly name: keyof Texts['pages'];
  /** Relative to the console's path; the page itself routes everything below it. */
  readonly path: string;
  readonly icon: FluentIcon;
  /** The page requires one of these. */
  readonly needs: readonly Permission[];
  readonly view: LazyView;
}

/** In the order of the menu; a user starts on the first page they may see. */
export const pages: readonly Page[] = [
  {
    name: 'overview',
    path: '/overview',
    icon: DataUsageRegular,
    needs: ['Administrator'],
    view: lazyView(async () => (await import('../pages/overview/overview-page.tsx')).OverviewPage),
  },
  {
    name: 'folderRequests',
    path: '/folder-requests',
    icon: FolderAddRegular,
    needs: ['BackOffice', 'Management', 'Administrator'],
    view: lazyView(
      async () => (await import('../pages/folder-requests/folder-requests-page.tsx')).FolderRequestsPage,
    ),
  },
  {
    name: 'agents',
    path: '/agents',
    icon: ServerRegular,
    needs: ['Administrator'],
    view: lazyView(async () => (await import('../pages/agents/agents-page.tsx')).AgentsPage),
  },
  {
    name: 'documents',
    path: '/documents',
    icon: DocumentRegular,
    needs: anyRole,
    view: lazyView(async () => (await import('../pages/documents/documents-page.tsx')).DocumentsPage),
  },
  {
    name: 'activities',
    path: '/activities',
    icon: MailRegular,
    needs: ['canCreateActivities'],
    view: lazyView(async () => (await import('../pages/activities/activities-page.tsx')).ActivitiesPage),
  },
  {
    name: 'contacts',
    path: '/contacts',
    icon: PersonRegular,
    needs: anyRole,
    view: lazyView(async () => (await import('../pages/contacts/contacts-page.tsx')).ContactsPage),
  },
];
