import { expect } from '@jest/globals';
import { shownData } from '../../../src/areas/audit/left-out.js';
import { PersonalData } from '../../../src/engine/personal-data/personal-data.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { Reply, TestApp } from '../app.js';
import { sagasAreOver, sameButFresh as same, storesOf } from './untouched.js';

export interface DryRunReply {
  readonly dryRun: true;
  readonly events: readonly { readonly type: string; readonly stream: string; readonly data: unknown }[];
  readonly card: { readonly kind: string; readonly approver: string } | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form.
  readonly answer: any;
  readonly outside: readonly string[];
}

/** Sends commands as dry runs, and checks that none of them changes anything. */
export class DryRuns {
  constructor(private readonly app: TestApp) {}

  /** Sends a dry run, and checks that it has changed nothing. */
  async send(operation: string, body: object = {}, key?: string, headers = {}): Promise<Reply> {
    await sagasAreOver(this.app);
    const before = await storesOf(this.app);
    const reply = await this.app.call(operation, body, key, { 'x-dry-run': 'true', ...headers });
    expect([operation, await storesOf(this.app)]).toEqual([operation, before]);
    return reply;
  }

  /** Sends a dry run that must succeed. */
  async of(operation: string, body: object = {}, key?: string): Promise<DryRunReply> {
    const { status, body: tried } = await this.send(operation, body, key);
    expect([operation, status, tried.detail, tried.dryRun]).toEqual([operation, 200, undefined, true]);
    return tried;
  }

  /** Sends a command as a dry run and then for real, and checks that events and responses agree. Returns both. */
  async thenDone(operation: string, body: object = {}, key?: string) {
    const tried = await this.of(operation, body, key);
    const store = this.app.app.get(EventStore, { strict: false });
    const head = await store.head();
    const { status, body: answer } = await this.app.call(operation, body, key);
    expect([operation, status]).toEqual([operation, tried.card === null ? 200 : 202]);
    const recorded = await this.eventsSince(head, operation);
    expect(same(tried.events.map(({ type, data }) => ({ type, data })))).toEqual(same(recorded));
    const { notShown: _, ...shown } = tried.answer ?? {};
    const done = Object.fromEntries(
      Object.keys(shown).map((name) => [name, shown[name] === null ? null : answer[name]]),
    );
    if (!Array.isArray(tried.answer)) expect(same(shown)).toEqual(same(done));
    expect(Object.keys(shown)).toEqual(Object.keys(Array.isArray(answer) ? shown : answer));
    return { tried, answer };
  }

  private async eventsSince(head: number, operation: string): Promise<readonly object[]> {
    const store = this.app.app.get(EventStore, { strict: false });
    const personal = this.app.app.get(PersonalData, { strict: false });
    const page = await store.readAll({ from: head, limit: 500 });
    const own = page.filter(({ metadata }) => metadata.operation === operation);
    return Promise.all(
      own.map(async ({ type, data, metadata }) => ({
        type,
        data: shownData(await personal.opened(metadata.workspaceId, data)),
      })),
    );
  }
}
