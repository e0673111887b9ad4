import type { DomainEvent } from '../event/event.js';

/**
 * Switches a record on or off, with one of two events. If the value is the same or missing, records nothing
 * (Automations API, States).
 */
export function activation<const On extends string, const Off extends string>(on: On, off: Off) {
  return (
    now: { readonly isActive: boolean },
    isActive: boolean | undefined,
  ): readonly (DomainEvent<On, object> | DomainEvent<Off, object>)[] => {
    if (isActive === undefined || isActive === now.isActive) return [];
    return [isActive ? { type: on, data: {} } : { type: off, data: {} }];
  };
}
