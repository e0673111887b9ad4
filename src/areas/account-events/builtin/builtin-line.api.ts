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

/** The kind of run. Each kind has its own read model. */
export type RunKind = 'function' | 'flow' | 'agent';

/** How a recorded event becomes an account event. */
export interface Builtin {
  readonly on: string;
  readonly name: `${BuiltinSource}.${string}`;
  /** One plain sentence, the same for every line with this name. */
  readonly description: string;
  /** Condition on the event. If omitted, every event of the type applies. */
  readonly when?: (event: RecordedEvent) => boolean;
  /**
   * The event's subject: the `record` of its stream (`type`, `id`, and its `name` at that time); the `project` whose id
   * its stream has, in the form of a record; the target of the run in its data; or a function of the event.
   */
  readonly subject: 'record' | 'project' | RunKind | ((event: RecordedEvent) => JsonObject);
  /**
   * Adds properties, if any. The properties of a run and the `projectId` of a project are added automatically. The
   * result may contain only what everyone who sees functions may see.
   */
  readonly properties?: (data: JsonObject, event: RecordedEvent) => JsonObject;
}
