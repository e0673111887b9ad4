import type { MongoClient } from 'mongodb';

/**
 * Addresses of servers whose connections were all in use at the last time-out. The driver's error does not contain this
 * information.
 */
const full = new Set<string>();

export const wasFull = (address: unknown): boolean => typeof address === 'string' && full.has(address);

export function watchPools(client: MongoClient): void {
  const inUse = new Map<string, number>();
  const count = (address: string, change: number) => inUse.set(address, (inUse.get(address) ?? 0) + change);
  client.on('connectionCheckedOut', ({ address }) => count(address, 1));
  client.on('connectionCheckedIn', ({ address }) => count(address, -1));
  client.on('connectionCheckOutFailed', ({ address, reason }) => {
    if (reason !== 'timeout') return;
    if ((inUse.get(address) ?? 0) >= client.options.maxPoolSize) full.add(address);
    else full.delete(address);
  });
}
