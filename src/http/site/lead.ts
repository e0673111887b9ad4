import type { FastifyReply } from 'fastify';

/** Sends the browser on to an address that depends on who asks. */
export const lead = (reply: FastifyReply, location: string): FastifyReply =>
  reply.code(303).headers({ 'Cache-Control': 'no-store', Vary: 'Cookie', Location: location }).send();
