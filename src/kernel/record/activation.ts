import type { DomainEvent } from '../event/event.js';

/**
 * Returns a function that gives the event for a requested `isActive`, or none if the value is undefined or unchanged
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
