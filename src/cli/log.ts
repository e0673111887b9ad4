import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { projections } from '../../projections/projections.js';
import { masterKeyCheck } from '../app.module.js';
import { readEnvironment } from '../config/environment.js';
import { ProjectionMaintenance } from '../engine/projections/projection-maintenance.js';
import { Blobs } from '../ports/blobs.port.js';
import { RecordedLog } from '../ports/event-store.port.js';
import { ServiceLock } from '../ports/service-lock.port.js';
import { Texts } from '../ports/texts.port.js';
import { Vault } from '../ports/vault.port.js';
import { assemble } from '../start.js';
import { mustHoldData } from './backup.js';
import { optional } from './flags.js';
import type { Invocation } from './invocation.js';
import { adviceOnMessages } from './messages-left.js';
import type { CarriedStores } from './transfer/carried-stores.js';
import { carryIn } from './transfer/carry-in.js';
import { carryOut } from './transfer/carry-out.js';
import { LogFile } from './transfer/log-file.js';
import type { EndLine } from './transfer/log-line.js';

/** The service may be running; the file does not contain events that are recorded during the export. */
export async function exportLog({ words: [path = ''], flags, environment, console }: Invocation): Promise<number> {
  const settings = readEnvironment(environment);
  if (settings.eventStore.kind === 'embedded') mustHoldData(settings.dataDir);
  const workspaceId = optional(flags, 'workspace') ?? null;
  const app = await assemble(environment, false);
  try {
    const keyCheck = masterKeyCheck(settings);
    if (keyCheck === undefined) throw new Error('The master key is missing; restore it, and try again.');
    const expected = { workspaceId, keyCheck, exportedAt: new Date().toISOString() };
    const end = await carryOut(path, storesOf(app), expected);
    console.out(JSON.stringify({ workspaceId, ...counted(end) }));
    return 0;
  } finally {
    await app.close();
  }
}

/**
 * The file and the master key are checked before a store is opened, because a new vault can later be opened only with
 * the key that opened it first.
 */
export async function importLog({ words: [path = ''], environment, console }: Invocation): Promise<number> {
  const settings = readEnvironment(environment);
  const file = await LogFile.open(path);
  try {
    mustHaveTheKey(file.header.keyCheck, masterKeyCheck(settings));
    const app = await assemble(environment, false);
    try {
      await app.get(ServiceLock).acquire();
      const recorded = await carryIn(file, storesOf(app));
      await app.get(ProjectionMaintenance).rebuild(projections, (sentence) => console.error(sentence));
      const { workspaceId } = file.header;
      for (const line of adviceOnMessages(settings)) console.error(line);
      console.out(JSON.stringify({ workspaceId, recorded, ...counted(file.end) }));
      return 0;
    } finally {
      await app.close();
    }
  } finally {
    await file.close();
  }
}

const storesOf = (app: NestFastifyApplication): CarriedStores => ({
  events: app.get(RecordedLog),
  vault: app.get(Vault),
  blobs: app.get(Blobs),
  texts: app.get(Texts),
});

const counted = ({ pruned, events, entries, blobs, texts = 0, eventsDigest }: EndLine) => ({
  events,
  prunedStreams: pruned,
  entries,
  blobs,
  texts,
  digest: eventsDigest,
});

function mustHaveTheKey(expected: string, present: string | undefined): void {
  if (expected === present) return;
  throw new Error(
    present === undefined
      ? 'There is no master key here: set MASTER_KEY to that of the installation that the log is from, and try again.'
      : 'The log is from an installation with another master key: set MASTER_KEY to that one, and try again.',
  );
}
