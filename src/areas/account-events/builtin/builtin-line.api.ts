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

/** Properties of events that lead to a site. An event has at most one of them. */
export const siteProperties = ['tableId', 'projectId', 'siteId'] as const;

export interface OfSite {
  /** Kind of the record of the site that the event is about. */
  readonly kind: string;
  readonly by: (typeof siteProperties)[number];
}

export const aboutRow: OfSite = { kind: 'row', by: 'tableId' };
export const aboutProject: OfSite = { kind: 'project', by: 'projectId' };
export const aboutAppUser: OfSite = { kind: 'appUser', by: 'projectId' };
/** Runs of functions of the workspace raise the same events, without the property. */
export const aboutSiteFunction: OfSite = { kind: 'siteFunction', by: 'siteId' };

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
  /** Set if the event is, or may be, about a record of a site. */
  readonly ofSite?: OfSite;
  /** Must not return anything that is hidden from a member who can read functions. */
  readonly properties?: (data: JsonObject, event: RecordedEvent) => JsonObject;
}
