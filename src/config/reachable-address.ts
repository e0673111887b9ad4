import type { Environment } from './environment.js';

const loopback = ['127.0.0.1', '::1', 'localhost'];

/**
 * What to tell an operator whose service listens for other machines without BASE_URL: requests of other hosts than its own
 * are those of sites, so from there nothing else would answer. Undefined: nothing.
 */
export function unreachableAddress({ host, variables }: Pick<Environment, 'host' | 'variables'>): string | undefined {
  if (loopback.includes(host) || variables['BASE_URL']) return undefined;
  return `From other machines only sites answer, because BASE_URL is not set: set it to the address that people open, such as https://api.example.org. HOST is ${host}.`;
}
