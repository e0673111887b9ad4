import type { FastifyRequest } from 'fastify';

/** A header's text; repeated headers are joined. */
export function headerOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  const header = headers[name];
  return Array.isArray(header) ? header.join(', ') : header;
}
