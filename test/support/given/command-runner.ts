import type { Environment } from '../../../src/config/environment.js';
import { readEnvironment } from '../../../src/config/environment.js';
import { AggregateLoader } from '../../../src/engine/commands/aggregate-loader.js';
import { CommandRunner } from '../../../src/engine/commands/command-runner.js';
import { RecordLimit } from '../../../src/engine/commands/record-limit.js';
import { RecordTexts } from '../../../src/engine/commands/record-texts.js';
import { RelatedAppends } from '../../../src/engine/commands/related-changes.js';
import type { Calls } from '../../../src/engine/operation/calls.js';
import type { PersonalData } from '../../../src/engine/personal-data/personal-data.js';
import { RecordingQuota } from '../../../src/engine/quotas/recording-quota.js';
import { ReadModels } from '../../../src/engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../src/engine/read-models/read-your-writes.js';
import { Scopes } from '../../../src/engine/scopes/scopes.js';
import { Targets } from '../../../src/engine/scopes/targets.js';
import type { Clock } from '../../../src/ports/clock.port.js';
import type { EventStore } from '../../../src/ports/event-store.port.js';
import type { Ids } from '../../../src/ports/ids.port.js';
import type { ReadStore } from '../../../src/ports/read-store.port.js';
import type { Texts } from '../../../src/ports/texts.port.js';
import { TextsInMemory } from './texts-in-memory.js';

interface Around {
  readonly events: EventStore;
  readonly calls: Calls;
  readonly clock: Clock;
  readonly ids: Ids;
  /** If omitted, there are no read models, so no store is needed. */
  readonly store?: ReadStore;
  readonly models?: ReadModels;
  /** Default: texts are stored in memory. */
  readonly texts?: Texts;
}

/** For records without personal data. */
const nothingPersonal = {
  sealed: async (_: string, events: readonly object[]) => events,
  opened: async (_: string, value: unknown) => value,
} as unknown as PersonalData;

/** Creates a command runner with the same parts as in the service, and the default settings. */
export function commandRunner({
  events,
  calls,
  clock,
  ids,
  store,
  models = new ReadModels([]),
  texts = new TextsInMemory(),
}: Around): CommandRunner {
  const readStore = store ?? ({} as ReadStore);
  const readYourWrites = new ReadYourWrites(clock, models, {} as Environment);
  const loader = new AggregateLoader(events, readStore, models, readYourWrites);
  const quota = new RecordingQuota(readEnvironment({}), events, calls, clock, ids);
  const limit = new RecordLimit(readEnvironment({}), readStore, models, clock);
  const held = new RecordTexts(texts);
  const additions = new RelatedAppends(events, loader, held, nothingPersonal);
  return new CommandRunner(
    events,
    loader,
    clock,
    readYourWrites,
    ids,
    quota,
    limit,
    held,
    nothingPersonal,
    additions,
    new Scopes(new Targets()),
  );
}
