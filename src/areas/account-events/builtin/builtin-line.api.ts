import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';

/** The built-in sources of events (Account Events API, Event name spaces). */
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

/** A line of the `builtins` table: how a recorded event of type `on` becomes an account event. */
export interface Builtin {
  readonly on: string;
  readonly name: `${BuiltinSource}.${string}`;
  /** One plain sentence. All lines with the same name must have the same sentence. */
  readonly description: string;
  /** Condition on the event. If omitted, every event of the type applies. */
  readonly when?: (event: RecordedEvent) => boolean;
  /**
   * The subject of the account event. `record` means the record of the event's stream, with `type`, `id` and its name
   * at that time. `project` means the project whose id the stream has. A kind of run means the function, flow or agent
   * that ran. If this is a function, the subject is what it returns.
   */
  readonly subject: 'record' | 'project' | RunKind | ((event: RecordedEvent) => JsonObject);
  /**
   * Returns properties in addition to those that are always included: the properties of a run, and the `projectId` of a
   * project. The result must not contain anything that is hidden from a member who can read functions.
   */
  readonly properties?: (data: JsonObject, event: RecordedEvent) => JsonObject;
}
