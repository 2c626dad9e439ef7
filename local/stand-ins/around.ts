import type { IncomingMessage, ServerResponse } from 'node:http';

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Puts something between a stand-in and its clients, such as a change that makes it break a rule. */
export type Around = (handler: Handler) => Handler;
