import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';

/** From the section "Event name spaces" of the Account Events API. */
export const builtinSources = [
  'base',
  'drive',
  'site',
  'flow',
  'agent',
  'function',
  'email',
  'journey',
  'marketplace',
  'billing',
  'connector',
  'channel',
] as const;
export type BuiltinSource = (typeof builtinSources)[number];

export type RunKind = 'function' | 'flow' | 'agent';

export interface Builtin {
  readonly on: string;
  readonly name: `${BuiltinSource}.${string}`;
  /** One plain sentence. All entries with the same `name` must have the same sentence. */
  readonly description: string;
  /** If omitted, every event of the type `on` applies. */
  readonly when?: (event: RecordedEvent) => boolean;
  /**
   * `record`: the record to which the event's stream belongs. `project`: the project whose id is also the id of the
   * stream. `function`, `flow` or `agent`: the function, flow or agent that ran.
   */
  readonly subject: 'record' | 'project' | RunKind | ((event: RecordedEvent) => JsonObject);
  /** Must not return anything that is hidden from a member who can read functions. */
  readonly properties?: (data: JsonObject, event: RecordedEvent) => JsonObject;
}
