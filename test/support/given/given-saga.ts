import { expect } from '@jest/globals';
import type { AggregateLoader } from '../../../src/engine/commands/aggregate-loader.js';
import type { CommandRunner } from '../../../src/engine/commands/command-runner.js';
import type { OperationContext } from '../../../src/engine/operation/operation-context.js';
import type { Saga } from '../../../src/engine/sagas/saga.js';
import type { Reads } from '../../../src/engine/scopes/reads.js';
import type { DomainEvent, EventMetadata, Recorded, RecordedEvent } from '../../../src/kernel/event/event.js';
import { parseStream, streamOf } from '../../../src/kernel/event/stream-name.js';
import type { Aggregate } from '../../../src/kernel/record/aggregate.js';
import type { Document } from '../../../src/kernel/record/projection.js';
import { recorded, specWorkspace } from './given.js';

/** One action of a saga: a verb, followed by the arguments. */
type Deed = readonly unknown[];

interface Change {
  readonly aggregate: Aggregate<unknown, DomainEvent>;
  readonly id: string;
  decide(state: unknown): readonly DomainEvent[];
}

/** Stand-ins for what a saga calls. They only record the calls. */
export class Stage {
  private deeds: Deed[] = [];
  private readonly states = new Map<string, unknown>();
  private readonly documents = new Map<string, readonly Document[]>();

  /** Sets the current state of a record, on which commands decide. */
  holds(aggregate: { readonly category: string }, id: string, state: object): this {
    this.states.set(`${aggregate.category}/${id}`, state);
    return this;
  }

  /** Sets a record as deleted. */
  ended({ category }: { readonly category: string }, id: string): this {
    this.states.set(`${category}/${id}`, undefined);
    return this;
  }

  /** Sets the documents of a read model. */
  shows<Doc extends Document>(collection: string, ...documents: readonly Doc[]): this {
    this.documents.set(collection, documents);
    return this;
  }

  readonly runner = {
    find: async ({ category }: { readonly category: string }, _workspaceId: string, id: string) =>
      this.states.get(`${category}/${id}`),
    change: async (call: OperationContext, change: Change) => this.decide(call, change),
    changeAll: async (call: OperationContext, changes: readonly Change[]) => {
      for (const change of changes) this.decide(call, change);
    },
  } as unknown as CommandRunner;

  readonly loader = {
    load: async ({ category }: { readonly category: string }, stream: string) => {
      const key = `${category}/${parseStream(stream).id}`;
      return { state: this.states.get(key), revision: this.states.has(key) ? 0 : -1 };
    },
  } as unknown as AggregateLoader;

  readonly reads = {
    find: async (workspaceId: string, collection: string, { where = {} }: { readonly where?: object } = {}) =>
      (this.documents.get(collection) ?? []).filter(
        (document) => document.workspaceId === workspaceId && isOf(document, where),
      ),
  } as unknown as Reads;

  /** Returns a stand-in with these methods. A call is recorded as the method's verb and its arguments. */
  noting<Part>(verbs: Readonly<Record<string, string>>, answer?: unknown): Part {
    const methods = Object.entries(verbs).map(([method, verb]) => [
      method,
      async (...args: readonly unknown[]) => {
        this.deeds.push([verb, ...args]);
        return answer;
      },
    ]);
    return Object.fromEntries(methods) as Part;
  }

  private decide(call: OperationContext, { aggregate, id, decide }: Change): void {
    for (const { type, data } of decide(this.states.get(`${aggregate.category}/${id}`))) {
      this.deeds.push(['records', streamOf(aggregate.category, call.workspaceId, id), type, data, call.commandId]);
    }
  }

  taken(): readonly Deed[] {
    const { deeds } = this;
    this.deeds = [];
    return deeds;
  }
}

function isOf(document: object, where: object): boolean {
  const fields = new Map(Object.entries(document));
  return Object.entries(where).every(([field, wanted]) =>
    typeof wanted === 'object' && wanted !== null && 'in' in wanted
      ? (wanted.in as readonly unknown[]).includes(fields.get(field))
      : fields.get(field) === wanted,
  );
}

interface Reaction {
  /**
   * Checks that the saga does exactly this, in this order, and the same again when it receives the events a second
   * time.
   */
  does(...deeds: readonly Deed[]): Promise<void>;
  doesNothing(): Promise<void>;
}

const called = (event: RecordedEvent) => (step: string) =>
  ({ workspaceId: event.metadata.workspaceId, commandId: step, actor: event.metadata.actor }) as OperationContext;

/** Checks how a saga reacts: `givenSaga(saga, stage).gets(events.…).does(['publishes', …])`. */
export function givenSaga(saga: Saga, stage: Stage) {
  return {
    gets: (...events: readonly RecordedEvent[]): Reaction => {
      const react = async () => {
        for (const event of events) expect(saga.reads).toContain(event.type);
        if (saga.reactToAll !== undefined) await saga.reactToAll(events);
        else for (const event of events) await saga.react(event, called(event));
        return stage.taken();
      };
      const does = async (...deeds: readonly Deed[]) => {
        expect(await react()).toEqual(deeds);
        expect(await react()).toEqual(deeds);
      };
      return { does, doesNothing: () => does() };
    },
  };
}

/** Returns an event of the stream with this id, as read from the store. */
export function of<Event extends DomainEvent>(
  category: string,
  id: string,
  event: Event,
  more: { readonly revision?: number; readonly metadata?: Partial<EventMetadata> } = {},
): Recorded<Event> & RecordedEvent {
  const made = recorded(category, event, more.revision ?? 0, more.metadata ?? {});
  return { ...made, stream: streamOf(category, specWorkspace, id) } as unknown as Recorded<Event> & RecordedEvent;
}
