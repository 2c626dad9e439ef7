import { jwtDecode } from 'jwt-decode';

export type Permission =
  | 'BackOffice'
  | 'Management'
  | 'ProjectManager'
  | 'Administrator'
  | 'canCreateActivities';

/** Each of these roles may read projects and contacts. */
export const anyRole: readonly Permission[] = ['BackOffice', 'Management', 'ProjectManager', 'Administrator'];

/**
 * The app roles in an access token. They decide what the page offers; the service decides what is allowed. The id token
 * does not contain them: it belongs to the page's registration, the roles to the API's.
 */
export function permissionsIn(accessToken: string): ReadonlySet<Permission> {
  const { roles = [] } = jwtDecode<{ roles?: Permission[] }>(accessToken);
  return new Set(roles);
}

/** Whether the user has one of them. */
export const mayOneOf = (permissions: ReadonlySet<Permission>, needed: readonly Permission[]): boolean =>
  needed.some((permission) => permissions.has(permission));
