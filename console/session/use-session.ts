import { useSyncExternalStore } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { mayOneOf, type Permission } from './permissions.ts';
import { session, type SessionState, type SignedInUser } from './session.ts';

export const useSession = (): SessionState => useSyncExternalStore(session.subscribe, session.state);

/** For components that are shown to signed-in users only. */
export function useUser(): SignedInUser {
  const state = useSession();
  if (state.kind !== 'signedIn') throw new Error('No user is signed in.');
  return state.user;
}

/** Names a user: by the name that the service has stored, or as the signed-in one. An id says nothing to people. */
export function useUserName(): (userId: string, storedName?: string | null) => string {
  const { id, name } = useUser();
  const { common } = useTexts();
  return (userId, storedName) => storedName ?? (userId === id ? name : common.unknown);
}

/** Whether the user has one of the permissions. */
export const useMay = (...needed: readonly Permission[]): boolean => mayOneOf(useUser().permissions, needed);
