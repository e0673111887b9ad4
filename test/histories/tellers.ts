import { projections } from '../../projections/projections.js';
import { builtinsOn } from '../../src/areas/account-events/builtin/builtin.api.js';
import { BuiltinEventMapper } from '../../src/areas/account-events/builtin/builtin-event-mapper.api.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import { revisionPruned } from '../../src/kernel/event/pruned-revision.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import type { Projection } from '../../src/kernel/record/projection.js';
import { documentsOf } from './folds.js';
import type { ServiceReplay } from './service-replay.js';

/** Derives something from recorded events: a saga acts on them, a read model makes documents. */
export interface Teller {
  readonly name: string;
  reads(event: RecordedEvent): boolean;
  /** Event types that must be covered. If omitted, those in the logs that it reads. */
  readonly types?: readonly string[];
  /** Called in order with every event that it reads: as recorded, and with its position in the replay's log. */
  tell(event: RecordedEvent, replayed: RecordedEvent): Promise<unknown>;
}

/** The tellers for one log, from its beginning. */
export function tellersOf(replay: ServiceReplay): readonly Teller[] {
  return [
    ...replay.sagas.map((saga) => sagaTeller(replay, saga)),
    builtinTeller(replay),
    ...handWritten.map(modelTeller),
  ];
}

/** Read models that `histories.spec.ts` compares with the states of records or journals. */
const held = new Set([
  'apiKeyUses',
  'occurrences',
  'runs',
  'triggerUses',
  'inboundEmails',
  'triggerRuns',
  'envVars',
  'appSettings',
  'agentRuns',
  'mailUses',
  'flowRuns',
  'traffic',
]);
export const handWritten: readonly Projection[] = projections.filter(
  ({ name, recordsOf }) => recordsOf === undefined && !held.has(name),
);

function sagaTeller(replay: ServiceReplay, saga: ServiceReplay['sagas'][number]): Teller {
  const types = [...new Set(saga.reads)];
  return {
    name: saga.name,
    types,
    reads: ({ type }) => types.includes(type),
    tell: (_, replayed) => replay.reaction(saga, replayed),
  };
}

/** Reports the account event that each recorded event becomes. */
function builtinTeller(replay: ServiceReplay): Teller {
  const mapper = replay.get(BuiltinEventMapper);
  return {
    name: 'account-event-builtins',
    types: [...builtinsOn.keys()],
    reads: ({ type }) => builtinsOn.has(type),
    tell: async (_, event) => {
      const line = mapper.lineOf(event);
      return line === undefined ? null : ((await mapper.factsOf(event, line)) ?? null);
    },
  };
}

/** Read models that make documents of each event independently of earlier ones. */
const eventByEvent = new Set(['audit']);

/** Reports the documents that an event changed. `null` means deleted. */
function modelTeller(projection: Projection): Teller {
  let replay = documentsOf(projection);
  const { reads, name } = projection;
  const wanted = 'types' in reads ? reads.types.filter((type) => type !== revisionPruned) : undefined;
  let before: Documents = {};
  return {
    name: `read model ${name}`,
    ...(wanted === undefined ? {} : { types: wanted }),
    reads: ({ type, stream }) =>
      'types' in reads ? reads.types.includes(type) : reads.categories.includes(parseStream(stream).category),
    tell: async (event) => {
      if (eventByEvent.has(name)) {
        replay = documentsOf(projection);
        before = {};
      }
      const after = replay(event) as Documents;
      const changed = changes(before, after);
      before = after;
      return changed;
    },
  };
}

type Documents = Readonly<Record<string, readonly { readonly id: string }[]>>;

function changes(before: Documents, after: Documents): object {
  return Object.fromEntries(
    Object.entries(after).map(([collection, documents]) => {
      const had = new Map((before[collection] ?? []).map((one) => [one.id, one]));
      const has = new Map(documents.map((one) => [one.id, one]));
      const put = documents.filter((one) => had.get(one.id) !== one);
      const gone = [...had.keys()].filter((id) => !has.has(id));
      return [collection, Object.fromEntries([...put.map((one) => [one.id, one]), ...gone.map((id) => [id, null])])];
    }),
  );
}
