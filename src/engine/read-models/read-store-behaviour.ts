import type { ReadStore } from '../../ports/read-store.port.js';
import type { DryRun } from '../dry-run/dry-run.js';
import type { PortBehaviour } from '../dry-run/dry-run-port.js';
import { DryRunDocuments } from './dry-run-documents.js';
import type { OpenedData } from './opened-events.js';
import type { ReadModels } from './read-models.js';

const asItIs = 'as it is';
const writes = { outside: () => 'writes read models' };

export function readStoreBehaviour(models: ReadModels, opened: OpenedData): PortBehaviour<ReadStore> {
  const documentsOf = (dryRun: DryRun, store: ReadStore) =>
    dryRun.stateOf(store, () => new DryRunDocuments(dryRun, store, models, opened));
  return {
    get: { overlay: (dryRun, store, collection, id) => documentsOf(dryRun, store).get(collection, id) },
    find: { overlay: (dryRun, store, ...args) => documentsOf(dryRun, store).find(...args) },
    count: { overlay: (dryRun, store, ...args) => documentsOf(dryRun, store).count(...args) },
    // Only queries call `groups`, and a query cannot be called as a dry run.
    groups: asItIs,
    // These methods read the real read models, without the dry run's events. Their callers also read the streams, which
    // contain these events.
    load: asItIs,
    checkpoint: asItIs,
    active: asItIs,
    builds: asItIs,
    shared: asItIs,
    digest: asItIs,
    flushSoon: asItIs,
    version: { overlay: () => undefined },
    check: asItIs,
    close: asItIs,
    prepare: writes,
    activate: writes,
    discard: writes,
    share: writes,
    leave: writes,
    commit: writes,
  } as PortBehaviour<ReadStore>;
}
