import { Outages } from '../../../src/engine/cluster/outages.js';
import type { Blobs } from '../../../src/ports/blobs.port.js';
import type { Clock } from '../../../src/ports/clock.port.js';
import type { EventStore } from '../../../src/ports/event-store.port.js';
import type { Messages } from '../../../src/ports/messages.port.js';
import type { ReadStore } from '../../../src/ports/read-store.port.js';
import type { Vault } from '../../../src/ports/vault.port.js';

type Check = () => Promise<void>;
const well: Check = async () => {};

/** Outages of stores that answer so when they are asked whether they are there; the others always are. */
export function outagesOf(clock: Clock, checks: { readonly events?: Check; readonly vault?: Check } = {}): Outages {
  const there = { check: well };
  const events = { check: checks.events ?? well } as EventStore;
  const vault = { check: checks.vault ?? well } as Vault;
  return new Outages(events, there as ReadStore, vault, there as Blobs, there as Messages, clock);
}
