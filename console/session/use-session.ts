import { useSyncExternalStore } from 'react';
import { mayOneOf, type Permission } from './permissions.ts';
import { session, type SessionState, type SignedInUser } from './session.ts';

export const useSession = (): SessionState => useSyncExternalStore(session.subscribe, session.state);

/** For components that are shown to signed-in users only. */
export function useUser(): SignedInUser {
  const state = useSession();
  if (state.kind !== 'signedIn') throw new Error('No user is signed in.');
  return state.user;
}

/** Names a user by id: the service knows the name of the signed-in user only. */
export function useUserName(): (userId: string) => string {
  const { id, name } = useUser();
  return (userId) => (userId === id ? name : userId);
}

/** Whether the user has one of the permissions. */
export const useMay = (...needed: readonly Permission[]): boolean => mayOneOf(useUser().permissions, needed);
