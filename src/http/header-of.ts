import type { FastifyRequest } from 'fastify';

/** Returns a header's text. Repeated headers are joined. */
export function headerOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  const header = headers[name];
  return Array.isArray(header) ? header.join(', ') : header;
}
