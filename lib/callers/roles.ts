/** App roles as they arrive in the token's `roles` claim (docs/http-contract.md, "Who may call what"). */
export const roles = ['BackOffice', 'Management', 'ProjectManager', 'Administrator'] as const;

/** `canCreateActivities` is a permission, carried as an app role of that name. */
export const permissions = [...roles, 'canCreateActivities'] as const;

export type Permission = (typeof permissions)[number];

/** App roles that only applications can have. */
export const appPermissions = ['Records.Sync'] as const;

export type AppPermission = (typeof appPermissions)[number];
