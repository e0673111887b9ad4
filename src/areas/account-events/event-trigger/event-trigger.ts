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

/** Terms as sent: any may be missing, and filters are not checked yet. */
export interface Unchecked extends Omit<SentTerms, 'filters'> {
  readonly filters?: readonly unknown[] | undefined;
}

export const mostTriggers = 10_000;
const mostParamBytes = 8 * 1024;

/** @throws Refusal invalid-input, which names every wrong path; app-install-not-found */
export function checkTerms({ event, filters, config }: Unchecked): void {
  const wrong = [
    ...(event === undefined ? [] : wrongEventPattern(event)),
    ...(filters === undefined ? [] : wrongFilters(filters)),
    ...(config?.params === undefined ? [] : wrongParams(config.params)),
  ];
  if (wrong.length > 0) refuseInput(wrong);
}

/** No app is installed, so no install id can be valid. @throws Refusal */
export function checkInstall(event: string, installId: string | undefined, path: string): void {
  if (installId === undefined) return;
  if (!isOfApps(event)) refuseInput([{ path, message: 'is for app.<name> events only' }]);
  refuse('app-install-not-found');
}

/** The target also receives `event` and `trigger`, so params must not use these names. */
function wrongParams(params: JsonObject): readonly InvalidField[] {
  const path = 'config.params';
  const taken = ['event', 'trigger'].filter((key) => Object.hasOwn(params, key));
  const tooLarge = Buffer.byteLength(JSON.stringify(params)) > mostParamBytes;
  return [
    ...taken.map((key) => ({ path: `${path}.${key}`, message: 'is given to the target by the service' })),
    ...(tooLarge ? [{ path, message: `must be at most ${mostParamBytes} bytes of JSON` }] : []),
  ];
}

export interface NewTrigger extends Unchecked {
  readonly event: string;
  readonly targetKind: EventTargetKind;
  readonly targetRef: string;
}

/** The default name combines the event and the target (Account Events API, Trigger). */
export function addEventTrigger(input: NewTrigger, targetName: string): readonly EventTriggerEvent[] {
  const { event, targetKind, targetRef, name = madeName(event, targetName), config = {} } = input;
  const filters = (input.filters ?? []) as readonly TriggerFilter[];
  return eventTriggers.created({ name, event, filters, targetKind, targetRef, config });
}

/** Account Events API, setFlowEventTrigger: one trigger per node of a flow, whether or not the node exists. */
export function setFlowTrigger(
  trigger: EventTrigger | undefined,
  input: NewTrigger,
  targetName: string,
): readonly EventTriggerEvent[] {
  if (trigger === undefined) return addEventTrigger(input, targetName);
  const { event, filters = [], config = {} } = input;
  return updateEventTrigger(trigger, { event, filters, config });
}

/** Sent values replace existing ones; filters and config are replaced as a whole. Equal values are not recorded. */
export function updateEventTrigger(
  trigger: EventTrigger,
  { isActive, ...sent }: Unchecked & { readonly isActive?: boolean | undefined },
): readonly EventTriggerEvent[] {
  const filters = sent.filters as readonly TriggerFilter[] | undefined;
  return [...eventTriggers.changed(trigger, { ...sent, filters }), ...switched(trigger, isActive)];
}

const switched = activation('EventTriggerActivated', 'EventTriggerDeactivated');

/** Whether the target may run at other times or with other input. A new name or deactivation changes neither. */
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
