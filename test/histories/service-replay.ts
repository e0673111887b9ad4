import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Calls } from '../../src/engine/operation/calls.js';
import { ReadYourWrites } from '../../src/engine/read-models/read-your-writes.js';
import type { Saga } from '../../src/engine/sagas/saga.js';
import { derivedId, derivedUuid } from '../../src/kernel/event/derived-id.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import { Refusal } from '../../src/kernel/refusals/refusal.js';
import { Blobs } from '../../src/ports/blobs.port.js';
import { Clock } from '../../src/ports/clock.port.js';
import { EventStore } from '../../src/ports/event-store.port.js';
import { Ids } from '../../src/ports/ids.port.js';
import { Messages } from '../../src/ports/messages.port.js';
import { Vault } from '../../src/ports/vault.port.js';
import { Sagas } from '../../src/sagas/sagas.js';
import { Service } from '../../src/service.js';
import { assemble } from '../../src/start.js';
import { MadeUpClock } from '../support/clocks/made-up-clock.js';
import { noRates } from '../support/service-process.js';

/** One thing that a saga did about an event, for example recording an event with derived ids or destroying a secret. */
export type Deed = readonly [verb: string, ...what: readonly unknown[]];

/** Derives ids from the event that is being handled, so they are the same at every replay. */
class CountedIds extends Ids {
  private from = 'begin';
  private made = 0;

  restart(from: string): void {
    this.from = from;
    this.made = 0;
  }

  override newId(prefix: string): string {
    return derivedId(prefix, this.next());
  }

  override uuid(): string {
    return derivedUuid(this.next());
  }

  override token(): string {
    return derivedUuid(this.next());
  }

  private next(): string {
    this.made += 1;
    return `${this.from}/${this.made}`;
  }
}

/**
 * The whole service on a log that was recorded elsewhere. Its sagas do not run by themselves. They are given single
 * events, when the log and the read models contain everything before them.
 */
export class ServiceReplay {
  /**
   * Collects what the current reaction does. Background work of earlier reactions is not in its context, and so is not
   * collected.
   */
  private readonly within = new AsyncLocalStorage<{ readonly deeds: Deed[]; readonly appended: Set<string> }>();

  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly directory: string,
    readonly sagas: readonly Saga[],
    private readonly clock: MadeUpClock,
    private readonly ids: CountedIds,
  ) {
    const note = (verb: string) => async (name: unknown) => void this.within.getStore()?.deeds.push([verb, name]);
    const vault = app.get(Vault);
    const seal = vault.seal.bind(vault);
    Object.assign(vault, {
      destroy: note('destroys the secret'),
      // Sealing an empty value over a key destroys it, which erases everything that was encrypted with it.
      seal: (...[name, value, options]: Parameters<Vault['seal']>) => {
        this.within.getStore()?.deeds.push([value.length === 0 ? 'erases the key' : 'seals', name]);
        return seal(name, value, options);
      },
    });
    const truncate = note('prunes the stream');
    const store = app.get(EventStore);
    const append = store.append.bind(store);
    Object.assign(store, {
      truncate,
      append: (...[requests, options]: Parameters<EventStore['append']>) => {
        const appended = this.within.getStore()?.appended;
        for (const { id } of requests.flatMap(({ events }) => events)) appended?.add(id);
        return append(requests, options);
      },
    });
    Object.assign(app.get(Blobs), { destroy: note('destroys the bytes'), destroyAll: note('destroys the folder') });
    Object.assign(app.get(Messages), {
      publish: async (topic: string, message: unknown) =>
        void this.within.getStore()?.deeds.push(['publishes', topic, message]),
    });
  }

  static async start(): Promise<ServiceReplay> {
    const directory = mkdtempSync(join(tmpdir(), 'countersign-replay-'));
    const clock = new MadeUpClock();
    const ids = new CountedIds();
    const app = await assemble(
      {
        PORT: '0',
        DATA_DIR: directory,
        LOG_LEVEL: 'error',
        SMTP_IN_PORT: '0',
        EVENT_STORE: 'embedded',
        READ_STORE: 'embedded',
        MESSAGES: 'in-process',
        MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        ...noRates,
      },
      false,
      [
        { provide: Clock, useValue: clock },
        { provide: Ids, useValue: ids },
      ],
    );
    await app.init();
    const sagas = app.get(Sagas);
    const all = sagas.all;
    Object.assign(sagas, { workers: () => [] });
    await app.get(Service).start();
    for (const saga of all) saga.begins?.();
    return new ServiceReplay(app, directory, all, clock, ids);
  }

  get<Part extends object>(part: new (...parts: never[]) => Part): Part {
    return this.app.get(part, { strict: false });
  }

  /** Appends the recorded event. If a saga of this service has recorded it already, its position is returned. */
  async takes(event: RecordedEvent): Promise<RecordedEvent> {
    const { id, stream, type, data, metadata } = event;
    const store = this.app.get(EventStore);
    const [appended] = await store.append([{ stream, expected: 'any', events: [{ id, type, data, metadata }] }]);
    if (appended === undefined) throw new Error(`Nothing was appended: ${event.type} of ${stream}.`);
    this.app.get(ReadYourWrites).appended(appended.position, [event]);
    this.clock.set(Date.parse(metadata.at));
    return { ...event, position: appended.position, revision: appended.revision };
  }

  /** Runs the saga on the event, which must be the last in the log. Returns what it did. */
  async reaction(saga: Saga, event: RecordedEvent): Promise<readonly Deed[]> {
    const store = this.app.get(EventStore);
    const before = await store.head();
    const deeds: Deed[] = [];
    const appended = new Set<string>();
    this.ids.restart(`${saga.name}/${event.id}`);
    await this.within.run({ deeds, appended }, async () => {
      try {
        this.app.get(ReadYourWrites).observed(event.position);
        if (saga.reactToAll !== undefined) await saga.reactToAll([event]);
        else await saga.react(event, (step) => this.app.get(Calls).because(event, saga.name, step));
      } catch (error) {
        deeds.push(['fails', error instanceof Refusal ? error.code : String(error)]);
      }
    });
    const done = [...deeds];
    const recorded = await store.readAll({ from: before, limit: 1_000, workspaceId: event.metadata.workspaceId });
    const own = recorded.filter(({ id }) => appended.has(id));
    return plain([...own.map(toldOf), ...done], event.position);
  }

  async close(): Promise<void> {
    await this.app.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function toldOf({ id, stream, type, data, metadata }: RecordedEvent): Deed {
  const { operation, commandId, causationId, correlationId, actor } = metadata;
  return ['records', { stream, type, id, data, by: { operation, commandId, causationId, correlationId, actor } }];
}

/**
 * Removes what differs between replays: randomly encrypted values, the position of the event, and the order of
 * simultaneous work.
 */
const plain = (deeds: readonly Deed[], position: number): readonly Deed[] =>
  deeds
    .map((deed) => JSON.stringify(deed))
    .map((text) => text.replaceAll(/(sealed:1:[^":]*:)[^"]*/g, '$1…'))
    .map((text) => text.replace(`"position":${position}`, '"position":"its own"').replace(`/${position}"`, '/its own"'))
    .sort()
    .map((text) => JSON.parse(text) as Deed);
