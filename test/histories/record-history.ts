import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { CommandRunner } from '../../src/engine/commands/command-runner.js';
import { Calls, systemActor } from '../../src/engine/operation/calls.js';
import type { RecordId } from '../../src/engine/ownership/dependents.js';
import type { DomainEvent, RecordedEvent } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import type { AnyNoun } from '../../src/kernel/noun/noun.js';
import type { Document } from '../../src/kernel/record/projection.js';
import type { TestApp } from '../support/app.js';
import { done, eventsOf } from '../support/people.js';
import { fileOf, type History, historiesOf } from './histories.js';

/** Calls that take a record through its life, each with the values that it sends beside the record's name. */
export interface Life {
  create(): Promise<{ readonly name: object }>;
  readonly changes: readonly (readonly [operation: string, values: object])[];
  /** Events that no operation records. */
  readonly later: readonly DomainEvent[];
}

/**
 * Adds fields that the noun has had since to the states of its histories. Then adds a history if they lack a type of its
 * events; at the end of it the record is deleted, and restored if it can be.
 */
export async function recordHistory(app: TestApp, noun: AnyNoun, { create, changes, later }: Life): Promise<void> {
  const before = historiesOf(noun.category);
  const held = before.map((history) => widened(noun, history));
  if (!isDeepStrictEqual(held, before)) write(noun, held);
  const known = new Set(held.flatMap(({ recorded }) => recorded.map(({ event }) => event.type)));
  if (noun.types.every((type) => known.has(type))) return;

  const from = (await eventsOf(app)).at(-1)?.position ?? -1;
  const events = async () => {
    const all = await eventsOf(app, { types: noun.types, from });
    return all.filter(({ stream }) => stream === all[0]?.stream);
  };
  const { name } = await create();
  for (const [operation, values] of changes) await done(app, operation, { ...name, ...values });
  if (later.length > 0) await recordLater(app, noun, parseStream((await events())[0]?.stream ?? ''), later);
  const { ends = undefined, returns = undefined } = typeof noun.undoing === 'object' ? noun.undoing : {};
  if (ends !== undefined) await done(app, ends, name);
  if (returns !== undefined) await done(app, 'audit/undoChange', { position: (await events()).at(-1)?.position });
  const recorded = await events();
  const missing = noun.types.filter((type) => !known.has(type) && recorded.every((event) => event.type !== type));
  if (missing.length > 0)
    throw new Error(
      `List ${missing.join(', ')} in \`later\` of its row, or in \`own\` the operations that record them.`,
    );
  write(noun, [...held, historyOf(noun, recorded)]);
}

async function recordLater(app: TestApp, noun: AnyNoun, { workspaceId, id }: RecordId, later: readonly DomainEvent[]) {
  const part = <Part>(token: abstract new (...args: never[]) => Part) => app.app.get<Part>(token, { strict: false });
  const call = part(Calls).once(workspaceId, systemActor('Histories'), 'histories/record');
  await part(CommandRunner).change(call, { aggregate: noun, id, decide: () => later });
}

const write = ({ category }: AnyNoun, histories: readonly History[]) =>
  writeFileSync(fileOf(category), `${JSON.stringify(histories, null, 2)}\n`);

/** Members that a state has already are left as they were recorded. */
function widened(noun: AnyNoun, { about, recorded }: History): History {
  const { recorded: now } = historyOf(
    noun,
    recorded.map(({ event }) => event),
  );
  const states = recorded.map(({ state }, at) => (state === null ? null : { ...(now[at]?.state ?? {}), ...state }));
  return { about, recorded: recorded.map(({ event }, at) => ({ event, state: states[at] })) };
}

function historyOf({ evolve }: AnyNoun, events: readonly RecordedEvent[]): History {
  let state: Document | undefined;
  const recorded = events.map((event) => {
    state = evolve(state, event as never);
    return { event, state: state ?? null };
  });
  return { about: events.map(({ type }) => type).join(', '), recorded };
}
