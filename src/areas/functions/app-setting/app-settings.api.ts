import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/reads.js';
import { Watermark } from '../../../engine/watermark.js';
import type { Actor, Recorded } from '../../../kernel/event.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { checkAppSetting, setAppSetting } from './app-setting.js';
import { type AppSetting, type AppSettingEvent, appSettings } from './app-setting.record.js';

export interface AppSettingChange {
  readonly workspaceId: string;
  readonly name: string;
  /** null removes the setting. */
  readonly value: string | null;
  /** Who does it; recorded with the change, as are the two ids below. */
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
}

/**
 * The settings of a workspace that are not secret: text under APP_ names, written and read by functions.
 *
 * Reads and writes settings directly in the log. Code may write a setting on every run, so a stream is never read
 * whole: its last event is the state, and writers append without checking the revision. The price: names that are
 * created at the same moment may exceed the limit.
 */
@Injectable()
export class AppSettings {
  constructor(
    private readonly events: EventStore,
    private readonly reads: Reads,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly watermark: Watermark,
  ) {}

  /** Read from the log, so that a value just set is found; null: there is none. @throws EventStoreUnavailable */
  async get(workspaceId: string, name: string): Promise<string | null> {
    return (await this.find(workspaceId, name))?.value ?? null;
  }

  /**
   * Durable when it resolves. Of concurrent changes the last one recorded wins. An unchanged value is not recorded.
   * @throws Refusal, EventStoreUnavailable
   */
  async set({ workspaceId, name, value, ...why }: AppSettingChange): Promise<void> {
    checkAppSetting(name, value);
    const before = await this.find(workspaceId, name);
    const isNew = before === undefined && value !== null;
    const decided = setAppSetting(before, value, isNew ? (await this.list(workspaceId)).length : 0);
    if (decided.length === 0) return;
    const commandId = this.ids.uuid();
    const at = new Date(this.clock.now()).toISOString();
    const metadata = { ...why, workspaceId, commandId, operation: 'ctx.env.set', at };
    const stream = streamOf(appSettings.category, workspaceId, name);
    const events = decided.map((event) => ({ ...event, id: this.ids.uuid(), metadata }));
    const [appended] = await this.events.append([{ stream, expected: 'any', events }]);
    if (appended === undefined) throw new Error('The event store answered an append with nothing.');
    this.watermark.appended(
      appended.position,
      events.map(({ type }) => ({ stream, type })),
    );
  }

  /** All of them, by name. */
  list(workspaceId: string): Promise<readonly AppSetting[]> {
    return this.reads.find<AppSetting>(workspaceId, 'appSettings', { sort: [['name', 'asc']] });
  }

  private async find(workspaceId: string, name: string): Promise<AppSetting | undefined> {
    const stream = streamOf(appSettings.category, workspaceId, name);
    const [last] = await this.events.readStream(stream, { direction: 'backward', limit: 1 });
    return last && appSettings.begin(last as unknown as Recorded<AppSettingEvent>);
  }
}
