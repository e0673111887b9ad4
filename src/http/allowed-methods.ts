import type { FastifyRequest } from 'fastify';
import { refuse } from './http.refusals.js';

/** @throws Refusal method-not-allowed */
export function mustUse({ method }: Pick<FastifyRequest, 'method'>, ...allowed: readonly string[]): void {
  const allow = allowed.join(', ');
  if (!allowed.includes(method)) refuse('method-not-allowed', { method, allow }, { allow });
}
