import type { FastifyRequest } from 'fastify';

/** The values of a repeated header are joined. */
export function headerOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  const header = headers[name];
  return Array.isArray(header) ? header.join(', ') : header;
}
