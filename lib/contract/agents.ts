/** The wire shapes of the routes about agents. */
import * as z from 'zod';
import { text } from './text.ts';

const agentStates = ['working', 'idle', 'silent'] as const;

export const agent = z
  .object({
    id: z.string().meta({
      example: 'berlin',
      description: 'As in FOLDER_AGENT_API_KEYS; an agent whose key has no id is shown as key-<digest>.',
    }),
    state: z.enum(agentStates).meta({ description: 'silent: no call for three minutes.' }),
    lastSeenAt: z.iso
      .datetime({ precision: 3 })
      .meta({ description: 'Recorded at most once a minute.', example: '2026-11-20T09:58:53.945Z' }),
    version: z.string().nullable().meta({ description: 'null when the caller does not report it.' }),
    host: z.string().nullable(),
    isPaused: z.boolean().meta({ description: 'Its claims find nothing.' }),
    tooOld: z.boolean().meta({ description: 'The agent should be upgraded.' }),
    folderRequestId: z.uuid().nullable().meta({ description: 'The request that the agent is working on.' }),
    fulfilled24h: z.int().min(0).meta({ description: 'In the current hour and the 23 before it.' }),
    failed24h: z.int().min(0),
  })
  .meta({ id: 'Agent' });
export type ListedAgent = z.infer<typeof agent>;

/** `id` as the list shows it. */
export const agentParams = z.strictObject({ id: text(200).min(1).meta({ example: 'berlin' }) });
export const agentChange = z.strictObject({ isPaused: z.boolean() }).meta({ id: 'AgentChange' });

export const agentList = z.object({ items: z.array(agent) }).meta({ id: 'AgentList' });
