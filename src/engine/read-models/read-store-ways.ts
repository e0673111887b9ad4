import type { ReadStore } from '../../ports/read-store.port.js';
import type { Trial } from '../dry-run/trial.js';
import type { Ways } from '../dry-run/tried-port.js';
import type { OpenedData } from './opened-events.js';
import type { ReadModels } from './read-models.js';
import { TrialDocuments } from './trial-documents.js';

const asItIs = 'as it is';
const writes = { outside: () => 'writes read models' };

/** What the read store does in a dry run: queries include the events of the dry run. */
export function readStoreWays(models: ReadModels, opened: OpenedData): Ways<ReadStore> {
  const documentsOf = (trial: Trial, store: ReadStore) =>
    trial.keep(store, () => new TrialDocuments(trial, store, models, opened));
  return {
    get: { overlay: (trial, store, collection, id) => documentsOf(trial, store).get(collection, id) },
    find: { overlay: (trial, store, ...args) => documentsOf(trial, store).find(...args) },
    count: { overlay: (trial, store, ...args) => documentsOf(trial, store).count(...args) },
    // Only queries use reports, and queries have no dry run.
    groups: asItIs,
    // Unchanged: the dry run's events are in its streams, which are read as well.
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
  } as Ways<ReadStore>;
}
