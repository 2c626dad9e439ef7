// The glossary has one word for each thing. These are the others, with what to say instead; docs.test.ts keeps them out.

export interface RetiredWords {
  readonly words: readonly string[];
  readonly say: string;
  /** In these, the words are allowed. */
  readonly phrases?: readonly string[];
  readonly files?: readonly string[];
}

export const retiredEverywhere: readonly RetiredWords[] = [
  { words: ['upkeep'], say: 'maintenance' },
  { words: ['claim desk', 'ClaimDesk'], say: 'claim batcher' },
  { words: ['giveBack'], say: 'release' },
  { words: ['standing intent', 'standing intents'], say: 'pending intent' },
  { words: ['lost-answer', 'before-answer'], say: 'lost-response, before-response' },
  { words: ['asker', 'askers'], say: 'requester, caller, client' },
  { words: ['handBack', 'handingBack'], say: 'release' },
  { words: ['mend', 'mends'], say: 'fix' },
  {
    words: ['trouble'],
    say: 'outage, failure, problem',
    phrases: ['the trouble is over', 'troubleMs', 'having trouble signing you in'],
  },
  { words: ['line speed'], say: 'bandwidth' },
  {
    words: [
      'recognise',
      'recognises',
      'modelled',
      'normalise',
      'normalised',
      'normalisation',
      'organisation',
      'licence',
      'favour',
      'honour',
      'honoured',
      'neighbour',
      'centre',
      'judgement',
      'labelled',
      'misspelt',
    ],
    say: 'the American spelling',
  },
  { words: ['contract.md', 'service.md', 'graph.md'], say: 'a page of `docs`' },
  // A value of Azure's locks.
  { words: ['can not'], say: 'cannot', phrases: ['CanNotDelete'] },
  { words: ['behaviour', 'behaviours', 'towards'], say: 'the American spelling' },
];

export const retiredOutsideTests: readonly RetiredWords[] = [
  {
    words: ['answer', 'answers', 'answered', 'answering'],
    say: 'response, reply; respond, reply',
    files: [
      'agent/smb/kerberos/lookup/dns-message.ts',
      'agent/smb/kerberos/lookup/dns.ts',
      'agent/smb/kerberos/lookup/host-lookup.ts',
    ],
  },
  {
    words: ['refuse', 'refuses', 'refused', 'refusing', 'refusals'],
    say: 'reject, deny; error. `refusal` is a field of the AI provider; REFUSED is a code of the DNS',
    files: ['agent/smb/kerberos/lookup/dns.ts'],
  },
  { words: ['at once'], say: 'immediately; concurrently' },
  { words: ['all the same'], say: 'nevertheless' },
  {
    words: ['cancelled', 'cancelling', 'colour', 'colours'],
    say: 'the American spelling',
    files: ['agent/smb/base/status.ts'],
  },
  { words: ['time-out', 'time-outs'], say: 'timeout' },
];
