import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedEventStore } from '../../../adapters/event-store/embedded/embedded-event-store.adapter.js';
import type { DomainEvent, NewEvent, RecordedEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { type RecordAggregate, recordKind } from '../../../kernel/record/record.js';
import type { ReadStreamOptions } from '../../../ports/event-store.port.js';
import '../../workspace/agent/agent.record.js';
import { specMetadata } from '../../../../test/support/given/given.js';
import { StateAt } from '../states/state-at.api.js';
import { LinesOfChanges } from './changed-lines.js';
import { HistoryPages } from './history-page.js';

class WatchedStore extends EmbeddedEventStore {
  readonly reads: { readonly turn: number; readonly events: number }[] = [];
  reading = 0;
  most = 0;
  private turn = 0;
  private going = true;

  watch(): void {
    setImmediate(() => {
      this.turn += 1;
      if (this.going) this.watch();
    });
  }

  unwatch(): void {
    this.going = false;
  }

  override async readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    this.reading += 1;
    this.most = Math.max(this.most, this.reading);
    const events = await super.readStream(stream, options);
    this.reads.push({ turn: this.turn, events: events.length });
    this.reading -= 1;
    return events;
  }
}

let directory: string;
let store: WatchedStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'history-page-'));
  store = new WatchedStore({ directory });
});
afterEach(async () => {
  store.unwatch();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const facts = { memberId: 'm', canCreateFunctions: false, grants: {}, isActive: true };
const eventAt = (n: number): NewEvent => ({
  id: `00000000-0000-8000-8000-${String(n).padStart(12, '0')}`,
  type: n === 0 ? 'AgentAdded' : 'AgentUpdated',
  data: n === 0 ? { name: 'n0', ...facts } : { name: `n${n}` },
  metadata: specMetadata({ workspaceId: 'ws' }),
});
const agents = () => recordKind('agent') as RecordAggregate<Document, DomainEvent>;

/** Agents have no texts to compare, so the missing dependency is never used. */
const noLines = new LinesOfChanges(undefined as never);

describe('a page of a long history', () => {
  it('is read in short steps, with others served in between, and folded from the beginning', async () => {
    const events = Array.from({ length: 205 }, (_, n) => eventAt(n));
    await store.append([{ stream: 'agent-ws.a', expected: 'none', events }]);
    const pages = new HistoryPages(store, new StateAt(store), noLines);
    store.watch();
    const asked = { kind: 'agent', id: 'a', limit: 2 };
    const first = await pages.page('ws', agents(), { ...asked, after: -1 });
    const late = await pages.page('ws', agents(), { ...asked, after: (first.next ?? 0) + 198 });
    expect(late.events).toMatchObject([
      { data: { name: 'n200' }, changes: [{ path: 'name', from: 'n199', to: 'n200' }] },
      { data: { name: 'n201' }, changes: [{ path: 'name', from: 'n200', to: 'n201' }] },
    ]);
    expect(Math.max(...store.reads.map((read) => read.events))).toBeLessThanOrEqual(160);
    expect(store.reads.at(-1)?.events).toBeLessThanOrEqual(20);
    const turns = store.reads.slice(1).map(({ turn }) => turn);
    expect(new Set(turns).size).toBe(turns.length);
  });

  it('waits for the one before it of the same workspace', async () => {
    for (const ws of ['ws', 'other']) {
      const events = Array.from({ length: 65 }, (_, n) => eventAt(n));
      await store.append([{ stream: `agent-${ws}.a`, expected: 'none', events }]);
    }
    const pages = new HistoryPages(store, new StateAt(store), noLines);
    const asked = { kind: 'agent', id: 'a', limit: 200, after: -1 };
    const all = await Promise.all(['ws', 'ws', 'ws', 'other'].map((ws) => pages.page(ws, agents(), asked)));
    expect(all.map(({ events }) => events.length)).toEqual([65, 65, 65, 65]);
    expect(store.most).toBe(2);
  });
});
