import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { activation } from '../../../kernel/record/activation.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import { refuse } from '../account-events.refusals.js';
import { wrongFilters } from './event-filter.js';
import { isOfApps, wrongEventPattern } from './event-pattern.js';
import {
  type EventTargetKind,
  type EventTrigger,
  type EventTriggerEvent,
  eventTriggers,
  type SentTerms,
  type TriggerFilter,
} from './event-trigger.record.js';
import type { AwaitedTerms } from './site-events.js';

/** Not yet validated. */
export interface Unchecked extends Omit<SentTerms, 'filters'> {
  readonly filters?: readonly unknown[] | undefined;
}

export const mostTriggers = 10_000;
const mostParamBytes = 8 * 1024;

/** @throws Refusal invalid-input, with every wrong path */
export function checkTerms({ event, filters, config }: Unchecked): void {
  const wrong = [
    ...(event === undefined ? [] : wrongEventPattern(event)),
    ...(filters === undefined ? [] : wrongFilters(filters)),
    ...(config?.params === undefined ? [] : wrongParams(config.params)),
  ];
  if (wrong.length > 0) refuseInput(wrong);
}

/**
 * Refuses every install id, because apps cannot be installed yet.
 * @throws Refusal app-install-not-found; invalid-input, if the event is not one of an app
 */
export function checkInstall(event: string, installId: string | undefined, path: string): void {
  if (installId === undefined) return;
  if (!isOfApps(event)) refuseInput([{ path, message: 'is only allowed for app.<name> events' }]);
  refuse('app-install-not-found');
}

/**
 * `event` and `trigger` are refused, because the service passes the event and the trigger to the target under these
 * names.
 */
function wrongParams(params: JsonObject): readonly InvalidField[] {
  const path = 'config.params';
  const taken = ['event', 'trigger'].filter((key) => Object.hasOwn(params, key));
  const tooLarge = Buffer.byteLength(JSON.stringify(params)) > mostParamBytes;
  return [
    ...taken.map((key) => ({ path: `${path}.${key}`, message: 'is reserved: the service passes it to the target' })),
    ...(tooLarge ? [{ path, message: `must be at most ${mostParamBytes} bytes of JSON` }] : []),
  ];
}

/** The terms must have been checked. What was not sent is taken from the trigger. */
export function awaitedTerms(
  { event, filters }: Unchecked,
  before: AwaitedTerms = { event: '', filters: [] },
): AwaitedTerms {
  return { event: event ?? before.event, filters: (filters as readonly TriggerFilter[] | undefined) ?? before.filters };
}

export interface NewTrigger extends Unchecked {
  readonly event: string;
  readonly targetKind: EventTargetKind;
  readonly targetRef: string;
}

/** The default name is made from the event and the target (Account Events API, Trigger). */
export function addEventTrigger(input: NewTrigger, targetName: string): readonly EventTriggerEvent[] {
  const { event, targetKind, targetRef, name = madeName(event, targetName), config = {} } = input;
  const filters = (input.filters ?? []) as readonly TriggerFilter[];
  return eventTriggers.created({ name, event, filters, targetKind, targetRef, config });
}

/**
 * Omitted filters or an omitted config become empty (Account Events API, setFlowEventTrigger). Whether the node exists
 * is not checked.
 */
export function setFlowTrigger(
  trigger: EventTrigger | undefined,
  input: NewTrigger,
  targetName: string,
): readonly EventTriggerEvent[] {
  if (trigger === undefined) return addEventTrigger(input, targetName);
  const { event, filters = [], config = {} } = input;
  return updateEventTrigger(trigger, { event, filters, config });
}

/** Filters and config are replaced as a whole. Fields whose values remain the same are not recorded. */
export function updateEventTrigger(
  trigger: EventTrigger,
  { isActive, ...sent }: Unchecked & { readonly isActive?: boolean | undefined },
): readonly EventTriggerEvent[] {
  const filters = sent.filters as readonly TriggerFilter[] | undefined;
  return [...eventTriggers.changed(trigger, { ...sent, filters }), ...switched(trigger, isActive)];
}

const switched = activation('EventTriggerActivated', 'EventTriggerDeactivated');

export function triggerStartsOtherwise(event: EventTriggerEvent): boolean {
  switch (event.type) {
    case 'EventTriggerAdded':
    case 'EventTriggerActivated':
      return true;
    case 'EventTriggerChanged':
      return Object.keys(event.data).some((term) => term !== 'name');
    case 'EventTriggerDeactivated':
    case 'EventTriggerRemoved':
      return false;
  }
}

const madeName = (event: string, targetName: string) => [...`When ${event}, run ${targetName}`].slice(0, 200).join('');
