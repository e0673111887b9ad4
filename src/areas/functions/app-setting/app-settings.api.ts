import { Injectable } from '@nestjs/common';
import { Journal } from '../../../engine/journal/journal.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Actor, Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { checkAppSetting, setAppSetting } from './app-setting.js';
import { type AppSetting, type AppSettingEvent, appSettings } from './app-setting.record.js';

export interface AppSettingChange {
  readonly workspaceId: string;
  readonly name: string;
  /** `null` removes the setting. */
  readonly value: string | null;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
}

/**
 * Functions can write settings on every run, so streams are never read as a whole and writers do not check the
 * revision. Concurrent writers can therefore create more settings than the limit.
 */
@Injectable()
export class AppSettings {
  constructor(
    private readonly journal: Journal,
    private readonly reads: Reads,
  ) {}

  /**
   * Also checks a variable that a function writes for its site, because the same rules apply to it.
   * @throws Refusal
   */
  check(name: string, value: string | null): void {
    checkAppSetting(name, value);
  }

  /**
   * Reads the log, so that a value just set is found.
   * @throws EventStoreUnavailable
   */
  async get(workspaceId: string, name: string): Promise<string | null> {
    return (await this.find(workspaceId, name))?.value ?? null;
  }

  /**
   * Resolves when the change is durable. Of concurrent changes, the last one recorded wins. An unchanged value is not
   * recorded.
   * @throws Refusal, EventStoreUnavailable
   */
  async set({ workspaceId, name, value, ...why }: AppSettingChange): Promise<void> {
    this.check(name, value);
    const before = await this.find(workspaceId, name);
    const isNew = before === undefined && value !== null;
    const decided = setAppSetting(before, value, isNew ? (await this.list(workspaceId)).length : 0);
    if (decided.length === 0) return;
    const stream = streamOf(appSettings.category, workspaceId, name);
    const by = { ...why, workspaceId, operation: 'ctx.env.set' };
    await this.journal.append({ stream, by, events: decided });
  }

  list(workspaceId: string): Promise<readonly AppSetting[]> {
    return this.reads.find<AppSetting>(workspaceId, 'appSettings', { sort: [['name', 'asc']] });
  }

  private async find(workspaceId: string, name: string): Promise<AppSetting | undefined> {
    const last = await this.journal.last(streamOf(appSettings.category, workspaceId, name));
    return last && appSettings.begin(last as unknown as Recorded<AppSettingEvent>);
  }
}
