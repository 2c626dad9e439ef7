import { ServiceError } from '../base/service-error.ts';

/**
 * The claims challenge for the caller, who must sign in again with these claims (conditional access).
 *
 * @param claims JSON as the provider sent it; empty if it sent none
 */
export function interactionRequired(claims: string, cause: unknown): ServiceError {
  const challenge = claims && `, claims="${Buffer.from(claims, 'utf8').toString('base64')}"`;
  return new ServiceError('interaction_required', {
    detail:
      'The identity provider requires more, such as a second factor; sign in again with the given claims.',
    headers: { 'www-authenticate': `Bearer error="insufficient_claims"${challenge}` },
    cause,
  });
}
