import type { Actor } from '../kernel/event.js';

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

/** The settings of a workspace that are not secret: text under APP_ names, written and read by functions. */
export abstract class AppSettings {
  /** Read from the log, so that a value just set is found; null: there is none. @throws EventStoreUnavailable */
  abstract get(workspaceId: string, name: string): Promise<string | null>;

  /**
   * Durable when it resolves. Of concurrent changes the last one recorded wins. An unchanged value is not recorded.
   * @throws Refusal, EventStoreUnavailable
   */
  abstract set(change: AppSettingChange): Promise<void>;

  /** All of them, by name. */
  abstract list(workspaceId: string): Promise<readonly { readonly name: string; readonly value: string }[]>;
}
