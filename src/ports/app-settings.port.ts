import type { Actor } from '../kernel/event.js';

export interface AppSettingChange {
  readonly workspaceId: string;
  readonly name: string;
  /** null takes the setting away. */
  readonly value: string | null;
  /** Who does it, and why: they are recorded with it. */
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
}

/** The settings of a workspace that are no secrets: text under APP_ names, which code keeps for code. */
export abstract class AppSettings {
  /** As it is recorded now, so that whoever set it finds it; null: there is none. @throws EventStoreUnavailable */
  abstract get(workspaceId: string, name: string): Promise<string | null>;

  /**
   * Durable when it resolves. Of several at once the last one recorded counts; what changes nothing is not recorded.
   * @throws Refusal, EventStoreUnavailable
   */
  abstract set(change: AppSettingChange): Promise<void>;

  /** All of them, by name. */
  abstract list(workspaceId: string): Promise<readonly { readonly name: string; readonly value: string }[]>;
}
