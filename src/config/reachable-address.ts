import type { Environment } from './environment.js';

const loopback = ['127.0.0.1', '::1', 'localhost'];

/**
 * Returns a warning if other machines can reach only sites and not the service itself. Without BASE_URL, the service
 * does not know which host name they use for it, and treats every unknown host name as a site's.
 */
export function unreachableAddress({ host, variables }: Pick<Environment, 'host' | 'variables'>): string | undefined {
  if (loopback.includes(host) || variables['BASE_URL']) return undefined;
  return `From other machines, only sites can be reached, because BASE_URL is not set: set it to the address that people open, such as https://api.example.org. HOST is ${host}.`;
}
