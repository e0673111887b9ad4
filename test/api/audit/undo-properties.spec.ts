import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recordCategories, recordKind } from '../../../src/kernel/record/record.js';
import type { TestApp } from '../../support/app.js';
import { oneIn, runs } from '../../support/depth.js';
import { done, person } from '../../support/people.js';
import {
  type State,
  type Step,
  surroundings,
  type UndoKind,
  undoKinds,
} from '../../support/random-commands/undo-kinds.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let kinds: ReadonlyMap<string, UndoKind>;
let number = 0;
beforeAll(async () => {
  app = await sharedApp();
  kinds = new Map(undoKinds(app, await surroundings(app)).map((one) => [one.kind, one]));
}, 60_000);
afterAll(() => app?.close());

const undone = recordCategories().filter((category) => typeof recordKind(category)?.undoing === 'object');

/**
 * Fields that every event changes, that are computed from others, or that contain the time when another field changed.
 */
const beside = ['updatedAt', 'version', 'versions', 'activeSince', 'retimedAt'];
/** A key of another person for each kind, because the number of audit questions per caller and hour is limited. */
let reader = '';
const eventsOf = async (kind: string, id: string) =>
  (await done(app, 'audit/getHistory', { kind, id, limit: 200 }, reader)).events as readonly State[];
const stateAt = async (kind: string, id: string, position: number): Promise<State> =>
  (await done(app, 'audit/getStateAt', { kind, id, position }, reader)).state ?? {};

/** The result that an undo promises: fields that the event changed are as before it, all others are unchanged. */
function expected(event: State, before: State, after: State, prior: State, now: State) {
  // A rollback does not reopen a draft. Rules of a draft are not restored once it has been published. A save with
  // versions off creates a new version.
  const isPublishedBy = event.type === 'FunctionAccessRulesSet' && prior.draft === null;
  const own = event.type === 'FunctionPublished' || isPublishedBy ? ['draft'] : [];
  const isSaved = now.liveVersionId !== before.liveVersionId && isDeepStrictEqual(now.code, before.code);
  const left = [...beside, ...own, ...(isSaved ? ['liveVersionId'] : [])];
  const fields = [...new Set([...Object.keys(prior), ...Object.keys(before)])].filter((name) => !left.includes(name));
  return Object.fromEntries(fields.map((name) => [name, membersOf(before[name], after[name], prior[name])]));
}

/** Undo writes an empty text if the field accepts only texts, which means the same as null. */
const orNone = (value: State, wanted: State) => (value === '' && wanted === null ? null : value);

/** An empty text counts as null, so a change between the two is no change. */
const none = (value: State) => (value === '' ? null : value);

/** Objects such as settings are compared member by member. */
function membersOf(before: State, after: State, prior: State): State {
  if (isDeepStrictEqual(none(before), none(after))) return prior;
  const isSettings = [before, after, prior].every(
    (one) => typeof one === 'object' && one !== null && !Array.isArray(one),
  );
  if (!isSettings) return before;
  const names = [...new Set([...Object.keys(before), ...Object.keys(prior)])];
  const members = names.map((name) => [name, membersOf(before[name], after[name], prior[name])]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** One record of a kind, and its state after each of its events. */
class Subject {
  readonly states = new Map<number, State>();

  private constructor(
    private readonly one: UndoKind,
    readonly id: string,
  ) {}

  static async of(one: UndoKind): Promise<Subject> {
    const subject = new Subject(one, await one.make(number));
    await subject.look();
    return subject;
  }

  async look() {
    const events = await eventsOf(this.one.kind, this.id);
    const { position } = events.at(-1);
    if (!this.states.has(position)) {
      const state = await stateAt(this.one.kind, this.id, position);
      const shown = Object.keys(state).length === 0 ? {} : await this.one.beside?.(this.id);
      this.states.set(position, { ...state, ...shown });
    }
    return { events, state: this.states.get(position) };
  }

  async take([operation, sent]: Step): Promise<void> {
    number += 1;
    const state = sent.length < 3 ? undefined : await live(this.one.kind, this.id, (await this.look()).state);
    const { status } = await app.call(operation, sent(this.id, number, state));
    expect([operation, status < 500]).toEqual([operation, true]);
    if (this.one.beside) await this.look();
  }

  async at(position: number): Promise<State> {
    return this.states.get(position) ?? stateAt(this.one.kind, this.id, position);
  }

  /**
   * Undoes the event at `pick`, counted from the last. Returns whether it was undone.
   * @throws if the result is not the expected one
   */
  async undo(pick: number, from: number): Promise<boolean> {
    const { events, state: prior } = await this.look();
    const at = events.length - 1 - (pick % Math.max(events.length - from, 1));
    const event = events[at];
    if (event === undefined) return false;
    const { status, body } = await app.call('audit/undoChange', { position: event.position });
    const { state: now, events: since } = await this.look();
    if (status >= 400) {
      expect([event.type, status < 500, body.code, now]).toEqual([event.type, true, body.code, prior]);
      return false;
    }
    expect([event.type, status, since.length > events.length]).toEqual([event.type, 200, true]);
    const before = at === 0 ? {} : await this.at(events[at - 1].position);
    const wanted = expected(event, before, await this.at(event.position), prior, now);
    const held = Object.fromEntries(Object.keys(wanted).map((name) => [name, orNone(now[name], wanted[name])]));
    expect({ event: event.type, ...held }).toEqual({ event: event.type, ...wanted });
    return true;
  }
}

describe('after an undo', () => {
  it('is defined below for every kind that has one', () =>
    expect([...kinds.keys()].sort()).toEqual([...undone].sort()));

  it.each(oneIn(3, undone))(
    'the changed fields are as before the change, and all others are unchanged: %s',
    async (kind) => {
      const one = kinds.get(kind) as UndoKind;
      const { steps, begins = [], found = [] } = one;
      reader = (await person(app, 'admin')).key;
      let times = 0;
      const chosen = fc.array(fc.nat(steps.length - 1), { minLength: 1, maxLength: 4 });
      const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 2 });
      await fc.assert(
        fc.asyncProperty(chosen, picks, async (order, picked) => {
          number += 1;
          const subject = await Subject.of(one);
          const from = kind === 'workspace' ? (await subject.look()).events.length : 0;
          for (const at of [...begins, ...order]) await subject.take(steps[at] as Step);
          for (const pick of picked) times += (await subject.undo(pick, from)) ? 1 : 0;
        }),
        { numRuns: runs(20), endOnFailure: true, examples: [[[0], [0]], ...found] },
      );
      expect(times).toBeGreaterThan(runs(20) / 5);
    },
    120_000,
  );
});

/** Adds the versions, which only the function's own operation lists. */
async function live(kind: string, id: string, state: State): Promise<State> {
  if (kind !== 'function') return state;
  const { body } = await app.call('automations/listFunctionVersions', { functionId: id });
  return { ...state, versions: body.versions };
}
